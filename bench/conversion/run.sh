#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# ConversionReviews over HTTPS, one connection, objects of 4.3 KB: one object a review, as a kube-apiserver sends them when it
# fills a watch cache, and 500. The rivals are the webhooks of controller-runtime and of knative.dev/pkg in Go (rivals/), which
# convert the same fields between typed objects. All sides are started afresh for each figure, in turn. Each ratio is of the
# better of the two rivals.
set -eu
. "$(dirname "$0")/../support/common.sh"
. "$bench_root/scripts/dev/go.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
turns="${FAIRWAY_BENCH_TURNS:-5}"

rivals="controller-runtime knative"

FAIRWAY_ROOT="$bench_root"
for rival in $rivals; do
  find_go "$bench_root/bench/conversion/rivals/$rival"
  (cd "$bench_root/bench/conversion/rivals/$rival" && "$go" build -trimpath -buildvcs=false -o "$build/bench_conversion_$rival" .)
done

cd "$work"
key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
openssl req -x509 $key -keyout ca.key -out ca.crt -subj "/CN=bench CA" -days 2 2>openssl.log
openssl req $key -keyout tls.key -out tls.csr -subj "/CN=localhost" 2>>openssl.log
echo "subjectAltName=DNS:localhost,IP:127.0.0.1" >names
openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out tls.crt -days 2 -extfile names 2>>openssl.log

# measure FILE OBJECTS REQUESTS SERVER...: starts a server and appends what the driver measures.
measure() {
  file="$1" objects="$2" requests="$3"
  shift 3
  : >address
  "$@" tls.crt tls.key >address 2>server.log &
  pid=$!
  started="$started $pid"
  tries=0
  until [ -s address ]; do
    tries=$((tries + 1))
    [ "$tries" -le 200 ] && kill -0 "$pid" 2>/dev/null || { cat server.log >&2; die "the server did not start"; }
    sleep 0.05
  done
  "$build/bench_conversion" drive "https://$(cat address)/convert" ca.crt "$pid" "$objects" "$requests" >>"$file"
  kill "$pid"
  wait "$pid" 2>/dev/null || true
}

for objects in 1 500; do
  requests=$((objects == 1 ? 6000 : 60))
  turn=0
  while [ "$turn" -lt "$turns" ]; do
    for rival in $rivals; do
      measure "$rival-$objects" "$objects" "$requests" "$build/bench_conversion_$rival"
    done
    measure "fairway-$objects" "$objects" "$requests" "$build/bench_conversion" serve
    turn=$((turn + 1))
  done
done

echo "objects a review   side                CPU us an object   p50 ms   p99 ms   peak RSS MiB"
for objects in 1 500; do
  for side in $rivals fairway; do
    printf '%16s   %-18s %17s %8s %8s %14s\n' "$objects" "$side" "$(median "$side-$objects" 1)" \
      "$(median "$side-$objects" 2)" "$(median "$side-$objects" 3)" "$(median "$side-$objects" 4)"
  done
done

# better OBJECTS COLUMN: the lower one of the rivals' medians.
better() {
  for rival in $rivals; do median "$rival-$1" "$2"; done | sort -g | head -n 1
}

for column in 3:p99 4:rss 1:cpu; do
  for objects in 1 500; do
    theirs="$(better "$objects" "${column%:*}")" ours="$(median "fairway-$objects" "${column%:*}")"
    echo "conversion-${column#*:}-$objects ratio $(quotient "$theirs" "$ours")"
  done
done
