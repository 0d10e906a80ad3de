# SPDX-License-Identifier: Apache-2.0

# Shows all of it at work on examples/. From nothing it takes minutes, so what the story needs later comes while something else is done:
# the story's packages and Envoy while the program is compiled, the gateway while the story is told.

# quiet_root: whether root's rights are to be had without a password.
quiet_root() { [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }

# arrived PID LOG: waits for a process in the background, and shows its output where it failed.
arrived() {
  if ! wait "$1"; then
    cat "$2" >&2
    exit 1
  fi
}

# up_service [FLAG...]: the update service alone.
up_service() {
  need build up
  build_trial
  echo "built in $compile_seconds s" >&2
  FAIRWAY_BINARY="$FAIRWAY_ROOT/build/fairway" "$FAIRWAY_ROOT/examples/up.sh" "$@"
}

dev_up() {
  # Paths of --keep and --kubeconfig are the caller's.
  left=$#
  while [ "$left" -gt 0 ]; do
    case "$left $1" in
      1\ * | *" --image") ;;
      *" --keep" | *" --kubeconfig")
        set -- "$@" "$1" "$(of_caller "$2")"
        shift 2
        left=$((left - 2))
        continue
        ;;
    esac
    set -- "$@" "$1"
    shift
    left=$((left - 1))
  done
  case " $* " in
    # Out of an image: nothing is built.
    *" --image "*)
      "$FAIRWAY_ROOT/examples/cluster/up.sh" "$@"
      return
      ;;
    " --service "*)
      shift
      up_service "$@"
      return
      ;;
  esac
  need build
  quiet_root || need up
  up_work="$(mktemp -d)" background=
  # Packages that are being installed are not interrupted.
  trap 'for pid in $background; do kill "$pid" 2>/dev/null || true; done; rm -rf "$up_work"; say_duration >&2' EXIT
  (need up) </dev/null >"$up_work/packages" 2>&1 &
  packages_pid=$! envoy_pid=
  # Without the right to add an address to lo there is no Gateway, and no need of Envoy.
  if [ "$(id -u)" -eq 0 ]; then
    (find_envoy) </dev/null >"$up_work/envoy" 2>&1 &
    envoy_pid=$! background=$!
  fi
  build_trial
  echo "built in $compile_seconds s" >&2
  arrived "$packages_pid" "$up_work/packages"
  envoy=
  if [ -n "$envoy_pid" ]; then
    wait "$envoy_pid" || true
    kept_envoy
  fi
  # One process, so that the story can end it.
  compiling="exec nice -n 5 flock -F '$FAIRWAY_ROOT/build/.lock' ninja -C '$FAIRWAY_ROOT/build' -j $(jobs) --quiet fairway-gateway"
  FAIRWAY_BINARY="$FAIRWAY_ROOT/build/fairway" \
    "$FAIRWAY_ROOT/examples/cluster/up.sh" ${envoy:+--envoy "$envoy" --compile-gateway "$compiling"} "$@"
}
