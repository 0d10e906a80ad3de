#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Has the programs of Fairway 0.1.0 write what they keep on disk, for the tests that have newer programs take it up.
#
# usage: make.sh BUILD: the folder with `fairway` and `fairway-gateway` of 0.1.0
#
# Run it again only where a part is missing: what is here was written by sources of 0.1.0, and must stay readable. It needs curl, jq,
# gzip and docker-registry. README.md says what it writes.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
build="$(cd "${1:?usage: make.sh BUILD}" && pwd)"
fairway="$build/fairway"
[ "$("$fairway" --version)" = "fairway 0.1.0" ] || { echo "error: $fairway is not of 0.1.0" >&2 && exit 1; }
cd "$here/../../.."
. examples/cluster/processes.sh
. examples/cluster/release.sh
PATH="$PATH:/usr/sbin:/sbin"
unset KUBECONFIG http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY
data="$(mktemp -d)" started=
finish() {
  trap - EXIT
  for pid in $started; do kill "$pid" 2>/dev/null || true; done
  for pid in $started; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$data"
}
trap finish EXIT
trap 'exit 130' INT TERM

# stop NAME: ends a process as a service manager does, and waits until all is on disk.
stop() {
  eval "pid=\$pid_of_$1"
  kill "$pid"
  wait "$pid" || true
}
# address NAME SED-EXPRESSION: what the log of a process says, once it does.
address() {
  await "$1" "the address of $1" said "$1" "$2" "$1.address"
  cat "$data/$1.address"
}

start_registry
start apiserver "$fairway" apiserver --data "$data/apiserver" --listen 127.0.0.1:0 --kubeconfig "$data/kubeconfig"
registry="$(address registry 's/.*listening on \(127[0-9.:]*\).*/\1/p')"
while read -r metadata; do
  version="$(printf '%s' "$metadata" | jq -r .version)"
  push_release "$registry/fairway/release" "$version" "$metadata" "$data/images"
done <<END
$(jq -c '.releases[] | select(.version == "4.6.23" or .version == "4.6.43") | del(.image)' examples/releases.json)
END

# The update service. Relative names, so that nothing of this machine is in what it keeps.
mkdir -p "$data/service"
cp -r examples/graph-data examples/releases.json "$data/service/"
# serve NAME FLAG...
serve() {
  name="$1"
  shift
  start "$name" env -C "$data/service" "$fairway" serve --graph-data graph-data --listen 127.0.0.1:0 --status-listen 127.0.0.1:0 \
    --interval 1s "$@"
}
serve_graph() {
  serve service --releases releases.json --data data --max-widening 0,0%
  service="http://$(address service 's/.* serving address=\([^ ]*\).*/\1/p')"
}
# keep_graph NAME: what the service answers, for comparison.
mkdir -p "$data/expected"
keep_graph() { curl -fsS "$service/graph?channel=candidate-4.7&arch=amd64" >"$data/expected/$1"; }
# asked PATH JQ-CONDITION: whether the service answers, and as it should.
asked() { curl -fsS -o "$data/asked" "$service/$1" && jq -e "$2" "$data/asked"; }
# The first graph is accepted, which leaves a line in the file `accepted`; that state is kept. Then a block is lifted, which is held.
serve_graph
await service "the first graph" asked problems '.problems[] | select(.kind == "graph-not-compared")'
first="$(sed -n 's/.*compare with: .* id=\([0-9a-f]*\)$/\1/p' "$data/service.log" | head -n 1)"
"$fairway" graph accept "$first" --data "$data/service/data"
await service "the accepted graph" asked problems 'all(.problems[]; .kind != "graph-not-compared")'
keep_graph graph-before.json
stop service
cp -r "$data/service/data" "$data/service/data-before"
serve_graph
await service "the same graph" asked problems 'all(.problems[]; .kind != "graph-not-compared")'
rm "$data/service/graph-data/blocked-edges/4.7.8-auth-connection-leak.yaml"
await service "the held widening" asked problems '.problems[] | select(.kind | test("widening"))'
keep_graph graph.json
curl -fsS "$service/problems" | jq . >"$data/expected/problems.json"
sed -n 's/.*the newest data is held.* fairway graph accept \([0-9a-f]*\) .*/\1/p' "$data/service.log" | tail -n 1 >"$data/expected/held"
[ -s "$data/expected/held" ] || { echo "error: the log of the update service does not say what is held" >&2 && exit 1; }

