#!/usr/bin/env bash
# Messages of the library name no options of the command line, which is not the only one that uses it:
# src/cli adds them (option_names.h). `report` and `reproduce` are about commands and may.
# usage: options_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
cd "$1/src"
found=$(grep -rn -e '--[a-z]' --include='*.cpp' --include='*.h' \
  core lie expr symbolic model system mechanics integrate codegen formulations analysis io |
  grep -vE '^[^:]+:[0-9]+: *//' |
  awk -F'"' '{ for (i = 2; i <= NF; i += 2) if ($i != "--version" && $i ~ /(^|[^-a-zA-Z0-9])--[a-z]/) { print; next } }')
[[ -z $found ]] || { echo "FAILED: options of the command line in messages of the library:"; echo "$found"; exit 1; }
