# SPDX-License-Identifier: Apache-2.0

# How long ./dev took, of which $dev_begun is the beginning.

say_duration() { echo "took $(($(date +%s) - dev_begun)) s"; }

# show_counted FILE: a program's output whose last line counts tests, with the duration before that line.
show_counted() {
  sed '$d' "$1"
  say_duration
  tail -n 1 "$1"
}
