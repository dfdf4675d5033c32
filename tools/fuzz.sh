#!/usr/bin/env bash
# fuzz.sh [NAME...]: runs the fuzz targets (all of them without a NAME) for FUZZ_SECONDS each, two at a
# time on two cores, then shows which lines of the library each one reached. Inputs that reach something new
# are kept in build/fuzz/corpus/NAME; a crash leaves its input in build/fuzz/crashes/NAME-*.
set -eu
cd "$(dirname "$0")/.."
tools/build.sh fuzz fuzzers
seconds=${FUZZ_SECONDS:-600}
folder=build/fuzz
names=("$@")
[ ${#names[@]} -gt 0 ] || for target in tests/fuzz/fuzz_*.c; do
  name=${target#tests/fuzz/fuzz_}
  names+=("${name%.c}")
done
mkdir -p $folder/crashes $folder/logs
export UBSAN_OPTIONS=print_stacktrace=1

# One target: a fuzzing run, then one pass over all that it found to count coverage.
fuzz_one() {
  local name=$1 program=$folder/tests/fuzz_$1 log=$folder/logs/$1.log
  mkdir -p "$folder/corpus/$name"
  LLVM_PROFILE_FILE=/dev/null "$program" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 \
    -print_final_stats=1 -artifact_prefix="$folder/crashes/$name-" \
    "$folder/corpus/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1 || return 1
  LLVM_PROFILE_FILE=$folder/logs/$name.profraw "$program" -runs=0 \
    "$folder/corpus/$name" "tests/fuzz/corpus/$name" >>"$log" 2>&1 || return 1
  llvm-profdata merge -o "$folder/logs/$name.profdata" "$folder/logs/$name.profraw"
}

declare -A jobs
for name in "${names[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do sleep 1; done
  echo "tenon: fuzzing $name for $seconds s (log: $folder/logs/$name.log)"
  fuzz_one "$name" &
  jobs[$name]=$!
done
result=0
for name in "${names[@]}"; do
  if wait "${jobs[$name]}"; then
    executed=$(sed -n 's/^stat::number_of_executed_units: //p' "$folder/logs/$name.log" | head -n 1)
    echo "$name: clean after $executed runs; lines reached:"
    llvm-cov report "$folder/tests/fuzz_$name" -object "$folder/lib/libtenon.so" \
      -instr-profile "$folder/logs/$name.profdata" 2>/dev/null |
      awk '/\.[ch] / && $8 > $9 {printf "  %-40s %5d of %5d lines  %s\n", $1, $8 - $9, $8, $10}'
  else
    result=1
    echo "$name: FAILED; its input: $(find $folder/crashes -name "$name-*" -newer "$folder/build.ninja" | head -n 1)"
    grep -m 1 -A 8 -e 'ERROR:' -e 'runtime error' "$folder/logs/$name.log" | sed 's/^/  /' || true
  fi
done
exit $result
