#!/usr/bin/env bash
# The page's sources agree with their types; the page has the licence notices of the packages in it.
# usage: types_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
[[ -d $2/viewer/node_modules ]] || { echo "FAILED: $2/viewer is missing; ./test builds it"; exit 1; }
for name in $(node -p "Object.keys(require('$1/viewer/package.json').dependencies).join(' ')"); do
  grep -q "^$name [0-9]" "$2/viewer.html" || { echo "FAILED: the page has no notices of $name"; exit 1; }
done
exec npm --prefix "$2/viewer" run --silent check
