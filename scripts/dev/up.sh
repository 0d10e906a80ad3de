# Shows the service at work on examples/.

dev_up() {
  need up
  build_program
  echo "built in $compile_seconds s" >&2
  FAIRWAY_BINARY="$FAIRWAY_ROOT/build/fairway" "$FAIRWAY_ROOT/examples/up.sh" "$@"
}
