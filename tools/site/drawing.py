"""Small line drawings of bodies, frames and arrows in space, written as SVG."""

import math

WIDTH, HEIGHT = 360, 270
PARENT, CHILD, INK, MOTION, FORCE = "#9a9a9a", "#56a0d3", "#222222", "#d55e00", "#009e73"
AZIMUTH, ELEVATION = math.radians(32), math.radians(30)
RIGHT = (-math.sin(AZIMUTH), math.cos(AZIMUTH), 0.0)
UP = (-math.sin(ELEVATION) * math.cos(AZIMUTH), -math.sin(ELEVATION) * math.sin(AZIMUTH), math.cos(ELEVATION))
EYE = (math.cos(ELEVATION) * math.cos(AZIMUTH), math.cos(ELEVATION) * math.sin(AZIMUTH), math.sin(ELEVATION))
X, Y, Z, O = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def add(*vectors):
    return tuple(sum(parts) for parts in zip(*vectors))


def scale(s, a):
    return tuple(s * p for p in a)


def unit(a):
    return scale(1 / math.sqrt(dot(a, a)), a)


def turn(axis, angle, a):
    """Rodrigues' formula."""
    n, c, s = unit(axis), math.cos(angle), math.sin(angle)
    return add(scale(c, a), scale(s, cross(n, a)), scale((1 - c) * dot(n, a), n))


