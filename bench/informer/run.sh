#!/bin/sh
# 10,000 ConfigMaps, some 1.5 KB each, synced by our informer and by client-go's, which rival/ builds, in turn: the time until
# a handler was told of all of them, and the process's memory two seconds later. A server of the bench's own hands both the
# same bytes, in pages of 500, and both keep all but managedFields. Beside them our informer of their metadata alone.
# `run.sh COUNT` takes another number.
set -eu
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
count="${1:-10000}"

FAIRWAY_ROOT="$bench_root"
. "$bench_root/scripts/dev/go.sh"
find_go "$bench_root/bench/informer/rival"
rival="$build/bench_informer_rival"
(cd "$bench_root/bench/informer/rival" && "$go" build -trimpath -o "$rival" .)

"$build/bench_informer" serve "$count" >"$work/url" &
started="$!"
tries=0
until [ -s "$work/url" ]; do
  tries=$((tries + 1))
  [ "$tries" -le 200 ] || die "the server did not start"
  sleep 0.05
done
url="$(cat "$work/url")"

# A list and a watch for both, as API servers of every age have them.
export KUBE_FEATURE_WatchListClient=false
turn=0
while [ "$turn" -lt "${FAIRWAY_BENCH_TURNS:-7}" ]; do
  "$rival" "$url" "$count" >>"$work/rival"
  "$build/bench_informer" sync "$url" "$count" >>"$work/ours"
  "$build/bench_informer" sync "$url" "$count" metadata >>"$work/metadata"
  turn=$((turn + 1))
done

# report NAME FILE
report() {
  echo "$1: $(median "$2" 1) ms until all were known, $(median "$2" 2) KiB then, $(median "$2" 3) KiB at most"
}
report "client-go" "$work/rival"
report "fairway  " "$work/ours"
report "metadata " "$work/metadata"
echo "informer-peak ratio $(quotient "$(median "$work/rival" 3)" "$(median "$work/ours" 3)")"
echo "informer-time ratio $(quotient "$(median "$work/rival" 1)" "$(median "$work/ours" 1)")"
echo "informer-rss ratio $(quotient "$(median "$work/rival" 2)" "$(median "$work/ours" 2)")"
echo "informer-metadata-rss ratio $(quotient "$(median "$work/ours" 2)" "$(median "$work/metadata" 2)")"
