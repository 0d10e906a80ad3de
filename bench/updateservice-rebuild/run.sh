#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Serving while the graph data changes every second, beside serving undisturbed. The rival is ourselves at rest: no request
# may fail, and p99 may be half as long again.
set -eu
. "$(dirname "$0")/../support/common.sh"
seconds="${FAIRWAY_BENCH_SECONDS:-20}"
choose_data
start_fairway fairway
url="$base$graph_path"
builds() { grep -c 'built the graph anew' "$work/fairway.log"; }

turn=0
while [ "$turn" -lt 3 ]; do
  turn=$((turn + 1))
  load "$work/rest" "$seconds" "$url" "$pid"
  before="$(builds)"
  (
    change=0
    while [ "$change" -lt "$seconds" ]; do
      change=$((change + 1))
      touch_graph_data "$turn.$change"
      sleep 1
    done
  ) &
  load "$work/rebuilding" "$seconds" "$url" "$pid"
  wait $!
  echo "$(($(builds) - before))" >>"$work/builds"
done
failed="$(cat "$work/rest" "$work/rebuilding" | awk '{ sum += $5 } END { print sum + 0 }')"
built="$(median "$work/builds" 1)"
rest="$(median "$work/rest" 4)"
rebuilding="$(median "$work/rebuilding" 4)"
echo "at rest:    $(median "$work/rest" 1) requests/s, p99 $rest ms"
echo "rebuilding: $(median "$work/rebuilding" 1) requests/s, p99 $rebuilding ms, $built builds in $seconds s, $failed failed requests"
[ "$failed" -eq 0 ] || die "$failed requests failed"
[ "$built" -ge $((seconds / 2)) ] || die "only $built builds happened"
echo "(p99 may be 1.5 times that at rest: then the ratio is 1)"
echo "updateservice-rebuild ratio $(awk -v a="$rest" -v b="$rebuilding" 'BEGIN { printf "%.3f\n", (b > 0 ? 1.5 * a / b : 0) }')"
