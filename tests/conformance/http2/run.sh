#!/bin/bash
# SPDX-License-Identifier: Apache-2.0

# h2spec against the API server, by TLS. Cases that are known to fail are in known-failures.txt, each with the reason.
# usage: run.sh H2SPEC FAIRWAY
#   H2SPEC: the program of main.go
set -uo pipefail
h2spec="$(realpath "$1")" fairway="$(realpath "$2")"
cd "$(dirname "$0")" || exit 1
work="$(mktemp -d)"
server=
finish() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null && wait "$server" 2>/dev/null; fi
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

"$fairway" apiserver --memory --http2 --listen 127.0.0.1:0 --kubeconfig "$work/kubeconfig" 2>"$work/server.log" &
server=$!
until [ -s "$work/kubeconfig" ]; do
  kill -0 "$server" 2>/dev/null || { cat "$work/server.log"; echo "failed: the API server does not start"; exit 1; }
  sleep 0.05
done
port="$(sed -n 's|.*server: https://127.0.0.1:\([0-9]*\).*|\1|p' "$work/kubeconfig")"
"$h2spec" -tls -path /version "$port" >"$work/report" 2>&1
sed -n 's/^failed: //p' "$work/report" | sort >"$work/failed"
cut -f 1 known-failures.txt | grep -v '^#' | sort >"$work/known"
# What is known to fail is no failure: lines that begin with "failed:" are.
sed 's/^failed: /not passed: /' "$work/report"
comm -23 "$work/failed" "$work/known" | sed 's/^/failed: /'
new="$(comm -23 "$work/failed" "$work/known" | wc -l)" fixed="$(comm -13 "$work/failed" "$work/known")"
counted="$(tail -n 1 "$work/report")"
passed="$(echo "$counted" | sed -n 's/.* \([0-9]*\) passed.*/\1/p')" skipped="$(echo "$counted" | sed -n 's/.* \([0-9]*\) skipped.*/\1/p')"
if [ -z "$passed" ]; then
  echo "failed: h2spec did not come to its end"
  exit 1
fi
known="$(comm -12 "$work/failed" "$work/known" | wc -l)"
if [ -n "$fixed" ]; then
  echo "failed: these pass, and are listed in known-failures.txt: $fixed"
  new=$((new + 1))
fi
echo "$passed passed, $new failed, $skipped skipped, and $known known to fail"
[ "$new" -eq 0 ]
