#!/usr/bin/env bash
# Every command of docs/guide.md works as it is printed: the guide's sh blocks run one after the other in an empty
# folder that has the examples and the program.
#   guide_test.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
root=$1 build=$2
[[ -x $build/cartan ]] || { echo "no program at $build/cartan"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$root/examples" "$folder/examples"
ln -s "$build/cartan" "$folder/cartan"
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$root/docs/guide.md" > "$folder/guide.sh"
commands=$(grep -c '^\./cartan' "$folder/guide.sh")
(( commands >= 20 )) || { echo "only $commands commands found in the guide"; exit 1; }
cd "$folder"
bash -euo pipefail guide.sh > output.txt 2>&1 || { tail -n 20 output.txt; exit 1; }
[[ $(wc -l < measured/events.csv) -eq 17 ]] || { echo "the pendulum has not 16 turning points"; exit 1; }
echo "$commands commands of the guide work"
