# SPDX-License-Identifier: Apache-2.0

# tests/conformance/NAME holds the tests against somebody else's programs, which are built of their released sources first.

# conformance_cel: the test vectors of cel.dev/expr, out of the folder of Go's modules.
conformance_cel() {
  need build test conformance
  find_go "$FAIRWAY_ROOT/tests/conformance/cel"
  vectors="$(cd "$FAIRWAY_ROOT/tests/conformance/cel" && "$go" mod download -json cel.dev/expr | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
  if [ -z "$vectors" ]; then
    skip_without_modules
    return
  fi
  configure_release
  compile build conformance_cel_tests
  status=0
  cel_log="$(mktemp)"
  FAIRWAY_CEL_VECTORS="$vectors/tests/simple/testdata" "$FAIRWAY_ROOT/build/conformance_cel_tests" "$@" >"$cel_log" || status=$?
  show_counted "$cel_log"
  rm -f "$cel_log"
  return "$status"
}

# conformance_openapi: what the service and the operator say of themselves, before a validator of OpenAPI 3.1 from PyPI. That of the
# operator is the text in its source, which a test compares with what is served.
conformance_openapi() {
  need build test conformance
  judge="$FAIRWAY_ROOT/.cache/openapi"
  wanted="$FAIRWAY_ROOT/tests/conformance/openapi/requirements.txt"
  if ! cmp -s "$wanted" "$judge/installed"; then
    rm -rf "$judge"
    python3 -m venv "$judge"
    if ! "$judge/bin/pip" install -q -r "$wanted"; then
      echo "skipped: all of it: PyPI cannot be reached"
      echo "0 passed, 0 failed, 1 skipped"
      return
    fi
    cp "$wanted" "$judge/installed"
  fi
  configure_release
  compile build fairway
  status=0
  (
    cd "$FAIRWAY_ROOT"
    PATH="$FAIRWAY_ROOT/build:$PATH" TMP="$(mktemp -d)" SERVE_FLAGS=
    EXAMPLES="--graph-data examples/graph-data --releases examples/releases.json"
    . tests/cli/serve.sh
    curl -fsS -o "$TMP/openapi.json" "$api/openapi"
    python3 -c 'import re, sys; print("".join(re.findall(r"R\"json\((.*?)\)json\"", open(sys.argv[1]).read(), re.S)))' \
      src/operators/internal/status_openapi_text.h >"$TMP/status-openapi.json"
    "$judge/bin/openapi-spec-validator" "$TMP/openapi.json" "$TMP/status-openapi.json"
  ) || status=1
  say_duration
  echo "$((1 - status)) passed, $status failed, 0 skipped"
  return "$status"
}

# conformance_krew: krew installs what ./dev package made for it in dist/, and kubectl runs it.
conformance_krew() {
  need build test conformance
  build_kubernetes
  module="$FAIRWAY_ROOT/tests/conformance/krew"
  find_go "$module"
  if [ -n "$unreachable" ] || ! (cd "$module" && "$go" mod download) >/dev/null 2>&1; then
    skip_without_modules
    return
  fi
  mkdir -p "$FAIRWAY_ROOT/.cache/krew"
  (cd "$module" && CGO_ENABLED=0 nice "$go" build -mod=readonly -trimpath -buildvcs=false -o "$FAIRWAY_ROOT/.cache/krew/" \
    sigs.k8s.io/krew/cmd/krew sigs.k8s.io/krew/cmd/validate-krew-manifest) || exit 1
  python3 "$FAIRWAY_ROOT/scripts/package/check_krew.py" "$FAIRWAY_ROOT/dist" --krew "$FAIRWAY_ROOT/.cache/krew/krew" \
    --kubectl "$FAIRWAY_ROOT/.cache/kubernetes/kubectl" --validate "$FAIRWAY_ROOT/.cache/krew/validate-krew-manifest"
}

# conformance_helm [--server embedded] [FLAG...]: the charts of deploy/charts beside the folders of deploy/, by Helm and kustomize as Go
# modules, and both on the embedded API server and a kube-apiserver. Further flags go to the tests (-test.run NAME).
conformance_helm() {
  servers=both
  if [ "${1:-} ${2:-}" = "--server embedded" ]; then
    shift 2
    servers=embedded
  fi
  need build test conformance
  kubernetes=-
  if [ "$servers" = both ]; then build_kubernetes; else unreachable=; fi
  module="$FAIRWAY_ROOT/tests/conformance/helm"
  find_go "$module"
  if [ -n "$unreachable" ] || ! (cd "$module" && "$go" mod download >/dev/null 2>&1); then
    skip_without_modules
    return
  fi
  mkdir -p "$FAIRWAY_ROOT/.cache/helm"
  echo "building Helm, kustomize and the tests of the charts (some minutes the first time)"
  (cd "$module" && CGO_ENABLED=0 nice "$go" test -c -vet=off -trimpath -o "$FAIRWAY_ROOT/.cache/helm/charts.test" .) || exit 1
  configure_release
  compile build fairway
  status=0
  helm_log="$(mktemp)"
  bash "$module/run.sh" "$FAIRWAY_ROOT/.cache/helm/charts.test" "$FAIRWAY_ROOT/build/fairway" "$kubernetes" "$@" >"$helm_log" || status=$?
  show_counted "$helm_log"
  rm -f "$helm_log"
  return "$status"
}

