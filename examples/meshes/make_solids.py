#!/usr/bin/env python3
"""Makes the convex bodies of ../solids.toml: a tetrahedron, an octahedron, a dodecahedron, an
icosahedron and a cut stone as OBJ files. Faces are found from the corners: three corners make one
where no corner lies outside of their plane.
"""

import itertools
import math
import pathlib

RADIUS = 0.03  # m, from the middle to the corners
GOLDEN = (1 + math.sqrt(5)) / 2


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    return [x / math.sqrt(dot(a, a)) for x in a]


def around(corners, on, normal):
    """The corners of a face in their order, anticlockwise seen from outside."""
    middle = [sum(corners[k][i] for k in on) / len(on) for i in range(3)]
    first = unit(minus(corners[on[0]], middle))
    second = cross(normal, first)

    def angle(k):
        d = minus(corners[k], middle)
        return math.atan2(dot(d, second), dot(d, first)) % (2 * math.pi)

    return sorted(on, key=angle)


def faces_of(corners):
    faces = {}
    for i, j, k in itertools.combinations(range(len(corners)), 3):
        normal = cross(minus(corners[j], corners[i]), minus(corners[k], corners[i]))
        if dot(normal, normal) < 1e-20:
            continue
        normal = unit(normal)
        heights = [dot(minus(c, corners[i]), normal) for c in corners]
        if max(heights) > 1e-9:
            normal, heights = [-x for x in normal], [-h for h in heights]
        on = tuple(n for n, h in enumerate(heights) if abs(h) < 1e-9)
        if max(heights) < 1e-9 and on not in faces:
            faces[on] = around(corners, on, normal)
    return faces.values()


def sized(corners):
    size = RADIUS / math.sqrt(dot(corners[0], corners[0]))
    return [[size * x for x in c] for c in corners]


def ring(count, radius, height, turned):
    angles = [2 * math.pi * (k + turned) / count for k in range(count)]
    return [[radius * math.cos(a), radius * math.sin(a), height] for a in angles]


SIGNS = (-1, 1)
PAIRS = list(itertools.product(SIGNS, SIGNS))
SOLIDS = {
    "tetrahedron": sized([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]),
    "octahedron": sized([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]),
    "dodecahedron": sized(
        [(a, b, c) for a, b in PAIRS for c in SIGNS]
        + [(0, a / GOLDEN, b * GOLDEN) for a, b in PAIRS]
        + [(a / GOLDEN, b * GOLDEN, 0) for a, b in PAIRS]
        + [(a * GOLDEN, 0, b / GOLDEN) for a, b in PAIRS]
    ),
    "icosahedron": sized(
        [(0, a, b * GOLDEN) for a, b in PAIRS]
        + [(a, b * GOLDEN, 0) for a, b in PAIRS]
        + [(a * GOLDEN, 0, b) for a, b in PAIRS]
    ),
    "stone": ring(8, 0.017, 0.012, 0.5) + ring(16, RADIUS, 0, 0.5) + ring(8, 0.014, -0.0135, 0) + [[0, 0, -0.024]],
}

for name, corners in SOLIDS.items():
    lines = [f"# {name}, made by make_solids.py"]
    lines += ["v " + " ".join(f"{round(x, 9) + 0.0:.9g}" for x in c) for c in corners]
    lines += ["f " + " ".join(str(k + 1) for k in face) for face in faces_of(corners)]
    pathlib.Path(__file__).with_name(name + ".obj").write_text("\n".join(lines) + "\n", encoding="ascii")
