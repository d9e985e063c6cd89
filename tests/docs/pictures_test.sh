#!/usr/bin/env bash
# Pictures of the gallery: a mechanism is photographed, plain equations are plotted, what is fresh is kept, and a drawing
# of docs/images is what tools/site/drawings.py draws.
#   pictures_test.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
root=$1 build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
pictures() { node "$root/tools/site/pictures.mjs" "$root" "$build" "$folder" heavy_top four_bar van_der_pol; }

made=$(pictures)
[[ $made == $'four_bar\nheavy_top\nvan_der_pol' ]] || fail "made were: $made"
for name in heavy_top four_bar; do
  [[ $(head -c 4 "$folder/$name.png" | tail -c 3) == PNG ]] || fail "$name.png is no picture"
  (($(stat -c %s "$folder/$name.png") > 8000)) || fail "$name.png is nearly empty"
done
! cmp -s "$folder/heavy_top.png" "$folder/four_bar.png" || fail "two machines have the same picture"
grep -q '<svg' "$folder/van_der_pol.svg" || fail "van_der_pol.svg is no drawing"
[[ -z $(pictures) ]] || fail "fresh pictures are made again"

PYTHONDONTWRITEBYTECODE=1 python3 "$root/tools/site/drawings.py" "$folder/images"
for kind in joints forces constraints; do
  diff -r "$root/docs/images/$kind" "$folder/images/$kind" || fail "docs/images/$kind is not what tools/site/drawings.py draws"
done
# Every joint type, force and constraint has its drawing on its page.
for word in $(sed -n 's/^    {JointType::\([a-z]*\), .*/\1/p' "$root/src/model/joint_types.h"); do
  grep -q "](images/joints/$word.svg)" "$root/docs/joints.md" || fail "docs/joints.md has no drawing of $word"
done
for word in $(ls "$root/src/model/forces" | sed 's|^|forces/|; s|[.]h$||') constraints/{distance,drive,coupler,rolling-disc,knife-edge}; do
  grep -q "](images/$word.svg)" "$root/docs/forces.md" || fail "docs/forces.md has no drawing of $word"
done
echo "pictures and drawings are right"