# conformance_http2: h2spec, as a Go module, against the API server by HTTP/2.
conformance_http2() {
  need build test
  module="$FAIRWAY_ROOT/tests/conformance/http2"
  find_go "$module"
  if ! (cd "$module" && "$go" mod download) >/dev/null 2>&1; then
    skip_without_modules
    return
  fi
  mkdir -p "$FAIRWAY_ROOT/.cache/http2"
  (cd "$module" && CGO_ENABLED=0 nice "$go" build -mod=readonly -trimpath -o "$FAIRWAY_ROOT/.cache/http2/h2spec" .) || exit 1
  configure_release
  compile build fairway
  bash "$module/run.sh" "$FAIRWAY_ROOT/.cache/http2/h2spec" "$FAIRWAY_ROOT/build/fairway"
}

# build_real_assets: kube-apiserver, kubectl and the etcd that they are released with, in .cache/envtest/real.
build_real_assets() {
  build_kubernetes
  [ -z "$unreachable" ] || return 0
  mkdir -p "$FAIRWAY_ROOT/.cache/envtest/real"
  (cd "$FAIRWAY_ROOT/bench/apiserver/rival" &&
    CGO_ENABLED=0 nice "$go" build -trimpath -buildvcs=false -o "$FAIRWAY_ROOT/.cache/envtest/real/etcd" .) || exit 1
  ln -sfn "$kubernetes/kube-apiserver" "$kubernetes/kubectl" "$FAIRWAY_ROOT/.cache/envtest/real/"
}

# read_servers VALUE: that of --server, as $servers.
read_servers() {
  case "$1" in
    both) servers="real embedded" ;;
    real | embedded) servers="$1" ;;
    *) echo "error: --server takes embedded, real or both" >&2 && exit 2 ;;
  esac
}

