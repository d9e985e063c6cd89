#!/usr/bin/env bash
# The pages keep their form: lines below 120 columns (tables, code and formulas may be longer), source documents by
# name, every example in a group of the gallery.
#   text_test.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
exec python3 "$1/tests/docs/text.py" "$1"
