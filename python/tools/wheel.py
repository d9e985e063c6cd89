#!/usr/bin/env python3
"""A wheel of the built module: an archive with its files, what they are, and their checksums.

usage: wheel.py ROOT BUILD OUT      prints the path of the wheel

The same files give the same bytes: names are sorted, dates are fixed.
"""

import base64
import hashlib
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

root, build, out = map(Path, sys.argv[1:])
version = re.search(r"project\(\s*\w+\s+VERSION\s+([\d.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))
version = version.group(1) if version else sys.exit("wheel: no version in CMakeLists.txt")
python = f"cp{sys.version_info.major}{sys.version_info.minor}"
platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
info = f"cartan-{version}.dist-info"
tag = f"{python}-{python}-{platform}"

package = build / "python" / "cartan"
files = {f"cartan/{path.name}": path.read_bytes() for path in package.iterdir() if path.suffix in (".py", ".pyi", ".so", ".typed")}
if (package / "py.typed").exists():
    files["cartan/py.typed"] = b""
if not any(name.endswith(".so") for name in files):
    sys.exit(f"wheel: the module is not built in {package}")
# What the module loads when it is first used (core/part_library.h); it serves no pages.
for library in sorted(build.rglob("libcartan_ceres.so*")):
    if not library.is_symlink():
        files[f"cartan/{library.name}"] = library.read_bytes()
if (build / "viewer.html").exists():
    files["cartan/viewer.html"] = (build / "viewer.html").read_bytes()
files[f"{info}/LICENSE"] = (root / "LICENSE").read_bytes()
# The notices of what is compiled in, and of what the viewer's page contains where it is.
parts = ["library", "python"] + (["command"] if "cartan/viewer.html" in files else [])
files[f"{info}/NOTICES"] = subprocess.run(
    [sys.executable, root / "tools" / "packaging" / "notices.py", root, build / "viewer", *parts], check=True, capture_output=True
).stdout
files[f"{info}/METADATA"] = f"""Metadata-Version: 2.1
Name: cartan
Version: {version}
Summary: How machines move, computed on Lie groups
License-File: LICENSE
License-File: NOTICES
Requires-Python: =={sys.version_info.major}.{sys.version_info.minor}.*
Requires-Dist: numpy<2
""".encode()
files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: cartan\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()


def checksum(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


record = [f"{name},{checksum(content)},{len(content)}" for name, content in sorted(files.items())]
files[f"{info}/RECORD"] = ("\n".join([*record, f"{info}/RECORD,,"]) + "\n").encode()
out.mkdir(parents=True, exist_ok=True)
wheel = out / f"cartan-{version}-{tag}.whl"
unfinished = wheel.with_suffix(".part")
with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, content in sorted(files.items()):
        entry = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
        entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        archive.writestr(entry, content)
unfinished.replace(wheel)
print(wheel)
