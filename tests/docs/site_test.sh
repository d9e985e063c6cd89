#!/usr/bin/env bash
# The site that tools/docs makes: strict, no broken link, no resource from a host; opened from a folder, its search
# finds words and its formulas are typeset.
#   site_test.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
root=$1 build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
CARTAN_BUILD_DIR=$folder/build "$root/tools/docs" --quick --out "$folder/site"
python3 "$root/tests/docs/links.py" "$folder/site"
# The licence notices of what the site contains of others.
for name in MathJax mkdocs-material; do
  grep -qi "$name" "$folder/site/licences.txt" || { echo "FAILED: the site has no notices of $name"; exit 1; }
done
# The checks themselves: a broken link, a broken anchor and a picture from a host must be found.
cp -R "$folder/site" "$folder/broken"
sed -i 's|</body>|<a href="nowhere.html">x</a><a href="joints.html#nowhere">x</a><img src="https://example.org/x.png"></body>|' "$folder/broken/index.html"
found=$(python3 "$root/tests/docs/links.py" "$folder/broken" || true)
[[ $(grep -c '^index.html: ' <<<"$found") -eq 3 ]] || { echo "FAILED: broken links are not found: $found"; exit 1; }
node "$root/tests/docs/browser.mjs" "$root" "$build" "$folder/site"
