#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Serves this folder's graph data and releases, and shows what the service answers. `./dev up --service`
# builds first and runs this.
#   FAIRWAY_UP_LISTEN, FAIRWAY_UP_STATUS_LISTEN  where to listen (default 127.0.0.1:8080 and 127.0.0.1:9080)
#   FAIRWAY_UP_ONCE=1                            end after having shown it all
set -eu
cd "$(dirname "$0")/.."
fairway="${FAIRWAY_BINARY:-$PWD/build/fairway}"
# Installed: /usr/share/fairway/examples.
[ -x "$fairway" ] || fairway="$(command -v fairway)" || { echo "error: there is no build/fairway, and no fairway on PATH" >&2 && exit 1; }
listen="${FAIRWAY_UP_LISTEN:-127.0.0.1:8080}"
status_listen="${FAIRWAY_UP_STATUS_LISTEN:-127.0.0.1:9080}"
inputs="--graph-data examples/graph-data --releases examples/releases.json"

data="$(mktemp -d)"
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$server" ] || wait "$server" 2>/dev/null || true
  rm -rf "$data"
}
trap finish EXIT
trap 'exit 0' INT TERM

"$fairway" serve $inputs --listen "$listen" --status-listen "$status_listen" --data "$data" 2>"$data/log" &
server=$!
tries=0
# The log says where it listens: a port 0 has become a free one.
address= status_address=
until [ -n "$address" ] && curl -fsS -o /dev/null "http://$status_address/readyz" 2>/dev/null; do
  tries=$((tries + 1))
  if ! kill -0 "$server" 2>/dev/null || [ "$tries" -gt 100 ]; then
    cat "$data/log" >&2
    echo "error: the service did not start; is $listen or $status_listen taken? (FAIRWAY_UP_LISTEN, FAIRWAY_UP_STATUS_LISTEN)" >&2
    server= && exit 1
  fi
  sleep 0.1
  address="$(sed -n 's/.* serving address=\([^ ]*\).*/\1/p' "$data/log")"
  status_address="$(sed -n 's/.* serving .*status=\([^ ]*\).*/\1/p' "$data/log")"
done
api="http://$address"

section() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] || section() { printf '\n%s\n' "$1"; }

section "What a cluster at 4.6.23 in stable-4.7 may do"
"$fairway" graph show $inputs --channel stable-4.7 --from 4.6.23
section "Why 4.7.4 is not recommended to every cluster"
"$fairway" graph explain $inputs --channel stable-4.7 --from 4.6.23 --to 4.7.4
section "The paths from 4.6.23 to 4.7.9"
"$fairway" graph path $inputs --channel stable-4.7 --from 4.6.23 --to 4.7.9
section "The service answers (the graph of stable-4.7 has $(curl -fsS "$api/graph?channel=stable-4.7&arch=amd64" | wc -c) bytes). Try:"
cat <<TEXT
  curl '$api/graph?channel=stable-4.7&arch=amd64'
  curl '$api/channels'
  curl '$api/explain?channel=stable-4.7&arch=amd64&from=4.6.23&to=4.7.4'
  curl '$api/path?channels=stable-4.7&arch=amd64&from=4.6.23&to=4.7.9'
  curl '$api/stranded?channel=stable-4.7&arch=amd64'
  curl '$api/problems'
  curl '$api/openapi'
  curl 'http://$status_address/metrics'
or open http://${address%%/*}/console/ in a browser
TEXT
[ -z "${FAIRWAY_UP_ONCE:-}" ] || exit 0
printf '\nServing; a change in examples/graph-data is live within two seconds. Ctrl-C ends it.\n'
wait "$server"
