#!/usr/bin/env bash
# The server of `cartan view`, asked politely and otherwise.
# usage: server_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
[[ -e $2/viewer.html ]] || { echo "FAILED: $2/viewer.html is missing; ./test builds it"; exit 1; }
exec node "$1/tests/viewer/server.mjs" "$1" "$2"
