#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Runs the integration tests of k8s.io/apiextensions-apiserver with `fairway apiserver`: _fixtures/server.go stands in the place of
# what starts their server. usage: run.sh GO FAIRWAY WORK_FOLDER [TEST...]: these tests alone
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
go="$1"
export FAIRWAY="$2"
work="$3/upstream-integration"
shift 3
# The versions of modules are those of tests/conformance/kube, which has all that kube-apiserver is made of.
module="$here/../../kube"
version="$(sed -nE 's/^[[:space:]]*k8s.io\/apiextensions-apiserver => k8s.io\/apiextensions-apiserver //p' "$module/go.mod")"
source="$(cd "$module" && "$go" mod download -json "k8s.io/apiextensions-apiserver@$version" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
stamp="$("$go" env GOVERSION; cat "$module/go.mod" "$module/go.sum" "$here/_fixtures/server.go" "$0" | sha256sum)"
if [ "$(cat "$work/stamp" 2>/dev/null)" != "$stamp" ]; then
  rm -rf "$work"
  mkdir -p "$work"
  cp -r "$source/test/integration/." "$work"
  chmod -R u+w "$work"
  rm -rf "$work/storage" "$work/conversion/conversion_test.go"
  cp "$here/_fixtures/server.go" "$work/fixtures/server.go"
  theirs=k8s.io/apiextensions-apiserver/test/integration
  find "$work" -name '*.go' -exec sed -i "s,\"$theirs/\(fixtures\|conversion\)\",\"integration/\1\"," {} +
  sed 's/^module .*/module integration/' "$module/go.mod" >"$work/go.mod"
  cp "$module/go.sum" "$work/go.sum"
  (cd "$work" && CGO_ENABLED=0 GOFLAGS=-mod=mod nice "$go" test -c -vet=off -trimpath -buildvcs=false -ldflags '-s -w' \
    -o "$work/tests" .)
  echo "$stamp" >"$work/stamp"
fi
# Nobody else's: each test has a server of its own.
names=.
[ $# -eq 0 ] || names="^($(echo "$*" | tr ' ' '|'))\$"
cd "$work"
status=0
"$work/tests" -test.v -test.timeout=20m -test.run="$names" >"$work/output" 2>&1 || status=$?
exec python3 "$here/summary.py" "$work/output" "$here/known.txt" "$status" $#
