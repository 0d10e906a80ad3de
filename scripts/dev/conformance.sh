# tests/conformance/NAME holds the tests against somebody else's programs, which are built of their released sources first.

# build_kubernetes: kube-apiserver, kubectl, a candidate of client-go's leader election and upstream's conversion tests in
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
    cat "$module/go.mod" "$module/go.sum" "$module"/*/*.go "$FAIRWAY_ROOT/scripts/dev/conformance.sh"
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
        ./kube-apiserver ./kubectl ./client-go-candidate 2>&1 &&
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
    echo "error: upstream's test of unused versions is another one now: see whether it waits by itself (scripts/dev/conformance.sh)"
    return 1
  fi
  printf '{"Replace": {"%s": "%s", "%s": "%s"}}\n' "$package/webhook.go" "$kubernetes/webhook.go" \
    "$package/conversion_test.go" "$kubernetes/conversion_test.go" >"$kubernetes/overlay.json"
  CGO_ENABLED=0 nice "$go" test -c -v -tags upstream -overlay "$kubernetes/overlay.json" -trimpath -buildvcs=false -ldflags "-s -w" \
    -o "$kubernetes/upstream-conversion" ./upstream-conversion || return
  # They look for a certificate beside their source, whose place is cut out of the program by -trimpath. What they have for that,
  # in Bazel, is a folder that their names are below: $TEST_SRCDIR/$TEST_WORKSPACE.
  mkdir -p "$kubernetes/sources/k8s.io"
  ln -sfn "$source" "$kubernetes/sources/$("$go" list -m -f '{{.Path}}@{{.Version}}' k8s.io/apiextensions-apiserver)"
}

# conformance_cel: the test vectors of cel.dev/expr, out of the folder of Go's modules.
conformance_cel() {
  need build test conformance
  find_go "$FAIRWAY_ROOT/tests/conformance/cel"
  vectors="$(cd "$FAIRWAY_ROOT/tests/conformance/cel" && "$go" mod download -json cel.dev/expr | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
  if [ -z "$vectors" ]; then
    echo "skipped: all of it: the registry of Go's modules cannot be reached"
    echo "0 passed, 0 failed, 1 skipped"
    return
  fi
  configure_release
  compile build conformance_cel_tests
  FAIRWAY_CEL_VECTORS="$vectors/tests/simple/testdata" "$FAIRWAY_ROOT/build/conformance_cel_tests" "$@"
}

# build_judges: the Go programs of tests/conformance/apiserver in .cache/apiserver.
build_judges() {
  unreachable=
  module="$FAIRWAY_ROOT/tests/conformance/apiserver"
  find_go "$module"
  judges="$FAIRWAY_ROOT/.cache/apiserver"
  mkdir -p "$judges"
  for attempt in 1 2; do
    if (cd "$module" && CGO_ENABLED=0 nice "$go" build -trimpath -buildvcs=false -o "$judges/" ./...); then return; fi
  done
  if (cd "$module" && "$go" mod download >/dev/null 2>&1); then
    echo "error: Go could not build the programs of tests/conformance/apiserver" >&2
    exit 1
  fi
  unreachable=yes
}

# compare_kinds: the tables of built-in kinds with what Kubernetes's Go modules declare now.
compare_kinds() {
  release="$(sed -nE 's/^[[:space:]]*k8s.io\/api (v[0-9.]+)$/\1/p' "$module/go.mod" | head -n 1)"
  python3 "$FAIRWAY_ROOT/scripts/kinds/compare.py" "$("$go" env GOMODCACHE)" "$release" || return
  made="$(mktemp -d)"
  "$FAIRWAY_ROOT/scripts/kinds/generate" "$made" && diff -r "$FAIRWAY_ROOT/src/apiserver/kinds/data" "$made" &&
    echo "the tables of built-in kinds are those that scripts/kinds/generate writes"
  same=$?
  rm -rf "$made"
  return "$same"
}

dev_conformance() {
  part="${1:-}"
  case "$part" in
    cel)
      shift
      conformance_cel "$@"
      return
      ;;
    kube | apiserver) shift ;;
    *)
      echo "error: ./dev conformance takes kube, apiserver or cel, and then arguments for its test program (--gtest_filter=...)" >&2
      exit 2
      ;;
  esac
  begun_at="$(date +%s)"
  need build test conformance
  case "$part" in
    kube) build_kubernetes ;;
    apiserver) build_judges ;;
  esac
  if [ -n "$unreachable" ]; then
    echo "skipped: all of it: the registry of Go's modules cannot be reached, and so there is nothing to compare with"
    echo "0 passed, 0 failed, 1 skipped"
    return
  fi
  configure_release
  compile build "conformance_${part}_tests"
  tests_begun="$(date +%s)"
  results="$FAIRWAY_ROOT/build/results-conformance"
  rm -rf "$results"
  mkdir -p "$results"
  status=0
  if [ "$part" = apiserver ]; then
    if [ "${1:-}" = --all ]; then
      shift
      export FAIRWAY_ALL=yes
    fi
    compare_kinds || status=$?
    FAIRWAY_API_TESTDATA="$(cd "$module" && "$go" list -m -f '{{.Dir}}' k8s.io/api)/testdata"
    export FAIRWAY_API_TESTDATA FAIRWAY_JUDGES="$judges" FAIRWAY_GO="$go"
  fi
  GTEST_OUTPUT="xml:$results/" FAIRWAY_KUBERNETES="${kubernetes:-}" "$FAIRWAY_ROOT/build/conformance_${part}_tests" "$@" ||
    status=$?
  summarise "$results" "conformance_$part"
  if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
    failed=1
  fi
  echo "took $(($(date +%s) - begun_at)) s, $((tests_begun - begun_at)) s of them to build"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}
