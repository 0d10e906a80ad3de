#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Starts the four programs on loopback with examples/, has enough happen that their metrics have labels, and writes what each gives at
# /metrics into FOLDER: service.txt, operator.txt, gateway.txt and apiserver.txt. Ends what it started.
#   scripts/monitoring/collect.sh FOLDER
# FAIRWAY_BINARY is the program (build/fairway). It needs curl, and docker-registry for a release that the operator applies.
set -eu
if [ $# -ne 1 ]; then
  echo "error: collect.sh takes one folder, where the metrics go: scripts/monitoring/collect.sh build/monitoring" >&2
  exit 2
fi
mkdir -p "$1"
out="$(cd "$1" && pwd)"
rm -f "$out/service.txt" "$out/operator.txt" "$out/gateway.txt" "$out/apiserver.txt"
cd "$(dirname "$0")/../.."
. examples/cluster/processes.sh
. examples/cluster/release.sh
await_tries=600
fairway="${FAIRWAY_BINARY:-$PWD/build/fairway}"
for program in "$fairway" "${fairway%/*}/fairway-gateway"; do
  [ -x "$program" ] || { echo "error: there is no program $program: ./dev build makes it" >&2 && exit 1; }
done
PATH="$PATH:/usr/sbin:/sbin"
for program in curl docker-registry; do
  command -v "$program" >/dev/null || { echo "error: there is no $program: apt-get install $program" >&2 && exit 1; }
done
# Clusters and clients of this machine, and of nobody else.
unset KUBECONFIG http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY
for variable in $(env | sed -n 's/^\(FAIRWAY_[A-Z0-9_]*\)=.*/\1/p'); do unset "$variable"; done

data="$(mktemp -d)"
started=
finish() {
  trap - EXIT
  trap '' HUP INT TERM
  for pid in $started; do kill "$pid" 2>/dev/null || true; done
  for pid in $started; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$data"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# has URL PATTERN: whether the metrics there have it.
has() { curl -fsS "$1" | grep -q "$2"; }

# The API server, with the definitions of Gateway API.
cat examples/cluster/gateway/definitions.yaml deploy/gateway/parameters-crd.yaml >"$data/definitions.yaml"
sed -i 's/^apiVersion: apiextensions.k8s.io/---\n&/' "$data/definitions.yaml"
start apiserver "$fairway" apiserver --data "$data/apiserver" --listen 127.0.0.1:0 --kubeconfig "$data/kubeconfig" \
  --apply "$data/definitions.yaml"
start_registry

# The update service, which answers, refuses and fails to find.
start service "$fairway" serve --releases examples/releases.json --graph-data examples/graph-data --data "$data/service" \
  --listen 127.0.0.1:0 --status-listen 127.0.0.1:0
await service "the update service" said service 's/.* serving address=\([^ ]*\) .*/\1/p' service.address
await service "its status port" said service 's/.* status=\([^ ]*\)$/\1/p' service.status
service="http://$(cat "$data/service.address")"
await service "the graph" curl -fsS "http://$(cat "$data/service.status")/readyz"
for path in 'graph?channel=stable-4.7&arch=amd64' channels graph nowhere; do
  curl -sS -o "$data/answer" "$service/$path"
done

# The operator, with a release that it applies, updates with risks of every verdict, and components.
await registry "the registry" said registry 's/.*listening on \(127[0-9.:]*\).*/\1/p' registry.address
repository="$(cat "$data/registry.address")/fairway/release"
metadata="$(sed -n 's/^ *\({.*"version": "4.6.23".*\), "image": .*$/\1}/p' examples/releases.json)"
push_release "$repository" 4.6.23 "$metadata" "$data/images"
await apiserver "the API server" test -s "$data/kubeconfig"
export KUBECONFIG="$data/kubeconfig"
operator_port="$(free_port)"
operator="http://127.0.0.1:$operator_port/metrics"
start operator "$fairway" operator --status-listen "127.0.0.1:$operator_port" --upstream "$service/graph" \
  --release "4.6.23=$repository@$(sha256 "$data/images/4.6.23/manifest")" --registry-plain-http --allow-unsigned-releases \
  --risk-evaluator local --local-file examples/metrics.txt --risk-query-interval 0s --feature-gates ClusterUpdateAcceptRisks=true \
  --poll-interval 1s --migration-settle 0s
await operator "the operator" has "$operator" 'cluster_version_payload{'
server="$(sed -n 's/^ *server: //p' "$data/kubeconfig")"
for credential in certificate-authority client-certificate client-key; do
  sed -n "s/^ *$credential-data: //p" "$data/kubeconfig" | base64 -d >"$data/$credential"
done
# api PATH CURL-ARGUMENT...: what the API server answers to its administrator.
api() {
  path="$1"
  shift
  curl -fsS --cacert "$data/certificate-authority" --cert "$data/client-certificate" --key "$data/client-key" "$@" "$server$path"
}
operators=/apis/config.openshift.io/v1/clusteroperators
cat >"$data/component.json" <<JSON
{"apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator", "metadata": {"name": "network"}, "spec": {}, "status": {"conditions": [
  {"type": "Available", "status": "True", "reason": "AsExpected", "lastTransitionTime": "2026-01-01T00:00:00Z"},
  {"type": "Degraded", "status": "True", "reason": "Slow", "lastTransitionTime": "2026-01-01T00:00:00Z"},
  {"type": "Upgradeable", "status": "False", "reason": "NotNow", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}
JSON
api $operators -X POST -H "Content-Type: application/json" --data-binary "@$data/component.json" -o "$data/answer"
api $operators/network/status -X PATCH -H "Content-Type: application/merge-patch+json" --data-binary "@$data/component.json" \
  -o "$data/answer"
"$fairway" adm upgrade channel stable-4.7 --allow-explicit-channel >"$data/adm.log" 2>&1
await operator "the verdict on the risks" has "$operator" 'cluster_version_risk_conditions{'
api /apis/config.openshift.io/v1/clusterversions/version -X PATCH -H "Content-Type: application/merge-patch+json" -o "$data/answer" \
  -d "{\"spec\": {\"desiredUpdate\": {\"image\": \"$repository@sha256:$(printf '%064d' 0)\"}}}"
await operator "the release that is not accepted" has "$operator" 'type="desired"'
await operator "a component that stands against updates" has "$operator" 'condition="Upgradeable",name="version"'

# The controller of Gateway API. An Envoy is not needed: what is said of Envoys is there from the start.
gateway_port="$(free_port)"
gateway="http://127.0.0.1:$gateway_port/metrics"
start gateway "$fairway" gateway --data "$data/gateway" --xds-listen 127.0.0.1:0 --status-listen "127.0.0.1:$gateway_port"
await gateway "the gateway controller" has "$gateway" '^fairway_gateway_passes_total{over="objects"} [1-9]'

curl -fsS "http://$(cat "$data/service.status")/metrics" >"$out/service.txt"
curl -fsS "$operator" >"$out/operator.txt"
curl -fsS "$gateway" >"$out/gateway.txt"
api /metrics >"$out/apiserver.txt"
for part in service operator gateway apiserver; do
  echo "$part: $(grep -c '^# TYPE ' "$out/$part.txt") metrics in $out/$part.txt"
done
