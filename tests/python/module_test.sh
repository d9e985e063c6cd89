#!/usr/bin/env bash
# The Python module, by unittest: every test_*.py of this folder.
# usage: module_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
if [[ ! -e $2/python/cartan/__init__.py ]]; then
  grep -q '^CARTAN_HAS_PYTHON:INTERNAL=ON' "$2/CMakeCache.txt" || { echo "pybind11 is not installed"; exit 1; }
fi
export PYTHONPATH=$2/python CARTAN_ROOT=$1 CARTAN_COMMAND=$2/cartan PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
/usr/bin/python3 -m unittest discover -s "$1/tests/python" -t "$1/tests/python" -p 'test_*.py' 2>&1
