#!/usr/bin/env bash
# bench.sh [NAME...]: runs the benchmarks in build/bench (all of them without a NAME). Each adds its
# lines to build/bench/results.jsonl, which is begun anew here.
set -u
cd "$(dirname "$0")/.." || exit 1
rm -f build/bench/results.jsonl
names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(
  find build/bench -maxdepth 1 -type f -executable -printf '%f\n' 2>/dev/null | sort
)
result=0
for name in "${names[@]}"; do
  "build/bench/$name" || { echo "tenon: benchmark $name failed" >&2; result=1; }
done
exit $result
