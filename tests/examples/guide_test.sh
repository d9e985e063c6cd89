#!/usr/bin/env bash
# Every command of docs/guide.md works as it is printed: the guide's sh blocks run one after the other in an empty
# folder that has the examples and the program.
#   guide_test.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
root=$1 build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$root/tools/site/run_commands" "$root" "$build" "$root/docs/guide.md" "$folder" > "$folder/output.txt" 2>&1 ||
  { tail -n 20 "$folder/output.txt"; exit 1; }
commands=$(grep -c '^\./cartan' "$folder/commands.sh")
(( commands >= 20 )) || { echo "only $commands commands found in the guide"; exit 1; }
[[ $(wc -l < "$folder/measured/events.csv") -eq 17 ]] || { echo "the pendulum has not 16 turning points"; exit 1; }
echo "$commands commands of the guide work"
