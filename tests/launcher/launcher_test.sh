#!/usr/bin/env bash
# The launcher on a small tree of its own: first build, quick start, rebuild, missing packages,
# read-only tree, ordinary user, two at once.
# usage: launcher_test.sh SOURCE_DIR
set -uo pipefail
unset CARTAN_BUILD_DIR CARTAN_COMPILER CARTAN_SANITIZE CARTAN_PACKAGES
source_dir=$1
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
tree=$scratch/tree
failures=0

expect() { # what, condition...
  local what=$1
  shift
  if "$@"; then
    echo "ok: $what"
  else
    echo "FAILED: $what"
    echo "  status $status, stdout: $out"
    sed 's/^/  stderr: /' "$scratch/err"
    ((++failures))
  fi
}
call() { # runs a command; sets $out, $err, $status
  out=$("$@" 2>"$scratch/err" </dev/null)
  status=$?
  err=$(<"$scratch/err")
}
stderr_has() { [[ $err == *"$1"* ]]; }
is() { [[ $1 == "$2" ]]; }

mkdir -p "$tree/src/cli" "$tree/tools" "$tree/examples" "$scratch/bin"
cp "$source_dir/cartan" "$tree/"
cp "$source_dir/tools/prepare.sh" "$tree/tools/"
echo 'build  bash  # always there' >"$tree/packages.txt"
cat >"$tree/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(small LANGUAGES CXX)
option(CARTAN_TESTS "" ON)
add_executable(cartan src/cli/main.cpp)
add_executable(cartan-first EXCLUDE_FROM_ALL src/cli/first.cpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/word.toml)
file(READ examples/word.toml word)
target_compile_definitions(cartan PRIVATE WORD="${word}")
file(WRITE ${CMAKE_BINARY_DIR}/embedded.txt "examples/word.toml\n")
END
printf '' >"$tree/examples/word.toml"
write_main() {
  echo "#include <cstdio>
        int main(int n, char** a) { std::printf(WORD \"$1 %s\\n\", n > 1 ? a[1] : \"\"); return n > 2 ? 7 : 0; }" >"$tree/src/cli/main.cpp"
}
write_main one
# The part a first run needs: asked for `more`, it calls the launcher again.
cat >"$tree/src/cli/first.cpp" <<'END'
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
int main(int n, char** a) {
  if (n > 2 && !std::strcmp(a[2], "more")) {
    setenv("CARTAN_WHOLE", "yes", 1);
    execv(std::getenv("CARTAN_LAUNCHER"), a);
  }
  std::printf("first %s\n", n > 1 ? a[1] : "");
}
END
# Stand-ins: apt-get that has no network and notes its calls, sudo that changes nobody.
printf '#!/bin/sh\necho "$@" >>"%s/apt-calls"\nexit 100\n' "$scratch" >"$scratch/bin/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$scratch/bin/sudo"
chmod +x "$scratch/bin/"*
: >"$scratch/apt-calls"
chmod 666 "$scratch/apt-calls"
export PATH=$scratch/bin:$PATH

call "$tree/cartan" run
expect "a first run is the part it needs" is "$status:$out" "0:first run"
expect "nothing else is built" test ! -e "$tree/build/cartan"
call "$tree/cartan" run
expect "the part stays while the rest is not asked for" is "$status:$out:$err" "0:first run:"
call "$tree/cartan" run more
expect "the part hands over to the whole" is "$status:$out" "7:one run"
call "$tree/cartan" run
expect "the whole, once there, does everything" is "$status:$out:$err" "0:one run:"
rm -r "$tree/build"

call "$tree/cartan" hello
expect "the first call builds and runs" is "$status:$out" "0:one hello"
expect "what it says goes to stderr" stderr_has "building in"

find "$tree" | sort | xargs stat -c '%n %y' >"$scratch/before"
call "$tree/cartan" a b
find "$tree" | sort | xargs stat -c '%n %y' >"$scratch/after"
expect "status and arguments are passed on" is "$status:$out" "7:one a"
expect "the second call says nothing" is "$err" ""
expect "the second call touches nothing" cmp -s "$scratch/before" "$scratch/after"

best=1000000
for _ in 1 2 3 4 5 6 7 8; do
  start=${EPOCHREALTIME/./}
  "$tree/cartan" >/dev/null
  took=$((${EPOCHREALTIME/./} - start))
  ((took < best)) && best=$took
done
expect "a start costs less than 30 ms ($best us)" test "$best" -lt 30000

ln -s "$tree/cartan" "$scratch/link"
call env -C / "$scratch/link" x
expect "it runs through a link, from elsewhere" is "$status:$out" "0:one x"

write_main two
call "$tree/cartan" x
expect "a changed source is built" is "$status:$out" "0:two x"

echo 'no part of the program' >"$tree/examples/other.toml"
call "$tree/cartan" x
expect "an example that is not in the program changes nothing" is "$status:$out:$err" "0:two x:"
printf 'new ' >"$tree/examples/word.toml"
call "$tree/cartan" x
expect "an example that is in the program is built in anew" is "$status:$out" "0:new two x"
printf '' >"$tree/examples/word.toml"
write_main three
"$tree/cartan" x >"$scratch/first" 2>/dev/null &
call "$tree/cartan" x
wait $!
expect "two at once, the one" is "$(<"$scratch/first")" "three x"
expect "two at once, the other" is "$status:$out" "0:three x"

echo 'int main() { return oops; }' >"$tree/src/cli/main.cpp"
call "$tree/cartan" x
expect "a failed build has status 1 and no output" is "$status:$out" "1:"
expect "it shows the compiler's words" stderr_has "oops"
expect "it names the log" stderr_has "$tree/build/build.log"
write_main four
call "$tree/cartan" x
expect "the next call recovers" is "$status:$out" "0:four x"

mv "$tree" "$scratch/moved"
tree=$scratch/moved
touch "$tree/src/cli/main.cpp"
call "$tree/cartan" x
expect "a tree that was moved is built anew" is "$status:$out" "0:four x"
expect "nothing so far asked for packages" test ! -s "$scratch/apt-calls"

printf 'build  no-such-compiler|bash  # either\ntest  no-such-test  # other set\n' >"$tree/packages.txt"
call "$tree/cartan" x
expect "either of two packages will do, other sets do not matter" is "$status:$out" "0:four x"
if command -v dpkg-query >/dev/null; then
  echo 'build  no-such-package  # reason' >"$tree/packages.txt"
  call "$tree/cartan" x
  expect "a package that cannot be had: status 1, no output" is "$status:$out" "1:"
  expect "it is named" stderr_has "still missing: no-such-package"
  expect "it was asked for" grep -q 'install .*no-such-package' "$scratch/apt-calls"
fi
echo 'build  bash' >"$tree/packages.txt"
"$tree/cartan" >/dev/null 2>&1

# Studies ask once for the library of runs.nc, and do without.
if command -v dpkg-query >/dev/null; then
  printf 'build  bash\nnetcdf  no-such-library\n' >"$tree/packages.txt"
  "$tree/cartan" >/dev/null 2>&1
  : >"$scratch/apt-calls"
  call "$tree/cartan" study x
  expect "a study that writes nothing needs no library" test ! -s "$scratch/apt-calls"
  call "$tree/cartan" study x --out result
  expect "a study runs without the library it would like to have" is "$status:$out" "7:four study"
  expect "and says so" stderr_has "without runs.nc"
  expect "it was asked for" grep -q 'install .*no-such-library' "$scratch/apt-calls"
  : >"$scratch/apt-calls"
  call "$tree/cartan" study x --out=result
  expect "once" test ! -s "$scratch/apt-calls"
fi
echo 'build  bash' >"$tree/packages.txt"
"$tree/cartan" >/dev/null 2>&1

# The page of `view`, with an npm that only notes what it is asked.
mkdir -p "$tree/viewer/src"
echo 'page' >"$tree/viewer/src/main.ts"
echo '{}' >"$tree/viewer/package.json"
echo '{}' >"$tree/viewer/package-lock.json"
cat >"$scratch/bin/npm" <<'END'
#!/bin/sh
echo "$@" >>"$NPM_CALLS"
[ -z "$NPM_FAILS" ] || { echo "npm says no"; exit 1; }
home=$2
case $3 in
  ci) mkdir -p "$home/node_modules" ;;
  run) mkdir -p "$home/dist" && cp "$home/src/main.ts" "$home/dist/index.html" ;;
