#!/usr/bin/env bash
# Every command of the tutorials and of the first page works as it is printed, and makes the pictures that are shown.
#   commands_test.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
root=$1 build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pages=0 pictures=0
for page in "$root"/docs/index.md "$root"/docs/tutorials/*.md; do
  name=$(basename "$page" .md)
  grep -q '^```sh$' "$page" || continue
  mkdir "$folder/$name"
  "$root/tools/site/run_commands" "$root" "$build" "$page" "$folder/$name" >"$folder/$name.log" 2>&1 ||
    { tail -n 20 "$folder/$name.log"; echo "FAILED: a command of $page"; exit 1; }
  while IFS= read -r picture; do
    [[ -s $folder/$picture ]] || { echo "FAILED: the commands of $page do not make $picture"; exit 1; }
    pictures=$((pictures + 1))
  done < <(grep -o "]($name/[^)]*)" "$page" | sed 's/^](//; s/)$//')
  pages=$((pages + 1))
done
((pages >= 7 && pictures >= 18)) || { echo "FAILED: only $pages pages with $pictures pictures were found"; exit 1; }
echo "the commands of $pages pages work and make $pictures pictures"
