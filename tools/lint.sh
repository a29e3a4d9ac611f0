#!/usr/bin/env bash
# Formatting of all C++ sources; clang-tidy over the .cc files that differ from the main branch (all of them with --all).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v clang-format >/dev/null && command -v clang-tidy >/dev/null ||
  { echo "lint: install clang-format and clang-tidy" >&2; exit 1; }

tools/check_format.sh

if [ "${1:-}" = --all ]; then
  mapfile -t changed < <(git ls-files 'src/*.cc')
else
  base=$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
  mapfile -t changed < <({ git diff --name-only --diff-filter=d "$base" -- 'src/*.cc'
                           git ls-files --others --exclude-standard -- 'src/*.cc'; } | sort -u)
fi
[ ${#changed[@]} -gt 0 ] || { echo "lint: in order, no source differs"; exit 0; }
cmake --preset lint >/dev/null
printf '%s\n' "${changed[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p build/lint
echo "lint: in order"
