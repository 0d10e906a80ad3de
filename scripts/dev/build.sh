# SPDX-License-Identifier: Apache-2.0

# Build folders: build (Release, g++), build-sanitize (address and undefined-behaviour sanitizers and fuzz targets, clang),
# build-tsan (thread sanitizer, g++) and build-lint (configured only). One compiler cache for all trees of this project.

jobs() { nproc 2>/dev/null || echo 2; }

use_ccache() {
  export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$(dirname "$FAIRWAY_ROOT")}"
  export CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
  export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros}"
}

# locked FOLDER COMMAND...: runs the command while no other ./dev configures or compiles in that folder.
locked() {
  mkdir -p "$FAIRWAY_ROOT/$1"
  (
    flock 9
    shift
    # Not the last command: dash would become it, and close the lock with the descriptor.
    locked_status=0
    "$@" 9>&- || locked_status=$?
    exit "$locked_status"
  ) 9>"$FAIRWAY_ROOT/$1/.lock"
}

# configure FOLDER [CMAKE OPTION...]: quiet when all is well. FAIRWAY_UNITY=OFF in the environment: each source file is compiled alone.
configure() {
  build_folder="$1"
  shift
  use_ccache
  if ! output="$(locked "$build_folder" cmake -S "$FAIRWAY_ROOT" -B "$FAIRWAY_ROOT/$build_folder" -G Ninja \
    -DFAIRWAY_UNITY="${FAIRWAY_UNITY:-ON}" "$@" 2>&1)"; then
    echo "$output" >&2
    echo "error: cmake could not configure $build_folder; to start afresh: rm -r $build_folder" >&2
    exit 1
  fi
  echo "$output" | sed -n 's/^-- \(The console is left out.*\)/\1/p' >&2
}

# Shows ninja's output: on a terminal its progress in one line that changes, elsewhere only what went wrong.
show_progress() {
  if [ ! -t 2 ]; then
    cat >&2
    return
  fi
  width="$(stty size 2>/dev/null </dev/tty | cut -d ' ' -f 2)" || width=
  [ "${width:-0}" -ge 20 ] || width=80
  while IFS= read -r line; do
    case "$line" in
      "["[0-9]*/[0-9]*"]"*) printf '\r\033[K%.*s' "$((width - 1))" "$line" >&2 ;;
      "ninja: Entering directory"* | "ninja: no work to do.") ;;
      *) printf '\r\033[K%s\n' "$line" >&2 ;;
    esac
  done
  printf '\r\033[K' >&2
}

# compile FOLDER [TARGET...]: what fails only because the compiler crashed is tried again, with precompiled headers made anew:
# g++ 12 now and then makes one that it crashes on wherever it is used, and the compiler's cache keeps one that was killed while it was
# made.
compile() {
  build_folder="$1"
  shift
  use_ccache
  compile_begun="$(date +%s)"
  compile_log="$(mktemp)"
  compile_quiet=--quiet
  [ ! -t 2 ] || compile_quiet=
  for compile_attempt in 1 2 3; do
    rm -f "$compile_log.failed"
    { locked "$build_folder" ninja -C "$FAIRWAY_ROOT/$build_folder" -j "$(jobs)" $compile_quiet "$@" 2>&1 ||
      : >"$compile_log.failed"; } |
      tee "$compile_log" | show_progress
    [ -e "$compile_log.failed" ] || break
    if [ "$compile_attempt" -eq 3 ] || ! grep -qE 'internal compiler error: Segmentation fault|not a PCH file' "$compile_log"; then
      rm -f "$compile_log" "$compile_log.failed"
      exit 1
    fi
    echo "the compiler crashed, or a precompiled header is torn; once more" >&2
    find "$FAIRWAY_ROOT/$build_folder" -name '*.gch' -exec rm {} +
    export CCACHE_RECACHE=1
  done
  unset CCACHE_RECACHE
  rm -f "$compile_log" "$compile_log.failed"
  compile_seconds="$(($(date +%s) - compile_begun))"
}

configure_release() {
  need_console
  configure build -DCMAKE_BUILD_TYPE=Release -DFAIRWAY_TESTS=ON -DFAIRWAY_BENCH=ON
}

# One build for the tests under sanitizers and for the fuzz targets, which only clang builds.
configure_sanitized() {
  need_console
  configure build-sanitize -DCMAKE_BUILD_TYPE=Sanitize -DCMAKE_CXX_COMPILER=clang++-19 -DFAIRWAY_TESTS=ON -DFAIRWAY_FUZZ=ON \
    -DFAIRWAY_SANITIZE=address,undefined
}

# What clang-tidy and editors read: each source file with its own command.
configure_lint() {
  configure build-lint -DCMAKE_BUILD_TYPE=Release -DFAIRWAY_TESTS=ON -DFAIRWAY_BENCH=ON -DFAIRWAY_UNITY=OFF -DFAIRWAY_PRECOMPILE=OFF
}

# build_program: build/fairway, and how long that took in $compile_seconds.
build_program() {
  need build
  configure_release
  compile build fairway
}

# build_trial: build/fairway for a first look, which takes less time to compile. Where there is a Release already, it stays one.
build_trial() {
  if grep -q '^CMAKE_BUILD_TYPE:STRING=Release$' "$FAIRWAY_ROOT/build/CMakeCache.txt" 2>/dev/null; then
    configure_release
  else
    need_console
    configure build -DCMAKE_BUILD_TYPE=Trial
  fi
  compile build fairway
}

# dev_build [--asan]: the program, or the tests and fuzz targets with sanitizers.
dev_build() {
  case "${1:-}" in
    --asan)
      need build test sanitize
      configure_sanitized
      compile build-sanitize sanitized_programs
      echo "built in $compile_seconds s: tests and fuzz targets in build-sanitize"
      ;;
    "")
      build_program
      echo "built in $compile_seconds s: build/fairway"
      ;;
    *)
      echo "error: ./dev build takes --asan or nothing, not '$1'" >&2
      exit 2
      ;;
  esac
}
