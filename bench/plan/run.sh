#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# The search of `fairway adm upgrade plan` for each pair of releases of each channel, beside a plain shortest path, which knows nothing of
# risks. The rival is the limit that it promises: 10 milliseconds for 99 of 100 pairs.
set -eu
. "$(dirname "$0")/../support/common.sh"
choose_data
start_fairway plan
mkdir "$work/graphs"
for name in $(sed -n 's/^name: *//p' "$graph_data"/channels/*.yaml); do
  curl -fsS "$base/api/upgrades_info/graph?channel=$name&arch=$arch" >"$work/graphs/$name.json"
done
result="$("$FAIRWAY_BUILD/bench_plan" "$work"/graphs/*.json)"
took="$(echo "$result" | sed -n 's/^plan-p99 \([0-9.]*\) ms$/\1/p')"
echo "limit:   10.000 ms"
echo "fairway: $took ms"
echo "$result" | sed '/^plan-p99/d'
echo "plan ratio $(quotient 10 "$took")"
