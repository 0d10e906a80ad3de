#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# A round over 500 conditional updates with 9 risks each, every distinct query evaluated once over 10,000 series in memory;
# fetching them is left aside. The rival is the limit that it promises: 50 milliseconds.
set -eu
. "$(dirname "$0")/../support/common.sh"
result="$("$FAIRWAY_BUILD/bench_risk-round" "$@")"
took="$(echo "$result" | sed -n 's/.*first round \([0-9.]*\) ms.*/\1/p')"
echo "limit:   50.00 ms"
echo "fairway: $result"
echo "risk-round ratio $(quotient 50 "$took")"
