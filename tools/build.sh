#!/usr/bin/env bash
# build.sh PRESET [TARGET...]: configures once and builds what changed. Quiet when nothing did.
set -eu -o pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
folder=build
[ "$preset" = default ] || folder=build/$preset
venv=${TENON_VENV:-$PWD/build/venv}
if [ ! -f "$folder/build.ninja" ] || ! grep -q "^TENON_VENV:[A-Z]*=$venv\$" "$folder/CMakeCache.txt"; then
  echo "tenon: configuring $folder"
  mkdir -p "$folder"
  if ! cmake --preset "$preset" -DTENON_VENV="$venv" >"$folder/configure.log" 2>&1; then
    grep -A 12 -m 1 'CMake Error' "$folder/configure.log" >&2 || tail -n 20 "$folder/configure.log" >&2
    echo "tenon: cannot configure $folder (details: $folder/configure.log)" >&2
    exit 1
  fi
fi
cd "$folder"
NINJA_STATUS="[$preset %f/%t] " ninja "$@" 2>&1 |
  sed -u -e '/Re-checking globbed directories/d' -e '/^ninja: no work to do/d' -e '/^-- /d'
