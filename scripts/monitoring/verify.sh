#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Checks deploy/monitoring as a whole: the dashboards are what their Python says, promtool takes the alerts and their cases pass, and every
# query fits the metrics of programs that run. The last line says how much of it passed.
#   scripts/monitoring/verify.sh
# FAIRWAY_BINARY is the program (build/fairway).
set -u
cd "$(dirname "$0")/../.."
out=build/monitoring passed=0 failed=0
# part NAME COMMAND...: runs a part, and counts it.
part() {
  name="$1"
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    echo "failed: $name"
    failed=$((failed + 1))
  fi
}
part "dashboards are what their Python says" python3 scripts/monitoring/dashboards.py --check
part "alerts" python3 scripts/monitoring/rules.py
part "metrics of the programs" scripts/monitoring/collect.sh "$out"
part "queries" python3 scripts/monitoring/check.py --fairway "${FAIRWAY_BINARY:-build/fairway}" --metrics "service=$out/service.txt" \
  --metrics "operator=$out/operator.txt" --metrics "gateway=$out/gateway.txt" --metrics "apiserver=$out/apiserver.txt"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
