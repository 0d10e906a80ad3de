#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# The embedded API server beside kube-apiserver with etcd 3.6 (rival/), both with their data on the same disk, in turn, asked by
# one and the same client: the time from the start until /readyz says so, the memory two seconds later, durable creates of 2 KB by
# 16 clients, a list of 10,000 objects, and events to 1,000 watchers, each on a connection of its own and a hundred on one of HTTP/2.
# Then typed/, a client of client-go, lists the 10,000 objects and watches them from the beginning, in JSON and in protobuf.
# `run.sh embedded` measures it alone.
set -eu
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
client="$build/bench_apiserver"
servers="real embedded"
[ "${1:-}" != embedded ] || servers=embedded
ulimit -n 8192

. "$bench_root/bench/support/api_servers.sh"

find_go "$bench_root/bench/apiserver/typed"
typed="$build/bench_apiserver_typed"
(cd "$bench_root/bench/apiserver/typed" && CGO_ENABLED=0 "$go" build -trimpath -o "$typed" .)

# measure SERVER: one turn; a line of figures in $work/SERVER.
measure() {
  folder="$work/data-$1"
  rm -rf "$folder"
  mkdir "$folder"
  port="$(free_port)"
  "start_$1" "$folder"
  started="$started $pids"
  killed="$killed $pids"
  ready="$("$client" ready "$port" "$begun")" || { tail -n 5 "$folder"/*.log >&2; die "the $1 server does not start"; }
  take_identity "$1" "$folder"
  sleep 2
  memory=0
  for pid in $pids; do memory="$(awk -v a="$memory" -v b="$(memory "$pid" VmRSS)" 'BEGIN { print a + b }')"; done
  creates="$("$client" creates "$port" "$identity")"
  "$client" fill "$port" "$identity"
  list="$("$client" list "$port" "$identity")"
  watch="$("$client" watch "$port" "$identity" $pids)"
  shared="$("$client" watch2 "$port" "$identity" $pids)"
  forms="$("$typed" "$port" "$identity" $pids)"
  echo "$ready $memory $creates $list $watch $shared $forms" >>"$work/$1"
  # Not asked to end: a kube-apiserver whose etcd is gone does not, and their data are not needed any more.
  for pid in $pids; do kill -KILL "$pid" && wait "$pid" 2>/dev/null || true; done
  rm -rf "$folder"
}

[ "$servers" = embedded ] || make_certificates
turn=0
while [ "$turn" -lt "${FAIRWAY_BENCH_TURNS:-3}" ]; do
  for server in $servers; do measure "$server"; done
  turn=$((turn + 1))
done
for server in $servers; do
  file="$work/$server"
  echo "$server: ready after $(median "$file" 1) ms, $(median "$file" 2) MiB; $(median "$file" 3) creates/s (p99 $(median "$file" 4) ms);" \
    "a list of 10,000 in $(median "$file" 5) ms; $(median "$file" 7) events/s to 1,000 watchers ($(median "$file" 8) us of CPU each," \
    "the client's $(median "$file" 9) us), over ten connections of HTTP/2 $(median "$file" 10) ($(median "$file" 11) us," \
    "the client's $(median "$file" 12) us)"
  for form in "a list in JSON:13" "a list in protobuf:16" "a watch in JSON:19" "a watch in protobuf:22"; do
    column="${form##*:}"
    echo "$server, client-go, ${form%:*} of 10,000: $(median "$file" "$column") ms," \
      "$(median "$file" $((column + 1))) ms of CPU of the client, $(median "$file" $((column + 2))) ms of the server"
  done
done
[ "$servers" != embedded ] || exit 0
# A quotient where less is better, and one where more is.
less() { echo "apiserver-$1 ratio $(quotient "$(median "$work/real" "$2")" "$(median "$work/embedded" "$2")")"; }
more() { echo "apiserver-$1 ratio $(quotient "$(median "$work/embedded" "$2")" "$(median "$work/real" "$2")")"; }
less start 1
less memory 2
less list 5
more watch 7
more watch-http2 10
more creates 3
less typed-list-json 13
less typed-list-protobuf 16
less typed-watch-json 19
less typed-watch-protobuf 22
