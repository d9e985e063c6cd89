#!/usr/bin/env python3
"""The drawings of joints, forces and constraints in docs/images: frames, axes and the sign of every coordinate.

usage: drawings.py OUT      (OUT: docs/images)

Grey is the parent with its frame P, blue the child with its frame C, orange a motion in its positive sense, green a
force in its positive sense. Every drawing shows the joint a little way from its zero, where P and C coincide.
"""

import math
import sys
from pathlib import Path

from drawing import CHILD, EYE, FORCE, INK, MOTION, O, PARENT, X, Y, Z, Drawing, add, cross, scale, turn, unit

drawings = {}


def drawing(kind, name):
    def keep(function):
        drawings[f"{kind}/{name}"] = function
        return function

    return keep


def turned(axis, angle):
    return tuple(turn(axis, angle, a) for a in (X, Y, Z))


def parent_base(d, top=-0.8):
    """A grey plate below the joint."""
    d.box((0, 0, top - 0.1), (1.9, 1.9, 0.2))


def hinged_arm(d, angle, post=PARENT):
    """A post on the plate, an arm turned about z on top of it; the arm's axes."""
    axes = turned(Z, angle)
    parent_base(d)
    d.cylinder((0, 0, -0.8), (0, 0, -0.05), 0.22, post)
    d.box(add((0, 0, 0.03), scale(0.8, axes[0])), (2.1, 0.42, 0.16), axes, CHILD)
    return axes


def axis_line(d, axis, reach=1.9, words="a"):
    d.line(scale(-reach * 0.6, axis), scale(reach, axis), INK, 1.0, "7 4")
    d.text(scale(reach, axis), words, INK, 12, style="italic")


# -- joints -----------------------------------------------------------------------------------------------------------


@drawing("joints", "fixed")
def fixed():
    d = Drawing("fixed joint: frames P and C coincide", (0, 0, 0.1))
    parent_base(d, 0.0)
    d.box((0, 0, 0.35), (1.0, 1.0, 0.7), fill=CHILD, opacity=0.45)
    d.text((0, 0, 0.7), "child", "#20638f", 0, -12, 11)
    d.text((0.95, 0.95, -0.2), "parent", "#555555", 10, 12, 11)
    d.frame((0, 0, 0), name="P = C", dx=-30, dy=-6, length=1.25)
    return d.svg()


@drawing("joints", "revolute")
def revolute():
    d = Drawing("revolute joint: C turns about the axis a by the angle q", (0, 0.3, 0.3))
    angle = math.radians(62)
    axes = hinged_arm(d, angle)
    axis_line(d, Z, 1.75)
    d.frame(O, name="P", dx=-14, dy=-4, length=1.75)
    d.frame((0, 0, 0.11), axes, "C", "#0b4f7d", 1.45, dx=13, dy=-8)
    d.arc(O, Z, X, angle, 1.55, words="q", dx=2, dy=13)
    return d.svg()


@drawing("joints", "prismatic")
def prismatic():
    d = Drawing("prismatic joint: C slides along the axis a by q", (0, 0.7, 0.15))
    d.box((0, 0.6, -0.55), (1.3, 3.0, 0.35))
    d.box((0.0, 0.6, -0.27), (0.5, 3.0, 0.2), fill="#b5b5b5")
    d.text((0.65, -0.7, -0.8), "parent", "#555555", -12, 12, 11)
    d.box((0, 1.5, 0.05), (0.9, 0.9, 0.5), fill=CHILD)
    d.line((0, -1.1, 0), (0, 2.7, 0), INK, 1.0, "7 4")
    d.text((0, 2.9, 0), "a", style="italic")
    d.frame(O, name="P", dx=-12, dy=-8)
    d.frame((0, 1.5, 0), name="C", colour="#0b4f7d", dx=12, dy=12)
    d.arrow((0, 0, 1.25), (0, 1.5, 1.25), MOTION, words="q", dx=-30, dy=-10)
    return d.svg()


