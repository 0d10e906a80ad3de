#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# The operator: 500 conditional updates with 9 risks each from the update service's answer to the status written, beside the limits
# that it promises (300 ms, 60 MiB), and a release of 900 manifests applied on a kube-apiserver, beside `kubectl apply --server-side`
# of the same files. Both sides have a fresh server with an etcd of its own, in turn.
set -eu
. "$(dirname "$0")/../support/common.sh"
. "$bench_root/scripts/dev/go.sh"
. "$bench_root/scripts/dev/kubernetes.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
turns="${FAIRWAY_BENCH_TURNS:-3}"

said="$("$build/bench_operator" updates "$fairway")"
echo "limits:  answer to status 300 ms, memory 60 MiB, writes in an hour 0"
echo "fairway: $said"
took="$(echo "$said" | sed -n 's/^answer to status \([0-9.]*\) ms.*/\1/p')"
memory="$(echo "$said" | sed -n 's/.*memory \([0-9.]*\) MiB.*/\1/p')"
case "$said" in
  *"writes in an hour 0 "*) ;;
  *) die "a quiet hour costs writes of the status" ;;
esac

FAIRWAY_ROOT="$bench_root"
build_kubernetes
if [ -n "$unreachable" ]; then
  echo "skipped: kube-apiserver cannot be built: the registry of Go's modules cannot be reached"
else
  cd "$work"
  openssl req -x509 -newkey rsa:2048 -nodes -keyout accounts.key -out accounts.crt -subj "/CN=service-accounts" -days 2 2>openssl.log
  echo 'token,admin,admin,"system:masters"' >tokens.csv
  "$build/bench_operator" manifests "$work/release" 900

  # free_port: one that nobody listens on now.
  free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

  # settle PID: waits until the start of a server is over, which goes on after it is ready: until it needs less than a tenth of a second
  # of processor time in a second.
  settle() {
    seconds=0
    while [ "$seconds" -lt 60 ]; do
      before="$(awk '{ print $14 + $15 }' "/proc/$1/stat")"
      sleep 1
      after="$(awk '{ print $14 + $15 }' "/proc/$1/stat")"
      [ $((after - before)) -ge 10 ] || return 0
      seconds=$((seconds + 1))
    done
  }

  # with_server NAME COMMAND...: starts etcd and kube-apiserver, and adds the milliseconds that COMMAND prints to NAME.
  with_server() {
    file="$1"
    shift
    etcd_port="$(free_port)" port="$(free_port)"
    rm -rf "$work/etcd" "$work/made"
    etcd --data-dir "$work/etcd" --listen-client-urls "http://127.0.0.1:$etcd_port" \
      --advertise-client-urls "http://127.0.0.1:$etcd_port" --listen-peer-urls "http://127.0.0.1:$(free_port)" >"$work/etcd.log" 2>&1 &
    etcd_pid=$!
    "$kubernetes/kube-apiserver" --etcd-servers="http://127.0.0.1:$etcd_port" --bind-address=127.0.0.1 --secure-port="$port" \
      --advertise-address=192.0.2.1 --endpoint-reconciler-type=none --cert-dir="$work/made" --token-auth-file="$work/tokens.csv" \
      --authorization-mode=RBAC --disable-admission-plugins=ServiceAccount --service-account-issuer=https://kubernetes.example \
      --service-account-key-file="$work/accounts.crt" --service-account-signing-key-file="$work/accounts.key" \
      --service-cluster-ip-range=10.0.0.0/16 --profiling=false >"$work/apiserver.log" 2>&1 &
    api_pid=$!
    started="$started $api_pid $etcd_pid"
    killed="$killed $api_pid $etcd_pid"
    tries=0
    until [ "$(curl -ksS -H "Authorization: Bearer token" "https://127.0.0.1:$port/readyz" 2>/dev/null)" = ok ]; do
      tries=$((tries + 1))
      if [ "$tries" -gt 600 ] || ! kill -0 "$api_pid" 2>/dev/null; then
        tail -n 20 "$work/apiserver.log" >&2
        die "kube-apiserver did not start"
      fi
      sleep 0.2
    done
    cat >"$work/kubeconfig" <<YAML
apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "https://127.0.0.1:$port", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: token}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
YAML
    settle "$api_pid"
    "$@" >>"$file"
    # Nothing of what they hold is wanted any more, and a server without its etcd takes a minute to end by itself.
    kill -9 "$api_pid" "$etcd_pid"
    wait "$api_pid" "$etcd_pid" 2>/dev/null || true
  }
  by_kubectl() {
    began="$(date +%s%N)"
    "$kubernetes/kubectl" --kubeconfig "$work/kubeconfig" apply --server-side -f "$work/release" >"$work/kubectl.log" 2>&1 ||
      { tail -n 20 "$work/kubectl.log" >&2; die "kubectl failed"; }
    awk -v a="$began" -v b="$(date +%s%N)" 'BEGIN { print (b - a) / 1e6 }'
  }
  by_fairway() { "$build/bench_operator" apply "$work/kubeconfig" "$work/release"; }

  turn=0
  while [ "$turn" -lt "$turns" ]; do
    with_server theirs by_kubectl
    with_server ours by_fairway
    turn=$((turn + 1))
  done
  echo "900 manifests: kubectl apply --server-side $(median theirs 1) ms, fairway $(median ours 1) ms; the goal is a ratio of 3"
  echo "operator-apply ratio $(quotient "$(median theirs 1)" "$(median ours 1)")"
fi
echo "operator-memory ratio $(quotient 60 "$memory")"
echo "operator-updates ratio $(quotient 300 "$took")"
