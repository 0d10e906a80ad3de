#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# From the start of the process to ready: the whole graph, all channels, all encodings. The rivals are the limits that
# the service promises: one second, 150 MiB.
set -eu
. "$(dirname "$0")/../support/common.sh"
choose_data
turn=0
while [ "$turn" -lt 5 ]; do
  turn=$((turn + 1))
  began="$(date +%s.%N)"
  start_fairway "turn$turn"
  ended="$(date +%s.%N)"
  echo "$(awk -v a="$began" -v b="$ended" 'BEGIN { printf "%.3f", b - a }') $(memory "$pid" VmHWM) $(cpu_ticks "$pid")" >>"$work/turns"
  kill "$pid"
  wait "$pid" || true
  started=
done
took="$(median "$work/turns" 1)"
peak="$(median "$work/turns" 2)"
echo "limit:   1.000 s, 150.0 MiB (today's update service, with a scrape of a registry beside it: 10.3 s)"
cpu="$(awk -v ticks="$(median "$work/turns" 3)" -v hz="$ticks_per_second" 'BEGIN { printf "%.2f", ticks / hz }')"
echo "fairway: $took s from start to ready ($cpu s of CPU), $peak MiB at its peak"
echo "updateservice-build-memory ratio $(quotient 150 "$peak")"
echo "updateservice-build ratio $(quotient 1 "$took")"
