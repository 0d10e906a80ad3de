#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Hostile clients of HTTP/2 (http2.py) before the embedded API server, and before kube-apiserver with etcd under the same load: an
# administrator's polls, and the memory of the servers. FAIRWAY_BENCH_SECONDS is the length of each attack; `http2.sh embedded` measures
# the embedded one alone.
set -eu
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
seconds="${FAIRWAY_BENCH_SECONDS:-30}"
servers="real embedded"
[ "${1:-}" != embedded ] || servers=embedded
. "$bench_root/bench/support/api_servers.sh"
ulimit -n 16384

[ "$servers" = embedded ] || make_certificates
for server in $servers; do
  folder="$work/data-$server"
  mkdir "$folder"
  port="$(free_port)"
  "start_$server" "$folder"
  started="$started $pids"
  killed="$killed $pids"
  tries=0
  until curl -fsk -o "$work/ready" "https://127.0.0.1:$port/readyz" 2>"$work/ready.log"; do
    tries=$((tries + 1))
    [ "$tries" -lt 600 ] || { tail -n 5 "$folder"/*.log >&2; die "the $server server does not start"; }
    sleep 0.1
  done
  take_identity "$server" "$folder"
  python3 "$bench_root/bench/hostile/http2.py" "$port" "$identity" "$seconds" $pids >"$work/$server"
  for pid in $pids; do kill -KILL "$pid" && wait "$pid" 2>/dev/null || true; done
  rm -rf "$folder"
  python3 - "$server" "$work/$server" <<'REPORT'
import json, sys
figures = json.load(open(sys.argv[2]))
print("%-9s %d of %d polls answered, p50 %s ms, p99 %s ms, most %s ms; memory %d MiB before, at most %d MiB; %d hostile connections" % (
    sys.argv[1] + ":", figures["answered"], figures["polls"], figures["p50_ms"], figures["p99_ms"], figures["most_ms"],
    figures["before_mib"], figures["most_mib"], sum(figures["connections"].values())))
REPORT
done
[ "$servers" != embedded ] || exit 0
ratio() {
  python3 -c 'import json, sys
a, b = (json.load(open(name))[sys.argv[3]] for name in sys.argv[1:3])
print("%.3f" % (a / max(b, 1e-9)))' "$@"
}
echo "hostile-http2-memory ratio $(ratio "$work/real" "$work/embedded" most_mib)"
echo "hostile-http2-p99 ratio $(ratio "$work/real" "$work/embedded" p99_ms)"
