#!/usr/bin/env bash
# lint.sh: formatting, clang-tidy, cppcheck and shellcheck over the tree. Ends with 0 when all are content.
set -u
cd "$(dirname "$0")/.." || exit 1
result=0

say() {
  echo "tenon: $*"
}
failed() {
  say "$* found something"
  result=1
}

say "clang-format"
git ls-files '*.c' '*.h' '*.cc' '*.hpp' | xargs clang-format --dry-run -Werror 2>&1 |
  grep 'error:' | cut -d: -f1 | sort | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/  \2: \1 places (make format)/' |
  { ! grep .; } || failed clang-format

say "clang-tidy"
# Only files the build knows: without its flags a file cannot be read.
grep -o '"file": "[^"]*"' build/compile_commands.json | cut -d'"' -f4 | sort -u |
  grep -E "^$PWD/(src|cli|plugins|bench|tests/harness)/.*\.c$" |
  xargs -P "$(nproc)" -n 4 clang-tidy -p build --quiet 2>/dev/null | { ! grep .; } || failed clang-tidy

say "cppcheck"
# Memory that a function hands over is beyond what it can follow without the whole program.
cppcheck --quiet --enable=warning,portability --error-exitcode=1 --inline-suppr --std=c11 -j "$(nproc)" \
  --suppress=missingIncludeSystem --suppress=nullPointerRedundantCheck \
  --suppress=uninitvar:src/tensor/decimal.c --suppress=incorrectLogicOperator:src/cpu/cast_loops.c -D__x86_64__ -D_GNU_SOURCE \
  -Isrc -Iinclude src cli plugins bench || failed cppcheck

say "shellcheck"
shellcheck tools/*.sh .ci/run completion/tenon.bash || failed shellcheck
exit $result