esac
END
chmod +x "$scratch/bin/npm"
export NPM_CALLS=$scratch/npm-calls NPM_FAILS=
: >"$NPM_CALLS"
call "$tree/cartan" x
expect "other commands ask npm for nothing" test ! -s "$NPM_CALLS"
NPM_FAILS=yes
call "$tree/cartan" view
expect "npm fails: status 1, no output" is "$status:$out" "1:"
expect "npm fails: a sentence" stderr_has "the viewer's page could not be built: npm could not fetch"
expect "npm fails: its words" stderr_has "npm says no"
NPM_FAILS=
call "$tree/cartan" view
expect "the first view builds the page" is "$status:$out:$(<"$tree/build/viewer.html")" "0:four view:page"
expect "and says so" stderr_has "building the viewer's page"
: >"$NPM_CALLS"
call "$tree/cartan" view
expect "the second view says nothing and asks npm for nothing" is "$status:$out:$err:$(<"$NPM_CALLS")" "0:four view::"
echo 'other' >"$tree/viewer/src/main.ts"
call "$tree/cartan" view
expect "a changed page is built anew" is "$status:$(<"$tree/build/viewer.html")" "0:other"
expect "without fetching packages again" is "$(grep -c ' ci ' "$NPM_CALLS")" 0
echo '{"changed": 1}' >"$tree/viewer/package-lock.json"
call "$tree/cartan" view
expect "changed packages are fetched" is "$status:$(grep -c ' ci ' "$NPM_CALLS")" "0:1"

