#!/usr/bin/env bash
# clang-tidy with the checks of .clang-tidy over the sources changed last; what is planted is found.
# usage: long_tidy_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
export CARTAN_BUILD_DIR=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/planted.cpp" <<'PLANTED'
#include <string>
#include <utility>
#include <vector>
struct Base {
  virtual ~Base() = default;
  virtual int f() const { return 1; }
};
struct Derived : Base {
  virtual int f() const { return 2; }
};
std::size_t g(std::string a) {
  std::vector<std::string> all;
  all.push_back(std::move(a));
  return a.size() + all.size();
}
PLANTED
found=$("$1/tools/tidy" "$folder/planted.cpp" 2>&1) && { echo "FAILED: nothing was found in a planted file"; exit 1; }
for check in modernize-use-override bugprone-use-after-move; do
  [[ $found == *"$check"* ]] || { echo "FAILED: $check does not find what was planted"; echo "$found"; exit 1; }
done
"$1/tools/tidy"
