#!/usr/bin/env bash
# Every C++ file of the tree is as clang-format writes it, and one that is not is found.
# usage: format_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
cd "$1"
command -v clang-format >/dev/null || { echo "clang-format is missing (packages.txt, set test)"; exit 1; }

unformatted() { xargs -0 -P2 -n40 clang-format --dry-run 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:.*-Wclang-format-violations.*/\1/p' | sort -u; }

found=$(find src include python reproduction tests bench examples -name '*.cpp' -print0 -o -name '*.h' -print0 | unformatted)
if [[ $found ]]; then
  printf 'clang-format -i would change:\n%s\n' "$found"
  exit 1
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp .clang-format "$folder"
echo 'int  badly_spaced ( ) ;' >"$folder/a.cpp"
[[ $(printf '%s\0' "$folder/a.cpp" | unformatted) == "$folder/a.cpp" ]] || { echo "a file that is not formatted was not found"; exit 1; }
