#!/usr/bin/env bash
# Completion in bash, and the manual page: both are made of the help texts.
# usage: completion_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
root=$1 build=$2
source "$root/tools/packaging/completion.bash"
failures=0
complete_words() { # words typed so far; the last is being completed
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _cartan
  printf '%s\n' "${COMPREPLY[@]}"
}
expect() { # wanted, words...
  local wanted=$1
  shift
  # no pipe: grep ends at the first match, and what is still written there would count as a failure
  grep -qx -- "$wanted" <<<"$(complete_words "$@")" || { echo "FAILED: '$*' is not completed to '$wanted'"; failures=1; }
}
cd "$root"
expect run "$build/cartan" ru
expect linearize "$build/cartan" li
expect --version "$build/cartan" --v
expect --duration "$build/cartan" run examples/heavy_top.toml --du
expect --limits "$build/cartan" run --lim
expect --keep "$build/cartan" study --k
expect examples/heavy_top.toml "$build/cartan" run examples/heavy
(($(complete_words "$build/cartan" "" | wc -l) > 20)) || { echo "FAILED: too few commands"; failures=1; }
[[ -z $(complete_words "$build/cartan" run --no-such-option) ]] || { echo "FAILED: an option that is none is completed"; failures=1; }

page=$(python3 "$root/tools/packaging/manual.py" "$build/cartan" 0.0)
for part in 'cartan \\- how machines move' '\.SH CARTAN RUN' '\\-\\-duration T' '\.SH CARTAN NEW' '\.SH EXIT STATUS'; do
  grep -qe "$part" <<<"$page" || { echo "FAILED: the manual page lacks $part"; failures=1; }
done
if command -v man >/dev/null; then
  page_file=$(mktemp)
  trap 'rm -f "$page_file"' EXIT
  printf '%s\n' "$page" >"$page_file"
  complaints=$(MANWIDTH=120 man --warnings -l "$page_file" 2>&1 >/dev/null || true)
  [[ -z $complaints ]] || { echo "FAILED: man complains: $complaints"; failures=1; }
fi
exit $failures
