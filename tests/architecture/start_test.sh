#!/usr/bin/env bash
# What the program loads before its first line is small: what brings Ceres, LAPACK or OpenSSL is a part of its own
# (core/part_library.h), loaded when first used. Without its part a fit says so.
# usage: start_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
cd "$1"
program=$2/cartan
heavy='lib(ceres|cartan_ceres|cartan_server|lapack|blas|cholmod|glog|ssl|crypto|cpp-httplib)\b'
bad=0
complain() { echo "$1"; bad=1; }

loaded=$(ldd "$program")
found=$(grep -E "$heavy" <<<"$loaded" || true)
[[ -z $found ]] || complain "the program waits for these before it starts:"$'\n'"$found"
for part in ceres server; do
  grep -qE "$heavy" <(ldd "$2/src/libcartan_$part.so") || complain "libcartan_$part.so stands on nothing heavy: why is it a part?"
done

# A copy of the program that looks for its parts where they are not.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - "$program" "$2/src" "$folder/cartan" <<'EOF'
import sys
program, parts, copy = sys.argv[1:]
content = open(program, "rb").read()
assert parts.encode() + b":" in content, "the program has no path to its parts"
open(copy, "wb").write(content.replace(parts.encode() + b":", b"/" + b"x" * (len(parts) - 1) + b":"))
EOF
chmod +x "$folder/cartan"
"$folder/cartan" check examples/four_bar.toml >/dev/null || complain "check needs a part"
status=0
answer=$("$folder/cartan" fit examples/arm_friction.toml --experiments examples/identification/arm.toml \
  --free "C10=1e-3" 2>&1 >/dev/null) || status=$?
[[ $status == 1 && $answer == *"libcartan_ceres.so, a part of Cartan, cannot be loaded"* ]] ||
  complain "a fit without its part ended with $status and said: $answer"
exit $bad
