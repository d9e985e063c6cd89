#!/usr/bin/env bash
# The wheel: the same bytes each time, and a folder it is unpacked into is all that Python needs.
# usage: wheel_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
first=$(/usr/bin/python3 "$1/python/tools/wheel.py" "$1" "$2" "$work/first")
second=$(/usr/bin/python3 "$1/python/tools/wheel.py" "$1" "$2" "$work/second")
cmp "$first" "$second" || { echo "FAILED: two wheels of one build differ"; exit 1; }
/usr/bin/python3 -m zipfile -e "$first" "$work/installed"
cd "$work"
PYTHONPATH=$work/installed PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$work/installed" "$1" <<'PYTHON'
import base64, hashlib, pathlib, sys

import cartan

folder, root = map(pathlib.Path, sys.argv[1:])
assert pathlib.Path(cartan.__file__).is_relative_to(folder), cartan.__file__
run = cartan.load(root / "examples" / "heavy_top.toml").run(0.1)
assert run.status == "completed"
record = next(folder.glob("*.dist-info/RECORD")).read_text().splitlines()
for line in record:
    name, digest, size = line.rsplit(",", 2)
    if digest:
        content = (folder / name).read_bytes()
        found = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        assert (digest, int(size)) == ("sha256=" + found, len(content)), name
notices = next(folder.glob("*.dist-info/NOTICES")).read_text()
for bundled in ("libeigen3-dev", "pybind11-dev", "nlohmann-json3-dev"):
    assert f"package {bundled} is compiled in" in notices, bundled
assert any("WHEEL" in line for line in record) and any("py.typed" in line for line in record)
print(f"{len(record)} files")
PYTHON