def on_a_spindle(d, threaded, angle, rise):
    parent_base(d, -0.75)
    d.cylinder((0, 0, -0.75), (0, 0, 1.65), 0.15)
    if threaded:
        for k in range(-6, 15):
            d.arc((0, 0, 0.11 * k), Z, cross(Z, EYE), -math.pi, 0.15, "#666666", thick=0.9, head=False)
    axes = turned(Z, angle)
    d.cylinder((0, 0, rise - 0.3), (0, 0, rise), 0.6, CHILD)
    axis_line(d, Z, 2.05)
    d.frame(O, name="P", dx=-16, dy=-4, length=1.5)
    d.frame((0, 0, rise), axes, "C", "#0b4f7d", 1.15, dx=16, dy=-10)
    d.arc(O, Z, X, angle, 1.3, words="q" if threaded else "q0", dx=0, dy=13)
    d.line((0, 0, rise), (0, 2.0, rise), MOTION, 0.8, "2 3")
    d.line(O, (0, 2.0, 0), MOTION, 0.8, "2 3")
    d.arrow((0, 1.95, 0), (0, 1.95, rise), MOTION, words="pitch · q" if threaded else "q1", dx=4, dy=-12)


@drawing("joints", "screw")
def screw():
    d = Drawing("screw joint: C turns about a by q and advances by pitch times q", (0, 0.35, 0.45), 56)
    on_a_spindle(d, True, math.radians(60), 0.95)
    return d.svg()


@drawing("joints", "cylindrical")
def cylindrical():
    d = Drawing("cylindrical joint: C turns about a by q0 and slides along it by q1", (0, 0.35, 0.45), 56)
    on_a_spindle(d, False, math.radians(60), 0.95)
    return d.svg()


@drawing("joints", "universal")
def universal():
    d = Drawing("universal joint: q0 about the first axis, fixed in P; q1 about the second, carried by the first", (0, 0.1, 0.1), 52)
    first, second = math.radians(0), math.radians(35)
    parent_base(d, -1.0)
    d.cylinder((0, 0, -1.0), (0, 0, -0.45), 0.2)
    d.box((0.55, 0, -0.2), (0.12, 0.4, 0.7), fill=PARENT)
    d.box((-0.55, 0, -0.2), (0.12, 0.4, 0.7), fill=PARENT)
    d.cylinder((-0.75, 0, 0), (0.75, 0, 0), 0.08, "#d8d8d8")
    d.cylinder((0, -0.6, 0), (0, 0.6, 0), 0.08, "#d8d8d8")
    axes = turned(Y, second)
    up = axes[2]
    d.box(add((0, 0.5, 0), scale(0.25, up)), (0.35, 0.1, 0.7), axes, CHILD)
    d.box(add((0, -0.5, 0), scale(0.25, up)), (0.35, 0.1, 0.7), axes, CHILD)
    d.cylinder(scale(0.55, up), scale(1.6, up), 0.15, CHILD)
    d.line((-1.3, 0, 0), (2.2, 0, 0), INK, 1.0, "7 4")
    d.text((2.2, 0, 0), "a1, fixed in P", dx=-20, dy=12, size=11)
    d.line((0, -1.3, 0), (0, 1.9, 0), INK, 1.0, "7 4")
    d.text((0, 1.9, 0), "a2, carried", size=11, dx=-4, dy=-14)
    d.arc((1.5, 0, 0), X, Y, math.radians(120), 0.45, words="q0", dx=14, dy=-6)
    d.arc((0, 1.35, 0), Y, Z, math.radians(120), 0.45, words="q1", dx=-2, dy=20)
    d.text(scale(1.8, up), "child", "#20638f", size=11)
    return d.svg()