# As an ordinary user; these need root to become one.
if ((EUID == 0)) && command -v setpriv >/dev/null; then
  mkdir "$scratch/home"
  chown 65534:65534 "$scratch/home"
  user() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$scratch/home" "$@"; }

  call user "$tree/cartan" x
  expect "another user runs what is there" is "$status:$out:$err" "0:four x:"
  write_main five
  call user "$tree/cartan" x
  expect "another user builds in the cache" is "$status:$out" "0:five x"
  expect "and not in the tree" test -z "$(find "$tree" -user 65534)"
  call user "$tree/cartan" x
  expect "the second call says nothing" is "$status:$out:$err" "0:five x:"
  write_main six
  call user env HOME=/nonexistent "$tree/cartan" x
  expect "nowhere to build: status 1" is "$status:$out" "1:"
  expect "it says what to set" stderr_has "CARTAN_BUILD_DIR"

  if command -v dpkg-query >/dev/null; then
    echo 'build  no-such-package  # reason' >"$tree/packages.txt"
    call user "$tree/cartan" x
    expect "an ordinary user is told of sudo" stderr_has "asking sudo"
    expect "and given the command" stderr_has "sudo apt-get install"
    if [[ ! -e /usr/bin/sudo ]]; then
      rm "$scratch/bin/sudo"
      call user "$tree/cartan" x
      expect "without sudo: status 1" is "$status:$out" "1:"
      expect "without sudo: the command" stderr_has "as root, run: apt-get update && apt-get install"
    fi
  fi
fi

((failures == 0)) && echo "all as expected"
exit $((failures > 0))
