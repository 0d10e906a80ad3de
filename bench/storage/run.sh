#!/usr/bin/env bash
# The API server's storage alone: starts, lists, watches, and durable creates beside SQLite with a transaction for each write.
set -euo pipefail
"$FAIRWAY_BUILD/bench_storage" "${TMPDIR:-/tmp}"