# conformance_envtest [--server embedded|real|both] [--all] [PACKAGE...]: the tests of controller-runtime that start an API server,
# unmodified, on the programs of `fairway envtest` (or on the real ones). Without --all those that take less than a minute together.
conformance_envtest() {
  servers=embedded
  packages="builder client cluster controller controller/controllerutil envtest handler internal/recorder"
  packages="$packages internal/testing/controlplane manager/internal/integration metrics/filters source webhook"
  while [ $# -gt 0 ]; do
    case "$1" in
      --server)
        read_servers "${2:-}"
        shift
        ;;
      --all) packages= ;;
      *) break ;;
    esac
    shift
  done
  # shellcheck disable=SC2086  # words
  [ $# -gt 0 ] || set -- $packages
  need build test conformance
  envtest="$FAIRWAY_ROOT/tests/conformance/envtest"
  python3 -B -m unittest discover -q -s "$envtest" -p '*_test.py' || exit 1
  find_go "$envtest"
  runtime="$(cd "$envtest" && "$go" mod download -json sigs.k8s.io/controller-runtime | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
  # kubectl is looked for on the PATH.
  unreachable=
  if [ -n "$runtime" ]; then build_real_assets; fi
  if [ -z "$runtime" ] || [ -n "$unreachable" ]; then
    skip_without_modules
    return
  fi
  configure_release
  compile build fairway
  status=0
  envtest_log="$(mktemp)"
  for server in $servers; do
    assets="$FAIRWAY_ROOT/.cache/envtest/$server"
    known="$envtest/known-failures-real.txt"
    if [ "$server" = embedded ]; then
      known="$envtest/known-failures.txt"
      PATH="$kubernetes:$PATH" "$FAIRWAY_ROOT/build/fairway" envtest --dir "$assets" >/dev/null || exit 1
    fi
    echo "on the $server API server:"
    nice python3 "$envtest/run.py" "$runtime" "$assets" "$known" --go "$go" --cache "$FAIRWAY_ROOT/.cache/envtest/tests" \
      --log "$FAIRWAY_ROOT/.cache/envtest/log-$server" "$@" >"$envtest_log" || status=$?
    show_counted "$envtest_log"
  done
  rm -f "$envtest_log"
  return "$status"
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

# conformance_validation [--all] [FLAG...]: mutants of valid objects (tests/conformance/validation/objects), 2,000 or 50,000, beside the
# validation of k8s.io/kubernetes.
conformance_validation() {
  if [ "${1:-}" = --all ]; then
    shift
    export FAIRWAY_ALL=yes
  fi
  need build test conformance
  module="$FAIRWAY_ROOT/tests/conformance/validation"
  find_go "$module"
  FAIRWAY_JUDGES="$FAIRWAY_ROOT/.cache/validation"
  export FAIRWAY_JUDGES
  mkdir -p "$FAIRWAY_JUDGES"
  echo "building the validation of Kubernetes (some minutes the first time)"
  if ! (cd "$module" && CGO_ENABLED=0 nice "$go" build -mod=readonly -trimpath -buildvcs=false -o "$FAIRWAY_JUDGES/validation" \
    ./judge); then
    if (cd "$module" && "$go" mod download >/dev/null 2>&1); then
      echo "error: Go could not build the program of tests/conformance/validation" >&2
      exit 1
    fi
    skip_without_modules
    return
  fi
  configure_release
  compile build conformance_validation_tests
  all_passed=0 all_failed=0 all_skipped=0
  run_conformance validation "$@"
  say_duration
  echo "$all_passed passed, $all_failed failed, $all_skipped skipped"
  [ "$all_failed" -eq 0 ]
}

# compare_kinds: the tables of built-in kinds with what Kubernetes's Go modules declare now.
compare_kinds() {
  release="$(sed -nE 's/^[[:space:]]*k8s.io\/api (v[0-9.]+)$/\1/p' "$module/go.mod" | head -n 1)"
  python3 "$FAIRWAY_ROOT/scripts/kinds/compare.py" "$("$go" env GOMODCACHE)" "$release" || return
  made="$(mktemp -d)"
  "$FAIRWAY_ROOT/scripts/kinds/generate" "$made" && diff -r "$FAIRWAY_ROOT/src/apiserver/internal/kinds/data" "$made" &&
    echo "the tables of built-in kinds are those that scripts/kinds/generate writes"
  same=$?
  rm -rf "$made"
  return "$same"
}

# build_controller_manager: kube-controller-manager and kubectl in .cache/kube-controller-manager, as $programs.
build_controller_manager() {
  folder="$FAIRWAY_ROOT/tests/conformance/kube-controller-manager"
  programs="$FAIRWAY_ROOT/.cache/kube-controller-manager"
  mkdir -p "$programs"
  release="$(sed -nE 's/^(require )?[[:space:]]*k8s.io\/kubernetes v//p' "$folder/go.mod" | head -n 1)"
  minor="${release#*.}"
  names=k8s.io/component-base/version
  echo "building kube-controller-manager $release (some minutes the first time)"
  (cd "$folder" && CGO_ENABLED=0 nice "$go" build -trimpath -buildvcs=false -o "$programs/" \
    -ldflags "-s -w -X $names.gitVersion=v$release -X $names.gitMajor=${release%%.*} -X $names.gitMinor=${minor%%.*}" ./...)
}

# run_controller_manager: what kube-controller-manager does on our server.
run_controller_manager() {
  build_controller_manager || return
  compile build fairway || return
  python3 "$folder/run.py" "$FAIRWAY_ROOT/build/fairway" "$programs"
}

# build_rust_client: the program of tests/conformance/apiserver/clients-rust as $rust_client, with the machine's cargo if it is new
# enough, and otherwise Debian's cargo-web. Empty where it cannot be had.
build_rust_client() {
  rust_client=
  crate="$FAIRWAY_ROOT/tests/conformance/apiserver/clients-rust"
  wanted="$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$crate/Cargo.toml")"
  have="$(cargo --version 2>/dev/null | cut -d ' ' -f 2)"
  if [ "$(printf '%s\n%s\n' "$wanted" "$have" | sort -V | head -n 1)" != "$wanted" ]; then
    (need rust) || return 0
  fi
  if nice cargo build --locked --quiet --manifest-path "$crate/Cargo.toml" --target-dir "$judges/rust"; then
    rust_client="$judges/rust/debug/clients-rust"
  elif cargo fetch --locked --quiet --manifest-path "$crate/Cargo.toml"; then
    echo "error: cargo could not build tests/conformance/apiserver/clients-rust" >&2
    exit 1
  fi
}

