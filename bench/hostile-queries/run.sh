#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Hostile queries over 20,000 series in a file: what the guard says of each, and what it takes without a guard (`fairway promql eval`),
# in time and memory of the whole process, reading the file included; and a round of hostile risks (`fairway risk check`). The rival
# is the limit of a round of risks: 2 seconds for the slowest of those that the guard lets pass.
set -eu
. "$(dirname "$0")/../support/common.sh"
[ -x /usr/bin/time ] || die "/usr/bin/time is missing: apt-get install time"
series=20000

awk -v n="$series" 'BEGIN {
  for (i = 0; i < 200; i++) { v = v "v"; w = w "w" }
  for (i = 0; i < n; i++) printf "x{i=\"%d\",a=\"%s\",b=\"%s\"} %d\n", i, v, w, i
}' >"$work/series.txt"

# One query a line: NAME, a tab, the query.
awk 'function repeat(text, n,   out) { while (n-- > 0) out = out text; return out }
function wrap(call, inner, rest, n) { return repeat(call "(", n) inner repeat(rest ")", n) }
function row(name, query) { printf "%s\t%s\n", name, query }
BEGIN {
  labels = "l0"; for (i = 1; i < 200; i++) labels = labels ",l" i
  long = repeat("n", 200)
  row("nothing", "x")
  row("labels made of labels (30 label_replace)", made("label_replace", "", ",\"$1\",\"a\",\"(.*)\""))
  row("long names of labels (30 label_replace)", made("label_replace", repeat("n", 500), ",\"$1\",\"a\",\"(.*)\""))
  row("labels that double (20 label_join)", doubled())
  row("count_values with a long name", "count_values(\"" repeat("n", 14000) "\", x)")
  row("200 joins in a chain", joins(200))
  row("a join of all with all", "x * on() group_left(a,b) x")
  row("a histogram of each series (30 times)", quantiles(30))
  row("topk of all (30 times)", tops(30))
  row("sort of all (50 times)", wrap("sort", "x", "", 50))
  row("by 200 labels", "sum by(" labels ")(x)")
  row("nested subqueries", "max_over_time(max_over_time(max_over_time(x[1h:1s])[1h:1s])[1h:1s])")
  row("absent over a month, each second", "absent_over_time(x[30d:1s])")
  row("alternatives (200 times) in a matcher", "x{a=~\"" repeat("(a|b)*", 200) "\"}")
  row("counted repetitions in a matcher", "x{a=~\"" repeat("(.*)*", 7) "z{1000}\"}")
  row("5,000 parentheses", repeat("(", 5000) "x" repeat(")", 5000))
  row("15,000 signs", repeat("-", 15000) "x")
}
function made(call, prefix, rest,   i, out) {
  out = repeat(call "(", 30) "x"
  for (i = 0; i < 30; i++) out = out ",\"l" i prefix "\"" rest ")"
  return out
}
function doubled(   i, out) {
  out = repeat("label_join(", 20) "x"
  for (i = 0; i < 20; i++) out = out ",\"a\",\"\",\"a\",\"a\")"
  return out
}
function joins(n,   out) { out = "x * on(i) group_left() x"; while (--n > 0) out = out " or x * on(i) group_left() x"; return out }
function quantiles(n) { return repeat("histogram_quantile(0.9,", n) "x" repeat(")", n) }
function tops(n) { return repeat("topk(20000,", n) "x" repeat(")", n) }
' /dev/null >"$work/queries.txt"

printf '%-42s %-52s %8s %9s  %s\n' QUERY GUARD SECONDS MIB RESULT
slowest=0
tab="$(printf '\t')"
while IFS="$tab" read -r name query; do
  printf '%s\n' "$query" >"$work/query"
  guard=passes
  said="$("$fairway" promql cost "$work/query" 2>&1 >/dev/null)" ||
    guard="$(echo "$said" | sed -n '1s/^error: the query is too costly: //p' | cut -d, -f1)"
  [ -n "$guard" ] || guard="no PromQL"
  result=evaluated
  /usr/bin/time -f '%e %M' -o "$work/time" "$fairway" promql eval "$work/query" --series "$work/series.txt" --timeout 30s -o json \
    >"$work/out" 2>"$work/err" || result="$(sed -n 's/.*"error":"\([^"]\{1,70\}\).*/\1/p' "$work/out" | head -n 1)"
  [ -n "$result" ] || result="$(head -n 1 "$work/err" | cut -c1-70)"
  took="$(tail -n 1 "$work/time" | cut -d' ' -f1)"
  printf '%-42s %-52s %8s %9s  %s\n' "$name" "$guard" "$took" "$(tail -n 1 "$work/time" | awk '{ printf "%.0f", $2 / 1024 }')" "$result"
  [ "$guard" != passes ] || slowest="$(awk -v a="$slowest" -v b="$took" 'BEGIN { print (b > a ? b : a) }')"
done <"$work/queries.txt"
# A round of 100 risks of such queries, with two honest ones at its end; and with every limit of work lifted, so that the processor's
# time alone ends it.
awk 'BEGIN {
  printf "{\"version\":1,\"nodes\":["
  printf "{\"version\":\"4.7.1\",\"payload\":\"q/x@sha256:%064d\"},", 1
  printf "{\"version\":\"4.7.2\",\"payload\":\"q/x@sha256:%064d\"}],", 2
  printf "\"edges\":[],\"conditionalEdges\":[{\"edges\":[{\"from\":\"4.7.1\",\"to\":\"4.7.2\"}],\"risks\":["
  for (r = 0; r < 100; r++) {
    query = "x"
    for (i = 0; i < 30; i++) query = "label_replace(" query ", \\\"l" i "\\\", \\\"$1-" r "\\\", \\\"a\\\", \\\"(.*)\\\")"
    risk("Hostile" r, "count(" query ") > bool 1"); printf ","
  }
  risk("HonestExposed", "max(x) > bool 1"); printf ","
  risk("HonestNotExposed", "count(x) > bool 30000")
  print "]}]}"
}
function risk(name, query) {
  printf "{\"name\":\"%s\",\"url\":\"https://example.com\",\"message\":\"m\",", name
  printf "\"matchingRules\":[{\"type\":\"PromQL\",\"promql\":{\"promql\":\"%s\"}}]}", query
}' >"$work/risks.json"
# round NAME [FLAG...]: one line.
round() {
  name="$1"
  shift
  /usr/bin/time -f '%e %M' -o "$work/time" "$fairway" risk check --graph "$work/risks.json" --series "$work/series.txt" --from 4.7.1 \
    -o json "$@" >"$work/out" 2>"$work/err" || true
  took="$(tail -n 1 "$work/time" | cut -d' ' -f1)"
  for verdict in 'HonestExposed",[^}]*"verdict":"matches"' 'HonestNotExposed",[^}]*"verdict":"does not match"'; do
    grep -q "$verdict" "$work/out" || { cat "$work/err" >&2; die "$name: there is no $verdict"; }
  done
  mib="$(tail -n 1 "$work/time" | awk '{ printf "%.0f", $2 / 1024 }')"
  printf '%-95s %8s %9s  %s\n' "$name" "$took" "$mib" "both honest risks are judged"
}
round "a round of 100 risks of 30 label_replace"
round "the same without a limit of work" --promql-limit work=1000000000000000000
echo "limit of those that pass: 2 s; the slowest took $slowest s"
echo "hostile-queries ratio $(quotient 2 "$slowest")"
