# SPDX-License-Identifier: Apache-2.0

# What the benchmarks of the update service share. Sourced by bench/*/run.sh, which sets nothing but its own needs.
# FAIRWAY_BUILD holds the programs; FAIRWAY_SHARED the real data (default: ../shared beside the project).

PATH="$PATH:/usr/sbin:/sbin"
bench_root="$(cd "$(dirname "$0")/../.." && pwd)"
fairway="${FAIRWAY_BUILD:-$bench_root/build}/fairway"
shared="${FAIRWAY_SHARED:-$bench_root/../shared}"
work="$(mktemp -d)"
chmod 755 "$work"
started=
# Those of them that take long to end when they are asked to, such as a kube-apiserver whose etcd is gone.
killed=

finish() {
  status=$?
  trap - EXIT INT TERM
  for pid in $killed; do kill -KILL "$pid" 2>/dev/null || true; done
  for pid in $started; do kill "$pid" 2>/dev/null || true; done
  for pid in $started; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

die() {
  echo "error: $*" >&2
  exit 1
}

# Sets releases, graph_data, channel and arch: the real data, or synthetic data of the same size.
choose_data() {
  real="$shared/data/graph-data"
  arch=amd64
  channel=stable-4.16
  if [ -d "$real/2026-02" ]; then
    releases="$real/2026-02-releases.json"
    cp -R "$real/2026-02" "$work/graph-data"
    chmod -R u+w "$work/graph-data"
    echo "data: the real graph data of 2026-02"
  else
    awk -v folder="$work/graph-data" -v list="$work/releases.json" -f "$bench_root/bench/support/make-data.awk"
    releases="$work/releases.json"
    echo "data: synthetic, about as large as the real graph data of 2026-02 (which is not at $real)"
  fi
  graph_data="$work/graph-data"
}

# start_fairway NAME [FLAG...]: serves the chosen data on free ports; sets pid, base (http://HOST:PORT) and status.
start_fairway() {
  serve_log="$work/$1.log"
  shift
  : >"$serve_log"
  "$fairway" serve --releases "$releases" --graph-data "$graph_data" --listen 127.0.0.1:0 \
    --status-listen 127.0.0.1:0 "$@" >"$serve_log" 2>&1 &
  pid=$!
  started="$started $pid"
  tries=0
  base=
  status=
  until [ -n "$base" ] && curl -fsS -o "$work/ready" "$status/readyz" 2>"$work/ready.log"; do
    tries=$((tries + 1))
    if [ "$tries" -gt 600 ] || ! kill -0 "$pid" 2>/dev/null; then
      cat "$serve_log" >&2
      die "fairway serve did not become ready"
    fi
    base="$(sed -n 's|.*serving address=\([0-9.:]*\).*|http://\1|p' "$serve_log" | head -n 1)"
    status="$(sed -n 's|.* status=\([0-9.:]*\).*|http://\1|p' "$serve_log" | head -n 1)"
    sleep 0.05
  done
  graph_path="/api/upgrades_info/graph?channel=$channel&arch=$arch"
}

# start_nginx WORKERS: serves $work/served as Debian's package configures nginx, but without an access log. Standard input has what
# else its http block says, the servers among it, with @PORT@ and @NEXT_PORT@ for two free ports. Sets port (the next one is
# $((port + 1))), nginx_pid, and workers, the pids of its workers.
start_nginx() {
  nginx_folder="$work/nginx"
  mkdir -p "$nginx_folder"
  cat >"$nginx_folder/settings"
  port=$((20000 + $$ % 20000))
  tries=0
  while :; do
    cat >"$nginx_folder/nginx.conf" <<CONF
worker_processes $1;
pid $nginx_folder/pid;
error_log $nginx_folder/error.log crit;
events { worker_connections 768; }
http {
  sendfile on;
  tcp_nopush on;
  types_hash_max_size 2048;
  default_type application/json;
  access_log off;
  client_body_temp_path $nginx_folder/body;
  proxy_temp_path $nginx_folder/proxy;
  fastcgi_temp_path $nginx_folder/fastcgi;
  uwsgi_temp_path $nginx_folder/uwsgi;
  scgi_temp_path $nginx_folder/scgi;
  root $work/served;
$(sed "s/@PORT@/$port/; s/@NEXT_PORT@/$((port + 1))/" "$nginx_folder/settings")
}
CONF
    nginx -p "$nginx_folder" -e "$nginx_folder/error.log" -c "$nginx_folder/nginx.conf" -g 'daemon off;' &
    nginx_pid=$!
    sleep 0.5
    kill -0 "$nginx_pid" 2>/dev/null && break
    tries=$((tries + 1))
    [ "$tries" -lt 5 ] || { cat "$nginx_folder/error.log" >&2; die "nginx did not start"; }
    port=$((port + 7))
  done
  started="$started $nginx_pid"
  # They are there once it answers.
  curl -s -o /dev/null --retry 20 --retry-connrefused "http://127.0.0.1:$port/" || die "nginx does not answer"
  workers="$(cat "/proc/$nginx_pid/task/$nginx_pid/children")"
}

# cpu_ticks PID...: user and system time so far, in clock ticks, of all these processes together.
cpu_ticks() {
  for one in "$@"; do sed 's/.*) //' "/proc/$one/stat"; done | awk '{ sum += $12 + $13 } END { print sum + 0 }'
}

ticks_per_second="$(getconf CLK_TCK)"

# children_seconds FILE: of what `times` wrote there, user and system time of the processes that the shell has waited for.
children_seconds() { sed -n '2s/[ms]/ /gp' "$1" | awk '{ print $1 * 60 + $2 + $3 * 60 + $4 }'; }

# load FILE SECONDS URL PIDS [WRK OPTION...]: runs wrk against URL and appends "requests/s, microseconds of CPU a request
# (of PIDS), p50 ms, p99 ms, failed requests, per cent of a CPU that wrk took" to FILE. wrk has one thread: near 100 it, and no
# server, says how many requests there are.
load() {
  load_file="$1" load_seconds="$2" load_url="$3" load_pids="$4"
  shift 4
  load_began="$(cpu_ticks $load_pids)"
  times >"$work/times.began"
  wrk -t1 -c32 -d"${load_seconds}s" --latency "$@" "$load_url" >"$work/wrk.out" 2>&1 || { cat "$work/wrk.out" >&2; die "wrk failed"; }
  times >"$work/times.ended"
  load_ended="$(cpu_ticks $load_pids)"
  load_wrk="$(awk -v a="$(children_seconds "$work/times.began")" -v b="$(children_seconds "$work/times.ended")" \
    -v s="$load_seconds" 'BEGIN { print (b - a) / s * 100 }')"
  awk -v wrk="$load_wrk" -v ticks="$((load_ended - load_began))" -v hz="$ticks_per_second" '
    function ms(text) {
      if (text ~ /us$/) return text / 1000
      if (text ~ /ms$/) return text + 0
      if (text ~ /m$/) return text * 60000
      return text * 1000
    }
    / requests in / { requests = $1 }
    /^Requests\/sec/ { rate = $2 }
    $1 == "50%" { p50 = ms($2) }
    $1 == "99%" { p99 = ms($2) }
    /Non-2xx/ { failed += $NF }
    /Socket errors/ { gsub(",", ""); failed += $4 + $6 + $8 + $10 }
    END { printf "%.0f %.2f %.3f %.3f %d %.0f\n", rate, ticks / hz * 1e6 / (requests ? requests : 1), p50, p99, failed, wrk }
  ' "$work/wrk.out" >>"$load_file"
}

# median FILE COLUMN
median() {
  awk -v c="$2" '{ print $c }' "$1" | sort -g |
    awk '{ v[NR] = $1 } END { print (NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2) }'
}

# quotient A B: A / B with three digits.
quotient() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f\n", (b > 0 ? a / b : 0) }'; }

# memory PID FIELD: VmRSS or VmHWM in MiB.
memory() { awk -v field="$2:" '$1 == field { printf "%.1f\n", $2 / 1024 }' "/proc/$1/status"; }

# touch_graph_data N: changes the graph data, as an edit of one channel does.
touch_graph_data() {
  sed '/^# change /d' "$graph_data/channels/$channel.yaml" >"$work/channel.new"
  echo "# change $1" >>"$work/channel.new"
  mv "$work/channel.new" "$graph_data/channels/$channel.yaml"
}
