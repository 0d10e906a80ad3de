# SPDX-License-Identifier: Apache-2.0

# conformance_operators [--server embedded|real|both] [--all] [NAME...]: tests of the operators of tests/conformance/operators, which
# start an API server with envtest, unmodified, on the programs of `fairway envtest` (or on the real ones).
conformance_operators() {
  servers=embedded
  kind=quick
  while [ $# -gt 0 ]; do
    case "$1" in
      --server)
        read_servers "${2:-}"
        shift
        ;;
      --all) kind='quick|long' ;;
      *) break ;;
    esac
    shift
  done
  need build test conformance
  operators="$FAIRWAY_ROOT/tests/conformance/operators"
  envtest="$FAIRWAY_ROOT/tests/conformance/envtest"
  python3 -B -m unittest discover -q -s "$envtest" -p '*_test.py' || exit 1
  find_go "$envtest"
  build_real_assets
  if [ -n "$unreachable" ]; then
    skip_without_modules
    return
  fi
  configure_release
  compile build fairway
  embedded="$FAIRWAY_ROOT/.cache/envtest/embedded"
  PATH="$kubernetes:$PATH" "$FAIRWAY_ROOT/build/fairway" envtest --dir "$embedded" >/dev/null || exit 1
  status=0 all_passed=0 all_failed=0 all_skipped=0
  operators_log="$(mktemp)"
  # shellcheck disable=SC2046  # names
  [ $# -gt 0 ] || set -- $(grep -v '^#' "$operators/modules.txt" | cut -d ' ' -f 1)
  for name in "$@"; do
    module="$(sed -n "s/^$name //p" "$operators/modules.txt")"
    if [ -z "$module" ]; then
      echo "error: tests/conformance/operators/modules.txt has no operator '$name'" >&2
      exit 2
    fi
    run_operator
  done
  rm -f "$operators_log"
  say_duration
  echo "$all_passed passed, $all_failed failed, $all_skipped skipped"
  return "$status"
}

# run_operator: the tests of the operator $name, of $module, on $servers.
run_operator() {
  # Not in a module of ours, whose requirements would choose other versions.
  download="$(cd / && "$go" mod download -json "$module" 2>&1)" || true
  sources="$(printf '%s\n' "$download" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
  if [ -z "$sources" ]; then
    if is_unreachable "$download"; then
      echo "skipped: $name: the registry of Go's modules cannot be reached"
      all_skipped=$((all_skipped + 1))
    else
      echo "failed: $name: downloading $module (tests/conformance/operators/modules.txt): $download"
      all_failed=$((all_failed + 1)) status=1
    fi
    return
  fi
  packages="$(sed -nE "s/^($kind) //p" "$operators/$name/packages.txt")"
  for server in $servers; do
    known="$operators/$name/known-failures.txt"
    [ "$server" = embedded ] || known="$operators/$name/known-failures-real.txt"
    echo "$name on the $server API server:"
    # shellcheck disable=SC2086  # words
    nice python3 "$envtest/run.py" "$sources" "$FAIRWAY_ROOT/.cache/envtest/$server" "$known" --below . --go "$go" \
      --prepare "$operators/$name/prepare.sh" --cache "$FAIRWAY_ROOT/.cache/operators/$name" \
      --log "$FAIRWAY_ROOT/.cache/operators/$name/log-$server" $packages >"$operators_log" || status=$?
    cat "$operators_log"
    counts="$(tail -n 1 "$operators_log" | tr -dc '0-9 ')"
    # shellcheck disable=SC2086  # numbers
    add_counts $counts
  done
}

# is_unreachable TEXT: whether an error of Go says that it could not reach the registry, and not that the registry refused.
is_unreachable() {
  printf '%s\n' "$1" |
    grep -qE 'dial tcp|no such host|connection (refused|reset)|i/o timeout|TLS handshake|network is unreachable|proxyconnect'
}

# add_counts PASSED FAILED SKIPPED: to those of all operators.
add_counts() {
  all_passed=$((all_passed + ${1:-0})) all_failed=$((all_failed + ${2:-1})) all_skipped=$((all_skipped + ${3:-0}))
}
