# Sourced by ./cartan, ./test and other commands of this folder: packages, configuration, build.
#
#   prepare TARGET SET...   leaves in $build a folder where TARGET (`cartan`, `all`, ...) is up to date;
#                           SET names the sets of packages.txt needed besides `build`
#                           (`prepare all test`, `prepare bench bench peers`)
#
#   prepare_viewer          after it: leaves in $build the page of `view`, viewer.html, made from viewer/ with npm
#
# All that is said goes to stderr: stdout belongs to the command that follows.
#
# Environment:
#   CARTAN_BUILD_DIR   build folder (default: build/, with a suffix for the two below; where the tree
#                      cannot be written, a folder in the user's cache)
#   CARTAN_COMPILER    C++ compiler, for example g++ (default: see CMakeLists.txt)
#   CARTAN_SANITIZE    ON: sanitizers and assertions
#   CARTAN_JOBS        parallel jobs (default: number of cores)
#   CARTAN_PACKAGES    another list in place of packages.txt

root=${BASH_SOURCE[0]%/tools/prepare.sh} # callers give the full path
build=
packages=${CARTAN_PACKAGES:-$root/packages.txt}

say() { printf 'cartan: %s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

# -- packages -------------------------------------------------------------------------------------

# Prints the packages of the given sets that are not installed, one per line.
missing_packages() {
  local installed line set package alternative found
  installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package} \n' 2>/dev/null | sed -n 's/^installed //p' | tr -d '\n')"
  while read -r set package line; do
    [[ " $* " == *" $set "* ]] || continue
    found=
    for alternative in ${package//|/ }; do
      [[ $installed == *" $alternative "* ]] && found=yes
    done
    [[ $found ]] || printf '%s\n' "${package%%|*}"
  done < <(sed 's/#.*//' "$packages")
}

install_packages() {
  local -a missing as_root=()
  if ! command -v dpkg-query >/dev/null; then
    say "this is no Debian system: packages are not checked; docs/dependencies.md lists what the build needs"
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0

  local remedy="apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  say "needs these Debian packages, which are not installed: ${missing[*]}"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "installing them takes root, and there is no sudo here; as root, run: $remedy"
    say "installing them takes root; asking sudo"
    as_root=(sudo)
    remedy="sudo ${remedy/&& apt-get/&& sudo apt-get}"
  fi
  command -v apt-get >/dev/null || fail "there is no apt-get to install them with; install them by hand, then call again"

  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
    -o DPkg::Lock::Timeout=600 -o Acquire::http::Timeout=30)
  {
    "${apt[@]}" update || say "the package lists could not be renewed; trying with those at hand"
    "${apt[@]}" install --no-install-recommends --no-remove "${missing[@]}" || true
  } </dev/null >&2

  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]} == 0)) ||
    fail "these Debian packages are still missing: ${missing[*]}. Installing them failed (no network?);" \
      "when it is back, call again or run: $remedy"
}

# -- build ----------------------------------------------------------------------------------------

# Sets $processor to the line that names the instruction sets of this processor: the binary is
# compiled for them.
read_processor() {
  processor=
  [[ -r /proc/cpuinfo ]] || return 0
  while IFS= read -r processor; do
    [[ $processor == flags* || $processor == Features* ]] && return
  done </proc/cpuinfo
  processor=
}

# Is the binary $2 (default: cartan) in folder $1 newer than all it is made from, and made for this
# processor?
is_fresh() {
  local stamped= line
  local -a sources=("$root/src" "$root/CMakeLists.txt" "$packages")
  [[ ! -d $root/examples/derivations ]] || sources+=("$root/examples/derivations")
  [[ -x $1/${2:-cartan} && -e $1/.fresh ]] || return 1
  IFS= read -r stamped <"$1/.fresh" || true
  [[ $stamped == "$processor" ]] || return 1
  if [[ -e $1/embedded.txt ]]; then # files outside src/ that CMake put into the program
    while IFS= read -r line; do sources+=("$root/$line"); done <"$1/embedded.txt"
  fi
  [[ -z $(find "${sources[@]}" -newer "$1/.fresh" -print -quit 2>&1) ]]
}

