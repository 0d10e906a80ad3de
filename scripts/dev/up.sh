# Shows the service at work on examples/.

dev_up() {
  need up
  dev_build >/dev/null
  FAIRWAY_BINARY="$FAIRWAY_ROOT/build/fairway" "$FAIRWAY_ROOT/examples/up.sh" "$@"
}
