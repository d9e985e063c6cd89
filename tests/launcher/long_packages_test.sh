#!/usr/bin/env bash
# The Debian packages: made twice from one build, the same bytes; installed into a clean root (debootstrap) by its apt,
# where the command runs an example, exports a page, shows its manual, refuses `generated` with a sentence for want of a
# compiler; a program outside is built against libcartan-dev, Python imports its module. The system takes the library for
# its processor. What is bundled has its licence notices.
# usage: long_packages_test.sh SOURCE_DIR BUILD_DIR
#   CARTAN_PACKAGE_DEBS      folder of packages that were made already: they are tried, none is made
#   CARTAN_PACKAGE_BUILDS    builds for packages to use again (default: BUILD_DIR/package-builds)
#   CARTAN_PACKAGE_VARIANTS  as tools/package --variants (default: all)
set -euo pipefail
root=$1 build=$2
if grep -q '^CARTAN_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then
  echo "packages hold no sanitizers: left out"
  exit 0
fi
((EUID == 0)) || { echo "a clean root takes root: left out"; exit 0; }
export CARTAN_BUILD_DIR=$build
scratch=$(mktemp -d)
clean=$scratch/clean
trap 'umount "$clean/proc" 2>/dev/null || true; rm -rf --one-file-system "$scratch"' EXIT
fail() { echo "FAILED: $1"; exit 1; }
chmod 755 "$scratch"

if [[ ${CARTAN_PACKAGE_DEBS:-} ]]; then
  cp -r "$CARTAN_PACKAGE_DEBS" "$scratch/first"
else
  words=(deb --builds "${CARTAN_PACKAGE_BUILDS:-$build/package-builds}" ${CARTAN_PACKAGE_VARIANTS:+--variants "$CARTAN_PACKAGE_VARIANTS"})
  "$root/tools/package" "${words[@]}" --out "$scratch/first"
  "$root/tools/package" "${words[@]}" --out "$scratch/second" >/dev/null
  diff -r "$scratch/first" "$scratch/second" || fail "packages made twice differ"
fi
(($(find "$scratch/first" -name '*.deb' | wc -l) == 4)) || fail "expected four packages"

unpacked=$scratch/unpacked
for package in "$scratch"/first/*.deb; do dpkg-deb -x "$package" "$unpacked"; done
grep -q 'libeigen3-dev is compiled in' "$unpacked"/usr/share/doc/libcartan*/copyright || fail "Eigen's notices are missing"
for name in three uplot; do
  grep -q "contains code of $name" "$unpacked/usr/share/doc/cartan/copyright" || fail "the notices of $name are missing"
  grep -q "^$name [0-9]" "$unpacked/usr/share/cartan/viewer.html" || fail "the viewer's page lacks the notices of $name"
done
[[ -z $(find "$unpacked" -type f -exec grep -l "$root/src/" {} +) ]] || fail "paths of this tree are in the packages"

debootstrap --variant=minbase bookworm "$clean" >"$scratch/debootstrap.log" 2>&1 ||
  { tail -5 "$scratch/debootstrap.log"; fail "no clean root (debootstrap)"; }
mount -t proc proc "$clean/proc"
mkdir "$clean/packages"
cp "$scratch"/first/*.deb "$clean/packages/"
inside() { chroot "$clean" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8 "$@"; }
deb() { local file=("$scratch/first/$1"_*.deb) && echo "/packages/${file[0]##*/}"; } # its path inside
install_inside() { inside apt-get -q -y --no-install-recommends install "$@" >"$scratch/apt.log" 2>&1 || { tail -15 "$scratch/apt.log"; fail "apt-get install $*"; }; }
install_inside "$(deb libcartan0.1)" "$(deb cartan)"

inside cartan run /usr/share/cartan/examples/heavy_top.toml --duration 1 --out /tmp/run >"$scratch/run.txt" || fail "run"
inside cartan view /tmp/run --export /tmp/page.html >/dev/null || fail "view --export"
grep -q 'cartan-data' "$clean/tmp/page.html" || fail "the exported page has no data"
grep -q '^three [0-9]' "$clean/tmp/page.html" || fail "the exported page lacks licence notices"
inside cartan reproduce --list >"$scratch/list.txt" || fail "reproduce --list"
refusal=$(inside cartan run /usr/share/cartan/examples/heavy_top.toml --duration 1 --formulation generated 2>&1) && fail "generated without a compiler"
[[ $refusal == *"no C compiler"*"apt-get install"* ]] || fail "no sentence about the missing compiler: $refusal"

# The library for this processor, where the packages have one.
best=$(inside /lib64/ld-linux-x86-64.so.2 --help | sed -n 's/^ *\(x86-64-v[0-9]\) (supported, searched)/\1/p' | while read -r kind; do
  [[ -d $unpacked/usr/lib/x86_64-linux-gnu/glibc-hwcaps/$kind ]] && { echo "$kind"; break; }
done || true)
loaded=$(inside env LD_DEBUG=files cartan --version 2>&1 | grep -o 'calling init: .*libcartan\.so.*' | head -1)
[[ -z $best || $loaded == *"glibc-hwcaps/$best/"* ]] || fail "taken: $loaded, not the one for $best"
echo "library taken: ${loaded#calling init: }"

install_inside man-db "$(deb libcartan-dev)" "$(deb python3-cartan)" g++ pkgconf
inside man cartan | grep -q 'how machines move' || fail "the manual page"
cp "$root/tests/outside/project/hello.cpp" "$root/tests/outside/project/model.toml" "$clean/tmp/"
inside sh -c 'cd /tmp && g++ -std=c++20 hello.cpp -o hello $(pkg-config --cflags --libs cartan) && ./hello model.toml' >"$scratch/hello.txt" ||
  fail "a program against libcartan-dev"
grep -q '^two rods' "$scratch/hello.txt" || fail "the program says something else"
inside python3 -c 'import cartan; r = cartan.load("/usr/share/cartan/examples/heavy_top.toml").run(0.5); assert r.status == "completed"; import cartan.symbols' ||
  fail "import cartan"
inside cartan run /usr/share/cartan/examples/heavy_top.toml --duration 1 --formulation generated >/dev/null || fail "generated with a compiler"
inside dpkg --purge python3-cartan libcartan-dev cartan libcartan0.1 >/dev/null || fail "purge"
[[ -z $(find "$clean/usr" "$clean/etc" -iname '*cartan*') ]] || fail "something is left after purge"
echo "all four packages work in a clean root"
