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
mkdir src

# expect COUNT TEXT_OF_A TEXT_OF_B: that many findings where these stand in two headers.
expect() {
  printf 'namespace cartan {\n%s\n}\n' "$2" >src/a.h
  printf 'namespace cartan {\n%s\n}\n' "$3" >src/b.h
  found=$(python3 "$check" src/a.h src/b.h 2>/dev/null || true)
  if ! grep -q ", $1 meant twice" <<<"$found"; then
    printf 'expected %s findings for\n  %s\n  %s\ngot %s\n' "$1" "$2" "$3" "$found"
    exit 1
  fi
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
