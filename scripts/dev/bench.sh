# SPDX-License-Identifier: Apache-2.0

# bench/NAME/run.sh (executable) is a benchmark: it prints the rival's figure, ours, and last a line `<name> ratio <number>` where
# more than 1 means that we are ahead. It finds the programs under $FAIRWAY_BUILD (fairway, bench_NAME).

dev_bench() {
  if [ $# -eq 0 ] || [ "$1" = --help ] || [ "$1" = -h ]; then
    echo "benchmarks (./dev bench NAME):"
    for script in "$FAIRWAY_ROOT"/bench/*/run.sh; do
      if [ -f "$script" ]; then echo "  $(basename "$(dirname "$script")")"; fi
    done
    return
  fi
  name="$1"
  shift
  if [ ! -f "$FAIRWAY_ROOT/bench/$name/run.sh" ]; then
    echo "error: there is no benchmark bench/$name; ./dev bench lists them" >&2
    exit 2
  fi
  need build bench
  configure_release
  driver=
  if ls "$FAIRWAY_ROOT/bench/$name" | grep -q '\.cc$'; then driver="bench_$name"; fi
  [ "$name" != compare ] || driver="bench_apiserver bench_cel bench_informer bench_promql bench_storage"
  # It installs the libraries, and builds on them.
  [ "$name" != sdk ] || driver=installed
  compile build fairway $driver
  FAIRWAY_BUILD="$FAIRWAY_ROOT/build" "$FAIRWAY_ROOT/bench/$name/run.sh" "$@"
}

dev_soak() { dev_bench soak "$@"; }
