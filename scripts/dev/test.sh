# SPDX-License-Identifier: Apache-2.0

# Builds and runs the tests; the last line says how many passed, failed and were skipped.

test_modules() {
  for folder in "$FAIRWAY_ROOT"/tests/*/; do
    if ls "$folder" | grep -q '\.cc$'; then basename "$folder"; fi
  done
}

# once_more RESULTS MODULE [ARGUMENT...]: runs the cases that failed of a program again, each alone, where they are no more than 3.
# What passes then is no longer "failed: " in MODULE.summary but "unsteady: ": a fault of the test, or one of the program that shows
# now and then. What a sanitizer has said stays a failure.
once_more() {
  results="$1" module="$2"
  shift 2
  sed -n 's/^failed: \([^:]*\): .*/\1/p' "$results/$module.summary" >"$results/$module.cases"
  [ "$(wc -l <"$results/$module.cases")" -le 3 ] || return 0
  ctest_log="$results/../Testing/Temporary/LastTest.log"
  ! grep -qE 'ERROR: [A-Za-z]+Sanitizer|WARNING: ThreadSanitizer|runtime error: ' "$ctest_log" 2>/dev/null || return 0
  while read -r test_case; do
    echo "once more, alone: $test_case"
    GTEST_OUTPUT="xml:$results/again/" "$results/../${module}_tests" "$@" --gtest_filter="$test_case" \
      </dev/null >"$results/$module.again" 2>&1 || continue
    awk -v wanted="failed: $test_case: " '
      index($0, wanted) == 1 { sub(/^failed/, "unsteady"); moved++ }
      !/^[0-9]+ [0-9]+ [0-9]+$/ { print; next }
      { print $1 + moved, $2 - moved, $3 }' "$results/$module.summary" >"$results/$module.moved"
    mv "$results/$module.moved" "$results/$module.summary"
  done <"$results/$module.cases"
}

# summarise RESULTS MODULE... [-- ARGUMENT...]: adds up the results that the test programs left in a folder, after a second try of what
# failed, with the arguments that they had. A program that left none crashed: CTest's log beside that folder says where.
# Tests that were skipped for the same reason are listed below it.
summarise() {
  results="$1"
  shift
  passed=0 failed=0 skipped=0 unsteady=0 modules=
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    modules="$modules $1"
    shift
  done
  [ $# -eq 0 ] || shift
  for module in $modules; do
    if [ ! -s "$results/${module}_tests.xml" ]; then
      where="$(awk -v module="$module" -f "$FAIRWAY_ROOT/scripts/dev/crashed.awk" \
        "$results/../Testing/Temporary/LastTest.log" 2>/dev/null)" || where=
      echo "failed: ${module}_tests ended without results (it crashed, or took too long)${where:+, $where}"
      failed=$((failed + 1))
      continue
    fi
    awk -f "$FAIRWAY_ROOT/scripts/dev/summary.awk" "$results/${module}_tests.xml" >"$results/$module.summary"
    once_more "$results" "$module" "$@"
    sed '$d' "$results/$module.summary" | grep -v '^skipped: ' || true
    unsteady=$((unsteady + $(grep -c '^unsteady: ' "$results/$module.summary" || true)))
    read -r more_passed more_failed more_skipped <<END
$(tail -n 1 "$results/$module.summary")
END
    passed=$((passed + more_passed)) failed=$((failed + more_failed)) skipped=$((skipped + more_skipped))
  done
  [ "$skipped" -eq 0 ] || sed -n '/^skipped: /p' "$results"/*.summary | awk -f "$FAIRWAY_ROOT/scripts/dev/skipped.awk"
}

dev_test() {
  folder=build sanitize=
  while :; do
    case "${1:-}" in
      --asan) folder=build-sanitize sanitize=address,undefined ;;
      --tsan) folder=build-tsan sanitize=thread ;;
      # Tests that take long run a part of their cases otherwise, which FAIRWAY_SEED chooses.
      --all) export FAIRWAY_ALL=yes ;;
      *) break ;;
    esac
    shift
  done
  known="$(test_modules)"
  for module in "$@"; do
    if ! echo "$known" | grep -qx -- "$module"; then
      echo "error: there is no tests/$module; there are:" $known >&2
      exit 2
    fi
  done
  [ $# -gt 0 ] || set -- $known

  need build test
  case "$sanitize" in
    address*) need sanitize && configure_sanitized ;;
    thread) configure "$folder" -DCMAKE_BUILD_TYPE=Sanitize -DFAIRWAY_TESTS=ON -DFAIRWAY_SANITIZE=thread ;;
    *) configure_release ;;
  esac
  # Those against a real API server are compiled with those of kube (40 s), so that they cannot rot; `./dev conformance kube` runs them.
  conformance=
  case "$sanitize| $* " in
    "| "*"kube "*) conformance=conformance_kube_tests ;;
  esac
  compile "$folder" $(printf '%s_tests ' "$@") $conformance
  # Tests of the gateway judge what Envoy does, where PyPI has it.
  case " $* " in
    *" gateway "* | *" e2e "*)
      find_envoy
      [ -z "$envoy" ] || export FAIRWAY_ENVOY="$envoy"
      ;;
  esac
  tests_begun="$(date +%s)"

  results="$FAIRWAY_ROOT/$folder/results"
  rm -rf "$results"
  mkdir -p "$results"
  export GTEST_OUTPUT="xml:$results/"
  export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1"
  export UBSAN_OPTIONS="print_stacktrace=1"
  export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1"
  for suppressions in "$FAIRWAY_ROOT"/scripts/sanitizers/*.supp; do
    [ -f "$suppressions" ] || continue
    case "$suppressions" in
      */tsan.supp) TSAN_OPTIONS="$TSAN_OPTIONS:suppressions=$suppressions" ;;
      */lsan.supp) export LSAN_OPTIONS="suppressions=$suppressions" ;;
    esac
  done
  fixed_addresses=
  # g++ 12's thread sanitizer cannot live with the wide address randomisation of newer kernels.
  [ "$sanitize" != thread ] || ! setarch "$(uname -m)" -R true 2>/dev/null || fixed_addresses="setarch $(uname -m) -R"
  status=0
  $fixed_addresses ctest --test-dir "$FAIRWAY_ROOT/$folder" --output-on-failure -j "$(jobs)" \
    -R "^($(echo "$@" | tr ' ' '|'))\$" || status=$?
  summarise "$results" "$@"
  # What ctest calls a failure is one, even where all the cases of the program went well (a leak at its end).
  ctest_logs="$FAIRWAY_ROOT/$folder/Testing/Temporary"
  [ "$status" -eq 0 ] || for module in $(sed 's/^[0-9]*://' "$ctest_logs/LastTestsFailed.log" || true); do
    if [ -s "$results/$module.summary" ] && ! grep -qE '^(failed|unsteady): ' "$results/$module.summary"; then
      where="$(awk -v module="$module" -f "$FAIRWAY_ROOT/scripts/dev/crashed.awk" "$ctest_logs/LastTest.log")" || where=
      echo "failed: ${module}_tests: none of its tests failed, and the program did${where:+, $where}"
      failed=$((failed + 1))
    fi
  done
  if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ] && [ "$unsteady" -eq 0 ]; then
    echo "failed: ctest ended with status $status, and names no program"
    failed=1
  fi
  echo "took $((compile_seconds + $(date +%s) - tests_begun)) s, $compile_seconds s of them to build"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}