# find_python_client: a Python that has the package kubernetes as $python. Empty where it cannot be had.
find_python_client() {
  python="$judges/python/bin/python"
  wanted="$FAIRWAY_ROOT/tests/conformance/apiserver/clients-python/requirements.txt"
  if cmp -s "$wanted" "$judges/python/installed"; then return; fi
  rm -rf "$judges/python"
  python3 -m venv "$judges/python"
  if "$judges/python/bin/pip" install -q -r "$wanted"; then
    cp "$wanted" "$judges/python/installed"
  else
    python=
  fi
}

# prepare_judges [--all]: what the tests of the embedded API server are held against, and where they find it.
prepare_judges() {
  find_python_client
  build_rust_client
  FAIRWAY_API_TESTDATA="$(cd "$module" && "$go" list -m -f '{{.Dir}}' k8s.io/api)/testdata"
  FAIRWAY_GATEWAY_API="$(cd "$module/gateway-api" && "$go" mod download -json sigs.k8s.io/gateway-api |
    sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
  export FAIRWAY_API_TESTDATA FAIRWAY_GATEWAY_API FAIRWAY_JUDGES="$judges" FAIRWAY_GO="$go" FAIRWAY_PYTHON="$python" \
    FAIRWAY_CLIENTS_RUST="$rust_client"
}

# run_conformance PART [ARGUMENT...]: runs conformance_PART_tests, and adds what they come to to $all_passed, $all_failed and
# $all_skipped.
run_conformance() {
  part="$1"
  shift
  results="$FAIRWAY_ROOT/build/results-conformance"
  rm -rf "$results"
  mkdir -p "$results"
  status=0
  export FAIRWAY_KUBERNETES="${kubernetes:-}"
  GTEST_OUTPUT="xml:$results/" "$FAIRWAY_ROOT/build/conformance_${part}_tests" "$@" ||
    status=$?
  summarise "$results" "conformance_$part" -- "$@"
  if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ] && [ "$unsteady" -eq 0 ]; then
    failed=1
    echo "failed: conformance_${part}_tests ended with status $status, and no test of it failed"
  fi
  all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed)) all_skipped=$((all_skipped + skipped))
}

dev_conformance() {
  part="${1:-}"
  case "$part" in
    cel)
      shift
      conformance_cel "$@"
      return
      ;;
    openapi)
      conformance_openapi
      return
      ;;
    console)
      conformance_console
      return
      ;;
    gateway)
      shift
      conformance_gateway "$@"
      return
      ;;
    krew)
      conformance_krew
      return
      ;;
    helm)
      shift
      conformance_helm "$@"
      return
      ;;
    clients)
      shift
      conformance_clients "$@"
      return
      ;;
    testserver)
      conformance_testserver
      return
      ;;
    http2)
      conformance_http2
      return
      ;;
    definitions)
      shift
      conformance_definitions "$@"
      return
      ;;
    envtest)
      shift
      conformance_envtest "$@"
      return
      ;;
    e2e)
      shift
      conformance_e2e "$@"
      return
      ;;
    operators)
      shift
      conformance_operators "$@"
      return
      ;;
    validation)
      shift
      conformance_validation "$@"
      return
      ;;
    kube | apiserver) shift ;;
    *)
      echo "error: ./dev conformance takes kube, apiserver, envtest, operators, e2e, clients, testserver, definitions, validation," \
        "gateway, helm, http2, krew, cel, console or openapi, then flags of its tests" >&2
      exit 2
      ;;
  esac
  begun_at="$(date +%s)"
  servers="real embedded"
  while [ $# -gt 0 ]; do
    case "$part $1" in
      "kube --server")
        read_servers "${2:-}"
        shift
        ;;
      "apiserver --all" | "kube --all") export FAIRWAY_ALL=yes ;;
      *) break ;;
    esac
    shift
  done
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
  all_passed=0 all_failed=0 all_skipped=0
  case "$part" in
    kube)
      tests_begun="$(date +%s)"
      for server in $servers; do
        export FAIRWAY_SERVER="$server"
        run_conformance kube "$@"
        echo "the $server API server: $passed passed, $failed failed, $skipped skipped"
      done
      ;;
    apiserver)
      prepare_judges
      tests_begun="$(date +%s)"
      compare_kinds || {
        all_failed=1
        echo "failed: tables of kinds: they are not those of Kubernetes"
      }
      run_conformance apiserver "$@"
      # A filter is for the test program alone.
      [ $# -gt 0 ] || run_controller_manager || {
        all_failed=$((all_failed + 1))
        echo "failed: kube-controller-manager: not all is as on a real API server"
      }
      ;;
  esac
  echo "took $(($(date +%s) - begun_at)) s, $((tests_begun - begun_at)) s of them to build"
  echo "$all_passed passed, $all_failed failed, $all_skipped skipped"
  [ "$all_failed" -eq 0 ]
}
