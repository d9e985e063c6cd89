#!/usr/bin/env bash
# The tree installed into an empty folder, and a project outside of it built against that: by find_package and by
# pkg-config. Every example of the public headers and of docs/api.md is compiled and run there.
# usage: outside_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
root=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $1"; exit 1; }
if grep -q '^CARTAN_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
  echo "a library with sanitizers is not for others: left out"
  exit 0
fi

cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"
version=$(sed -n 's/^project(cartan VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
[[ $("$scratch/prefix/bin/cartan" --version) == "cartan $version" ]] || fail "the installed command does not say $version"

# The library gives out its public names and nothing else.
library=$scratch/prefix/lib/libcartan.so
strange=$(nm -DC --defined-only "$library" | cut -d' ' -f3- | grep -vE '^(vtable|typeinfo|typeinfo name) for cartan::api::|cartan::api::' || true)
[[ -z $strange ]] || fail "exported although not public: $(head -5 <<<"$strange")"

cp -r "$root/tests/outside/project" "$scratch/project"
mv "$scratch/project/model.toml" "$scratch"
python3 "$root/tests/outside/examples.py" "$root" "$scratch/project/examples.cpp"
cd "$scratch"
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
cmake -S project -B made -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" -DEXAMPLES=examples.cpp \
  ${compiler:+-DCMAKE_CXX_COMPILER="$compiler"} >configure.log || { cat configure.log; fail "find_package"; }
ninja -C made >make.log || { cat make.log; fail "the project does not compile"; }
made/hello model.toml >hello.txt || fail "hello"
grep -q '^two rods: 201 samples' hello.txt || { cat hello.txt; fail "hello says something else"; }
made/examples >examples.txt 2>&1 || { tail -5 examples.txt; fail "an example ends with an error"; }
grep -q 'all examples ran' examples.txt || fail "the examples did not come to their end"

# Fifteen lines, no casts.
(($(wc -l <project/hello.cpp) <= 15)) || fail "hello world has more than 15 lines"
! grep -q '_cast' project/hello.cpp || fail "hello world needs casts"

# pkg-config, with the program of docs/api.md. The compiler's CPU seconds: all headers in less than 2, at best of three.
export PKG_CONFIG_PATH=$scratch/prefix/lib/pkgconfig
[[ $(pkg-config --modversion cartan) == "$version" ]] || fail "cartan.pc has another version"
read -ra flags <<<"$(pkg-config --cflags --libs cartan)"
${compiler:-c++} -std=c++20 project/program_0.cpp -o program "${flags[@]}"
./program model.toml >program.txt || fail "the program of docs/api.md"
TIMEFORMAT=%U
for try in 1 2 3; do
  seconds=$({ time ${compiler:-c++} -std=c++20 -O0 -fsyntax-only project/hello.cpp "${flags[0]}"; } 2>&1)
  echo "hello.cpp: $seconds s of CPU to compile"
  awk -v s="$seconds" 'BEGIN { exit !(s < 2) }' && exit 0
done
fail "a file that includes <cartan/cartan.h> takes more than 2 s of CPU"
