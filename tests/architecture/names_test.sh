#!/usr/bin/env bash
# names.py finds no name that is meant twice in the tree, and finds those that are planted.
# usage: names_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
cd "$1"
check=$PWD/tests/architecture/names.py
python3 "$check"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p src/lie src/model src/api

# expect_between A B COUNT TEXT_OF_A TEXT_OF_B: that many findings where these stand in headers of two folders.
expect_between() {
  printf 'namespace cartan::%s {\n%s\n}\n' "$1" "$4" >"src/$1/a.h"
  printf 'namespace cartan::%s {\n%s\n}\n' "$2" "$5" >"src/$2/b.h"
  found=$(python3 "$check" "src/$1/a.h" "src/$2/b.h" 2>/dev/null || true)
  if ! grep -q ", $3 meant twice" <<<"$found"; then
    printf 'expected %s findings between %s and %s for\n  %s\n  %s\ngot %s\n' "$3" "$1" "$2" "$4" "$5" "$found"
    exit 1
  fi
}
# The same within a folder and across two.
expect() {
  expect_between lie lie "$@"
  expect_between lie model "$@"
}

expect 1 'struct Minimum { int a; };' 'struct Minimum { double b[3]; };'
expect 1 'template <class S> struct Motion { S a; };' 'class Motion : public X { int b; };'
expect 1 'inline const std::vector<int> names = {1, 2};' 'std::string names();'
expect 1 'double judge(const State& x, int n);' 'int judge(const State& other, int = 3);'
expect 1 'namespace detail { struct A {}; }' 'namespace detail { enum class A { b }; }'
expect 0 'struct Minimum;' 'struct Minimum { int a; };'
expect 0 'double judge(const State& x);' 'double judge(const System& x);'
expect 0 'namespace { struct A {}; }' 'namespace { struct A { int b; }; }'
expect 0 'struct A { struct B {}; };' 'struct B {};'
expect 0 '// struct A {};' 'struct A {};'
expect_between api model 0 'struct Model { int a; };' 'struct Model { double b; };'
expect_between api api 1 'struct Model { int a; };' 'struct Model { double b; };'