# What is known of release images.
serve images --releases "oci://$registry/fairway/release" --registry-plain-http --data images
await images "the images" sh -c '[ "$(grep -c . "$0"/*.log)" -ge 5 ]' "$data/service/images/registry"

# The operator, and with it a ClusterVersion on the API server. What it asks for is at a name, behind a proxy.
server="$(await apiserver "the API server" test -s "$data/kubeconfig" && sed -n 's/^ *server: //p' "$data/kubeconfig")"
for credential in certificate-authority client-certificate client-key; do
  sed -n "s/^ *$credential-data: //p" "$data/kubeconfig" | base64 -d >"$data/$credential"
done
# api PATH [CURL-ARGUMENT...]
api() {
  path="$1"
  shift
  curl -fsS --cacert "$data/certificate-authority" --cert "$data/client-certificate" --key "$data/client-key" "$@" "$server$path"
}
# create PATH JSON
create() { api "$1" -H 'Content-Type: application/json' -d "$2" -o "$data/created"; }
create /api/v1/namespaces '{"metadata": {"name": "state"}}'
create /api/v1/namespaces/state/configmaps '{"metadata": {"name": "plain", "labels": {"of": "state"}},
  "data": {"text": "gr\u00fc\u00df dich", "empty": ""}, "binaryData": {"bytes": "AAEC/w=="}}'
create /api/v1/namespaces/state/configmaps '{"metadata": {"name": "changed"}, "data": {"at": "first"}}'
"$fairway" apiserver backup --data "$data/apiserver" "$data/backup.db"
api /api/v1/namespaces/state/configmaps/changed -X PATCH -H 'Content-Type: application/merge-patch+json' -o "$data/created" \
  -d '{"data": {"at": "last"}}'
create /api/v1/namespaces/state/secrets '{"metadata": {"name": "password"}, "type": "Opaque", "data": {"password": "c2VjcmV0"}}'
create /api/v1/namespaces/state/serviceaccounts '{"metadata": {"name": "robot"}}'
create /api/v1/namespaces/state/secrets '{"metadata": {"name": "robot-token",
  "annotations": {"kubernetes.io/service-account.name": "robot"}}, "type": "kubernetes.io/service-account-token"}'
has_token() { api /api/v1/namespaces/state/secrets/robot-token -o "$data/asked" && jq -e .data.token "$data/asked"; }
await apiserver "the token" has_token
create /apis/rbac.authorization.k8s.io/v1/namespaces/state/roles '{"metadata": {"name": "reader"},
  "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]}'
create /apis/rbac.authorization.k8s.io/v1/namespaces/state/rolebindings '{"metadata": {"name": "reader"},
  "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
  "subjects": [{"kind": "ServiceAccount", "name": "robot", "namespace": "state"}]}'
create /api/v1/namespaces/state/configmaps '{"metadata": {"name": "owned", "finalizers": ["example.com/kept"],
  "ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "plain", "uid": "'"$(
    api /api/v1/namespaces/state/configmaps/plain | jq -r .metadata.uid)"'"}]}}'
python3 -c 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))' examples/widgets/crd.yaml >"$data/crd.json"
jq 'del(.spec.conversion)' "$data/crd.json" >"$data/crd-stored.json"
create /apis/apiextensions.k8s.io/v1/customresourcedefinitions "@$data/crd-stored.json"
widgets="/apis/widgets.example.com/v1/namespaces/state/widgets"
await apiserver "the kind Widget" api "$widgets"
create "$widgets" '{"apiVersion": "widgets.example.com/v1", "kind": "Widget", "metadata": {"name": "one"},
  "spec": {"capacity": {"size": "M", "replicas": 2}}}'

