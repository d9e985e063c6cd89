#!/usr/bin/env bash
# The page's sources agree with their types.
# usage: types_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
[[ -d $2/viewer/node_modules ]] || { echo "FAILED: $2/viewer is missing; ./test builds it"; exit 1; }
exec npm --prefix "$2/viewer" run --silent check
