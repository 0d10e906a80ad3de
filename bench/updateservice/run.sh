#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Serving one channel's graph, beside nginx with the same bytes as files. FAIRWAY_BENCH_SECONDS is the length of one turn.
set -eu
. "$(dirname "$0")/../support/common.sh"
seconds="${FAIRWAY_BENCH_SECONDS:-4}"
turns="${FAIRWAY_BENCH_TURNS:-5}"

choose_data
start_fairway fairway
fairway_pid="$pid"

# The files that nginx serves are what we answer, byte for byte; at the same path, so that the requests are the same too.
mkdir -p "$work/served/api/upgrades_info"
file="$work/served/api/upgrades_info/graph"
curl -fsS -H 'Accept:' -o "$file" "$base$graph_path"
curl -fsS -H 'Accept:' -H 'Accept-Encoding: gzip' -o "$file.gz" "$base$graph_path"
gzip -dc "$file.gz" | cmp - "$file"
# Without Accept, as wrk asks: the ETag is that of the media type.
etag_of() { curl -fsS -H 'Accept:' -o "$work/body" -D - "$1" | tr -d '\r' | sed -n 's/^[Ee][Tt][Aa][Gg]: //p'; }

# With the caches that the comparison grants it.
start_nginx 2 <<'CONF'
  open_file_cache max=100 inactive=10m;
  open_file_cache_valid 10m;
  gzip_static on;
  etag on;
  server { listen 127.0.0.1:@PORT@; }
  server { listen 127.0.0.1:@NEXT_PORT@; sendfile off; output_buffers 2 256k; }
CONF
nginx_url="http://127.0.0.1:$port$graph_path"
tuned_url="http://127.0.0.1:$((port + 1))$graph_path"
curl -fsS "$nginx_url" | cmp - "$file"

our_etag="$(etag_of "$base$graph_path")"
nginx_etag="$(etag_of "$nginx_url")"
echo "body: $channel $arch, $(wc -c <"$file") bytes, gzip $(wc -c <"$file.gz") bytes; wrk -t1 -c32, $turns turns of $seconds s, medians"

turn=0
while [ "$turn" -lt "$turns" ]; do
  turn=$((turn + 1))
  load "$work/nginx.plain" "$seconds" "$nginx_url" "$workers"
  load "$work/tuned.plain" "$seconds" "$tuned_url" "$workers"
  load "$work/fairway.plain" "$seconds" "$base$graph_path" "$fairway_pid"
  load "$work/nginx.gzip" "$seconds" "$nginx_url" "$workers" -H 'Accept-Encoding: gzip'
  load "$work/fairway.gzip" "$seconds" "$base$graph_path" "$fairway_pid" -H 'Accept-Encoding: gzip'
  load "$work/nginx.304" "$seconds" "$nginx_url" "$workers" -H "If-None-Match: $nginx_etag"
  load "$work/fairway.304" "$seconds" "$base$graph_path" "$fairway_pid" -H "If-None-Match: $our_etag"
done

row() {
  printf '%-6s %-14s %8.0f requests/s %8.1f us CPU/request   p50 %6.2f ms   p99 %6.2f ms   wrk at %3.0f %%\n' "$1" "$2" \
    "$(median "$3" 1)" "$(median "$3" 2)" "$(median "$3" 3)" "$(median "$3" 4)" "$(median "$3" 6)"
}
row plain nginx "$work/nginx.plain"
row plain 'nginx, tuned' "$work/tuned.plain"
row plain fairway "$work/fairway.plain"
row gzip nginx "$work/nginx.gzip"
row gzip fairway "$work/fairway.gzip"
row 304 nginx "$work/nginx.304"
row 304 fairway "$work/fairway.304"
failed="$(cat "$work"/fairway.plain "$work"/fairway.gzip "$work"/fairway.304 | awk '{ sum += $5 } END { print sum + 0 }')"
[ "$failed" -eq 0 ] || die "$failed requests failed"

# ratios NAME RIVAL OURS: by requests a second (ours / rival's) and by CPU a request (rival's / ours). Where wrk's one thread is
# busy all the time, the first compares how fast wrk reads either answer, and only the second the servers.
ratios() {
  echo "$1 ratio $(quotient "$(median "$3" 1)" "$(median "$2" 1)")"
  echo "$1-cpu ratio $(quotient "$(median "$2" 2)" "$(median "$3" 2)")"
}
ratios updateservice-gzip "$work/nginx.gzip" "$work/fairway.gzip"
ratios updateservice-304 "$work/nginx.304" "$work/fairway.304"
ratios updateservice-plain-tuned "$work/tuned.plain" "$work/fairway.plain"
ratios updateservice-plain "$work/nginx.plain" "$work/fairway.plain"
