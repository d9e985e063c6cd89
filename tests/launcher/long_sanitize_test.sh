#!/usr/bin/env bash
# All tests but the long ones once more, with assertions and with the address and undefined-behaviour
# sanitizers, in a build folder of its own (build-sanitize/). Left out: what tests the launcher and
# the page of the viewer, in which nothing of this build runs.
# usage: long_sanitize_test.sh SOURCE_DIR BUILD_DIR
set -uo pipefail
source_dir=$1 build_dir=$2
if grep -q '^CARTAN_SANITIZE:BOOL=ON' "$build_dir/CMakeCache.txt"; then
  echo "this is the build with sanitizers: its tests run anyway"
  exit 0
fi
unset CARTAN_BUILD_DIR CARTAN_COMPILER
export CARTAN_SANITIZE=ON
exec "$source_dir/test" -E '^(launcher|viewer)/'
