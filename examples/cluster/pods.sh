#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# The update service and the operator as Pods of a cluster that there is, out of an image: deploy/update-service with the example data,
# and deploy/operator. Shows what the cluster may be updated to, and removes all of it at the end. It needs kubectl alone.
# usage: pods.sh KUBECONFIG IMAGE [--once]      (up.sh --kubeconfig FILE --image NAME runs this)
# No release is applied: those of the examples do not exist, and the key that would have signed them is missing.
set -eu
cd "$(dirname "$0")/../.."
kubeconfig="$(realpath "$1")" image="$2" once="${3:-}"
command -v kubectl >/dev/null || { echo "error: --image needs kubectl, which is not on your PATH" >&2 && exit 1; }
data="$(mktemp -d)"
waiting= applied=
cluster() { kubectl --kubeconfig "$kubeconfig" "$@"; }
definitions="clusterversions.config.openshift.io channels.config.openshift.io clusteroperators.config.openshift.io
  conversions.pkg.knative.dev"
finish() {
  trap - EXIT
  trap '' HUP INT TERM
  [ -z "$waiting" ] || kill "$waiting" 2>/dev/null || true
  if [ -n "$applied" ]; then
    echo "removing it from the cluster"
    # The operator first: it would make its definitions anew.
    # shellcheck disable=SC2086
    { cluster delete -k "$data" --ignore-not-found && cluster delete crd $definitions --ignore-not-found; } >"$data/removed" 2>&1 || {
      cat "$data/removed" >&2
      echo "error: what was applied could not be removed: delete the namespaces fairway-updates and fairway-system" >&2
    }
  fi
  rm -rf "$data"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Nothing that somebody uses is changed, or removed at the end.
# shellcheck disable=SC2086
there="$(cluster get --ignore-not-found -o name namespaces/fairway-updates namespaces/fairway-system &&
  for one in $definitions; do cluster get --ignore-not-found -o name "crd/$one"; done)"
if [ -n "$there" ]; then
  echo "error: this cluster has something of Fairway or OpenShift already, so that nothing is installed:" $there >&2
  exit 1
fi

# An overlay over the two folders, as docs/deploy.md has it: the image by one line, and the settings.
name="${image%@*}" named=
[ "$name" = "$image" ] || named=", digest: '${image#*@}'"
case "${name##*/}" in
  *:*) named=", newTag: '${name##*:}'$named" name="${name%:*}" ;;
esac
cp -R deploy/update-service deploy/operator examples/graph-data examples/releases.json "$data/"
sed -e 's|^releases = .*|releases = ["/examples/releases.json"]|' -e 's|^graph-data = .*|graph-data = "/examples/graph-data"|' \
  -e '/^public-url = /d' deploy/update-service/settings.toml >"$data/settings.toml"
# There is no earlier graph that this one could contradict.
echo 'first-start = true' >>"$data/settings.toml"
running=4.6.23
release="$(sed -n "s/.*\"version\": \"$running\".*\"image\": \"\([^\"]*\)\".*/\1/p" examples/releases.json)"
# of_files TEXT: a text for each file of the examples, where \1 is its key in a ConfigMap and \2 its path.
of_files() { (cd "$data" && find releases.json graph-data -type f) | sort | sed "h; s|/|.|g; G; s|\(.*\)\n\(.*\)|$1|" | paste -sd , -; }
cat >"$data/kustomization.yaml" <<YAML
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [update-service, operator]
images:
- {name: registry.example.com/fairway, newName: '$name'$named}
secretGenerator:
- name: fairway-updates-peers
  namespace: fairway-updates
  literals: [token=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')]
configMapGenerator:
- {name: fairway-updates, namespace: fairway-updates, behavior: merge, files: [settings.toml]}
- name: examples
  namespace: fairway-updates
  files: [$(of_files '\1=\2')]
patches:
- target: {kind: StatefulSet, name: fairway-updates}
  patch: |
    - op: add
      path: /spec/template/spec/volumes/-
      value: {name: examples, configMap: {name: examples, items: [$(of_files '{key: \1, path: \2}')]}}
    - {op: add, path: /spec/template/spec/containers/0/volumeMounts/-, value: {name: examples, mountPath: /examples, readOnly: true}}
- target: {kind: Deployment, name: fairway-operator}
  patch: |
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: "--release=$running=$release"}
YAML

tagged=
[ -n "$named" ] || tagged=", with the tag that deploy/ names"
echo "The update service and the operator come out of $image$tagged"
applied=yes
cluster apply -k "$data"
cluster -n fairway-updates rollout status statefulset/fairway-updates --timeout=300s
cluster -n fairway-system rollout status deployment/fairway-operator --timeout=300s

# await WHAT COMMAND...: waits until it succeeds, some 300 tries at most.
await() {
  what="$1" tries=0
  shift
  until "$@" >"$data/await.log" 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt 300 ]; then
      cat "$data/await.log" >&2
      cluster -n fairway-system logs deployment/fairway-operator --tail=20 >&2 || true
      echo "error: $what did not come about; the end of the operator's log is above" >&2
      exit 1
    fi
    sleep 0.2
  done
}
version() { cluster get clusterversion version -o "jsonpath=$1"; }
is_offered() { version '{.status.availableUpdates[*].version}' | grep -q '[0-9]'; }
await "the ClusterVersion" version '{.spec.clusterID}'
cluster patch clusterversion version --type merge \
  -p '{"spec": {"channel": "stable-4.7", "upstream": "http://fairway-updates.fairway-updates.svc/api/upgrades_info/graph"}}'
await "the cluster's updates" is_offered
echo
echo "The cluster is said to run $running. In stable-4.7 it may be updated to:"
version '{range .status.availableUpdates[*]}{"  "}{.version}{"  recommended\n"}{end}'
version '{range .status.conditionalUpdates[*]}{"  "}{.release.version}{"  with risks: "}{.risks[*].name}{"\n"}{end}'
cat <<TEXT

Try:
  export KUBECONFIG=$kubeconfig
  fairway adm upgrade --include-not-recommended
  kubectl get clusterversion version -o yaml
  kubectl -n fairway-system logs deployment/fairway-operator
  kubectl -n fairway-updates port-forward service/fairway-updates 8080:80
TEXT
[ -z "$once" ] || exit 0
printf '\nCtrl-C removes it from the cluster.\n'
while :; do
  sleep 3600 &
  waiting=$!
  wait "$waiting"
done
