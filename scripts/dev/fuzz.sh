# SPDX-License-Identifier: Apache-2.0

# Runs the libFuzzer targets (fuzz/*.cc), as many at a time as there are cores. They are built by clang with address and undefined
# sanitizers, in the folder of `./dev test --asan`.

# require_number FLAG WHAT VALUE: ends with an error unless the flag's value is a number.
require_number() {
  case "$3" in
    "" | *[!0-9]*)
      echo "error: ./dev fuzz $1 needs $2" >&2
      exit 2
      ;;
  esac
}

# dev_fuzz [--seed N] [SECONDS | --total SECONDS] [NAME...]: each target for SECONDS, or all of them in SECONDS. With a seed the same
# tree is given the same inputs in the same order.
dev_fuzz() {
  seconds=30 total= FAIRWAY_FUZZ_SEED=0  # 0: another one each time
  if [ "${1:-}" = --seed ]; then
    require_number --seed "a number" "${2:-}"
    FAIRWAY_FUZZ_SEED="$2"
    shift 2
  fi
  export FAIRWAY_FUZZ_SEED
  case "${1:-}" in
    --total)
      require_number --total "a number of seconds" "${2:-}"
      total="$2"
      shift 2
      ;;
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
  if [ -n "$total" ]; then
    # As many rounds as it takes, with a few seconds of each for reading the seeds.
    rounds=$((($# + $(jobs) - 1) / $(jobs)))
    seconds=$((total / rounds - 3))
    [ "$seconds" -ge 5 ] || seconds=5
    [ "$seconds" -le 120 ] || seconds=120
  fi
  need build test sanitize
  configure_sanitized
  compile build-sanitize $(printf 'fuzz_%s ' "$@")
  fuzzing_begun="$(date +%s)"
  echo "fuzz: $# targets, $seconds s each"
  export FAIRWAY_FUZZ_SECONDS="$seconds"
  status=0
  printf '%s\n' "$@" | xargs -n 1 -P "$(jobs)" sh "$FAIRWAY_ROOT/scripts/dev/fuzz-one.sh" || status=1
  echo "took $((compile_seconds + $(date +%s) - fuzzing_begun)) s, $compile_seconds s of them to build"
  if [ "$status" -ne 0 ]; then
    echo "error: fuzzing found a fault; the input is kept in build-fuzz/findings" >&2
    return 1
  fi
}
