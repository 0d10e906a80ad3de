#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Hostile clients of HTTP/2 (http2.py) before the embedded API server, and before kube-apiserver with etcd under the same load: an
# administrator's polls, and the memory of the servers. `http2.sh embedded` measures the embedded one alone.
set -eu
. "$(dirname "$0")/both_servers.sh"

report() {
  python3 - "$@" <<'REPORT'
import json, sys
figures = json.load(open(sys.argv[2]))
print("%-9s %d of %d polls answered, p50 %s ms, p99 %s ms, most %s ms; memory %d MiB before, at most %d MiB; %d hostile connections" % (
    sys.argv[1] + ":", figures["answered"], figures["polls"], figures["p50_ms"], figures["p99_ms"], figures["most_ms"],
    figures["before_mib"], figures["most_mib"], sum(figures["connections"].values())))
REPORT
}
attack http2.py
print_ratios hostile-http2
