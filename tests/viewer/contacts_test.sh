#!/usr/bin/env bash
# Contacts and impacts in headless Chromium, against forces.csv, contacts.csv and impacts.csv.
# usage: contacts_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
[[ -e $2/viewer.html ]] || { echo "FAILED: $2/viewer.html is missing; ./test builds it"; exit 1; }
exec node "$1/tests/viewer/contacts.mjs" "$1" "$2"
