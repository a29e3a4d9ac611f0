#!/usr/bin/env bash
# Installs everything that a build and its tests need: Debian packages, a virtual environment, DuckDB, Arrow, the Spark
# Connect messages. Pinned and checked by SHA-256. What is there already is left alone. All but the Debian packages goes
# into ${FRAZIL_CACHE:-~/.cache/frazil}. With the argument `bench`, what benchmark and TPC comparison need too; with
# `clients`, pyspark-client of other versions.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${FRAZIL_CACHE:-$HOME/.cache/frazil}

wanted=$(grep -v '^#' "$here/debian-packages.txt")
command -v npm >/dev/null || wanted="$wanted npm"
# shellcheck disable=SC2086 # the list is meant to be split
present=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^ii *//p' || true)
missing=$(comm -23 <(sort -u <<<"${wanted// /$'\n'}") <(sort -u <<<"$present"))
if [ -n "$missing" ]; then
  echo "setup: installing Debian packages:" $missing
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: install these packages as root:" $missing >&2; exit 1; }
    as_root=(sudo)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update
  # shellcheck disable=SC2086
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $missing >/dev/null
fi

mkdir -p "$cache"
exec 9>"$cache/setup.lock"
flock 9
exec python3 "$here/dependencies.py" "$cache" "$@"
