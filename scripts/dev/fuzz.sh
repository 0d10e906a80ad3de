# Runs the libFuzzer targets (fuzz/*.cc), built by clang with address and undefined sanitizers, as many at a time as there are cores.

dev_fuzz() {
  seconds=30
  case "${1:-}" in
    "" | *[!0-9]*) ;;
    *) seconds="$1" && shift ;;
  esac
  if [ $# -eq 0 ]; then
    for source in "$FAIRWAY_ROOT"/fuzz/*.cc; do
      if [ -f "$source" ]; then set -- "$@" "$(basename "$source" .cc)"; fi
    done
  fi
  if [ $# -eq 0 ]; then
    echo "fuzz: there are no targets"
    return
  fi
  need build lint
  configure build-fuzz -DCMAKE_BUILD_TYPE=Sanitize -DCMAKE_CXX_COMPILER=clang++-19 -DFAIRWAY_TESTS=OFF \
    -DFAIRWAY_FUZZ=ON -DFAIRWAY_SANITIZE=address,undefined
  compile build-fuzz $(printf 'fuzz_%s ' "$@")
  export FAIRWAY_FUZZ_SECONDS="$seconds"
  status=0
  printf '%s\n' "$@" | xargs -n 1 -P "$(jobs)" sh "$FAIRWAY_ROOT/scripts/dev/fuzz-one.sh" || status=1
  if [ "$status" -ne 0 ]; then
    echo "error: fuzzing found a fault; the input is kept in build-fuzz/findings" >&2
    return 1
  fi
}
