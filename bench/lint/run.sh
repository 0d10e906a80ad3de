#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# The presubmit on a whole graph-data repository, with releases. The rival is the limit that it promises: two seconds.
set -eu
. "$(dirname "$0")/../support/common.sh"
choose_data
turn=0
while [ "$turn" -lt 5 ]; do
  turn=$((turn + 1))
  began="$(date +%s.%N)"
  code=0
  "$fairway" lint "$graph_data" --releases "$releases" >"$work/findings" 2>&1 || code=$?
  ended="$(date +%s.%N)"
  [ "$code" -le 1 ] || { cat "$work/findings" >&2; die "fairway lint could not run"; }
  awk -v a="$began" -v b="$ended" 'BEGIN { printf "%.3f\n", b - a }' >>"$work/turns"
done
took="$(median "$work/turns" 1)"
echo "limit:   2.000 s"
echo "fairway: $took s"
echo "lint ratio $(quotient 2 "$took")"
