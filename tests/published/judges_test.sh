#!/usr/bin/env bash
# The programs that judge rows of the report say what the report quotes.
# usage: judges_test.sh SOURCE_DIR
set -euo pipefail
cd "$1/reproduction/judges"
count=0
for judge in *.py; do
  [[ $judge == runge_kutta.py ]] && continue
  python3 -B "$judge"
  grep -q "\`$judge\`" README.md || { echo "FAILED: README.md does not name $judge"; exit 1; }
  count=$((count + 1))
done
[[ $count -ge 5 ]]
