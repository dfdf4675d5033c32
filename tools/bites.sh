#!/usr/bin/env bash
# bites.sh REVISION|BUILD ROOM TEST     one test of ours, e.g. bites.sh HEAD~1 base a_status_is_ok
# bites.sh REVISION|BUILD FILE.py[::TEST]    a script
#
# Shows that a test bites: it must pass against the build of this tree and fail against another one,
# which is a build folder, or a revision that is built under build/bites first.
# Ends with 0 when it bites, 1 when it does not, 2 when that cannot be told.
set -eu
cd "$(dirname "$0")/.."
ours=${TENON_BUILD:-$PWD/build}

cannot_tell() {
  echo "bites: $*" >&2
  exit 2
}

[ $# -eq 3 ] || { [ $# -eq 2 ] && [[ $2 == *.py* ]]; } || cannot_tell "$(sed -n 's/^# //; 2,3p' "$0")"

if [ -e "$1/lib/libtenon.so" ]; then
  other=$(cd "$1" && pwd)
else
  revision=$(git rev-parse --verify --quiet "$1^{commit}") ||
    cannot_tell "'$1' is neither a revision nor a build folder with lib/libtenon.so"
  folder=$ours/bites/${revision:0:12}
  other=$folder/build
  if [ ! -e "$folder/built" ]; then
    echo "bites: building ${revision:0:12}"
    rm -rf "$folder"
    mkdir -p "$folder/tree"
    git archive "$revision" | tar -x -C "$folder/tree"
    { cmake -S "$folder/tree" -B "$other" -G Ninja -DBUILD_TESTING=OFF && ninja -C "$other"; } \
      >"$folder/log" 2>&1 || cannot_tell "${revision:0:12} does not build (details: $folder/log)"
    touch "$folder/built"
  fi
fi

# Runs the test against build $1.
try() {
  if [ -n "${room:-}" ]; then
    LD_LIBRARY_PATH=$1/lib "$ours/tests/$room" "$test"
  else
    TENON_BUILD=$1 TENON_SOURCE=$PWD TF_CPP_MIN_LOG_LEVEL=2 \
      "${TENON_VENV:-$ours/venv}/bin/python" -m pytest -q -p no:cacheprovider "$test"
  fi
}
if [ $# -eq 3 ]; then
  room=$2 test=$3
else
  test=$2
fi

output=$(try "$ours" 2>&1) || cannot_tell "$test does not pass against $ours:"$'\n'"$output"
if output=$(try "$other" 2>&1); then
  echo "bites: $test passes against $other too: it does not bite"
  exit 1
fi
# A symbol that the other build lacks stops any test, whatever it checks.
if missing=$(grep -m 1 -o 'symbol lookup error.*\|undefined symbol.*\|version .* not found.*' <<<"$output"); then
  cannot_tell "$test does not run against $other: $missing"
fi
echo "bites: $test fails against $other, as it should:"
tail -n 5 <<<"$output" | sed 's/^/  /'
