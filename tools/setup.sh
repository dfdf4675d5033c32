#!/bin/sh
# setup.sh JOB...: finds out what this machine lacks for a job, says so, and installs it.
# JOBs: build, test (build, oneDNN, Eigen, clang, and a virtual environment with TensorFlow and JAX), bench
# (the libraries that benchmarks compare with), fuzz, lint.
# Quiet when nothing is missing. A failure is one sentence; the details are in build/setup.log.
set -u
cd "$(dirname "$0")/.." || exit 1
log=build/setup.log
mkdir -p build

die() {
  echo "tenon: $*" >&2
  exit 1
}

# Why it failed: no network, or the last error of the log.
reason() {
  if grep -q -i -e 'unable to connect' -e 'could not resolve' -e 'temporary failure' \
    -e 'connection broken' -e 'unreachable' -e 'could not connect' -e 'timed out' "$log"; then
    echo "the network does not answer (details: $log)"
  else
    echo "$(sed -n 's/^\(E\|ERROR\): *//p' "$log" | tail -n 1 | cut -c 1-200) (details: $log)"
  fi
}

# Each need is a Debian package, and after "=" the command it brings: a tool that is there already,
# wherever it comes from, is good enough.
needs_of() {
  case $1 in
    build) echo gcc=cc g++=c++ libc6-dev cmake=cmake ninja-build=ninja pkg-config=pkg-config \
                python3=python3 libelf-dev libdw-dev libclang-dev zlib1g-dev ;;
    test) needs_of build
          echo python3-venv libdnnl2 libdnnl-dev libeigen3-dev clang=clang++ valgrind=valgrind ;;
    bench) echo libpthreadpool0 libdnnl-dev libeigen3-dev ;;
    fuzz) echo clang=clang llvm=llvm-profdata libclang-rt-dev ;;
    lint) echo clang-format=clang-format clang-tidy=clang-tidy cppcheck=cppcheck \
               shellcheck=shellcheck ;;
    *) die "setup.sh: no job named '$1'" ;;
  esac
}

has() {
  package=${1%%=*}
  case $1 in
    *=*) command -v "${1#*=}" >/dev/null ;;
    python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
    *)
      # Without dpkg the compiler or CMake will name a library that is missing.
      command -v dpkg-query >/dev/null || return 0
      dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$'
      ;;
  esac
}

missing=
for job in "$@"; do
  needs=$(needs_of "$job") || exit 1
  for need in $needs; do
    case " $missing " in *" ${need%%=*} "*) continue ;; esac
    has "$need" || missing="$missing ${need%%=*}"
  done
done
missing=${missing# }

apt_install() {
  # shellcheck disable=SC2086
  $root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    install --no-install-recommends $missing </dev/null >"$log" 2>&1
}

if [ -n "$missing" ]; then
  command -v apt-get >/dev/null ||
    die "this machine lacks $missing (Debian's names); install them and run make again"
  root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      die "this machine lacks $missing; install them as root: apt-get install $missing"
    root=sudo
  fi
  echo "tenon: installing $missing with ${root:+$root }apt-get"
  # Lists that are absent or old show as a failed install: then they are fetched and it is tried again.
  apt_install || { $root apt-get -q update >>"$log" 2>&1; apt_install; } ||
    die "cannot install $missing: $(reason)"
  # A build that was configured without them has left something out.
  rm -f build/build.ninja build/*/build.ninja
fi

case " $* " in *" test "*) ;; *) exit 0 ;; esac
venv=${TENON_VENV:-$PWD/build/venv}
# A virtual environment from elsewhere is its owner's business.
[ "$venv" = "$PWD/build/venv" ] || [ ! -x "$venv/bin/python" ] || exit 0

stamp=$venv/.tenon-$(cksum <tests/requirements.txt | tr ' ' -)
[ -e "$stamp" ] && exit 0
python=
for candidate in python3 /usr/bin/python3 python3.11 python3.12 python3.13; do
  # What the pinned TensorFlow and JAX have in common.
  if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || die "the tests need Python 3.11 to 3.13; python3 is $(python3 -V 2>&1)"
echo "tenon: installing $(grep -o '^tensorflow-cpu[^ ]*\|^jax=[^ ]*' tests/requirements.txt | tr '\n' ' ')into ${venv#"$PWD/"} (a minute or two)"
rm -rf "$venv"
{ "$python" -m venv "$venv" &&
    "$venv/bin/python" -m pip install --disable-pip-version-check -q -r tests/requirements.txt; } \
  >"$log" 2>&1 </dev/null ||
  die "cannot install the packages of tests/requirements.txt: $(reason)"
touch "$stamp"
