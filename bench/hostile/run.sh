#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Hostile clients (bench/hostile/main.cc) while well-behaved ones poll, by HTTP and by TLS: the share of their polls that is answered,
# and the server's memory, beside nginx with its defaults and the same bytes. FAIRWAY_BENCH_SECONDS is the length of each attack.
# `run.sh apiserver` does the same to the API server (apiserver.sh), `run.sh http2` by means that only HTTP/2 has (http2.sh).
set -eu
if [ "${1:-}" = apiserver ]; then
  shift
  exec "$(dirname "$0")/apiserver.sh" "$@"
fi
if [ "${1:-}" = http2 ]; then
  shift
  exec "$(dirname "$0")/http2.sh" "$@"
fi
. "$(dirname "$0")/../support/common.sh"
seconds="${FAIRWAY_BENCH_SECONDS:-30}"
driver="${FAIRWAY_BUILD:-$bench_root/build}/bench_hostile"

choose_data
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -keyout "$work/key.pem" \
  -out "$work/cert.pem" 2>"$work/openssl.log" || { cat "$work/openssl.log" >&2; die "no certificate could be made"; }
start_fairway fairway
fairway_pid="$pid" plain="$base"
start_fairway fairway-tls --tls-cert "$work/cert.pem" --tls-key "$work/key.pem"
tls_pid="$pid"
tls_port="$(sed -n 's|.*serving address=[0-9.]*:\([0-9]*\).*|\1|p' "$work/fairway-tls.log" | head -n 1)"

mkdir -p "$work/served/api/upgrades_info"
curl -fsS -H 'Accept:' -o "$work/served/api/upgrades_info/graph" "$plain$graph_path"
start_nginx auto <<CONF
  server {
    listen 127.0.0.1:@PORT@;
    listen 127.0.0.1:@NEXT_PORT@ ssl;
    ssl_certificate $work/cert.pem;
    ssl_certificate_key $work/key.pem;
  }
CONF

# attacked NAME PORT TLS_PORT: writes "polls answered p50 p99 most" to NAME.polls, and of TLS to NAME-tls.polls.
attacked() {
  "$driver" attack "$2" "$3" "$graph_path" "$seconds" >"$work/$1.attack" &
  attacker=$!
  started="$started $attacker"
  sleep 1
  "$driver" poll "https://127.0.0.1:$3$graph_path" "$((seconds - 1))" >"$work/$1-tls.polls" &
  tls_poller=$!
  started="$started $tls_poller"
  "$driver" poll "http://127.0.0.1:$2$graph_path" "$((seconds - 1))" >"$work/$1.polls"
  wait "$tls_poller" || die "polling $1 by TLS failed"
  wait "$attacker" || die "the attack on $1 failed"
  echo "$1: $(cat "$work/$1.attack")"
}
attacked fairway "${plain##*:}" "$tls_port"
attacked nginx "$port" "$((port + 1))"

row() {
  awk -v name="$1" -v mib="$2" '{
    printf "%-12s %5d polls, %6.2f %% answered, ", name, $1, ($1 ? 100 * $2 / $1 : 0)
    printf "p50 %7.2f ms, p99 %8.2f ms, most %8.2f ms; memory at most %s MiB\n", $3, $4, $5, mib
  }' "$work/$1.polls"
}
nginx_memory="$(for one in $nginx_pid $workers; do memory "$one" VmHWM; done | awk '{ sum += $1 } END { printf "%.1f\n", sum }')"
row nginx "$nginx_memory"
row nginx-tls "$nginx_memory"
row fairway "$(memory "$fairway_pid" VmHWM)"
row fairway-tls "$(memory "$tls_pid" VmHWM)"
share() { awk '{ polls += $1; answered += $2 } END { print (polls ? answered / polls : 0) }' "$work/$1.polls" "$work/$1-tls.polls"; }
echo "hostile-answered ratio $(awk -v a="$(share fairway)" -v b="$(share nginx)" 'BEGIN { printf "%.3f\n", (b > 0 ? a / b : a * 1000) }')"
