#!/usr/bin/env bash
# Every TOML block of docs/joints.md and docs/forces.md is a piece of a model that `check` accepts; the first file of
# docs/model-file.md is a whole one.
#   snippets_test.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
exec python3 "$1/tests/docs/snippets.py" "$1" "$2"
