# SPDX-License-Identifier: Apache-2.0

# Shows all of it at work on examples/.

dev_up() {
  need up
  build_program
  echo "built in $compile_seconds s" >&2
  export FAIRWAY_BINARY="$FAIRWAY_ROOT/build/fairway"
  if [ "${1:-}" = --service ]; then
    shift
    "$FAIRWAY_ROOT/examples/up.sh" "$@"
  else
    # Without the right to add an address to lo there is no Gateway, and no need of Envoy.
    envoy=
    if [ "$(id -u)" -eq 0 ] && command -v ip >/dev/null; then find_envoy; fi
    "$FAIRWAY_ROOT/examples/cluster/up.sh" ${envoy:+--envoy "$envoy"} "$@"
  fi
}
