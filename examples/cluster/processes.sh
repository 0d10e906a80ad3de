# SPDX-License-Identifier: Apache-2.0

# Processes of a script that runs several: started, awaited, and what their logs say. The script has the folder $data, and ends those
# whose ids are in $started.

# start NAME COMMAND...: runs it, with its output in NAME.log.
start() {
  name="$1"
  shift
  "$@" >"$data/$name.log" 2>&1 &
  started="$! $started"
  eval "pid_of_$name=$!"
}
# await NAME WHAT COMMAND...: waits until the command succeeds; WHAT is what it means. Ends the script where NAME has ended, or after
# $await_tries tries, ten a second.
await() {
  name="$1" what="$2" tries=0
  shift 2
  until "$@" >"$data/await.log" 2>&1; do
    tries=$((tries + 1))
    eval "pid=\$pid_of_$name"
    if [ "$tries" -gt "${await_tries:-3000}" ] || ! kill -0 "$pid" 2>/dev/null; then
      tail -n 20 "$data/$name.log" "$data/await.log" >&2
      echo "error: $what did not come about; the end of the log of $name is above" >&2
      exit 1
    fi
    sleep 0.1
  done
}
# said NAME SED-EXPRESSION FILE: puts what the log has into FILE, if it has it.
said() { sed -n "$2" "$data/$1.log" | head -n 1 >"$data/$3" && [ -s "$data/$3" ]; }
# free_port: a port that nothing holds now, below those that the kernel hands out, so that no connection takes it in the meantime.
free_port() {
  python3 -c '
import random, socket
for port in random.sample(range(20000, 32768), 200):
    with socket.socket() as candidate:
        try:
            candidate.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break
'
}
# start_registry: a registry of images on a port that the kernel chooses, as the process `registry`.
start_registry() {
  cat >"$data/registry.yaml" <<YAML
version: 0.1
log: {accesslog: {disabled: true}, level: info}
storage: {filesystem: {rootdirectory: $data/registry}}
http: {addr: "127.0.0.1:0"}
YAML
  start registry docker-registry serve "$data/registry.yaml"
}
