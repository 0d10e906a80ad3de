#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# The SDK beside kubebuilder: the project that `fairway new operator` writes, and a kubebuilder project of the same kind with the same
# behaviour. kubebuilder and controller-gen, of the versions in rivals/tools, write theirs while this runs; rivals/capacity is what a
# person then adds. Both are built by debug settings as their developers do, and for the release as their Dockerfiles do. Our side is
# built out of tree, on an installed prefix, by g++ and by clang; the example widgets too. FAIRWAY_PREFIX is the prefix (/usr, with
# the packages installed); without it the build is installed into one. Times are medians, but for those of the first build.
set -eu
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
turns="${FAIRWAY_BENCH_TURNS:-5}"
rivals="$bench_root/bench/sdk/rivals"
servers=embedded
. "$bench_root/bench/support/api_servers.sh"
for part in projects builds start; do . "$bench_root/bench/sdk/$part.sh"; done

compilers=g++
if command -v clang++-19 >/dev/null 2>&1; then
  compilers="g++ clang++-19"
else
  echo "clang++-19 is not installed: only g++ is measured"
fi
find_go "$rivals/tools"
# What the tests of kubebuilder's project start.
build_kubernetes
[ -z "$unreachable" ] || die "the registry of Go's modules cannot be reached"

cd "$work"
make_prefix
make_ours
make_theirs
count_lines
count_dependencies
measure_builds
cd "$work"
measure_starts

# seconds FILE: the medians of its seconds and of its seconds of CPU.
seconds() { echo "$(median "$1" 1)/$(median "$1" 2)"; }

# row NAME SIDE PROGRAM [LIBRARY...]: a line of the table; "-" where nothing was measured.
form='%-22s %15s %12s %12s %8s %8s %6s %5s %6s\n'
row() {
  name="$1" side="$2" program="$3"
  shift 3
  tested=- start="- - -"
  [ ! -f "tested-$side" ] || tested="$(seconds "tested-$side")"
  [ ! -f "start-$side" ] || start="$(median "start-$side" 1) $(median "start-$side" 2) $(median "start-$side" 3)"
  printf "$form" "$name" "$(seconds "first-$side")" "$(seconds "change-$side")" "$tested" "$(mebibytes "$program")" \
    "$(mebibytes "$program" "$@")" $start
}
echo "seconds/seconds of CPU: the first build of the program; a build after a change of a string; a change until the tests have ended."
echo "MiB: the stripped program; with its libraries. ms from the start until it has reconciled; ms of CPU for that; MiB of memory then."
printf "$form" "" first change tested program "+libs" start CPU RSS
row kubebuilder theirs theirs/bin/released
for compiler in $compilers; do
  for project in capacity widgets; do
    program="$(built "$project" "$compiler")-release/$project"
    row "$project, $compiler" "$project-$compiler" "$program" $(libraries "$program")
  done
done

# ratio NAME FILE COLUMN: theirs / ours, for each compiler.
ratio() {
  for compiler in $compilers; do
    echo "sdk-$1-${compiler%-*} ratio $(quotient "$(median "$2-theirs" "$3")" "$(median "$2-capacity-$compiler" "$3")")"
  done
}
ratio start start 1
ratio rss start 3
for compiler in $compilers; do
  echo "sdk-binary-${compiler%-*} ratio $(quotient "$(mebibytes theirs/bin/released)" \
    "$(mebibytes "$(built capacity "$compiler")-release/capacity")")"
done
ratio tested tested 1
ratio change change 1
