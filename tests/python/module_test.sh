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
tests=(discover -s "$1/tests/python" -t "$1/tests/python" -p 'test_*.py')
if grep -q '^CARTAN_SANITIZE:BOOL=ON' "$2/CMakeCache.txt"; then
  # The interpreter knows nothing of sanitizers: it gets their run-time part before the module, and hands it to no
  # program it starts (ours have their own). What the interpreter itself never frees is none of our leaks. Notebooks run
  # in interpreters of their own: without them. Memory and time are not measured (CARTAN_SANITIZED).
  tests[-1]='test_[!n]*.py'
  compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$2/CMakeCache.txt")
  library=$("${compiler:-clang++}" -print-file-name=libclang_rt.asan-x86_64.so)
  CARTAN_SANITIZED=1 LD_PRELOAD=$library ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-} /usr/bin/python3 -c '
import os, sys, unittest
del os.environ["LD_PRELOAD"]
unittest.main(module=None, argv=["unittest", *sys.argv[1:]])' "${tests[@]}" 2>&1
else
  /usr/bin/python3 -m unittest "${tests[@]}" 2>&1
fi
