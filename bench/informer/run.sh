#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# 20,000 ConfigMaps, some 1.5 KB each, synced by our informer and by client-go's, which rival/ builds, in turn: the time until
# a handler was told of all of them, and the process's memory two seconds later. A server of the bench's own hands both the
# same bytes, in pages of 500, and both keep all but managedFields. Beside them our informer of their metadata alone. Then
# 100,000 of them are listed in pages of 500 by both, and none is kept.
# `run.sh COUNT [LISTED]` takes other numbers; FAIRWAY_BENCH_TURNS is how often each is run (7; a third of it for the lists).
set -eu
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
count="${1:-20000}"
listed="${2:-100000}"
turns="${FAIRWAY_BENCH_TURNS:-7}"

. "$bench_root/bench/support/rival.sh"
build_rival informer

# serve COUNT: sets url.
serve() {
  : >"$work/url"
  "$build/bench_informer" serve "$1" >"$work/url" &
  server="$!"
  started="$started $server"
  tries=0
  until [ -s "$work/url" ]; do
    tries=$((tries + 1))
    [ "$tries" -le 600 ] || die "the server did not start"
    sleep 0.05
  done
  url="$(cat "$work/url")"
}

# A list and a watch for both, as API servers of every age have them.
export KUBE_FEATURE_WatchListClient=false
serve "$count"
turn=0
while [ "$turn" -lt "$turns" ]; do
  "$rival" sync "$url" "$count" >>"$work/rival"
  "$build/bench_informer" sync "$url" "$count" >>"$work/ours"
  "$build/bench_informer" sync "$url" "$count" metadata >>"$work/metadata"
  turn=$((turn + 1))
done
kill "$server"
serve "$listed"
turn=0
while [ "$turn" -lt "$(((turns + 2) / 3))" ]; do
  "$rival" list "$url" "$listed" >>"$work/rival-list"
  "$build/bench_informer" list "$url" "$listed" >>"$work/ours-list"
  turn=$((turn + 1))
done

# report NAME FILE
report() {
  echo "$1: $(median "$2" 1) ms until all were known, $(median "$2" 2) KiB then, $(median "$2" 3) KiB at most"
}
echo "an informer of $count objects"
report "client-go" "$work/rival"
report "fairway  " "$work/ours"
report "metadata " "$work/metadata"
echo "a list of $listed objects"
report "client-go" "$work/rival-list"
report "fairway  " "$work/ours-list"
echo "informer-peak ratio $(quotient "$(median "$work/rival" 3)" "$(median "$work/ours" 3)")"
echo "informer-time ratio $(quotient "$(median "$work/rival" 1)" "$(median "$work/ours" 1)")"
echo "informer-rss ratio $(quotient "$(median "$work/rival" 2)" "$(median "$work/ours" 2)")"
echo "informer-metadata-rss ratio $(quotient "$(median "$work/ours" 2)" "$(median "$work/metadata" 2)")"
echo "list-peak ratio $(quotient "$(median "$work/rival-list" 3)" "$(median "$work/ours-list" 3)")"
echo "list-time ratio $(quotient "$(median "$work/rival-list" 1)" "$(median "$work/ours-list" 1)")"
