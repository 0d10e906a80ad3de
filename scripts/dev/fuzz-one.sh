# SPDX-License-Identifier: Apache-2.0

# Runs the fuzz target $1 for $FAIRWAY_FUZZ_SECONDS, with the seed $FAIRWAY_FUZZ_SEED. A small input that takes much memory or
# time is a finding, too.
# New inputs go to build-fuzz/corpus, seeds come from fuzz/corpus.
set -eu
cd "$FAIRWAY_ROOT"
name="$1"
mkdir -p "build-fuzz/corpus/$name" build-fuzz/findings
log="build-fuzz/findings/$name.log"
seeds=
[ ! -d "fuzz/corpus/$name" ] || seeds="fuzz/corpus/$name"
if nice "build-sanitize/fuzz_$name" -max_total_time="$FAIRWAY_FUZZ_SECONDS" -timeout=60 -rss_limit_mb=2048 \
  -malloc_limit_mb=256 -print_final_stats=1 -seed="$FAIRWAY_FUZZ_SEED" \
  -artifact_prefix="build-fuzz/findings/$name-" "build-fuzz/corpus/$name" $seeds >"$log" 2>&1; then
  runs="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
  echo "fuzz $name: ${runs:-0} inputs, no fault"
else
  tail -n 60 "$log"
  echo "fuzz $name: FAULT (log: $log)"
  exit 1
fi
