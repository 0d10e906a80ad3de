# SPDX-License-Identifier: Apache-2.0

# The console (console/): what bundles it, and its tests.

# need_console: Node.js and npm, Debian's where there are none that will do. Without them the build leaves the console out, and says so.
need_console() {
  have="$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')"
  if [ "${have:-0}" -lt 18 ] || ! command -v npm >/dev/null 2>&1; then need console; fi
}

# conformance_console: types, unit tests, and the page in Chromium on real services (tests/conformance/console).
conformance_console() {
  need build test browser
  need_console
  packages="$FAIRWAY_ROOT/.cache/console"
  lock="$FAIRWAY_ROOT/console/package-lock.json"
  if ! cmp -s "$lock" "$packages/installed"; then
    rm -rf "$packages"
    mkdir -p "$packages"
    cp "$FAIRWAY_ROOT/console/package.json" "$lock" "$packages/"
    if ! (cd "$packages" && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1); then
      cat "$packages/npm.log" >&2
      echo "skipped: all of it: the registry of npm cannot be reached"
      echo "0 passed, 0 failed, 1 skipped"
      return
    fi
    cp "$lock" "$packages/installed"
  fi
  configure_release
  compile build fairway
  console_work="$(mktemp -d)" console_log="$console_work/log"
  status=0
  export FAIRWAY_BINARY="$FAIRWAY_ROOT/build/fairway" FAIRWAY_NODE_MODULES="$packages/node_modules"
  FAIRWAY_BROWSER="$(command -v chromium)"
  export FAIRWAY_BROWSER
  tests="$FAIRWAY_ROOT/tests/conformance/console"
  # It mostly waits.
  node --test "$tests/held.test.mjs" >"$console_work/held" 2>&1 &
  node "$FAIRWAY_ROOT/console/test.mjs" --modules "$packages/node_modules" >"$console_log" 2>&1 || status=1
  node --test "$tests/questions.test.mjs" "$tests/views.test.mjs" >>"$console_log" 2>&1 || status=1
  wait $! || status=1
  cat "$console_work/held" >>"$console_log"
  cat "$console_log"
  sed -n 's/^not ok [0-9]* - /failed: /p' "$console_log"
  say_duration
  counted() { sed -n "s/^# $1 \([0-9]*\)\$/\1/p" "$console_log" | awk '{ sum += $1 } END { print sum + 0 }'; }
  failed="$(counted fail)"
  # A tool that failed without a test is a failure, too.
  [ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
  echo "$(counted pass) passed, $failed failed, $(counted skipped) skipped"
  rm -rf "$console_work"
  return "$status"
}