@drawing("joints", "planar")
def planar():
    d = Drawing("planar joint: C lies at x e1 + y e2 of P, turned by the angle about n", (0.7, 1.15, 0.1), 52)
    angle = math.radians(40)
    axes = turned(Z, angle)
    place, top = (1.1, 2.3, 0), (1.1, 2.3, 0.16)
    d.box((0.75, 1.25, -0.09), (3.2, 4.0, 0.12))
    d.frame(O, name="P", dx=-12, dy=-6, length=0.7, letters=False)
    d.text((0.9, 0, 0), "e1", size=11, style="italic")
    d.text((0, 0.9, 0), "e2", size=11, dy=-4, style="italic")
    d.text((0, 0, 0.9), "n", size=11, style="italic")
    for start, end in ((O, (2.0, 0, 0)), ((1.1, 0, 0), place), (place, (2.0, 2.3, 0)), (O, (0, 2.3, 0)), ((0, 2.3, 0), place)):
        d.line(start, end, MOTION, 0.7, "2 3")
    d.arrow((2.0, 0, 0), (2.0, 2.3, 0), MOTION)
    d.text((2.0, 1.2, 0), "y", MOTION, 0, 12, style="italic")
    d.arrow((0, 2.9, 0), (1.1, 2.9, 0), MOTION)
    d.text((0.5, 2.9, 0), "x", MOTION, 10, 6, style="italic")
    d.box((1.1, 2.3, 0.08), (0.7, 0.5, 0.16), axes, CHILD)
    d.frame(top, axes, "C", "#0b4f7d", 0.9, letters=False, dx=-12, dy=-8)
    d.line(top, add(top, (0.9, 0, 0)), MOTION, 0.7, "2 3")
    d.arc(top, Z, X, angle, 0.75)
    d.text(add(top, (0.75, 0.3, 0)), "angle", MOTION, 16, 12, style="italic")
    return d.svg()


@drawing("joints", "spherical")
def spherical():
    d = Drawing("spherical joint: the unit quaternion q turns P into C; v is the angular velocity in the axes of C", (0, 0.15, 0.55))
    axes = tuple(turn(Y, math.radians(22), a) for a in turned(X, math.radians(-24)))
    parent_base(d, -0.9)
    d.cylinder((0, 0, -0.9), (0, 0, -0.25), 0.3)
    d.ball(O, 0.36, "#cfe6f6")
    d.cylinder(scale(0.3, axes[2]), scale(1.7, axes[2]), 0.13, CHILD)
    d.frame(O, name="P", dx=-26, dy=-14, length=1.5)
    d.frame(O, axes, "C", "#0b4f7d", 1.2, dx=22, dy=-14, letters=False)
    d.text(scale(1.38, axes[0]), "x'", "#0b4f7d", size=11, style="italic")
    d.text(scale(1.4, axes[1]), "y'", "#0b4f7d", size=11, style="italic")
    d.arrow(O, scale(2.1, unit(add(axes[2], scale(0.55, axes[1])))), MOTION, words="v", dx=10, double=True)
    d.arc(O, axes[0], axes[1], math.radians(55), 0.85)
    d.arc(O, axes[1], axes[2], math.radians(55), 0.85)
    d.arc(O, axes[2], axes[0], math.radians(55), 0.85)
    return d.svg()


@drawing("joints", "translation")
def translation():
    d = Drawing("translation joint: C keeps the directions of P and lies at (x, y, z)", (0.5, 1.0, 0.4), 50)
    parent_base(d, -0.5)
    place = (1.0, 2.1, 1.5)
    d.frame(O, name="P", dx=-12, dy=-4, length=0.8)
    d.line(O, (1.0, 0, 0), MOTION, 2)
    d.line((1.0, 0, 0), (1.0, 2.1, 0), MOTION, 2)
    d.arrow((1.0, 2.1, 0), place, MOTION)
    d.text((0.55, 0, 0), "x", MOTION, -10, -2, style="italic")
    d.text((1.0, 0.9, 0), "y", MOTION, 0, 12, style="italic")
    d.text((1.0, 2.1, 0.6), "z", MOTION, -9, 0, style="italic")
    d.box(place, (0.8, 0.8, 0.5), fill=CHILD)
    d.frame(place, name="C", colour="#0b4f7d", dx=-14, dy=-6)
    return d.svg()


