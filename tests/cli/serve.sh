# SPDX-License-Identifier: Apache-2.0

# For cases that need the service: starts it on free ports with examples/ (and $SERVE_FLAGS), sets $api, ends it with the case.
: >"$TMP/log"  # before anybody looks for it
fairway serve $EXAMPLES --listen 127.0.0.1:0 --status-listen 127.0.0.1:0 $SERVE_FLAGS 2>"$TMP/log" &
server=$!
trap 'kill $server; wait $server' EXIT
# `tail` ends when the line is there or the service has gone.
address="$(tail -n +1 -f --pid=$server "$TMP/log" | sed -n '/ serving address=/{s/.* serving address=\([^ ]*\).*/\1/p;q}')"
status="$(sed -n 's/.* serving .*status=\([^ ]*\).*/\1/p' "$TMP/log")"
api="http://$address"
curl -fsS --retry 50 --retry-delay 0 --retry-all-errors --retry-max-time 30 -o "$TMP/ready" "http://$status/readyz" 2>"$TMP/retries"