# The proxy of the operator is the update service itself, which is asked for a page of another host.
update_port="${service#http://127.0.0.1:}"
start operator env http_proxy="http://127.0.0.1:${update_port%%/*}" no_proxy=127.0.0.1 "$fairway" operator --kubeconfig "$data/kubeconfig" \
  --namespace state --leader-elect=false --status-listen 127.0.0.1:0 --data "$data/operator" --registry-plain-http \
  --image-mirror "registry.example.com/fairway/release=$registry/fairway/release" --allow-unsigned-releases \
  --upstream http://updates.example.com/api/upgrades_info/graph --poll-interval 1s \
  --release "4.6.23=registry.example.com/fairway/release@$(sha256 "$data/images/4.6.23/manifest")"
KUBECONFIG="$data/kubeconfig" && export KUBECONFIG
await operator "a release that is applied" sh -c '"$0" adm upgrade -o json | grep -q "Done applying 4.6.23"' "$fairway"
api /apis/config.openshift.io/v1/clusterversions/version -X PATCH -H 'Content-Type: application/merge-patch+json' -o "$data/created" \
  -d '{"spec": {"channel": "stable-4.7"}}'
await operator "updates" sh -c '"$0" adm upgrade -o json | grep -q 4.6.43' "$fairway"
await operator "the answer that is kept" test -s "$data/operator/updates/answer-time"
stop operator

# The gateway controller. It makes certificates for Envoys before it looks at the cluster.
start gateway "$build/fairway-gateway" --kubeconfig "$data/kubeconfig" --data "$data/gateway" --xds-listen 127.0.0.1:0 \
  --status-listen 127.0.0.1:0
await gateway "certificates" test -s "$data/gateway/xds/envoy.pem" -a -s "$data/gateway/xds/server.pem"
stop gateway

for path in api/v1/namespaces/state/configmaps/plain api/v1/namespaces/state/configmaps/changed api/v1/namespaces/state/configmaps/owned \
  api/v1/namespaces/state/secrets/password api/v1/namespaces/state/secrets/robot-token api/v1/namespaces/state/serviceaccounts/robot \
  apis/rbac.authorization.k8s.io/v1/namespaces/state/roles/reader apis/rbac.authorization.k8s.io/v1/namespaces/state/rolebindings/reader \
  apis/widgets.example.com/v1/namespaces/state/widgets/one apis/config.openshift.io/v1/clusterversions/version; do
  api "/$path" | jq --arg path "/$path" '{path: $path, object: .}'
done | jq -s . >"$data/expected/objects.json"
stop apiserver
stop service
stop images

out="$here"
rm -rf "$out/apiserver" "$out/service" "$out/operator" "$out/gateway" "$out/releases"
mkdir -p "$out/apiserver" "$out/service" "$out/operator" "$out/gateway" "$out/releases"
# Without a process that has it open, the database is one file.
gzip -9 -n -c "$data/apiserver/apiserver.db" >"$out/apiserver/apiserver.db.gz"
gzip -9 -n -c "$data/backup.db" >"$out/apiserver/backup.db.gz"
cp "$data/expected/objects.json" "$data/certificate-authority" "$out/apiserver/"
cp -r "$data/service/data" "$data/service/data-before" "$data/service/graph-data" "$data/service/releases.json" "$out/service/"
cp "$data/expected/graph.json" "$data/expected/graph-before.json" "$data/expected/problems.json" "$data/expected/held" "$out/service/"
cp "$data/service/images/registry"/*.log "$out/releases/index.log"
cp -r "$data/operator/." "$out/operator/"
cp "$data/gateway/xds"/*.pem "$out/gateway/"
chmod -R u=rwX,go=rX "$out"
du -sh "$out"
if grep -raFl -e "$data" -e "$registry" "$out" "$data/apiserver" "$data/backup.db" --exclude=make.sh; then
  echo "error: these have names of this machine in them" >&2
  exit 1
fi
