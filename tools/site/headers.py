#!/usr/bin/env python3
"""The page of the C++ headers: what the comment at the head of each says.

usage: headers.py SRC OUT.md
"""

import re
import sys
from pathlib import Path

source, out = map(Path, sys.argv[1:])
architecture = (source.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
purposes = dict(re.findall(r"^\| `([a-z]+)` \| ([^|]*) \|", architecture, re.M))


def head_comment(path):
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].removeprefix(" ").rstrip())
    return lines


def as_markdown(words):
    """A sentence of a comment; what stands in backticks stays code."""
    parts = re.split(r"(`[^`]*`)", words)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_<>\[\]$|])", r"\\\1", part) for part in parts)


page = [
    "# Headers",
    "",
    "All headers of `src/`, folder by folder, with the comment at the head of each. Include them by the path that is shown here.",
    "[API](api.md) shows how they work together, [Architecture](architecture.md) which folder may use which.",
    "",
]
for folder in sorted((p for p in source.iterdir() if p.is_dir()), key=lambda p: list(purposes).index(p.name) if p.name in purposes else 99):
    headers = sorted(folder.glob("*.h"))
    if not headers or folder.name in ("cli",):
        continue
    page += [f"## {folder.name}", "", as_markdown(purposes.get(folder.name, "")) , ""]
    for header in headers:
        page += [f"### {folder.name}/{header.name}", ""]
        for paragraph in "\n".join(head_comment(header)).split("\n\n"):
            lines = paragraph.splitlines()
            if any(line.startswith(" ") for line in lines):  # equations, tables, code
                page += ["```text", *lines, "```", ""]
            else:
                page += [as_markdown(" ".join(lines)), ""]
out.write_text("\n".join(page), encoding="utf-8")
