# SPDX-License-Identifier: Apache-2.0

# What the operators of bench/sdk need when they start, each against an embedded API server of its own. Sourced by run.sh.

# serve SIDE: starts the side's API server; sets its address, SIDE_server, and a port for the webhooks of the operator, SIDE_port.
serve() {
  mkdir "$work/cluster-$1"
  port="$(free_port)"
  start_embedded "$work/cluster-$1"
  started="$started $pids"
  take_identity embedded "$work/cluster-$1"
  eval "$1_server=https://127.0.0.1:$port $1_port=$(free_port)"
}

# ask SIDE COMMAND [ARGUMENT]: cluster.py with the side's API server.
ask() {
  eval "server=\$$1_server"
  asked="$2" pem="$work/cluster-$1/client.pem"
  shift 2
  python3 "$bench_root/bench/sdk/cluster.py" "$asked" "$server" "$pem" "$@"
}

# register_theirs: certificates of its webhooks, its CRD and its webhook configurations, for which people take cert-manager and
# kustomize. Ours registers itself.
register_theirs() {
  key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
  mkdir certificates
  openssl req -x509 $key -keyout ca.key -out ca.crt -subj "/CN=bench CA" -days 2 2>openssl.log
  openssl req $key -keyout certificates/tls.key -out tls.csr -subj "/CN=localhost" 2>>openssl.log
  echo "subjectAltName=IP:127.0.0.1" >names
  openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out certificates/tls.crt -days 2 -extfile names 2>>openssl.log
  bundle="$(base64 -w 0 ca.crt)" url="https://127.0.0.1:$theirs_port"
  conversion="{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: \"$url/convert\", caBundle: $bundle}}}"
  {
    sed "s|^spec:\$|&\n  conversion: $conversion|" theirs/config/crd/bases/*.yaml
    awk -v url="$url" -v bundle="$bundle" '
      /^    service:$/ || /^      name(space)?: / { next }
      /^      path: / { print "    url: " url $2 "\n    caBundle: " bundle; next }
      { print }' theirs/config/webhook/manifests.yaml
  } >registered.yaml
  "$kubernetes/kubectl" --kubeconfig "$work/cluster-theirs/kubeconfig" create -f registered.yaml >registered.log
}

# launch SIDE PROGRAM: starts it, with webhooks and metrics, and without leader election; sets pid.
launch() {
  export KUBECONFIG="$work/cluster-$1/kubeconfig"
  if [ "$1" = ours ]; then
    "$2" --namespace default --leader-elect=false --listen "127.0.0.1:$ours_port" --webhook-url "https://127.0.0.1:$ours_port" \
      --status-listen 127.0.0.1:0 >"$work/$1.log" 2>&1 &
  else
    "$2" --webhook-cert-path "$work/certificates" --webhook-port "$theirs_port" --metrics-bind-address 127.0.0.1:0 \
      --metrics-secure=false --health-probe-bind-address 127.0.0.1:0 --zap-devel=false >"$work/$1.log" 2>&1 &
  fi
  pid=$!
  started="$started $pid"
}
end() {
  kill "$pid"
  wait "$pid" || true
}

# measure_start SIDE PROGRAM FILE: appends to FILE the milliseconds from its start until it has made the settings that were missing,
# its milliseconds of CPU until then, and its memory in MiB two seconds later.
measure_start() {
  rm -f watching
  ask "$1" await watching >settled &
  asking=$!
  until [ -s watching ]; do
    kill -0 "$asking" 2>/dev/null || die "the settings could not be watched"
    sleep 0.02
  done
  began="$(date +%s%N)"
  launch "$1" "$2"
  wait "$asking" || { tail -n 5 "$work/$1.log" >&2; die "$2 made no settings"; }
  ticks="$(cpu_ticks "$pid")"
  sleep 2
  awk -v a="$began" -v b="$(cat settled)" -v ticks="$ticks" -v hz="$ticks_per_second" -v rss="$(memory "$pid" VmRSS)" \
    'BEGIN { printf "%.0f %.0f %.1f\n", (b - a) / 1e6, ticks * 1000 / hz, rss }' >>"$3"
  end
}

# measure_starts: fills the files start- of each side.
measure_starts() {
  serve ours
  serve theirs
  register_theirs
  # The first start of ours registers it and issues certificates; it is not measured.
  launch ours "$(built capacity g++)-release/capacity"
  ask ours check || { tail -n 5 "$work/ours.log" >&2; die "our operator does not do what it should"; }
  end
  launch theirs "$work/theirs/bin/released"
  ask theirs check || { tail -n 5 "$work/theirs.log" >&2; die "the operator of the kubebuilder project does not do what it should"; }
  end
  turn=0
  while [ "$turn" -lt "$turns" ]; do
    measure_start theirs "$work/theirs/bin/released" start-theirs
    for compiler in $compilers; do
      measure_start ours "$(built capacity "$compiler")-release/capacity" "start-capacity-$compiler"
    done
    turn=$((turn + 1))
  done
}