@drawing("joints", "free")
def free():
    d = Drawing("free joint: quaternion and position; angular and linear velocity in the axes of C", (0.4, 1.0, 0.5), 50)
    parent_base(d, -0.5)
    place = (0.7, 2.1, 1.5)
    axes = tuple(turn(Y, math.radians(20), a) for a in turned(Z, math.radians(35)))
    d.frame(O, name="P", dx=-12, dy=-4, length=0.8)
    d.arrow(O, place, MOTION, 1.6)
    d.text(scale(0.45, place), "position, in P", MOTION, -22, -14, 11)
    d.box(place, (1.0, 0.7, 0.5), axes, CHILD)
    d.frame(place, axes, "C", "#0b4f7d", 1.1, dx=-14, dy=-8)
    d.arc(place, axes[2], axes[0], math.radians(60), 0.95)
    d.arc(place, axes[0], axes[1], math.radians(60), 0.95)
    return d.svg()


@drawing("joints", "ellipsoidal")
def ellipsoidal():
    d = Drawing("ellipsoidal joint: C's z axis has the direction n, its origin is at (a nx, b ny, c nz) of P", (0, 0.3, 0.2), 68)
    radii = (1.0, 1.5, 0.8)
    at = lambda n: tuple(r * c for r, c in zip(radii, n))
    for normal in (X, Y, Z):
        start = Y if normal == X else X
        points = [at(turn(normal, math.radians(6 * k), start)) for k in range(61)]
        d.path([d.at(p) for p in points], "#8a8a8a", 1.2, "" if normal == Z else "3 3")
    axes = tuple(turn(X, math.radians(-48), a) for a in turned(Y, math.radians(18)))
    place = at(axes[2])
    d.frame(O, name="P", dx=-14, dy=-4, length=0.7)
    d.box(add(place, scale(0.32, axes[2])), (0.7, 0.7, 0.5), axes, CHILD)
    d.frame(place, axes, "C", "#0b4f7d", 1.0, dx=-16, dy=-8, letters=False)
    d.text(add(place, scale(1.12, axes[2])), "n", "#0b4f7d", 10, 0, style="italic")
    d.line(O, place, MOTION, 1.2, "4 3")
    d.arc(place, axes[0], axes[1], math.radians(55), 0.8)
    d.arc(place, axes[1], axes[2], math.radians(55), 0.8)
    d.arc(place, axes[2], axes[0], math.radians(55), 0.8)
    d.text(at(X), "a", INK, 0, 14, style="italic")
    d.text(at(Y), "b", INK, 10, 8, style="italic")
    d.text(at(Z), "c", INK, -10, -2, style="italic")
    return d.svg()


# -- forces -----------------------------------------------------------------------------------------------------------


@drawing("forces", "spring")
def spring():
    d = Drawing("spring: pulls its two points together when it is longer than its length", (0, 0, 0), 46, 340, 170)
    a, b = (0, -1.8, -0.2), (0, 1.8, 0.35)
    d.box(add(a, (0, -0.55, 0)), (0.8, 0.9, 0.8))
    d.box(add(b, (0, 0.55, 0)), (0.8, 0.9, 0.8), fill=CHILD)
    d.coil(a, b)
    d.text(a, "from", dx=-20, dy=50)
    d.text(b, "to", dx=22, dy=50)
    up = (0, 0, 0.62)
    axis = unit(add(b, scale(-1, a)))
    d.arrow(add(a, up), add(a, up, scale(0.95, axis)), FORCE, words="k (d - length) + c d'", dx=30, dy=-12)
    d.arrow(add(b, up), add(b, up, scale(-0.95, axis)), FORCE)
    low = (0, 0, -0.55)
    d.line(add(a, low), add(b, low), INK, 0.8, "3 3")
    d.text(add(scale(0.5, add(a, b)), low), "d", dy=12, style="italic")
    return d.svg()


