#!/usr/bin/env bash
# Arrows of forces in headless Chromium, against forces.csv.
# usage: forces_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
[[ -e $2/viewer.html ]] || { echo "FAILED: $2/viewer.html is missing; ./test builds it"; exit 1; }
exec node "$1/tests/viewer/forces.mjs" "$1" "$2"
