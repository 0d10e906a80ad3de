# SPDX-License-Identifier: Apache-2.0

# The update service behind a Gateway: functions for up.sh.

# take_address: an address of this machine for the endpoint, in $gateway_address: EndpointSlices refuse loopback addresses, so it is
# one of 198.18.0.0/15 (for tests of networks) on the loopback device. Where there is none, $no_gateway says why.
take_address() {
  gateway_address= no_gateway=
  if [ -z "$envoy" ]; then
    no_gateway="there is no Envoy (--envoy PATH)"
    return
  fi
  for try in 1 2 3; do
    address="198.18.$(($$ / 250 % 250)).$(($$ % 250 + try))"
    if ip address add "$address/32" dev lo 2>"$data/address.log"; then
      gateway_address="$address"
      return
    fi
  done
  no_gateway="lo could not be given an address of 198.18.0.0/15 ($(tail -n 1 "$data/address.log"))"
}
give_address_back() { [ -z "$gateway_address" ] || ip address del "$gateway_address/32" dev lo || true; }

# await_gateway_program: waits for the process that compiles it, where there is one.
await_gateway_program() {
  [ -n "$compile_gateway" ] || return 0
  # shellcheck disable=SC2154
  if kill -0 "$pid_of_compiling_gateway" 2>/dev/null; then echo "  (fairway-gateway is still being compiled)"; fi
  if ! wait "$pid_of_compiling_gateway"; then
    cat "$data/compiling_gateway.log" >&2
    echo "error: fairway-gateway could not be compiled; what the compiler said is above" >&2
    exit 1
  fi
}

# apply_object PATH: applies the object on standard input.
apply_object() {
  api "$1?fieldManager=up&force=true" -X PATCH -H "Content-Type: application/apply-patch+yaml" --data-binary @- -o "$data/applied"
}

# put_definitions: those of Gateway API, where the server has none.
put_definitions() {
  if api /apis/gateway.networking.k8s.io/v1 -o "$data/applied" 2>"$data/applied.log"; then return; fi
  mkdir -p "$data/definitions"
  awk -v folder="$data/definitions" '/^---/ { n++; next } { print > (folder "/" n + 0) }' examples/cluster/gateway/definitions.yaml
  for file in "$data/definitions"/*; do
    name="$(sed -n 's/^  name: \([a-z0-9.]*\)$/\1/p' "$file" | head -n 1)"
    apply_object "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/$name" <"$file"
  done
}

# publish PORT SERVICE-PORT: a Gateway at 127.0.0.1:PORT, and a route to the update service at $gateway_address:SERVICE-PORT.
publish() {
  apply_object /apis/gateway.networking.k8s.io/v1/gatewayclasses/fairway <<YAML &&
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway}, spec: {controllerName: fairway.dev/gateway}}
YAML
  apply_object /api/v1/namespaces/default/services/updates <<YAML &&
{apiVersion: v1, kind: Service, metadata: {name: updates}, spec: {ports: [{port: 80}]}}
YAML
  apply_object /apis/discovery.k8s.io/v1/namespaces/default/endpointslices/updates <<YAML &&
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: updates, labels: {kubernetes.io/service-name: updates}}
addressType: IPv4
ports: [{name: "", protocol: TCP, port: $2}]
endpoints: [{addresses: [$gateway_address], conditions: {ready: true}}]
YAML
  apply_object $routing/gateways/updates <<YAML &&
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: updates}
spec:
  gatewayClassName: fairway
  addresses: [{value: 127.0.0.1}]
  listeners: [{name: http, port: $1, protocol: HTTP}]
YAML
  apply_object $routing/httproutes/updates <<YAML
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: updates}
spec:
  parentRefs: [{name: updates}]
  hostnames: [updates.example.com]
  rules: [{backendRefs: [{name: updates, port: 80}]}]
YAML
}
routing=/apis/gateway.networking.k8s.io/v1/namespaces/default

# conditions RESOURCE: those of the object "updates", of its listeners, and of its parents.
conditions() {
  api "$routing/$1/updates" | python3 -c '
import json, sys
def show(who, conditions):
    print("  %-17s" % who, ", ".join("%s=%s" % (c["type"], c["status"]) for c in conditions))
it = json.load(sys.stdin)
status = it.get("status", {})
if "conditions" in status: show(it["kind"], status["conditions"])
for listener in status.get("listeners", []): show("listener " + listener["name"], listener["conditions"])
for parent in status.get("parents", []): show(it["kind"], parent["conditions"])
'
}
is_published() {
  conditions gateways | grep -q '^  Gateway .*Programmed=True' && conditions httproutes | grep -q 'Accepted=True'
}
