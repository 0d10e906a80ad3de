#!/bin/bash
# SPDX-License-Identifier: Apache-2.0

# The suite against a kube-apiserver, kube-controller-manager and fairway-gateway of its own, in a namespace of networks.
# With FAIRWAY_EMBEDDED (the program fairway) the API server is the embedded one.
# usage: run.sh KUBERNETES SUITE ENVOY FAIRWAY_GATEWAY DEFINITIONS PROFILES [FLAG...]
# DEFINITIONS is the folder of one of Gateway API's channels. Before the suite the tables of cases are applied, and beside it all statuses
# are watched (conditions/). Exit 1: a test of the suite failed; 2: a status is wrong.
set -uo pipefail
kubernetes="$1" suite="$2" envoy="$3" gateway="$4" channel="$5" profiles="$6"
shift 6
here="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
pids=()
finish() {
  for ((i = ${#pids[@]} - 1; i >= 0; i--)); do kill "${pids[i]}" 2>/dev/null && wait "${pids[i]}" 2>/dev/null; done
  mkdir -p "$suite/logs" && cp "$work"/*.log "$suite/logs/"
  rm -rf "$work"
}
trap finish EXIT
begin() {
  local log="$work/$1.log"
  shift
  "$@" >"$log" 2>&1 &
  pids+=($!)
}

ip link set lo up
openssl genrsa -out "$work/sa.key" 2048 2>/dev/null && openssl rsa -in "$work/sa.key" -pubout -out "$work/sa.pub" 2>/dev/null
if [ -n "${FAIRWAY_EMBEDDED:-}" ]; then
  begin apiserver "$FAIRWAY_EMBEDDED" apiserver --memory --listen 127.0.0.1:6443 --kubeconfig "$work/kubeconfig" \
    --service-cluster-ip-range 10.96.0.0/16 --no-garbage-collector --no-namespace-controller --no-namespace-defaults
  for ((i = 0; i < 600; i++)); do
    if [ -s "$work/kubeconfig" ]; then break; fi
    sleep 0.1
  done
else
  token="$(openssl rand -hex 16)"
  echo "$token,admin,admin,system:masters" >"$work/tokens.csv"
  begin etcd etcd --data-dir "$work/etcd" --unsafe-no-fsync
  begin kube-apiserver "$kubernetes/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 --bind-address=127.0.0.1 --secure-port=6443 \
    --advertise-address=198.18.0.2 --cert-dir="$work/certificates" --token-auth-file="$work/tokens.csv" --authorization-mode=RBAC \
    --service-account-issuer=https://kubernetes.default.svc --service-account-key-file="$work/sa.pub" \
    --service-account-signing-key-file="$work/sa.key" --service-cluster-ip-range=10.96.0.0/16 --allow-privileged=true \
    --disable-admission-plugins=ServiceAccount --endpoint-reconciler-type=none
  cat >"$work/kubeconfig" <<END
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:6443", insecure-skip-tls-verify: true}}]
users: [{name: u, user: {token: $token}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
END
fi
# What kubectl remembers of this server's kinds ends with it.
export KUBECONFIG="$work/kubeconfig" KUBECACHEDIR="$work/kubectl"
for ((i = 0; i < 600; i++)); do
  if "$kubernetes/kubectl" get --raw /readyz >/dev/null 2>&1; then break; fi
  sleep 0.1
done
controllers=deployment-controller,replicaset-controller,endpointslice-controller,namespace-controller
controllers="$controllers,garbage-collector-controller,serviceaccount-controller"
begin kube-controller-manager "$suite/kube-controller-manager" --kubeconfig="$KUBECONFIG" --bind-address=127.0.0.1 --leader-elect=false \
  --authentication-kubeconfig="$KUBECONFIG" --authorization-kubeconfig="$KUBECONFIG" --use-service-account-credentials=false \
  --service-account-private-key-file="$work/sa.key" \
  --controllers="$controllers"
definitions=()
for file in "$channel"/gateway.*.yaml "$here/../../../deploy/gateway/parameters-crd.yaml"; do
  definitions+=(-f "$file")
done
"$kubernetes/kubectl" apply --server-side "${definitions[@]}" >/dev/null &&
  "$kubernetes/kubectl" wait --for=condition=Established crd --all --timeout=60s >/dev/null || exit 1
begin pods python3 "$here/pods.py" "$kubernetes/kubectl" "$suite/echo-basic" "$work/pods"
for i in {1..30} 200; do ip address add "127.0.1.$i/32" dev lo; done
begin gateway "$gateway" --kubeconfig "$KUBECONFIG" --envoy "$envoy" --addresses 127.0.1.0/27,127.0.1.200,127.0.0.1 \
  --status-listen 127.0.0.1:18081 --data "$work/data"

# The tables of cases, before there is anything else. All of them with all profiles, else one of four.
part=4
[ "$profiles" = GATEWAY-HTTP ] || part=1
if [ "$(basename "$channel")" = experimental ]; then
  python3 "$here/conditions/cases.py" "$kubernetes/kubectl" "$gateway" "$here/../../gateway/cases" "$part" >"$work/cases.log" 2>&1
  sed '$d' "$work/cases.log"
  "$kubernetes/kubectl" apply --server-side --force-conflicts "${definitions[@]}" >/dev/null || exit 1
else
  echo "left out: the tables of cases: they have fields of the experimental channel"
  echo "0 passed, 0 failed, 1 skipped" >"$work/cases.log"
fi
"$kubernetes/kubectl" apply -f - >/dev/null <<END || exit 1
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway}, spec: {controllerName: fairway.dev/gateway}}
END
python3 "$here/conditions/watch.py" "$kubernetes/kubectl" >"$work/conditions.log" 2>&1 &
watcher=$!

# Where no features are asked for the suite reads them from the class.
"$kubernetes/kubectl" wait --for=condition=Accepted gatewayclass/fairway --timeout=60s >/dev/null || exit 1

"$suite/conformance.test" -test.v -test.run TestConformance --gateway-class=fairway --conformance-profiles="$profiles" \
  --cleanup-base-resources=false --usable-address=127.0.1.200 --unusable-address=224.0.0.1 \
  --organization=fairway --project=fairway --url=https://fairway.dev --version="$("$gateway" --version | awk '{print $NF; exit}')" \
  --contact=maintainers --report-output="$suite/report.yaml" "$@" >"$suite/suite.log" 2>&1
sed -n 's/^    --- FAIL: \([^ ]*\).*/failed: \1/p' "$suite/suite.log"
# What the suite does not look at: every status that was written meanwhile.
kill "$watcher" && wait "$watcher" && watched=1 || watched=0
sed -n '/^wrong: /p; /^the watch of /p; $s/^/conditions: /p' "$work/conditions.log"
[ "$watched" -eq 1 ] || echo "failed: conditions: $(grep -m 1 '^wrong: ' "$work/conditions.log" || tail -n 1 "$work/conditions.log")"
read -r -a cases < <(tail -n 1 "$work/cases.log" | sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p')
echo "cases of conditions: ${cases[0]:-0} passed, ${cases[1]:-1} failed, ${cases[2]:-0} left out"
awk -v watched="$watched" -v right="${cases[0]:-0}" -v wrong="${cases[1]:-1}" -v left_out="${cases[2]:-0}" '
  /^    --- PASS/ { p++ } /^    --- FAIL/ { f++ } /^    --- SKIP/ { s++ }
  END {
    if (p + f == 0) f++
    print p + right + watched, "passed,", f + wrong + !watched, "failed,", s + left_out, "skipped"
    exit watched && !wrong ? f > 0 : 2
  }' "$suite/suite.log"
