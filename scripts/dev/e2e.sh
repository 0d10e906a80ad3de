# SPDX-License-Identifier: Apache-2.0

# conformance_e2e [--server embedded|real|both] [--all | --find] [NAME...]: Kubernetes's end-to-end specs of the API, of authorization
# and of kubectl, on an API server with kube-controller-manager and without nodes. Those of tests/conformance/e2e/passing.txt, one in
# eight of them, or all; --find writes that list anew, with what passes on kube-apiserver. NAME is a regular expression.
conformance_e2e() {
  servers=embedded
  extent="--part 8"
  while [ $# -gt 0 ]; do
    case "$1" in
      --server)
        read_servers "${2:-}"
        shift
        ;;
      --all) extent= ;;
      --find)
        servers=real
        extent="--find --jobs 16"
        ;;
      *) break ;;
    esac
    shift
  done
  need build test conformance
  e2e="$FAIRWAY_ROOT/tests/conformance/e2e"
  python3 -B -m unittest discover -q -s "$e2e" -p '*_test.py' || exit 1
  find_go "$e2e"
  real="$FAIRWAY_ROOT/.cache/envtest/real"
  build_real_assets
  if [ -z "$unreachable" ] && ! build_specs; then
    if (cd "$e2e" && "$go" mod download >/dev/null 2>&1); then
      echo "error: Go could not build the specs (tests/conformance/e2e)" >&2
      exit 1
    fi
    unreachable=yes
  fi
  if [ -n "$unreachable" ]; then
    skip_without_modules
    return
  fi
  configure_release
  compile build fairway
  status=0
  e2e_log="$(mktemp)"
  for server in $servers; do
    known="$e2e/known-failures.txt"
    fairway="--fairway $FAIRWAY_ROOT/build/fairway"
    if [ "$server" = real ]; then
      known=/dev/null
      fairway=
    fi
    echo "on the $server API server:"
    # shellcheck disable=SC2086  # words
    nice python3 "$e2e/run.py" "$FAIRWAY_ROOT/.cache/e2e/specs" "$real" "$e2e/passing.txt" "$known" $fairway $extent \
      --log "$FAIRWAY_ROOT/.cache/e2e/log-$server" "$@" >"$e2e_log" || status=$?
    show_counted "$e2e_log"
  done
  rm -f "$e2e_log"
  return "$status"
}

# build_specs: the specs as .cache/e2e/specs, and kube-controller-manager beside the real API server.
build_specs() {
  build_controller_manager || return
  ln -sfn "$programs/kube-controller-manager" "$real/"
  mkdir -p "$FAIRWAY_ROOT/.cache/e2e"
  echo "building the specs (some minutes the first time)"
  (cd "$e2e" && CGO_ENABLED=0 nice "$go" test -c -vet=off -trimpath -buildvcs=false -ldflags "-s -w" \
    -o "$FAIRWAY_ROOT/.cache/e2e/specs" ./specs)
}
