#!/usr/bin/env bash
# tour.sh: what `make run` shows, on the plugins and the data that ship with the project.
set -eu
cd "$(dirname "$0")/.."
export PATH=$PWD/build/bin:$PATH

show() {
  echo "\$ $*"
  "$@"
  echo
}

echo "A matrix turns the corners of a square by 45 degrees; the kernel comes from the CPU plugin:"
show tenon run --op MatMul examples/data/turn45.npy examples/data/square.npy

echo "The bytes of six floats, by the op and kernel of examples/bitcast, a plugin of one C file:"
show tenon run --op Bitcast examples/data/numbers.npy --attr type=uint8 --plugin build/examples/libbitcast.so

echo "The same plugin, called from a C program (examples/bits):"
show build/examples/bits build/examples/libbitcast.so examples/data/numbers.npy

echo "Next: tenon --help (in build/bin), README.md"
