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

# compile FOLDER [TARGET...]
compile() {
  folder="$1"
  shift
  use_ccache
  ninja -C "$FAIRWAY_ROOT/$folder" -j "$(jobs)" --quiet "$@" >&2
}

configure_release() { configure build -DCMAKE_BUILD_TYPE=Release -DFAIRWAY_TESTS=ON -DFAIRWAY_BENCH=ON; }

dev_build() {
  need build
  configure_release
  compile build fairway
  echo "build/fairway"
}
