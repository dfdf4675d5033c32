#!/usr/bin/env bash
# test.sh PRESET LABELS [PRESET LABELS]...: builds each preset, runs its tests with these CTest labels
# (a regular expression), and ends with the sum over all of them.
set -eu
cd "$(dirname "$0")/.."
reports=()
while [ $# -ge 2 ]; do
  tools/build.sh "$1"
  folder=build
  [ "$1" = default ] || folder=build/$1
  echo "tenon: testing $folder ($2)"
  rm -f "$folder/junit.xml"
  # The shadow memory of GCC 12's sanitizers collides with the wide address randomisation of newer kernels.
  steady=()
  if [ "$1" != default ] && setarch "$(uname -m)" -R true 2>/dev/null; then
    steady=(setarch "$(uname -m)" -R)
  fi
  # Who watches sees what is running; a log gets what has run.
  starts=()
  [ -t 1 ] || starts=(-e '/ Start /d')
  # The sum decides, so that all presets run even when one has failures.
  "${steady[@]}" ctest --test-dir "$folder" -L "^($2)\$" -j "$(nproc)" --output-on-failure --no-tests=error \
    --output-junit junit.xml --test-output-size-passed 1000000 --test-output-size-failed 1000000 |
    sed -u -e '/^Internal ctest/d' -e '/^ *$/d' -e '/^Test project/d' "${starts[@]}"
  reports+=("$folder/junit.xml")
  shift 2
done
python3 tools/summary.py "${reports[@]}"
