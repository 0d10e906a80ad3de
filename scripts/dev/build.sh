# Build folders: build (Release), build-asan, build-tsan, build-fuzz. One compiler cache for all trees of this project.

jobs() { nproc 2>/dev/null || echo 2; }

use_ccache() {
  export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$(dirname "$FAIRWAY_ROOT")}"
  export CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
  export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros}"
}

# configure FOLDER [CMAKE OPTION...]: quiet when all is well.
configure() {
  folder="$1"
  shift
  use_ccache
  if ! output="$(cmake -S "$FAIRWAY_ROOT" -B "$FAIRWAY_ROOT/$folder" -G Ninja "$@" 2>&1)"; then
    echo "$output" >&2
    echo "error: cmake could not configure $folder; to start afresh: rm -r $folder" >&2
    exit 1
  fi
}

# compile FOLDER [TARGET...]: what fails only because the compiler crashed is tried again, with precompiled headers made anew:
# g++ 12 now and then makes one that it crashes on wherever it is used.
compile() {
  folder="$1"
  shift
  use_ccache
  log="$(mktemp)"
  for attempt in 1 2 3; do
    rm -f "$log.failed"
    { ninja -C "$FAIRWAY_ROOT/$folder" -j "$(jobs)" --quiet "$@" 2>&1 || : >"$log.failed"; } | tee "$log" >&2
    [ -e "$log.failed" ] || break
    if [ "$attempt" -eq 3 ] || ! grep -q 'internal compiler error: Segmentation fault' "$log"; then
      rm -f "$log" "$log.failed"
      exit 1
    fi
    echo "the compiler crashed; once more" >&2
    find "$FAIRWAY_ROOT/$folder" -name '*.gch' -exec rm {} +
    export CCACHE_RECACHE=1
  done
  unset CCACHE_RECACHE
  rm -f "$log" "$log.failed"
}

configure_release() { configure build -DCMAKE_BUILD_TYPE=Release -DFAIRWAY_TESTS=ON -DFAIRWAY_BENCH=ON; }

dev_build() {
  need build
  configure_release
  compile build fairway
  echo "build/fairway"
}
