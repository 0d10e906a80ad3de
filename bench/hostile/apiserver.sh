#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Hostile users of the embedded API server (apiserver.py), and of kube-apiserver with etcd under the same load: an administrator's polls,
# a controller's Lease, and the memory of the servers. `apiserver.sh embedded` measures the embedded one alone.
set -eu
. "$(dirname "$0")/both_servers.sh"

report() {
  python3 - "$@" <<'REPORT'
import json, sys
figures = json.load(open(sys.argv[2]))
print("%-9s %d of %d polls answered, p50 %s ms, p99 %s ms, most %s ms; "
      "%d renewals of the Lease (%d refused), at most %.1f s apart%s; "
      "memory %d MiB before, at most %d MiB" % (
          sys.argv[1] + ":", figures["answered"], figures["polls"], figures["p50_ms"], figures["p99_ms"], figures["most_ms"],
          figures["renewals"], figures["refused_renewals"], figures["longest_gap_s"], ": LOST" if figures["lease_lost"] else "",
          figures["before_mib"], figures["most_mib"]))
REPORT
}
attack apiserver.py
print_ratios hostile-apiserver
