# SPDX-License-Identifier: Apache-2.0

# The embedded API server and a kube-apiserver with etcd 3.6 (bench/apiserver/rival), for benchmarks that compare them. Sourced after
# common.sh, with $build, and with the names of the servers that are wanted in $servers: embedded, real.

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
  "$fairway" apiserver --http2 --data "$1/data" --listen "127.0.0.1:$port" --kubeconfig "$1/kubeconfig" >"$1/apiserver.log" 2>&1 &
  pids="$!"
  identity="$1/client.pem"
}


# take_identity SERVER FOLDER: the administrator's certificate and key are in $identity when it returns.
take_identity() {
  [ "$1" = embedded ] || return 0
  # Written when the server is ready, by somebody else.
  until [ -s "$2/kubeconfig" ]; do sleep 0.05; done
  for part in certificate key; do
    sed -n "s/.*client-$part-data: //p" "$2/kubeconfig" | base64 -d
  done >"$identity"
}
