# SPDX-License-Identifier: Apache-2.0

# The packages of examples/testserver, with which tests of others start the API server.

# prepare_testserver_python: the package, and what its tests need besides, in .cache/testserver/python.
prepare_testserver_python() {
  python="$FAIRWAY_ROOT/.cache/testserver/python"
  wanted="$FAIRWAY_ROOT/tests/conformance/testserver/requirements.txt"
  if ! cmp -s "$wanted" "$python/installed"; then
    rm -rf "$python"
    python3 -m venv "$python"
    nice "$python/bin/pip" install -q -r "$wanted" || return
    cp "$wanted" "$python/installed"
  fi
  stamp="$(cat "$testserver"/python/README.md "$testserver"/python/pyproject.toml "$testserver"/python/fairway_testserver/*.py | sha256sum)"
  if [ "$(cat "$python/stamp" 2>/dev/null)" = "$stamp" ]; then return; fi
  if ! "$python/bin/pip" install -q --no-index --no-deps --no-build-isolation --force-reinstall "$testserver/python"; then
    echo "error: pip could not install examples/testserver/python" >&2
    exit 1
  fi
  echo "$stamp" >"$python/stamp"
}

# test_testserver_python: the tests of the package for pytest, with the package as it is installed.
test_testserver_python() {
  status=0
  PYTHONDONTWRITEBYTECODE=1 "$python/bin/pytest" -q -n auto -p no:cacheprovider -c "$testserver/python/pyproject.toml" \
    "$testserver/python/tests" >"$log" 2>&1 || status=$?
  last="$(tail -n 1 "$log")"
  # "1 failed, 28 passed, 1 error in 3.52s"
  count_tests python "$(echo "$last" | sed -nE 's/^(.*, )?([0-9]+) passed.*/\2/p')" \
    "$(echo "$last" | grep -oE '[0-9]+ (failed|error)' | awk '{ sum += $1 } END { print sum + 0 }')"
  sed -nE 's/^(FAILED|ERROR) (.*)/failed: python: \2/p' "$log"
}

# test_testserver_go FOLDER: the tests of a module of Go.
test_testserver_go() {
  status=0
  (cd "$testserver/$1" && "$go" vet ./... && "$go" test -mod=readonly -count=1 -v ./...) >"$log" 2>&1 || status=$?
  count_tests "$1" "$(grep -c '^--- PASS' "$log" || true)" "$(grep -c '^--- FAIL' "$log" || true)"
  sed -nE "s|^--- FAIL: ([^ ]*).*|failed: $1: \1|p" "$log"
}

# count_tests NAME PASSED FAILED: adds up, by $status and $log. Tests that fail, or end badly without saying so, show their output.
count_tests() {
  one_passed="${2:-0}" one_failed="$3"
  if [ "$status" -ne 0 ] || [ "$one_passed" -eq 0 ]; then
    cat "$log"
    if [ "$one_failed" -eq 0 ]; then
      echo "failed: $1: its tests ended with status $status"
      one_failed=1
    fi
  fi
  echo "$1: $one_passed passed, $one_failed failed"
  all_passed=$((all_passed + one_passed)) all_failed=$((all_failed + one_failed))
}

# conformance_testserver: the tests of both packages with the program of this build, and client-go's and `kubernetes`'s clients.
conformance_testserver() {
  need build conformance
  testserver="$FAIRWAY_ROOT/examples/testserver"
  begun_at="$(date +%s)"
  configure_release
  compile build fairway
  export FAIRWAY="$FAIRWAY_ROOT/build/fairway"
  all_passed=0 all_failed=0 all_skipped=0
  log="$(mktemp)"
  if prepare_testserver_python; then
    test_testserver_python
  else
    echo "skipped: the package for pytest: PyPI cannot be reached"
    all_skipped=$((all_skipped + 1))
  fi
  find_go "$testserver/go/clientgo"
  test_testserver_go go
  if (cd "$testserver/go/clientgo" && "$go" mod download) >/dev/null 2>&1; then
    test_testserver_go go/clientgo
  else
    echo "skipped: client-go: the registry of Go's modules cannot be reached"
    all_skipped=$((all_skipped + 1))
  fi
  rm -f "$log"
  echo "took $(($(date +%s) - begun_at)) s"
  echo "$all_passed passed, $all_failed failed, $all_skipped skipped"
  [ "$all_failed" -eq 0 ]
}
