#!/usr/bin/env bash
# Meshes in the viewer, in headless Chromium.
# usage: meshes_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
[[ -e $2/viewer.html ]] || { echo "FAILED: $2/viewer.html is missing; ./test builds it"; exit 1; }
exec node "$1/tests/viewer/meshes.mjs" "$1" "$2"
