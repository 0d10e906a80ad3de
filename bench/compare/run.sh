#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# This build beside another one of the same project: `run.sh OLD_BUILD [NAME...]` runs the programs of both in turn, with the same data,
# and prints for each figure the median of the ratio of costs (new / old), with its 95 % interval. A figure is worse, and the exit code
# 1, where the interval lies wholly above 1.03. Names: cel, promql, informer, storage, apiserver, updateservice; all without one.
# FAIRWAY_BENCH_PAIRS is how often each is run (15). OLD_BUILD has fairway and bench_NAME.
set -eu
. "$(dirname "$0")/../support/common.sh"
[ $# -gt 0 ] || die "which build is this one compared with? ./dev bench compare OLD_BUILD [NAME...]"
old="$(cd "$1" && pwd)"
shift
build="$(dirname "$fairway")"
. "$bench_root/bench/support/rival.sh"
case " $* " in
  "  " | *" promql "*) build_rival promql ;;
esac
choose_data
OLD="$old" NEW="$build" ROOT="$bench_root" \
  GRAPH_DATA="$graph_data" RELEASES="$releases" GRAPH_PATH="/api/upgrades_info/graph?channel=$channel&arch=$arch" WORK="$work" \
  python3 "$bench_root/bench/compare/compare.py" "$@"
