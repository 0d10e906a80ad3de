#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Ten minutes of load and a rebuild every second: memory has to stay flat. The rival is ourselves after the first minute.
# FAIRWAY_SOAK_SECONDS shortens it.
set -eu
. "$(dirname "$0")/../support/common.sh"
seconds="${FAIRWAY_SOAK_SECONDS:-600}"
warm=$((seconds / 10))
choose_data
start_fairway fairway --data "$work/data"
(
  change=0
  while [ "$change" -lt "$seconds" ]; do
    change=$((change + 1))
    touch_graph_data "$change"
    sleep 1
  done
) &
changes=$!
(
  at=0
  while [ "$at" -lt "$seconds" ]; do
    sleep 5
    at=$((at + 5))
    echo "$at $(memory "$pid" VmRSS)"
  done
) >"$work/memory" &
samples=$!
started="$started $changes $samples"
load "$work/load" "$seconds" "$base$graph_path" "$pid"
wait "$changes" "$samples"

# mean FROM TO: of the samples in that span of seconds.
mean() { awk -v a="$1" -v b="$2" '$1 > a && $1 <= b { sum += $2; n++ } END { printf "%.1f\n", (n ? sum / n : 0) }' "$work/memory"; }
early="$(mean "$warm" $((2 * warm)))"
late="$(mean $((seconds - warm)) "$seconds")"
awk '{ printf "%5d s %7.1f MiB\n", $1, $2 }' "$work/memory" | awk -v every=$((warm / 5 > 0 ? warm / 5 : 1)) 'NR % every == 0'
failed="$(median "$work/load" 5)"
echo "builds: $(grep -c 'built the graph anew' "$work/fairway.log"); requests/s: $(median "$work/load" 1); failed: $failed"
echo "memory after the first tenth: $early MiB; at the end: $late MiB"
[ "$failed" -eq 0 ] || die "$failed requests failed"
echo "(5 % more at the end is noise: then the ratio is 1)"
echo "soak ratio $(awk -v a="$early" -v b="$late" 'BEGIN { printf "%.3f\n", (b > 0 ? 1.05 * a / b : 0) }')"
