#!/usr/bin/env bash
# Fails when a C++ source is not as `make format` leaves it. Other versions of clang-format lay some lines out otherwise,
# so only the version that .clang-format names decides.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=14
if ! clang-format --version 2>/dev/null | grep -q "version $version\."; then
  echo "format: not checked, clang-format $version is not installed"
  exit 0
fi
git ls-files --cached --others --exclude-standard 'src/*.cc' 'src/*.h' | xargs -r clang-format --dry-run --Werror ||
  { echo "format: run make format" >&2; exit 1; }
