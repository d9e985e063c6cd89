#!/usr/bin/env bash
# The pages of `run --report` and `reproduce` in headless Chromium.
# usage: report_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
[[ -e $2/viewer.html ]] || { echo "FAILED: $2/viewer.html is missing; ./test builds it"; exit 1; }
exec node "$1/tests/viewer/report.mjs" "$1" "$2"
