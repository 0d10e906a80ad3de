#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Eleven rules as in Gateway API's HTTPRoute and OpenShift's ClusterVersion, evaluated on one object by our evaluator and by
# cel-go in the API server's environment (rival/), in turn: the time of one evaluation. Both must count the same cost.
# `run.sh TIMES` takes another number of rounds.
set -eu
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
times="${1:-20000}"

. "$bench_root/bench/support/rival.sh"
build_rival cel

data="$bench_root/bench/cel/data"
turn=0
while [ "$turn" -lt "${FAIRWAY_BENCH_TURNS:-7}" ]; do
  "$rival" "$data/rules.txt" "$data/object.json" "$times" >>"$work/rival"
  "$build/bench_cel" "$data/rules.txt" "$data/object.json" "$times" >>"$work/ours"
  turn=$((turn + 1))
done
[ "$(median "$work/rival" 2)" = "$(median "$work/ours" 2)" ] || die "the costs differ"
echo "cel-go : $(median "$work/rival" 1) ns a rule"
echo "fairway: $(median "$work/ours" 1) ns a rule"
echo "cel ratio $(quotient "$(median "$work/rival" 1)" "$(median "$work/ours" 1)")"
