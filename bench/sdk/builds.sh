# SPDX-License-Identifier: Apache-2.0

# How long the projects of bench/sdk take to build, and to test. Sourced by run.sh.

# timed FILE COMMAND...: appends to FILE the seconds that the command takes, and its seconds of CPU.
timed() {
  file="$work/$1"
  shift
  times >"$work/times.began"
  began="$(date +%s%N)"
  "$@" >"$work/timed.log" 2>&1 || { tail -n 30 "$work/timed.log" >&2; die "this failed: $*"; }
  ended="$(date +%s%N)"
  times >"$work/times.ended"
  awk -v a="$began" -v b="$ended" -v c="$(children_seconds "$work/times.began")" -v d="$(children_seconds "$work/times.ended")" \
    'BEGIN { printf "%.2f %.2f\n", (b - a) / 1e9, d - c }' >>"$file"
}

# built PROJECT COMPILER: the folder that a project of ours is built in.
built() { echo "$work/build-$1-$2"; }

# begin_ours PROJECT COMPILER: a fresh folder, configured as developers do, and the program in it.
begin_ours() {
  cmake -S "$work/$1" -B "$(built "$1" "$2")" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER="$2" -DCMAKE_PREFIX_PATH="$prefix" &&
    cmake --build "$(built "$1" "$2")" --target "$1"
}
# build_theirs: the program of the kubebuilder project, what has changed of it.
build_theirs() { cd "$work/theirs" && "$go" build -o bin/manager ./cmd; }

# again_ours PROJECT COMPILER: what has changed of the program.
again_ours() { cmake --build "$(built "$1" "$2")" --target "$1"; }

# test_ours PROJECT COMPILER, test_theirs: builds what has changed, and runs the tests.
test_ours() { cmake --build "$(built "$1" "$2")" && ctest --test-dir "$(built "$1" "$2")" --output-on-failure; }
test_theirs() { cd "$work/theirs" && KUBEBUILDER_ASSETS="$work/assets" "$go" test ./api/... ./internal/...; }

# release_ours PROJECT COMPILER: the program as its Dockerfile builds it, in a folder beside.
release_ours() {
  folder="$(built "$1" "$2")-release"
  cmake -S "$work/$1" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DCMAKE_CXX_COMPILER="$2" -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$folder" --target "$1" && strip "$folder/$1"
}
release_theirs() {
  cd "$work/theirs" && "$go" build -ldflags="-s -w" -o bin/released ./cmd
}

# change: another name of the owner of applied fields, a string in the code of each controller.
changes=0
change() {
  changes=$((changes + 1))
  sed -i "/field_manager\|FieldOwner/s/\"\([a-z]*\)[-0-9]*\"/\"\1-$changes\"/" "$work/capacity/src/reconcile.cc" \
    "$work/widgets/main.cc" "$work/theirs/internal/controller/capacity_controller.go"
}

# measure_builds: fills the files first-, change- and tested- of each side; widgets has no tests.
measure_builds() {
  # Where Go keeps what it has compiled: empty at first. Without C, as kubebuilder's Dockerfile has it: then the release is not compiled
  # anew.
  export GOCACHE="$work/go-cache" CGO_ENABLED=0 CCACHE_DISABLE=1
  timed first-theirs build_theirs
  for compiler in $compilers; do
    for project in capacity widgets; do timed "first-$project-$compiler" begin_ours "$project" "$compiler"; done
  done
  turn=0
  while [ "$turn" -lt "$turns" ]; do
    change
    timed change-theirs build_theirs
    for compiler in $compilers; do
      for project in capacity widgets; do timed "change-$project-$compiler" again_ours "$project" "$compiler"; done
    done
    turn=$((turn + 1))
  done
  # The first time compiles the tests, too.
  mkdir "$work/assets"
  ln -s "$kubernetes/kube-apiserver" "$kubernetes/kubectl" "$(command -v etcd)" "$work/assets/"
  timed begun-tests-theirs test_theirs
  for compiler in $compilers; do timed "begun-tests-capacity-$compiler" test_ours capacity "$compiler"; done
  turn=0
  while [ "$turn" -lt "$turns" ]; do
    change
    timed tested-theirs test_theirs
    for compiler in $compilers; do timed "tested-capacity-$compiler" test_ours capacity "$compiler"; done
    turn=$((turn + 1))
  done
  timed released-theirs release_theirs
  for compiler in $compilers; do
    for project in capacity widgets; do timed "released-$project-$compiler" release_ours "$project" "$compiler"; done
  done
}

# mebibytes FILE...: their size together.
mebibytes() { stat -L -c %s "$@" | awk '{ sum += $1 } END { printf "%.1f\n", sum / 1048576 }'; }

# libraries PROGRAM: the files of the shared libraries that it loads, but for those of the C library.
libraries() { ldd "$1" | awk '$3 ~ "^/" && $3 !~ "/lib(c|m)[.]so" { print $3 }'; }
