#!/usr/bin/env python3
"""Licence notices of everything that is inside a package, as Debian's file `copyright`.

usage: notices.py ROOT VIEWER PART...      prints them
  PART     command, library, development, python: the package (cmake/packages.cmake)
  VIEWER   the folder where the viewer's page was built

Libraries that a package only depends on bring their own. The texts come from where the code came from: Debian's
packages and npm's.
"""

import json
import sys
from pathlib import Path

# Headers and archives whose code is compiled in.
BUNDLED = {
    "library": ["libeigen3-dev", "libtomlplusplus-dev", "nlohmann-json3-dev", "libcli11-dev", "libsundials-dev"],
    "python": ["libeigen3-dev", "pybind11-dev"],
    "command": [],
    "development": [],
}


def main(root, viewer, *parts):
    own = (root / "LICENSE").read_text(encoding="utf-8")
    sections = [("Cartan", own)]
    for package in sorted({name for part in parts for name in BUNDLED[part]}):
        text = (Path("/usr/share/doc") / package / "copyright").read_text(encoding="utf-8", errors="replace")
        sections.append((f"Code of Debian's package {package} is compiled in. Its notices", text))
    if "command" in parts:
        dependencies = json.loads((root / "viewer" / "package.json").read_text(encoding="utf-8"))["dependencies"]
        for name, version in sorted(dependencies.items()):
            text = (viewer / "node_modules" / name / "LICENSE").read_text(encoding="utf-8")
            sections.append((f"The viewer's page contains code of {name} {version}. Its notices", text))
    rule = "\n" + "-" * 78 + "\n\n"
    print(rule.join(f"{title}:\n\n{text.strip()}\n" for title, text in sections), end="")


root, viewer, *parts = sys.argv[1:]
main(Path(root), Path(viewer), *parts)
