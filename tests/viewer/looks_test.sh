#!/usr/bin/env bash
# What a person sees of the viewer, in headless Chromium.
# usage: looks_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
[[ -e $2/viewer.html ]] || { echo "FAILED: $2/viewer.html is missing; ./test builds it"; exit 1; }
exec node "$1/tests/viewer/looks.mjs" "$1" "$2"
