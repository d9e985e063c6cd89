#!/usr/bin/env bash
# Every `#include "folder/..."` in src/ must follow the arrows of src/CMakeLists.txt: a folder uses
# itself, the folders it depends on, and what those depend on. src/cli may use everything.
# usage: arrows_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
cd "$1"

grep -rnE --include='*.h' --include='*.cpp' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' src |
  awk '
    NR == FNR {                      # name: dep dep ..., in the order of the arrows
      sub(":", "", $1)
      known[$1]
      may[$1, $1]
      for (i = 2; i <= NF; ++i)
        for (name in known)
          if (($i, name) in may) may[$1, name]
      next
    }
    {
      split($0, place, ":")
      split(place[1], path, "/")
      folder = path[2]
      match($0, /"[^"]*"/)
      header = substr($0, RSTART + 1, RLENGTH - 2)
      ++lines
      if (header ~ /^\.\.?\//) {
        printf "%s:%s: \"%s\": write the path from src/\n", place[1], place[2], header
        ++bad
      } else if (split(header, part, "/") > 1 && folder in known &&
                 !((folder, part[1]) in may)) {
        printf "%s:%s: src/%s may not use src/%s\n", place[1], place[2], folder, part[1]
        ++bad
      }
    }
    END {
      if (!lines) { print "no #include line was seen in src/"; exit 1 }
      printf "%d #include lines, %d against the arrows\n", lines, bad
      exit bad > 0
    }' "$2/arrows.txt" -

# Eigen's divide-and-conquer singular values read out of range (core/dense.h): JacobiSVD everywhere.
! grep -rn 'BDCSVD' "$1/src" "$1/tests" --include='*.h' --include='*.cpp' --include='*.txt' ||
  { echo "use JacobiSVD (core/dense.h)"; exit 1; }
