#!/usr/bin/env bash
# namespaces.py finds no file of the tree in the namespace of another folder, and finds those that are planted.
# The compiler keeps the arrows too: a folder does not see the names of one it may not use.
# usage: namespaces_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
cd "$1"
check=$PWD/tests/architecture/namespaces.py
python3 "$check"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p src/lie tests/unit

# expect COUNT FILE TEXT: that many problems in a file of this text.
expect() {
  printf '%b' "$3" >"$2"
  found=$(python3 "$check" "$2" 2>/dev/null || true)
  if ! grep -q ", $1 problems" <<<"$found"; then
    printf 'expected %s problems in %s:\n%b\ngot %s\n' "$1" "$2" "$3" "$found"
    exit 1
  fi
}
include='#include "core/folders.h"\n'
expect 0 src/lie/a.h "${include}namespace cartan::lie {\nstruct A {};\n}  // namespace cartan::lie\n"
expect 0 src/lie/a.h "${include}namespace cartan::lie::series {\nstruct A {};\n}  // namespace cartan::lie::series\n"
expect 1 src/lie/a.h "namespace cartan::lie {\nstruct A {};\n}  // namespace cartan::lie\n"
expect 1 src/lie/a.h "${include}namespace cartan {\nstruct A {};\n}  // namespace cartan\n"
expect 1 src/lie/a.h "${include}namespace cartan::model {\nstruct A {};\n}  // namespace cartan::model\n"
expect 1 src/lie/a.h "${include}namespace cartan::lies {\nstruct A {};\n}  // namespace cartan::lies\n"
expect 0 src/lie/a.h "${include}namespace cartan::core {\nstruct A;\nclass B;  // core/b.h\n}  // namespace cartan::core\n\nnamespace cartan::lie {\nvoid f(A&);\n}  // namespace cartan::lie\n"
expect 1 src/lie/a.h "${include}struct A {\n  int b;\n};\n"
expect 1 src/lie/a.cpp "namespace {\n\nint f() {\n  return 1;\n}\n\n}  // namespace\n"
expect 1 tests/unit/a_test.cpp "namespace cartan {\nstruct A {};\n}  // namespace cartan\n"
expect 0 tests/unit/a_test.cpp "namespace cartan::test {\nstruct A {};\n}  // namespace cartan::test\n"

# core/folders.h, as the compiler reads it: every folder sees the names of all it may use, and no others. A line per
# pair of folders, of which those against the arrows are errors.
compiler=$(sed -n 's/^set(CMAKE_CXX_COMPILER "\(.*\)")/\1/p' "$2"/CMakeFiles/*/CMakeCXXCompiler.cmake)
python3 - "$2" "$compiler" <<'END'
import re, subprocess, sys
build, compiler = sys.argv[1:]
may = {}
for row in open(build + "/arrows.txt"):
    name, *others = row.replace(":", "").split()
    may[name] = {name}.union(*(may[other] for other in others))
lines = ['#include "core/folders.h"'] + [f"namespace cartan::{name} {{ struct Of_{name} {{}}; }}" for name in may]
against = set()
for name in may:
    for other in may:
        lines.append(f"namespace cartan::{name} {{ Of_{other} of_{other}; }}")
        if other not in may[name]:
            against.add(len(lines))
limit = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
command = [compiler, "-std=c++20", "-fsyntax-only", limit, f"-I{build}/generated", "-xc++", "-"]
told = subprocess.run(command, input="\n".join(lines) + "\n", text=True, capture_output=True).stderr
errors = {int(line) for line in re.findall(r"^<stdin>:(\d+):\d+: error", told, re.M)}
for line in sorted(errors ^ against)[:20]:
    print("not expected:" if line in errors else "expected an error:", lines[line - 1])
print(f"{len(may) ** 2} pairs of folders, {len(against)} against the arrows")
sys.exit(errors != against or not against)
END