@drawing("forces", "bushing")
def bushing():
    d = Drawing("bushing: springs and dampers along and about the axes of from pull the frame of to back to it", (0, 0.4, 0.1), 56)
    axes = tuple(turn(X, math.radians(14), a) for a in turned(Z, math.radians(24)))
    place = (0.3, 1.0, 0.45)
    d.box((0, -0.7, 0), (1.2, 0.9, 1.0))
    d.box(add(place, scale(0.75, axes[1])), (1.0, 0.9, 0.8), axes, CHILD)
    d.coil((0, -0.25, 0), place)
    d.frame(O, name="from", dx=-24, dy=14, length=0.9)
    d.frame(place, axes, "to", "#0b4f7d", 0.9, dx=16, dy=-14, letters=False)
    d.line(O, place, MOTION, 1.4, "4 3")
    d.text(scale(0.55, place), "d", MOTION, 8, -10, style="italic")
    d.arrow(add(place, (0, 0, 0.75)), add(place, (-0.25, -0.85, 0.4)), FORCE, words="f", dx=-8, dy=-8)
    d.arc(place, axes[2], axes[0], math.radians(-60), 0.7, FORCE, "n", 8, 8)
    return d.svg()


@drawing("forces", "torsion")
def torsion():
    d = Drawing("torsion spring: turns the child back towards rest", (0, 0.45, 0.2), 56)
    angle = math.radians(75)
    axes = hinged_arm(d, angle)
    rest = turn(Z, math.radians(22), X)
    d.line(O, scale(2.1, rest), INK, 1.0, "5 4")
    d.text(scale(2.25, rest), "rest", size=11, dy=4)
    points = []
    for k in range(120):
        s = k / 119
        points.append(d.at(add((0, 0, 0.12), scale(0.15 + 0.42 * s, turn(Z, 2 * math.pi * 2.4 * s, axes[0])))))
    d.path(points, INK, 1.5)
    axis_line(d, Z, 1.5)
    d.line(O, scale(1.9, X), INK, 0.8)
    d.arc(O, Z, X, angle, 1.35, words="q", dx=2, dy=-10)
    d.arc((0, 0, 0.1), Z, axes[0], -math.radians(40), 1.9, FORCE)
    d.text(scale(1.9, turn(Z, math.radians(50), X)), "-k (q - rest) - c v", FORCE, 30, 18, style="italic")
    return d.svg()


@drawing("forces", "wrench")
def wrench():
    d = Drawing("wrench: a force and a torque at a point of a body", (0, 0.2, 0.3), 46, 340, 200)
    d.box((0, 0, 0), (1.3, 2.0, 0.9), fill=CHILD)
    point = (0.65, 0.4, 0.15)
    d.frame((0, -0.2, 0), name="body", dx=-26, dy=-6, length=0.9)
    d.line((0, -0.2, 0), point, INK, 0.9, "3 3")
    d.text(scale(0.5, add((0, -0.2, 0), point)), "at", size=11, dy=10, style="italic")
    d.arrow(point, add(point, (0.3, 1.3, 0.5)), FORCE, 2.4, "force", dx=16, dy=-6)
    d.arrow(point, add(point, (0.3, -0.2, 1.3)), FORCE, 2.4, "torque", dx=4, dy=-10, double=True)
    return d.svg()


@drawing("forces", "joint")
def joint_force():
    d = Drawing("joint force: value acts on the child along the positive direction of each speed, and backwards on the parent", (0, 0.35, 0.15), 56)
    axes = hinged_arm(d, math.radians(50), "#c9b458")
    axis_line(d, Z, 1.5)
    d.arc((0, 0, 0.11), Z, axes[0], math.radians(75), 1.6, FORCE)
    d.text(scale(1.6, turn(Z, math.radians(125), X)), "value, on the child", FORCE, 6, -14, style="italic")
    d.arc((0, 0, -0.7), Z, turn(Z, math.radians(75), X), -math.radians(75), 1.35, "#5f9e85")
    d.text((1.2, 0.6, -0.9), "-value, on the parent", "#5f9e85", 0, 24, style="italic")
    return d.svg()


