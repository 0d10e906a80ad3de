#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# A server for each test, as examples/testserver starts it, beside kube-apiserver with etcd 3.6 with the flags of tests: the time until
# it is ready, the time that its end takes, and its memory. Then 200 servers at once (FAIRWAY_BENCH_SERVERS), which have a definition
# and an object each. FAIRWAY_BENCH_TURNS (5): how often one is started. `run.sh embedded` measures ours alone.
set -eu
. "$(dirname "$0")/../support/common.sh"
build="${FAIRWAY_BUILD:-$bench_root/build}"
servers="real embedded"
[ "${1:-}" != embedded ] || servers=embedded
. "$bench_root/bench/support/api_servers.sh"
assets=-
if [ "$servers" != embedded ]; then
  assets="$work/assets"
  mkdir "$assets"
  ln -s "$etcd" "$assets/etcd"
  ln -s "$kubernetes/kube-apiserver" "$assets/kube-apiserver"
fi
PYTHONPATH="$bench_root/examples/testserver/python:$bench_root/tests/conformance/definitions" PYTHONDONTWRITEBYTECODE=1 \
  python3 "$bench_root/bench/testserver/measure.py" "$fairway" "$assets" "${FAIRWAY_BENCH_TURNS:-5}" "${FAIRWAY_BENCH_SERVERS:-200}"
