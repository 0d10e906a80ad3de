# SPDX-License-Identifier: Apache-2.0

# kube-apiserver and what is built beside it, of the released sources (tests/conformance/kube).

# build_kubernetes: kube-apiserver, kubectl, a candidate and an informer of client-go, and upstream's conversion tests in
# .cache/kubernetes, unless those there are of the same sources and Go. Tried once more, and in the end `unreachable` is set, where
# the modules' registry cannot be reached.
build_kubernetes() {
  unreachable=
  module="$FAIRWAY_ROOT/tests/conformance/kube"
  find_go "$module"
  kubernetes="$FAIRWAY_ROOT/.cache/kubernetes"
  release="$(sed -nE 's/^(require )?[[:space:]]*k8s.io\/kubernetes v//p' "$module/go.mod" | head -n 1)"
  stamp="$({
    "$go" env GOVERSION
    cat "$module/go.mod" "$module/go.sum" "$module"/*/*.go "$FAIRWAY_ROOT/scripts/dev/kubernetes.sh"
  } | sha256sum)"
  if [ "$(cat "$kubernetes/stamp" 2>/dev/null)" = "$stamp" ]; then
    echo "kube-apiserver and kubectl $release are built already"
    return
  fi
  echo "building kube-apiserver and kubectl $release (some minutes)"
  rm -rf "$kubernetes"
  mkdir -p "$kubernetes"
  minor="${release#*.}"
  names=k8s.io/component-base/version
  go_log="$(mktemp)"
  for attempt in 1 2; do
    compile_kubernetes
    if [ -f "$kubernetes/stamp" ]; then break; fi
    grep -qE 'dial tcp|no such host|connection (refused|reset)|i/o timeout|TLS handshake|unexpected EOF|50[234] ' "$go_log" || break
    [ "$attempt" -eq 1 ] || unreachable=yes
  done
  rm -f "$go_log"
  if [ ! -f "$kubernetes/stamp" ] && [ -z "$unreachable" ]; then
    echo "error: Go could not build kube-apiserver, kubectl and upstream's tests (tests/conformance/kube)" >&2
    exit 1
  fi
}

# Go says what it loads and compiles, a line each: too much to show, but a sign of life is wanted.
compile_kubernetes() {
  {
    cd "$module" &&
      CGO_ENABLED=0 nice "$go" build -v -trimpath -buildvcs=false -o "$kubernetes/" \
        -ldflags "-s -w -X $names.gitVersion=v$release -X $names.gitMajor=${release%%.*} -X $names.gitMinor=${minor%%.*}" \
        ./kube-apiserver ./kubectl ./client-go-candidate ./client-go-informer 2>&1 &&
      compile_conversion_tests 2>&1 &&
      echo "$stamp" >"$kubernetes/stamp"
  } | tee "$go_log" | awk '
    /^go: downloading / { if (++modules % 50 == 0) { print "  " modules " modules loaded"; fflush() } next }
    /^[^ #]+$/ { if (++packages % 250 == 0) { print "  " packages " packages compiled"; fflush() } next }
    { print; fflush() }'
}

# The conversion tests of k8s.io/apiextensions-apiserver, out of the folder of Go's modules, as $kubernetes/upstream-conversion. An
# overlay shows Go their files beside ours, which have a proxy in place of their handlers.
compile_conversion_tests() {
  package="$module/upstream-conversion"
  source="$("$go" list -m -f '{{.Dir}}' k8s.io/apiextensions-apiserver)" || return
  theirs="$source/test/integration/conversion"
  sed -E 's/(NewReviewWebhookHandler|NewObjectConverterWebhookHandler)\(/upstream\1(/' "$theirs/webhook.go" \
    >"$kubernetes/webhook.go" || return
  # TestWebhookNotCalledForUnusedVersions writes its marker right after it has changed the version that is stored, and on a busy
  # machine the marker still comes to lie in the one that is never to be seen again. The other tests wait until the change is in force.
  sed -E 's/^(\tctc\.set)(StorageVersion\(t, "v1beta1"\))$/\1AndWait\2/' \
    "$theirs/conversion_test.go" >"$kubernetes/conversion_test.go" || return
  if cmp -s "$theirs/conversion_test.go" "$kubernetes/conversion_test.go"; then
    echo "error: upstream's test of unused versions is another one now: see whether it waits by itself (scripts/dev/kubernetes.sh)"
    return 1
  fi
  printf '{"Replace": {"%s": "%s", "%s": "%s"}}\n' "$package/webhook.go" "$kubernetes/webhook.go" \
    "$package/conversion_test.go" "$kubernetes/conversion_test.go" >"$kubernetes/overlay.json"
  # To vet them Go would read all that they are made of once more.
  CGO_ENABLED=0 nice "$go" test -c -v -vet=off -tags upstream -overlay "$kubernetes/overlay.json" -trimpath -buildvcs=false \
    -ldflags "-s -w" -o "$kubernetes/upstream-conversion" ./upstream-conversion || return
  # They look for a certificate beside their source, whose place is cut out of the program by -trimpath. What they have for that,
  # in Bazel, is a folder that their names are below: $TEST_SRCDIR/$TEST_WORKSPACE.
  mkdir -p "$kubernetes/sources/k8s.io"
  ln -sfn "$source" "$kubernetes/sources/$("$go" list -m -f '{{.Path}}@{{.Version}}' k8s.io/apiextensions-apiserver)"
}
