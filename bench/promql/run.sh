#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# The published queries over 10,000 series, parsed and evaluated, beside Prometheus's own engine, which rival/ builds.
# `run.sh random [COUNT [SEED]]` asks both random queries instead; the answers have to be the same.
set -eu
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
. "$bench_root/bench/support/rival.sh"
build_rival promql

if [ "${1:-}" = random ]; then
  "$build/bench_promql" random "$rival" "${2:-20000}" "${3:-1}"
  exit
fi
choose_data
"$build/bench_promql" compare "$rival" "$graph_data" "${FAIRWAY_BENCH_TURNS:-7}"
