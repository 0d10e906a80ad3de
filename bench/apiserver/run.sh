#!/bin/sh
# The embedded API server beside kube-apiserver with etcd 3.6 (rival/), both with their data on the same disk, in turn, asked by
# one and the same client: the time from the start until /readyz says so, the memory two seconds later, durable creates of 2 KB by
# 16 clients, a list of 10,000 objects, and events to 1,000 watchers. `run.sh embedded` measures it alone.
set -eu
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
client="$build/bench_apiserver"
servers="real embedded"
[ "${1:-}" != embedded ] || servers=embedded
ulimit -n 8192

FAIRWAY_ROOT="$bench_root"
. "$bench_root/scripts/dev/packages.sh"
. "$bench_root/scripts/dev/go.sh"
. "$bench_root/scripts/dev/kubernetes.sh"
if [ "$servers" != embedded ]; then
  find_go "$bench_root/bench/apiserver/rival"
  etcd="$build/bench_apiserver_etcd"
  (cd "$bench_root/bench/apiserver/rival" && CGO_ENABLED=0 "$go" build -trimpath -o "$etcd" .)
  build_kubernetes
  [ -z "$unreachable" ] || die "the registry of Go's modules cannot be reached"
fi

# Who the clients of kube-apiserver are: client.pem, of an authority of our own. The same key signs its tokens.
make_certificates() {
  openssl ecparam -name prime256v1 -genkey -noout -out "$work/key.pem"
  openssl req -x509 -new -key "$work/key.pem" -subj "/CN=authority" -days 2 -out "$work/authority.pem" 2>"$work/openssl.log"
  openssl ecparam -name prime256v1 -genkey -noout -out "$work/client-key.pem"
  openssl req -new -key "$work/client-key.pem" -subj "/O=system:masters/CN=admin" -out "$work/client.csr" 2>"$work/openssl.log"
  openssl x509 -req -in "$work/client.csr" -CA "$work/authority.pem" -CAkey "$work/key.pem" -CAcreateserial -days 2 \
    -out "$work/client-certificate.pem" 2>"$work/openssl.log"
  cat "$work/client-certificate.pem" "$work/client-key.pem" >"$work/client.pem"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# start_SERVER FOLDER: starts it on $port; sets pids.
start_real() {
  etcd_port="$(free_port)"
  peer_port="$(free_port)"
  begun="$(date +%s%N)"
  "$etcd" --name=one --data-dir="$1/etcd" --listen-client-urls="http://127.0.0.1:$etcd_port" \
    --advertise-client-urls="http://127.0.0.1:$etcd_port" --listen-peer-urls="http://127.0.0.1:$peer_port" \
    --initial-advertise-peer-urls="http://127.0.0.1:$peer_port" --initial-cluster="one=http://127.0.0.1:$peer_port" \
    --log-level=error >"$1/etcd.log" 2>&1 &
  pids="$!"
  # A kube-apiserver that finds no etcd waits for a second.
  until curl -fs -o "$1/health" "http://127.0.0.1:$etcd_port/health"; do kill -0 "$pids" || die "etcd does not start"; done
  "$kubernetes/kube-apiserver" --etcd-servers="http://127.0.0.1:$etcd_port" --bind-address=127.0.0.1 --secure-port="$port" \
    --advertise-address=192.0.2.1 --endpoint-reconciler-type=none --client-ca-file="$work/authority.pem" --cert-dir="$1/made" \
    --authorization-mode=RBAC --disable-admission-plugins=ServiceAccount --service-account-issuer=https://kubernetes.example \
    --service-account-key-file="$work/authority.pem" --service-account-signing-key-file="$work/key.pem" \
    --service-cluster-ip-range=10.0.0.0/24 --profiling=false >"$1/kube-apiserver.log" 2>&1 &
  pids="$pids $!"
  identity="$work/client.pem"
}
start_embedded() {
  begun="$(date +%s%N)"
  "$fairway" apiserver --data "$1/data" --listen "127.0.0.1:$port" --kubeconfig "$1/kubeconfig" >"$1/apiserver.log" 2>&1 &
  pids="$!"
  identity="$1/client.pem"
}

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
  if [ "$1" = embedded ]; then
    # Written when it is ready, by somebody else.
    until [ -s "$folder/kubeconfig" ]; do sleep 0.05; done
    for part in certificate key; do
      sed -n "s/.*client-$part-data: //p" "$folder/kubeconfig" | base64 -d
    done >"$identity"
  fi
  sleep 2
  memory=0
  for pid in $pids; do memory="$(awk -v a="$memory" -v b="$(memory "$pid" VmRSS)" 'BEGIN { print a + b }')"; done
  creates="$("$client" creates "$port" "$identity")"
  "$client" fill "$port" "$identity"
  list="$("$client" list "$port" "$identity")"
  watch="$("$client" watch "$port" "$identity" $pids)"
  echo "$ready $memory $creates $list $watch" >>"$work/$1"
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
    "a list of 10,000 in $(median "$file" 5) ms; $(median "$file" 7) events/s to 1,000 watchers ($(median "$file" 8) us of CPU each)"
done
[ "$servers" != embedded ] || exit 0
# A quotient where less is better, and one where more is.
less() { echo "apiserver-$1 ratio $(quotient "$(median "$work/real" "$2")" "$(median "$work/embedded" "$2")")"; }
more() { echo "apiserver-$1 ratio $(quotient "$(median "$work/embedded" "$2")" "$(median "$work/real" "$2")")"; }
less start 1
less memory 2
less list 5
more watch 7
more creates 3