@drawing("forces", "potential")
def potential():
    d = Drawing("potential: forces point down the slope of V", (0, 0, 0.45), 42, 340, 190)
    for level in (1.0, 0.75, 0.5, 0.25):
        points = []
        for k in range(61):
            angle = 2 * math.pi * k / 60
            r = 1.9 * math.sqrt(level)
            points.append(d.at((r * math.cos(angle), r * math.sin(angle), 1.1 * level)))
        d.path(points, "#888888", 1.0)
    for angle in (0.4, 1.9, 3.4, 5.0):
        edge = [d.at((1.9 * s * math.cos(angle), 1.9 * s * math.sin(angle), 1.1 * s * s)) for s in (0, 0.25, 0.5, 0.75, 1)]
        d.path(edge, "#bbbbbb", 0.8)
    place = (0.5, 1.25, 0.56)
    d.ball(place, 0.14)
    d.arrow(place, add(place, (-0.33, -0.8, -0.42)), FORCE, 2.4, "-grad V", dx=0, dy=16)
    d.text((0, 2.0, 1.2), "V", dx=10, style="italic")
    return d.svg()


@drawing("forces", "friction")
def friction():
    d = Drawing("friction: against the speed, and what holds a joint at rest", (0, 0, 0), 46, 340, 210)
    # a chart: friction over speed
    ox, oy = 170, 105
    d.parts.append(f'<line x1="30" y1="{oy}" x2="312" y2="{oy}" stroke="{INK}"/><line x1="{ox}" y1="190" x2="{ox}" y2="20" stroke="{INK}"/>')
    d.head((316, oy), (300, oy), INK)
    d.head((ox, 16), (ox, 30), INK)
    d.parts.append(f'<text x="318" y="{oy + 18}" font-size="13" text-anchor="end" font-style="italic">v</text>')
    d.parts.append(f'<text x="{ox + 8}" y="24" font-size="13" font-style="italic">friction force</text>')
    right = [(ox + s, oy + 34 + 0.10 * s + 0.0011 * s * s) for s in range(0, 126, 6)]
    left = [(2 * ox - x, 2 * oy - y) for x, y in right]
    d.path(right, FORCE, 2.4)
    d.path(left, FORCE, 2.4)
    d.path([(ox, oy - 34), (ox, oy + 34)], FORCE, 3.2)
    smooth = [(ox + s, oy + (34 + 0.10 * abs(s) + 0.0011 * s * s) * math.tanh(s / 16)) for s in range(-124, 125, 4)]
    d.path(smooth, MOTION, 1.3, "5 3")
    d.parts.append(f'<text x="{ox - 8}" y="{oy - 38}" font-size="11" text-anchor="end">coulomb + load</text>')
    d.parts.append(f'<text x="{ox + 10}" y="{oy - 10}" font-size="11" fill="{FORCE}">sticks</text>')
    d.parts.append(f'<text x="{ox + 20}" y="{oy + 88}" font-size="11">+ viscous |v| + quadratic v²</text>')
    d.parts.append(f'<text x="{ox - 128}" y="{oy + 30}" font-size="11" fill="{MOTION}">with smoothing</text>')
    return d.svg()


@drawing("forces", "drag")
def drag():
    d = Drawing("drag: against the velocity relative to the medium", (0, 0.1, 0.1), 46, 340, 170)
    d.ball(O, 0.5)
    d.arrow((0, 0.5, 0.1), (0, 1.9, 0.45), MOTION, words="v - medium", dx=10, dy=-12)
    d.arrow((0, -0.5, -0.1), (0, -1.7, -0.4), FORCE, 2.4, "-c |v| v", dx=-6, dy=16)
    for z in (0.95, 0.6, -0.9, -1.2):
        d.arrow((0, -2.6, z), (0, -1.7, z), "#999999", 1.0)
    d.text((0, -2.6, 1.25), "medium", "#777777", 16, 0, 11)
    return d.svg()


