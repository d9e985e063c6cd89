#!/usr/bin/env python3
"""The page of the public headers: for each what the comment at its head says, its example, and every declaration
with its comment.

usage: headers.py INCLUDE_FOLDER OUT.md
"""

import re
import sys
from pathlib import Path

source, out = map(Path, sys.argv[1:])


def as_markdown(words):
    """A sentence of a comment; what stands in backticks stays code."""
    parts = re.split(r"(`[^`]*`)", words)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_<>\[\]$|])", r"\\\1", part) for part in parts)


def split_head(text):
    lines = text.splitlines()
    count = next(k for k, line in enumerate(lines) if not line.startswith("//"))
    return [line[2:].removeprefix(" ").rstrip() for line in lines[:count]], lines[count:]


def head_markdown(lines):
    page = []
    for paragraph in "\n".join(lines).split("\n\n"):
        lines = paragraph.splitlines()
        if any(line.startswith("  ") for line in lines):
            page += ["```cpp", *(line.removeprefix("  ") for line in lines), "```", ""]
        else:
            page += [as_markdown(" ".join(lines)), ""]
    return page


def declarations(lines):
    """Blocks of the namespace's body, each from its comment to its end."""
    body = "\n".join(lines)
    match = re.search(r"namespace cartan::api \{\n(.*)\n\}  // namespace cartan::api", body, re.S)
    if not match:
        return
    for block in re.split(r"\n\n(?=//|struct|class|enum|using|CARTAN_API)", match.group(1).strip("\n")):
        lines = block.splitlines()
        count = next((k for k, line in enumerate(lines) if not line.startswith("//")), len(lines))
        comment, code = [line[2:].strip() for line in lines[:count]], lines[count:]
        if code:
            yield " ".join(comment), "\n".join(code).replace("CARTAN_API ", "")


def name_of(code):
    match = re.match(r"(?:struct|class|enum class|using) (\w+)", code) or re.search(r"(\w+)\(", code)
    return match.group(1)


page = [
    "# Headers",
    "",
    "Every declaration of the public headers, with its comment. Names stand in the namespace `cartan`. [API](api.md)",
    "shows how they work together.",
    "",
]
order = ["cartan.h", "model.h", "options.h", "run.h"]
headers = sorted(source.glob("*.h"), key=lambda p: (order.index(p.name) if p.name in order else len(order), p.name))
for header in headers:
    if header.name == "export.h":
        continue
    head, rest = split_head(header.read_text(encoding="utf-8"))
    page += [f"## cartan/{header.name}", "", *head_markdown(head)]
    for comment, code in declarations(rest):
        if not comment:
            sys.exit(f"{header}: '{name_of(code)}' has no comment")
        page += [f"### {name_of(code)}", "", as_markdown(comment), "", "```cpp", code, "```", ""]
out.write_text("\n".join(page), encoding="utf-8")