# Sets $build. The folder in the tree is taken where it is fresh or can be written.
choose_build() {
  local name=build
  [[ -z ${CARTAN_COMPILER:-} ]] || name+=-${CARTAN_COMPILER##*/}
  [[ ${CARTAN_SANITIZE:-OFF} != ON ]] || name+=-sanitize
  build=${CARTAN_BUILD_DIR:-$root/$name}
  [[ -z ${CARTAN_BUILD_DIR:-} ]] || return 0
  if [[ -d $build ]]; then
    [[ -w $build ]] && return
    is_fresh "$build" && return
  else
    [[ -w $root ]] && return
  fi
  local key
  key=$(cksum <<<"$root")
  build=${XDG_CACHE_HOME:-${HOME:-}/.cache}/cartan/$name-${key%% *}
}

show_counter() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^\[[0-9]+/[0-9]+\] ]]; then printf '\r%s\e[K' "${BASH_REMATCH[0]}" >&2; fi
  done
}

# Runs a command with its output in the log; on a terminal shows Ninja's counter meanwhile. Shows the
# end of the log on failure.
logged() {
  local status=0
  if [[ -t 2 ]]; then
    if ! "$@" 2>&1 </dev/null | tee -a "$build/build.log" | show_counter; then
      status=1
    fi
    printf '\r\e[K' >&2
  else
    "$@" >>"$build/build.log" 2>&1 </dev/null || status=$?
  fi
  ((status == 0)) && return
  tail -n 50 "$build/build.log" >&2
  fail "the build failed; the whole log is $build/build.log"
}

# Can the Python module be built in folder $1?
has_python() { grep -q '^CARTAN_HAS_PYTHON:INTERNAL=ON' "$1/CMakeCache.txt" 2>/dev/null; }

# Is SUNDIALS in the build of folder $1?
has_sundials() { grep -q '^CARTAN_HAS_SUNDIALS:INTERNAL=ON' "$1/CMakeCache.txt" 2>/dev/null; }

# Runs CMake where it must: in a new folder, in one that lacks an option asked for (arguments: names of
# options to switch on), on another processor. Ninja itself sees to changed CMakeLists.txt files.
configure() {
  local home option needed=
  local -a options=()
  if [[ -e $build/CMakeCache.txt ]]; then
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
    if [[ $home != "$root" ]]; then
      say "the build folder was made for $home; starting it anew"
      rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
    fi
  fi
  if [[ ! -e $build/CMakeCache.txt ]]; then
    options+=(-DCARTAN_TESTS=OFF ${CARTAN_COMPILER:+"-DCARTAN_COMPILER=$CARTAN_COMPILER"})
    options+=("-DCARTAN_SANITIZE=${CARTAN_SANITIZE:-OFF}")
    needed=yes
  fi
  for option in "$@"; do
    if [[ $needed ]] || ! grep -q "^$option:BOOL=ON" "$build/CMakeCache.txt"; then
      options+=("-D$option=ON")
      needed=yes
    fi
  done
  [[ -e $build/build.ninja ]] || needed=yes
  [[ ! $wants_sundials ]] || has_sundials "$build" || needed=yes
  [[ ! $wants_python ]] || has_python "$build" || needed=yes
  [[ -e $build/.fresh && $(<"$build/.fresh") != "$processor" ]] && needed=yes
  [[ ! $needed ]] || logged cmake -S "$root" -B "$build" -G Ninja "${options[@]}"
}

# The program, or the part of it that a first run needs.
is_program() { [[ $1 == cartan || $1 == cartan-first ]]; }

prepare() {
  local target=$1 processor lock wants_sundials= wants_python=
  local -a options=()
  shift
  [[ " $* " == *" test "* ]] && options+=(CARTAN_TESTS)
  [[ " $* " == *" bench "* ]] && options+=(CARTAN_BENCH)
  [[ " $* " == *" sundials "* ]] && wants_sundials=yes
  [[ " $* " == *" python "* ]] && wants_python=yes
  read_processor
  choose_build
  is_program "$target" && is_fresh "$build" "$target" && { [[ ! $wants_sundials ]] || has_sundials "$build"; } && return

  mkdir -p "$build" 2>/dev/null && [[ -w $build ]] ||
    fail "neither $root nor $build can be written; set CARTAN_BUILD_DIR to a folder that can"
  build=$(readlink -f "$build")

  # One build at a time; whoever waited may find the work done.
  exec {lock}>"$build/.lock"
  if ! flock -n "$lock"; then
    say "waiting for another build in $build"
    flock "$lock"
  fi
  if ! is_program "$target" || [[ $wants_sundials ]] || ! is_fresh "$build" "$target"; then
    [[ ${CARTAN_SANITIZE:-OFF} == ON ]] && set -- "$@" sanitize
    install_packages build "$@"
    if [[ ! -x $build/cartan && $target == cartan && -x $build/cartan-first ]]; then
      say "building the rest of the program in $build; this takes a few minutes, once"
    elif [[ ! -x $build/cartan && ! -x $build/$target ]]; then
      say "building in $build; this takes a few minutes, once"
    elif is_program "$target"; then
      say "sources changed; building"
    fi
    : >"$build/build.log"
    # The stamp bears the time before the build, so that a source changed meanwhile counts as newer.
    printf '%s\n' "$processor" >"$build/.fresh.new"
    configure "${options[@]}"
    logged ninja -C "$build" -j "${CARTAN_JOBS:-$(nproc)}" "$target"
    if is_program "$target" || [[ $target == all ]]; then mv "$build/.fresh.new" "$build/.fresh"; fi
  fi
  exec {lock}>&-
}

