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
    "$FAIRWAY_ROOT/examples/cluster/up.sh" "$@"
  fi
}