# -- constraints ------------------------------------------------------------------------------------------------------


@drawing("constraints", "distance")
def distance():
    d = Drawing("distance: a rod without mass between two points", (0, 0, 0.1), 46, 340, 170)
    a, b = (0, -1.7, -0.2), (0, 1.7, 0.3)
    d.box(add(a, (0, -0.55, 0)), (0.8, 0.9, 0.7))
    d.box(add(b, (0, 0.55, 0)), (0.8, 0.9, 0.7), fill=CHILD)
    d.line(a, b, INK, 3.0)
    d.text(scale(0.5, add(a, b)), "length", dy=12, style="italic")
    d.text(a, "from", dx=-20, dy=46)
    d.text(b, "to", dx=22, dy=46)
    axis = unit(add(b, scale(-1, a)))
    d.arrow(add(b, (0, 0, 0.5)), add(b, (0, 0, 0.5), scale(0.9, axis)), FORCE, words="positive multiplier: pushes apart", dx=-110, dy=-30)
    return d.svg()


@drawing("constraints", "drive")
def drive():
    d = Drawing("drive: the coordinate follows a given function of time", (0, 0.35, 0.15), 56)
    axes = hinged_arm(d, math.radians(50), "#c9b458")
    axis_line(d, Z, 1.5)
    d.line(O, scale(1.9, X), INK, 0.8)
    d.arc(O, Z, X, math.radians(50), 1.5)
    d.text(scale(1.5, turn(Z, math.radians(25), X)), "q = position(t)", MOTION, 4, 20, style="italic")
    d.arc((0, 0, 0.11), Z, axes[0], math.radians(70), 1.6, FORCE)
    d.text(scale(1.6, turn(Z, math.radians(125), X)), "multiplier, on the child", FORCE, 6, -14, style="italic")
    return d.svg()


@drawing("constraints", "coupler")
def coupler():
    d = Drawing("coupler: the sum of factor times coordinate stays at the offset", (0, 0, 0), 46, 340, 200)
    left, right = (0, -0.95, 0), (0, 0.75, 0)
    d.cylinder(add(left, (-0.15, 0, 0)), add(left, (0.15, 0, 0)), 0.6, PARENT)
    d.cylinder(add(right, (-0.15, 0, 0)), add(right, (0.15, 0, 0)), 1.1, CHILD)
    d.arc(add(left, (0.2, 0, 0)), X, Y, math.radians(300), 0.38, words="q1", dx=12, dy=20)
    d.arc(add(right, (0.2, 0, 0)), X, Y, -math.radians(120), 0.75, words="q2", dx=12, dy=0)
    d.text((0, 0, -1.75), "f1 q1 + f2 q2 = offset", style="italic")
    return d.svg()


@drawing("forces", "tyre")
def tyre():
    d = Drawing("tyre: the wheel slips sideways, the tyre deflects and pushes it back", (0, 0.15, 0.45), 56)
    radius = 1.1
    centre = (0, 0, radius)
    d.box((0, 0.1, -0.06), (2.6, 3.6, 0.1))
    d.ring(centre, X, radius, INK, 1.6, CHILD, opacity=0.75)
    d.arrow(centre, add(centre, (1.1, 0, 0)), INK, words="axis", dx=-16, dy=2)
    d.line(centre, O, INK, 1.0, "4 3")
    d.text((0, 0, 0.75 * radius), "radius", size=11, dx=22, style="italic")
    d.arrow((-0.9, 1.5, 0), (-0.9, 1.5, 1.0), INK, words="normal", dx=0, dy=-10)
    d.line(O, (0, 1.5, 0), INK, 0.9, "5 4")
    d.arrow(O, (0, -1.5, 0), INK, words="h", dx=-8, dy=-8)
    d.arrow(O, (0.75, -1.2, 0), MOTION, 2.0, "v", dx=-8, dy=8)
    d.arrow(O, (-1.1, 0, 0), FORCE, 2.6, "F", dx=14, dy=4)
    d.text(O, "c", size=11, dx=4, dy=16)
    return d.svg()


