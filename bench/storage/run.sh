#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# The API server's storage alone: starts, lists, watches, and durable creates beside SQLite with a transaction for each write.
set -euo pipefail
"$FAIRWAY_BUILD/bench_storage" "${TMPDIR:-/tmp}"
