#!/usr/bin/env python3
"""The drawing of the folders of src/ and of the arrows between them, made from the table in src/CMakeLists.txt.

usage: folders.py src/CMakeLists.txt OUT.svg

An arrow leads from a folder to one it may use. Arrows that follow from others are left out; `cli` may use everything.
"""

import re
import sys
from pathlib import Path

table = Path(sys.argv[1]).read_text(encoding="utf-8")
uses = {}
for name, words in re.findall(r"^cartan_library\((\w+)([^)]*)\)", table, re.M):
    depends = re.search(r"DEPENDS ([\w ]+?)(?: (?:LIBRARIES|EXCEPT|WITHOUT|FIRST)|\n|$)", words)
    uses[name] = depends.group(1).split() if depends else []
used = {other for others in uses.values() for other in others}
uses["cli"] = [name for name in uses if name not in used]


def reach(name):
    found = set()
    for other in uses[name]:
        found |= {other} | reach(other)
    return found


direct = {name: [o for o in others if not any(o in reach(p) for p in others if p != o)] for name, others in uses.items()}
level = {}
for name in uses:  # the table is in the order of the arrows
    level[name] = 1 + max((level[other] for other in uses[name]), default=-1)
rows = [[name for name in uses if level[name] == k] for k in range(max(level.values()) + 1)]
place = {}
for k, row in enumerate(rows):  # each folder above the middle of what it uses
    middle = lambda name: sum(place[o][0] for o in direct[name]) / len(direct[name]) if direct[name] else 0.0
    row.sort(key=middle)
    for i, name in enumerate(row):
        place[name] = (i - (len(row) - 1) / 2, k)

WIDE, HIGH, BOX, TALL = 150, 74, 112, 30
columns = max(len(row) for row in rows)
width, height = columns * WIDE + 20, len(rows) * HIGH + 10


def at(name):
    x, k = place[name]
    return width / 2 + x * WIDE, height - (k + 0.5) * HIGH - 5


parts = []
for name, others in direct.items():
    for other in others:
        (x1, y1), (x2, y2) = at(name), at(other)
        y1, y2 = y1 + TALL / 2, y2 - TALL / 2 - 3
        bend = f"M{x1:.0f},{y1:.0f} C{x1:.0f},{(y1 + y2) / 2:.0f} {x2:.0f},{(y1 + y2) / 2:.0f} {x2:.0f},{y2:.0f}"
        parts.append(f'<path d="{bend}" fill="none" stroke="#777777" stroke-width="1.3" marker-end="url(#tip)"/>')
for name in uses:
    x, y = at(name)
    parts.append(
        f'<rect x="{x - BOX / 2:.0f}" y="{y - TALL / 2:.0f}" width="{BOX}" height="{TALL}" rx="5" fill="#e3eef7" stroke="#56a0d3"/>'
        f'<text x="{x:.0f}" y="{y + 4:.0f}" text-anchor="middle" font-size="13">{name}</text>'
    )
body = "\n".join(parts)
Path(sys.argv[2]).write_text(
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
    f'font-family="sans-serif" role="img"><title>folders of src and what they may use</title>\n'
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    f'<path d="M0,0 L8,4 L0,8 z" fill="#777777"/></marker></defs>\n{body}\n</svg>\n',
    encoding="utf-8",
)