class Drawing:
    def __init__(self, title, centre=O, size=60.0, width=WIDTH, height=HEIGHT):
        self.title, self.centre, self.size, self.width, self.height = title, centre, size, width, height
        self.parts = []

    def at(self, point):
        d = add(point, scale(-1, self.centre))
        return (self.width / 2 + self.size * dot(RIGHT, d), self.height / 2 - self.size * dot(UP, d))

    # -- flat pieces ----------------------------------------------------------------------------------------------

    def polygon(self, points, fill, stroke=INK, opacity=1.0, thick=1.0):
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        extra = f' fill-opacity="{opacity}"' if opacity < 1 else ""
        self.parts.append(
            f'<polygon points="{text}" fill="{fill}"{extra} stroke="{stroke}" stroke-width="{thick}" stroke-linejoin="round"/>'
        )

    def path(self, points, stroke=INK, thick=1.5, dash=""):
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<polyline points="{text}" fill="none" stroke="{stroke}" stroke-width="{thick}"{extra} stroke-linecap="round"/>'
        )

    def head(self, tip, before, colour, size=8.0):
        dx, dy = tip[0] - before[0], tip[1] - before[1]
        length = math.hypot(dx, dy) or 1.0
        dx, dy = dx / length, dy / length
        back = (tip[0] - size * dx, tip[1] - size * dy)
        wide = 0.42 * size
        self.polygon([tip, (back[0] - wide * dy, back[1] + wide * dx), (back[0] + wide * dy, back[1] - wide * dx)], colour, colour, thick=0.5)

    def text(self, point, words, colour=INK, dx=0.0, dy=0.0, size=13, style="", anchor="middle"):
        x, y = self.at(point)
        extra = f' font-style="{style}"' if style else ""
        self.parts.append(
            f'<text x="{x + dx:.1f}" y="{y + dy + 4:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}"{extra} '
            f'paint-order="stroke" stroke="white" stroke-width="3" stroke-linejoin="round">{words}</text>'
        )

    # -- things in space ------------------------------------------------------------------------------------------

    def line(self, a, b, stroke=INK, thick=1.5, dash=""):
        self.path([self.at(a), self.at(b)], stroke, thick, dash)

    def arrow(self, a, b, colour=INK, thick=2.0, words="", dx=0.0, dy=0.0, double=False):
        start, end = self.at(a), self.at(b)
        self.path([start, end], colour, thick)
        self.head(end, start, colour)
        if double:
            middle = (end[0] + 0.16 * (start[0] - end[0]), end[1] + 0.16 * (start[1] - end[1]))
            self.head(middle, start, colour)
        if words:
            self.text(b, words, colour, dx, dy, style="italic")

    def frame(self, origin, axes=(X, Y, Z), name="", colour=INK, length=0.95, letters=True, dx=-10.0, dy=10.0):
        for axis, letter in zip(axes, "xyz"):
            tip = add(origin, scale(length, axis))
            self.arrow(origin, tip, colour, 1.4)
            if letters:
                self.text(add(origin, scale(length + 0.18, axis)), letter, colour, size=11, style="italic")
        x, y = self.at(origin)
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>')
        if name:
            self.text(origin, f"<tspan font-weight='bold'>{name}</tspan>", colour, dx, dy)

    def arc(self, centre, axis, start, angle, radius=0.6, colour=MOTION, words="", dx=0.0, dy=0.0, thick=2.0, head=True):
        """From direction `start`, turned about the axis: the arrow of a positive angle."""
        n = 28
        points = [self.at(add(centre, scale(radius, turn(axis, angle * k / n, unit(start))))) for k in range(n + 1)]
        self.path(points, colour, thick)
        if head:
            self.head(points[-1], points[-3], colour)
        if words:
            middle = add(centre, scale(radius, turn(axis, angle * 0.55, unit(start))))
            self.text(middle, words, colour, dx, dy, style="italic")

    def box(self, centre, sizes, axes=(X, Y, Z), fill=PARENT, opacity=0.75):
        halves = [scale(0.5 * s, a) for s, a in zip(sizes, axes)]
        for k in range(3):
            for sign in (1, -1):
                normal = scale(sign, axes[k])
                if dot(normal, EYE) <= 0:
                    continue
                middle, u, v = add(centre, scale(sign, halves[k])), halves[(k + 1) % 3], halves[(k + 2) % 3]
                corners = [add(middle, scale(p, u), scale(q, v)) for p, q in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
                self.polygon([self.at(c) for c in corners], shade(fill, 0.72 + 0.33 * max(0, dot(normal, (0.25, 0.35, 0.9)))), opacity=opacity)

    def cylinder(self, a, b, radius, fill=PARENT, opacity=0.85):
        axis = unit(add(b, scale(-1, a)))
        side = unit(cross(axis, (0.3, 0.5, 0.81)))
        ring = [scale(radius, turn(axis, 2 * math.pi * k / 36, side)) for k in range(36)]
        ends = [[self.at(add(end, r)) for r in ring] for end in (a, b)]
        self.polygon(hull(ends[0] + ends[1]), fill, opacity=opacity)
        near = 1 if dot(axis, EYE) > 0 else 0
        self.polygon(ends[near], shade(fill, 1.15), opacity=opacity)

    def ring(self, centre, axis, radius, stroke=INK, thick=1.5, fill="none", dash="", opacity=1.0):
        side = unit(cross(axis, (0.3, 0.5, 0.81)))
        points = [self.at(add(centre, scale(radius, turn(axis, 2 * math.pi * k / 48, side)))) for k in range(49)]
        if fill != "none":
            self.polygon(points, fill, stroke, opacity, thick)
        else:
            self.path(points, stroke, thick, dash)

    def ball(self, centre, radius, fill=CHILD):
        x, y = self.at(centre)
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius * self.size:.1f}" fill="{fill}" stroke="{INK}"/>')

    def coil(self, a, b, turns=7, radius=0.13, colour=INK):
        axis = add(b, scale(-1, a))
        side = unit(cross(axis, EYE))
        points = [a]
        for k in range(2 * turns + 1):
            share = 0.18 + 0.64 * k / (2 * turns)
            points.append(add(a, scale(share, axis), scale(radius * (0 if k in (0, 2 * turns) else (-1) ** k), side)))
        self.path([self.at(p) for p in points + [b]], colour, 1.6)

    def ground(self, centre, wide=2.2, deep=1.6):
        self.box(add(centre, (0, 0, -0.05)), (deep, wide, 0.1), fill="#cfcfcf")

    def svg(self):
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
            f'height="{self.height}" font-family="sans-serif" role="img"><title>{self.title}</title>\n{body}\n</svg>\n'
        )


def shade(colour, factor):
    parts = [min(255, int(int(colour[k : k + 2], 16) * factor)) for k in (1, 3, 5)]
    return "#%02x%02x%02x" % tuple(parts)


def hull(points):
    """Convex hull (Andrew's monotone chain)."""
    points = sorted(set(points))

    def half(sequence):
        chain = []
        for p in sequence:
            while len(chain) > 1 and (chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1]) <= (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0]):
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return half(points) + half(points[::-1])
