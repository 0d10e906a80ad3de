# SPDX-License-Identifier: Apache-2.0

# Rivals in Go. Sourced after common.sh, with $build.
FAIRWAY_ROOT="$bench_root"
. "$bench_root/scripts/dev/go.sh"

# build_rival NAME: builds bench/NAME/rival beside our programs, and sets `rival` to it.
build_rival() {
  find_go "$bench_root/bench/$1/rival"
  rival="$build/bench_$1_rival"
  (cd "$bench_root/bench/$1/rival" && "$go" build -trimpath -o "$rival" .)
}
