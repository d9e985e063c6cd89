#!/usr/bin/env bash
# The rules of the rooms: no folder of src/ holds more than 25 modules (a .h, a .cpp or a pair of them); src/results
# and src/api compute and return, they neither print nor know a command line; the public headers include nothing but
# the standard library and each other, and each opens with an example.
# usage: rooms_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
cd "$1"
bad=0
complain() { echo "$1"; bad=1; }

crowded() { # FOLDER: those below it with more than 25 modules
  find "$1" -type d | while read -r folder; do
    count=$(find "$folder" -maxdepth 1 \( -name '*.h' -o -name '*.cpp' \) -printf '%f\n' | sed 's/\.[a-z]*$//' | sort -u | wc -l)
    ((count <= 25)) || echo "$folder holds $count modules; at most 25: make subfolders"
  done
}
found=$(crowded src)
[[ -z $found ]] || complain "$found"

printing() { grep -rnE '\b(fmt::print|std::(cout|cerr|clog|printf|puts)|fprintf|stdout|stderr|CLI::)|#include [<"](cli/|CLI/|iostream)' "$@" --include='*.h' --include='*.cpp'; }
found=$(printing src/results src/api || true)
[[ -z $found ]] || complain "results are returned, not printed:"$'\n'"$found"

strange() { # FOLDER: includes that a user's program must not need
  grep -rnE '^[[:space:]]*#[[:space:]]*include' "$1" --include='*.h' | grep -vE '<cartan/[a-z_]+\.h>|<[a-z_]+>'
}
found=$(strange include || true)
[[ -z $found ]] || complain "public headers include the standard library and each other only:"$'\n'"$found"

for header in include/cartan/*.h; do
  grep -qE '^//   ' "$header" || complain "$header: expected an example in the comment at its head"
  grep -qE "<cartan/$(basename "$header")>" include/cartan/cartan.h || [[ $header == */cartan.h || $header == */export.h ]] ||
    complain "$header is not part of <cartan/cartan.h>"
done

# What is planted is found.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/full"
for k in $(seq 26); do touch "$folder/full/m$k.cpp"; done
[[ $(crowded "$folder") == *"26 modules"* ]] || complain "a folder of 26 modules was not found"
echo 'void f() { fmt::print("x"); }' >"$folder/full/m1.cpp"
printing "$folder" >/dev/null || complain "a print was not found"
echo '#include <Eigen/Core>' >"$folder/full/m1.h"
strange "$folder" >/dev/null || complain "an include of Eigen was not found"
exit $bad
