# SPDX-License-Identifier: Apache-2.0

# Shows all of it at work on examples/.

dev_up() {
  # Out of an image: nothing is built.
  case " $* " in
    *" --image "*)
      "$FAIRWAY_ROOT/examples/cluster/up.sh" "$@"
      return
      ;;
  esac
  service= coming=
  if [ "${1:-}" = --service ]; then
    service=yes
    shift
  fi
  need build up
  # Envoy comes while the compiler runs. Without the right to add an address to lo there is no Gateway, and no need of it.
  if [ -z "$service" ] && [ "$(id -u)" -eq 0 ] && command -v ip >/dev/null; then
    (find_envoy) >/dev/null 2>&1 &
    coming=$!
    trap '[ -z "$coming" ] || kill "$coming" 2>/dev/null || true; say_duration >&2' EXIT
  fi
  build_trial
  echo "built in $compile_seconds s" >&2
  export FAIRWAY_BINARY="$FAIRWAY_ROOT/build/fairway"
  if [ -n "$service" ]; then
    "$FAIRWAY_ROOT/examples/up.sh" "$@"
    return
  fi
  envoy=
  if [ -n "$coming" ]; then
    wait "$coming" || true
    coming=
    kept_envoy
  fi
  "$FAIRWAY_ROOT/examples/cluster/up.sh" ${envoy:+--envoy "$envoy"} "$@"
}
