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
  if [ "${1:-}" = --service ]; then
    need build up
    build_trial
    echo "built in $compile_seconds s" >&2
    export FAIRWAY_BINARY="$FAIRWAY_ROOT/build/fairway"
    shift
    "$FAIRWAY_ROOT/examples/up.sh" "$@"
  else
    # Without the right to add an address to lo there is no Gateway, and no need of Envoy.
    envoy=
    need build up
    wanted_envoy=:
    if [ "$(id -u)" -eq 0 ] && command -v ip >/dev/null; then wanted_envoy=find_envoy; fi
    # It comes while the compiler runs.
    ("$wanted_envoy") >/dev/null 2>&1 &
    coming=$!
    trap 'kill "$coming" 2>/dev/null || true; say_duration >&2' EXIT
    build_trial
    wait "$coming" || true
    [ "$wanted_envoy" = : ] || kept_envoy
    echo "built in $compile_seconds s" >&2
    export FAIRWAY_BINARY="$FAIRWAY_ROOT/build/fairway"
    "$FAIRWAY_ROOT/examples/cluster/up.sh" ${envoy:+--envoy "$envoy"} "$@"
  fi
}
