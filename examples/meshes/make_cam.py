#!/usr/bin/env python3
"""Makes cam.stl, the picture of the cam in ../cam.toml: its outline is a circle and the lifts of ../cam_lift.csv.

A valve straight above the axis touches the outline at the angle -q when the cam has turned by q about y.
"""

import csv
import math
import struct
from pathlib import Path

RADIUS, HALF_WIDTH = 0.015, 0.006
folder = Path(__file__).parent
with open(folder.parent / "cam_lift.csv", encoding="utf-8") as file:
    rows = [(float(row["angle"]), float(row["lift"])) for row in csv.DictReader(file)][:-1]
outline = [((RADIUS + lift) * math.sin(-angle), (RADIUS + lift) * math.cos(-angle)) for angle, lift in rows]
front, back = ([(x, y, z) for x, z in outline] for y in (-HALF_WIDTH, HALF_WIDTH))
triangles = []
for k in range(len(outline)):
    n = (k + 1) % len(outline)
    triangles += [
        ((0, -HALF_WIDTH, 0), front[k], front[n]),
        ((0, HALF_WIDTH, 0), back[n], back[k]),
        (front[k], back[n], front[n]),
        (front[k], back[k], back[n]),
    ]
with open(folder / "cam.stl", "wb") as file:
    file.write(b"cam of examples/cam.toml".ljust(80) + struct.pack("<I", len(triangles)))
    for triangle in triangles:
        file.write(struct.pack("<12fH", 0, 0, 0, *(x for corner in triangle for x in corner), 0))
