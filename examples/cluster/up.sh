#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# The story of one cluster and its updates, on this machine: an API server, a registry with releases, an update service, Prometheus
# with an exporter of examples, the operator, and a Gateway before the update service. Tells it, and leaves all of it running.
# `./dev up` builds first and runs this.
#   --envoy PATH       the program of Envoy 1.40; without it, or without the right to add an address to lo, there is no Gateway
#   --compile-gateway COMMAND  with --envoy: what makes fairway-gateway while the story is told
#   --keep DIR         keeps all data in DIR, which has to be empty or absent
#   --kubeconfig FILE  an API server that there is, for this story alone; FILE holds certificates or a token
#   --image NAME       with --kubeconfig: no programs of this machine, but Pods of that cluster out of this image (pods.sh)
#   --once             ends when the story is told
set -eu
cd "$(dirname "$0")/../.."
. examples/cluster/processes.sh
. examples/cluster/release.sh
. examples/cluster/gateway.sh
PATH="$PATH:/usr/sbin:/sbin"
keep= once= kubeconfig= envoy= image= compile_gateway=
while [ $# -gt 0 ]; do
  case "$1" in
    --keep) keep="${2:?--keep needs a folder}" && shift ;;
    --kubeconfig) kubeconfig="$(realpath "${2:?--kubeconfig needs a file}")" && shift ;;
    --envoy) envoy="$(realpath "${2:?--envoy needs a program}")" && shift ;;
    --compile-gateway) compile_gateway="${2:?--compile-gateway needs a command}" && shift ;;
    --image) image="${2:?--image needs a name}" && shift ;;
    --once) once=yes ;;
    *) echo "error: up has no flag '$1': there are --keep DIR, --kubeconfig FILE, --image NAME, --envoy PATH and --once" >&2 && exit 2 ;;
  esac
  shift
done
if [ -n "$image" ]; then
  if [ -z "$kubeconfig" ] || [ -n "$keep$envoy" ]; then
    echo "error: --image is for a cluster: give it --kubeconfig FILE, and no --keep and --envoy" >&2
    exit 2
  fi
  exec sh examples/cluster/pods.sh "$kubeconfig" "$image" ${once:+--once}
fi
fairway="${FAIRWAY_BINARY:-$PWD/build/fairway}"
# Installed: /usr/share/fairway/examples.
[ -x "$fairway" ] || fairway="$(command -v fairway)" || { echo "error: there is no build/fairway, and no fairway on PATH" >&2 && exit 1; }
if [ -n "$keep" ]; then
  mkdir -p "$keep"
  data="$(cd "$keep" && pwd)"
  if [ -n "$(ls -A "$data")" ]; then
    echo "error: --keep $keep: there is something in it; give another folder, or empty it" >&2
    exit 2
  fi
else
  data="$(mktemp -d)"
fi

