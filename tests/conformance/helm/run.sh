#!/bin/bash
# SPDX-License-Identifier: Apache-2.0

# The tests of the charts and folders of deploy/: first those that need no server, then those that do on the embedded API server, and
# on a kube-apiserver of its own.
# usage: run.sh TESTS FAIRWAY KUBERNETES [FLAG...]
#   TESTS: the tests as a program; KUBERNETES: the folder of kube-apiserver and kubectl, or - to leave that server out
set -uo pipefail
tests="$(realpath "$1")" fairway="$(realpath "$2")" kubernetes="$3"
if [ "$kubernetes" != - ]; then kubernetes="$(realpath "$kubernetes")"; fi
shift 3
cd "$(dirname "$0")" || exit 1
work="$(mktemp -d)"
pids=()
finish() {
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do kill "${pids[i]}" 2>/dev/null && wait "${pids[i]}" 2>/dev/null; done
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM
export FAIRWAY="$fairway"
# What they look at lies elsewhere than what a user of this machine has for Helm and kubectl.
export HELM_CACHE_HOME="$work/helm" HELM_CONFIG_HOME="$work/helm" HELM_DATA_HOME="$work/helm"

# Tests that need a server, by their names.
on_servers='^Test(TheServer|Kubectl|ARelease)'

# free_ports N: numbers of so many free ports.
free_ports() {
  python3 -c '
import socket, sys
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*[s.getsockname()[1] for s in sockets])' "$1"
}

# start_real: etcd and kube-apiserver, with $work/real as kubeconfig.
start_real() {
  local clients peers secure token
  read -r clients peers secure < <(free_ports 3)
  token="$(openssl rand -hex 16)"
  echo "$token,admin,admin,system:masters" >"$work/tokens.csv"
  openssl genrsa -out "$work/sa.key" 2048 2>/dev/null && openssl rsa -in "$work/sa.key" -pubout -out "$work/sa.pub" 2>/dev/null
  etcd --data-dir "$work/etcd" --unsafe-no-fsync --listen-client-urls "http://127.0.0.1:$clients" \
    --advertise-client-urls "http://127.0.0.1:$clients" --listen-peer-urls "http://127.0.0.1:$peers" \
    --initial-advertise-peer-urls "http://127.0.0.1:$peers" --initial-cluster "default=http://127.0.0.1:$peers" \
    >"$work/etcd.log" 2>&1 &
  pids+=($!)
  "$kubernetes/kube-apiserver" --etcd-servers="http://127.0.0.1:$clients" --bind-address=127.0.0.1 --secure-port="$secure" \
    --advertise-address=192.0.2.1 --endpoint-reconciler-type=none --cert-dir="$work/certificates" --token-auth-file="$work/tokens.csv" \
    --authorization-mode=RBAC --service-account-issuer=https://kubernetes.example --service-account-key-file="$work/sa.pub" \
    --service-account-signing-key-file="$work/sa.key" --service-cluster-ip-range=10.0.0.0/24 --disable-admission-plugins=ServiceAccount \
    >"$work/kube-apiserver.log" 2>&1 &
  pids+=($!)
  cat >"$work/real" <<END
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:$secure", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: $token}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
END
  for ((i = 0; i < 1200; i++)); do
    if "$kubernetes/kubectl" --kubeconfig "$work/real" get --raw /readyz >/dev/null 2>&1; then return 0; fi
    kill -0 "${pids[-1]}" 2>/dev/null || break
    sleep 0.1
  done
  echo "failed: kube-apiserver does not start"
  tail -n 20 "$work/kube-apiserver.log" "$work/etcd.log"
  return 1
}

passed=0 failed=0 skipped=0
# count NAME STATUS: adds up the results of the log $work/NAME.log, of tests without tests of their own, and names those that failed.
count() {
  local p f s
  read -r p f s < <(awk '
    function ended() { if (kind != "") ++counts[kind]; kind = "" }
    /^ *--- (PASS|FAIL|SKIP): / {
      match($0, /^ */); depth = RLENGTH
      # Its own result stands before those of the tests that it is made of.
      if (kind != "" && depth > last) kind = ""
      ended()
      kind = $2; last = depth
    }
    END { ended(); print counts["PASS:"] + 0, counts["FAIL:"] + 0, counts["SKIP:"] + 0 }' "$work/$1.log")
  # One that has ended early has failed, whatever it counted.
  if [ "$2" -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
  if [ "$2" -ne 0 ]; then cat "$work/$1.log"; fi
  sed -nE "s/^ *--- FAIL: ([^ ]*) .*/failed: Helm, $1: \1/p" "$work/$1.log"
  echo "$1: $p passed, $f failed, $s skipped"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

run_on() {
  "$tests" -test.v -test.timeout 10m -test.run "$on_servers" "${@:2}" >"$work/$1.log" 2>&1
  count "$1" $?
}

"$tests" -test.v -test.timeout 10m -test.skip "$on_servers" "$@" >"$work/rendered.log" 2>&1
count rendered $?
if [ "$kubernetes" != - ]; then export KUBECTL="$kubernetes/kubectl"; fi

"$fairway" apiserver --memory --listen 127.0.0.1:0 --kubeconfig "$work/embedded" >"$work/apiserver.log" 2>&1 &
pids+=($!)
for ((i = 0; i < 600; i++)); do
  if [ -s "$work/embedded" ] || ! kill -0 "${pids[-1]}" 2>/dev/null; then break; fi
  sleep 0.1
done
if [ -s "$work/embedded" ]; then
  FAIRWAY_SERVER=embedded KUBECONFIG="$work/embedded" run_on embedded "$@"
else
  echo "failed: the embedded API server does not start"
  cat "$work/apiserver.log"
  failed=$((failed + 1))
fi

if [ "$kubernetes" = - ]; then
  :
elif start_real; then
  FAIRWAY_SERVER=real KUBECONFIG="$work/real" run_on real "$@"
else
  failed=$((failed + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
