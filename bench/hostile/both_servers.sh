# SPDX-License-Identifier: Apache-2.0

# What hostile users of API servers have in common, whatever they do. Sourced with the words of the command line: `embedded` leaves
# kube-apiserver with etcd out. FAIRWAY_BENCH_SECONDS is the length of each attack.
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
seconds="${FAIRWAY_BENCH_SECONDS:-30}"
servers="real embedded"
[ "${1:-}" != embedded ] || servers=embedded
. "$bench_root/bench/support/api_servers.sh"
ulimit -n 16384

# attack DRIVER: starts each server, runs this program of the folder before it, and calls `report SERVER FIGURES` with the JSON that the
# program has printed.
attack() {
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
    python3 "$bench_root/bench/hostile/$1" "$port" "$identity" "$seconds" $pids >"$work/$server"
    for pid in $pids; do kill -KILL "$pid" && wait "$pid" 2>/dev/null || true; done
    rm -rf "$folder"
    report "$server" "$work/$server"
  done
}

# print_ratios NAME: the ratios real / embedded of memory and of the slowest polls, if both were measured.
print_ratios() {
  [ "$servers" != embedded ] || return 0
  python3 - "$1" "$work/real" "$work/embedded" <<'RATIOS'
import json, sys
real, embedded = (json.load(open(name)) for name in sys.argv[2:])
for what, key in (("memory", "most_mib"), ("p99", "p99_ms")):
    print("%s-%s ratio %.3f" % (sys.argv[1], what, real[key] / max(embedded[key], 1e-9)))
RATIOS
}