# -- netcdf ---------------------------------------------------------------------------------------

# The library studies write runs.nc with; they do without where it cannot be had. Asked for once.
prepare_netcdf() {
  [[ ! -e $build/.netcdf_tried ]] || return 0
  touch "$build/.netcdf_tried" 2>/dev/null || return 0
  (install_packages netcdf) || say "studies will be without runs.nc"
}

# -- ipopt ----------------------------------------------------------------------------------------

# The solver of `steer` and of `optimise --solver ipopt`, which say so where it cannot be had. Asked for once.
prepare_ipopt() {
  [[ ! -e $build/.ipopt_tried ]] || return 0
  touch "$build/.ipopt_tried" 2>/dev/null || return 0
  (install_packages ipopt) || say "there will be no steer, and optimise has its own method alone"
}

# -- mpi ------------------------------------------------------------------------------------------

# The library processes of a study talk with, where mpirun has started us and it is not that of OpenMPI. Asked for once.
prepare_mpi() {
  ! ldconfig -p 2>/dev/null | grep -q 'libmpi\.so\.40' || return 0
  [[ ! -e $build/.mpi_tried ]] || return 0
  touch "$build/.mpi_tried" 2>/dev/null || return 0
  (install_packages mpi) || say "studies will not share their runs between processes"
}

# -- viewer ---------------------------------------------------------------------------------------

# Is the page in $build newer than all it is made from?
viewer_is_fresh() {
  [[ -e $build/viewer.html ]] || return 1
  [[ -z $(find "$root/viewer" \( -name node_modules -o -name dist \) -prune -o -newer "$build/viewer.html" -print -quit 2>&1) ]]
}

# npm, with its words in the log; on failure the end of them and a sentence.
viewer_step() { # sentence, command...
  local sentence=$1
  shift
  "$@" >>"$build/viewer.log" 2>&1 </dev/null && return
  tail -n 20 "$build/viewer.log" >&2
  fail "the viewer's page could not be built: $sentence; the whole log is $build/viewer.log." \
    "Everything but \`view\` works without it"
}

prepare_viewer() {
  local lock home
  viewer_is_fresh && return
  command -v npm >/dev/null || install_packages view
  command -v npm >/dev/null || fail "\`view\` needs npm (with Node.js 18 or newer) to build its page, once"
  home=$build/viewer
  [[ -w $build ]] || fail "$build cannot be written; set CARTAN_BUILD_DIR to a folder that can"
  exec {lock}>"$build/.viewer-lock"
  flock "$lock"
  if ! viewer_is_fresh; then
    say "building the viewer's page; this takes some seconds, once"
    : >"$build/viewer.log"
    mkdir -p "$home"
    rm -rf "$home/src" "$home/dist"
    cp -R "$root/viewer/src" "$home/src"
    cp "$root"/viewer/*.* "$home/"
    # The stamp bears the time before the build, as that of the program does.
    : >"$home/begun"
    if [[ ! -d $home/node_modules ]] || ! cmp -s "$home/package-lock.json" "$home/installed"; then
      viewer_step "npm could not fetch its packages (no network?)" \
        npm --prefix "$home" ci --no-audit --no-fund --ignore-scripts
      cp "$home/package-lock.json" "$home/installed"
    fi
    viewer_step "Vite failed" npm --prefix "$home" run build
    touch -r "$home/begun" "$home/dist/index.html"
    mv "$home/dist/index.html" "$build/viewer.html"
  fi
  exec {lock}>&-
}