@drawing("constraints", "rolling-disc")
def rolling_disc():
    d = Drawing("rolling disc: touches the plane at its lowest point and does not slip", (0, 0.1, 0.5), 56)
    tilt = math.radians(14)
    axis = turn(Y, -tilt, X)
    radius = 1.15
    lowest = unit(add(scale(-1, Z), scale(axis[2], axis)))
    centre = scale(-radius, lowest)
    d.box((0, 0.1, -0.06), (2.6, 3.6, 0.1))
    d.ring(centre, axis, radius, INK, 1.6, CHILD, opacity=0.75)
    d.frame(O, (X, Y, Z), colour="#666666", length=0.01, letters=False)
    d.arrow(centre, add(centre, scale(1.2, axis)), INK, words="axis", dx=-14, dy=2)
    d.line(centre, O, INK, 1.0, "4 3")
    d.text(scale(0.62, centre), "radius", size=11, dx=-20, style="italic")
    d.text(centre, "center", size=11, dx=26, dy=-6, style="italic")
    d.arrow((0, -1.4, 0), (0, -1.4, 1.1), INK, words="normal", dx=0, dy=-10)
    d.arrow(O, (0, 0, 0.85), FORCE, 2.6, "row 0", dx=22, dy=-2)
    d.arrow(O, (0.9, 0, 0), FORCE, 2.0)
    d.arrow(O, (0, 0.95, 0), FORCE, 2.0)
    d.text((0, 0.95, 0), "rows 1 and 2", FORCE, 16, 14, 11)
    d.text(O, "contact c", size=11, dx=-32, dy=-6)
    return d.svg()


@drawing("constraints", "point-on-plane")
def point_on_plane():
    d = Drawing("point on plane: the point stays in the plane", (0, 0.1, 0.35), 46, 340, 200)
    axis = unit((-0.1, 0.75, 0.65))
    side = unit(cross(X, axis))
    d.box((0, 0.1, -0.06), (2.6, 3.6, 0.1))
    d.box(scale(1.15, axis), (0.4, 0.4, 1.6), (side, cross(axis, side), axis), CHILD)
    d.line(O, scale(0.4, axis), INK, 2.0)
    d.frame(O, (X, Y, Z), colour="#666666", length=0.01, letters=False)
    d.arrow((-0.9, -1.3, 0), (-0.9, -1.3, 1.0), INK, words="normal", dx=0, dy=-10)
    d.arrow(O, (0, 0, 1.0), FORCE, 2.6, "row 0", dx=-22, dy=0)
    for along in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        d.arrow(scale(0.15, along), scale(0.85, along), MOTION)
    d.text(O, "at", size=11, dx=6, dy=16, style="italic")
    return d.svg()


@drawing("constraints", "knife-edge")
def knife_edge():
    d = Drawing("knife edge: the point may not slide along the normal", (0, 0.2, 0.15), 46, 340, 200)
    angle = math.radians(62)
    axes = turned(Z, angle)
    d.box((0, 0.1, -0.06), (2.6, 3.6, 0.1))
    d.box((0, 0, 0.45), (2.0, 0.6, 0.3), axes, CHILD)
    d.polygon([d.at(add(scale(s, axes[0]), (0, 0, z))) for s, z in ((-0.5, 0.3), (0.5, 0.3), (0.42, 0), (-0.42, 0))], "#777777")
    d.arrow(O, scale(1.6, axes[1]), FORCE, 2.4, "normal", dx=-4, dy=12)
    d.arrow(scale(1.0, axes[0]), scale(1.9, axes[0]), MOTION, words="free", dx=16)
    d.arrow(scale(-1.0, axes[0]), scale(-1.9, axes[0]), MOTION)
    return d.svg()


if __name__ == "__main__":
    out = Path(sys.argv[1])
    for name, make in drawings.items():
        file = out / f"{name}.svg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(make(), encoding="utf-8")