# Clusters and clients of this machine, and of nobody else.
unset KUBECONFIG http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY
for variable in $(env | sed -n 's/^\(FAIRWAY_[A-Z0-9_]*\)=.*/\1/p'); do unset "$variable"; done
started= gateway_address=
finish() {
  # What was begun is put away, whatever else comes.
  trap - EXIT
  trap '' HUP INT TERM
  for pid in $started; do kill "$pid" 2>/dev/null || true; done
  for pid in $started; do wait "$pid" 2>/dev/null || true; done
  give_address_back
  forget_key
  [ -n "$keep" ] || rm -rf "$data"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

began="$(date +%s%N)"
bold= plain=
[ ! -t 1 ] || bold="$(printf '\033[1m')" plain="$(printf '\033[0m')"
section() {
  seconds="$(awk -v a="$began" -v b="$(date +%s%N)" 'BEGIN { printf "%.1f", (b - a) / 1e9 }')"
  printf '\n%s[%s s] %s%s\n' "$bold" "$seconds" "$1" "$plain"
}

# Nothing waits for it before the Gateway.
[ -z "$compile_gateway" ] || start compiling_gateway sh -c "$compile_gateway"
if [ -n "$kubeconfig" ]; then
  section "A registry, an exporter and Prometheus start"
  cp "$kubeconfig" "$data/kubeconfig"
else
  section "An API server, a registry, an exporter and Prometheus start"
  start apiserver "$fairway" apiserver --data "$data/apiserver" --listen 127.0.0.1:0 --kubeconfig "$data/kubeconfig"
fi
start_registry
mkdir -p "$data/exporter" "$data/prometheus"
cp examples/metrics.txt "$data/exporter/metrics"
start exporter python3 -u -m http.server --bind 127.0.0.1 --directory "$data/exporter" 0
cat >"$data/prometheus.yaml" <<YAML
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
- job_name: cluster
  fallback_scrape_protocol: PrometheusText0.0.4
  file_sd_configs: [{files: ["$data/cluster.json"]}]
- job_name: fairway-operator
  file_sd_configs: [{files: ["$data/operator.json"]}]
YAML
# Older ones do not know this, and do not need it.
prometheus --version 2>&1 | grep -q '^prometheus, version [3-9]' || sed -i '/fallback_scrape_protocol/d' "$data/prometheus.yaml"
await exporter "the exporter" said exporter 's/^Serving HTTP on .* port \([0-9]*\) .*/127.0.0.1:\1/p' exporter.address
printf '[{"targets": ["%s"]}]\n' "$(cat "$data/exporter.address")" >"$data/cluster.json"
start prometheus prometheus --config.file="$data/prometheus.yaml" --storage.tsdb.path="$data/prometheus" \
  --web.listen-address=127.0.0.1:0 --log.level=info

await registry "the registry" said registry 's/.*listening on \(127[0-9.:]*\).*/\1/p' registry.address
registry="$(cat "$data/registry.address")"
section "A key is made, and releases are signed with it and pushed to $registry"
make_key "$data"
repository="$registry/fairway/release"
sed -n 's/^ *\({.*\), "image": .*$/\1}/p' examples/releases.json >"$data/releases"
while read -r metadata; do
  version="$(printf '%s' "$metadata" | sed 's/.*"version": "\([^"]*\)".*/\1/')"
  push_release "$repository" "$version" "$metadata" "$data/images"
  digest="$(sha256 "$data/images/$version/manifest")"
  sign_release "$repository" "$digest" "$data/signatures"
  echo "  $version  $digest"
done <"$data/releases"
# Nothing else is signed: a release that somebody adds is refused.
forget_key

section "The update service looks at them, and the operator at the cluster"
take_address
start service "$fairway" serve --releases "oci://$repository" --graph-data examples/graph-data --registry-plain-http \
  --interval 5s --listen "${gateway_address:-127.0.0.1}:0" --status-listen 127.0.0.1:0 --data "$data/service"
await service "the update service" said service 's/.* serving address=\([^ ]*\).*/\1/p' service.address
service="http://$(cat "$data/service.address")"
await service "the graph" curl -fsS -o /dev/null "$service/graph?channel=stable-4.7&arch=amd64"
listening='s/.*component=web.*Listening on.*address=\(127[0-9.]*:[1-9][0-9]*\).*/\1/p'
await prometheus "Prometheus" said prometheus "$listening" prometheus.address
prometheus="http://$(cat "$data/prometheus.address")"
[ -n "$kubeconfig" ] || await apiserver "the API server" test -s "$data/kubeconfig"
# api PATH CURL-ARGUMENT...: an object, as its administrator sees it.
server="$(sed -n 's/^ *server: //p' "$data/kubeconfig")"
token="$(sed -n 's/^ *token: //p' "$data/kubeconfig")"
for credential in certificate-authority client-certificate client-key; do
  sed -n "s/^ *$credential-data: //p" "$data/kubeconfig" | base64 -d >"$data/$credential"
done
api() {
  path="$1"
  shift
  if [ -n "$token" ]; then
    curl -fsS --cacert "$data/certificate-authority" -H "Authorization: Bearer $token" "$@" "$server$path"
  else
    curl -fsS --cacert "$data/certificate-authority" --cert "$data/client-certificate" --key "$data/client-key" "$@" "$server$path"
  fi
}
status_port="$(free_port)"
printf '[{"targets": ["127.0.0.1:%s"]}]\n' "$status_port" >"$data/operator.json"
export KUBECONFIG="$data/kubeconfig"
start operator "$fairway" operator --leader-elect=false --status-listen "127.0.0.1:$status_port" \
  --prometheus "$prometheus" --poll-interval 1s \
  --risk-query-interval 0s --risk-repeat-interval 1s --migration-settle 0s --data "$data/operator" --registry-plain-http \
  --public-keys "$data/keys" --signature-store "file://$data/signatures" \
  --release "4.6.23=$repository@$(sha256 "$data/images/4.6.23/manifest")"
await operator "the release 4.6.23" sh -c '"$0" adm upgrade -o json | grep -q "Done applying 4.6.23"' "$fairway"

# run COMMAND...: shows and runs it; its failure is part of the story.
run() {
  printf '$ %s\n' "fairway $*"
  "$fairway" "$@" 2>&1 | sed "s|$registry|REGISTRY|g" || true
}
offers() { "$fairway" adm upgrade | sed -n '/^Recommended updates:/,/^[^ ]*:/p' | grep -q "^ *$1 "; }
lacks() { ! offers "$1"; }

section "4.6.23 runs here. It gets an update service, and a channel of it"
echo "  spec.upstream: $service/graph"
api /apis/config.openshift.io/v1/clusterversions/version -X PATCH -H "Content-Type: application/merge-patch+json" \
  -d "{\"spec\": {\"upstream\": \"$service/graph\"}}" -o "$data/cluster-version"
run adm upgrade channel stable-4.7 --allow-explicit-channel
# The risks are known once Prometheus has the metrics.
await operator "the verdict on 4.7.4" sh -c '"$0" adm upgrade --include-not-recommended | grep -q "Reason: MultipleReasons"' "$fairway"
section "Which updates there are. 4.7.4 has three risks, of which two concern this cluster: it runs on vSphere"
run adm upgrade --include-not-recommended
run risk status --operator "127.0.0.1:$status_port"

section "The cluster's metrics change: it runs on AWS now. 4.7.4 becomes recommended"
sed 's/VSphere/AWS/' examples/metrics.txt >"$data/exporter/metrics.new" && mv "$data/exporter/metrics.new" "$data/exporter/metrics"
await operator "the recommendation of 4.7.4" offers 4.7.4
run adm upgrade
section "And back on vSphere"
cp examples/metrics.txt "$data/exporter/metrics.new" && mv "$data/exporter/metrics.new" "$data/exporter/metrics"
await operator "the end of the recommendation of 4.7.4" lacks 4.7.4
stored_versions() { python3 -c 'import json, sys; print(" ".join(json.load(sys.stdin)["status"]["storedVersions"]))'; }
gears_before="$(api /apis/apiextensions.k8s.io/v1/customresourcedefinitions/gears.example.com | stored_versions)"
section "4.7.4 is asked for: not without accepting the risks"
run adm upgrade --to 4.7.4
run adm upgrade --to 4.7.4 --allow-not-recommended --dry-run
run adm upgrade --to 4.7.4 --allow-not-recommended
await operator "the update to 4.7.4" sh -c '"$0" adm upgrade -o json | grep -q "Done applying 4.7.4"' "$fairway"
section "4.7.4 runs here. It stores Gears in another version; those that there were are migrated"
gears="$(api /apis/apiextensions.k8s.io/v1/customresourcedefinitions/gears.example.com)"
echo "  Gears were stored as: $gears_before; now as: $(echo "$gears" | stored_versions)"
section "4.7.9 is recommended to everybody"
await operator "the updates of 4.7.4" offers 4.7.9
run adm upgrade why 4.7.9
run adm upgrade --to-latest
await operator "the update to 4.7.9" sh -c '"$0" adm upgrade -o json | grep -q "Done applying 4.7.9"' "$fairway"
run adm upgrade status
section "The history, with the risks that were accepted; the updates were verified with the key"
"$fairway" adm upgrade -o json | python3 -c '
import json, sys
for entry in json.load(sys.stdin)["history"]:
    print("  %s  %s, %s, from %s to %s" % (entry["version"], entry["state"], "verified" if entry["verified"] else "installed",
                                           entry["startedTime"], entry["completionTime"]))
    for line in entry.get("acceptedRisks", "").splitlines():
        print("        " + line if line else "")
'

section "Prometheus has it, too"
seen_by_prometheus() { "$fairway" promql eval 'cluster_version{type="current"}' --prometheus "$prometheus" | grep -q "$1"; }
await prometheus "the metrics of the operator" seen_by_prometheus 4.7.9
run promql eval 'cluster_version{type=~"current|completed"}' --prometheus "$prometheus"

if [ -n "$gateway_address" ]; then
  section "A Gateway and a route bring the update service to clusters"
  gateway_port="$(free_port)"
  service_port="$(printf '%s' "$service" | sed 's|^http://[^:]*:\([0-9]*\).*|\1|')"
  await_gateway_program
  start gateway "$fairway" gateway --envoy "$envoy" --addresses 127.0.0.1 --data "$data/gateway" --status-listen 127.0.0.1:0
  put_definitions
  await gateway "Gateway API" publish "$gateway_port" "$service_port"
  await gateway "the Gateway" is_published
  conditions gateways
  conditions httproutes
  run gateway explain updates
  graph="http://127.0.0.1:$gateway_port/api/upgrades_info/graph?channel=stable-4.7&arch=amd64"
  printf "\$ curl -H 'Host: updates.example.com' '%s'\n" "$graph"
  curl -fsS -H "Host: updates.example.com" "$graph" | python3 -c '
import json, sys
graph = json.load(sys.stdin)
print("  %d releases, %d updates, %d of them conditional" % (
    len(graph["nodes"]), len(graph["edges"]) + sum(len(c["edges"]) for c in graph.get("conditionalEdges", [])),
    sum(len(c["edges"]) for c in graph.get("conditionalEdges", []))))
'
else
  section "There is no Gateway here: $no_gateway"
fi

section "All of it runs on, with its data in $data. Try:"
cat <<TEXT
  export KUBECONFIG=$data/kubeconfig
  fairway adm upgrade
  fairway adm upgrade why 4.7.4
  fairway risk status --operator 127.0.0.1:$status_port
  curl http://127.0.0.1:$status_port/metrics
  curl '$service/graph?channel=stable-4.7&arch=amd64'
${gateway_address:+  curl -H 'Host: updates.example.com' '$graph'
}  $prometheus
  \$EDITOR $data/exporter/metrics          what the cluster's metrics say
  \$EDITOR examples/graph-data             what is known of updates; the service looks again every five seconds
TEXT
[ -z "$once" ] || exit 0
printf '\nCtrl-C ends it.\n'
wait "$pid_of_operator"
