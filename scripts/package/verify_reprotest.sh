#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Packages one build again and again, and compares: by Debian's reprotest with another clock, locale, time zone, umask, home, path,
# environment, kernel and number of processors, and then with the files of all folders in the reverse order.
#
# usage: verify_reprotest.sh CHECKOUT     (one that ./dev package has built; the last line counts)
#
# Not varied: the user, who would have to write this one's files; the path of the build, which CMake's cache has, and the host's name
# (verify_builds.sh varies both).
set -eu
scripts="$(cd "$(dirname "$0")" && pwd)"
checkout="$(cd "$1" && pwd)"
work="$(mktemp -d)"
reversed=
# Also after an interrupt: the checkout is where it was.
restore() {
  if [ -n "$reversed" ]; then
    umount "$checkout"
    rmdir "$checkout"
    mv "$checkout.ordered" "$checkout"
    reversed=
  fi
}
trap 'restore; rm -rf "$work"' EXIT
SOURCE_DATE_EPOCH="$(git -C "$checkout" log -1 --format=%ct)"
export SOURCE_DATE_EPOCH
passed=0 failed=0 skipped=0

# It copies what is built, which is elsewhere; the order of files is varied below.
mkdir "$work/source"
begun="$(date +%s)"
if reprotest --variations="+all,-user_group,-build_path,-domain_host,-fileordering" --no-diffoscope --store-dir "$work/store" \
  --build-command "sh '$checkout/scripts/package/verify_again.sh' '$checkout' dist" "$work/source" 'dist/*' -- null >"$work/log" 2>&1; then
  passed=$((passed + 1))
  echo "reprotest: the same bytes, $(($(date +%s) - begun)) s"
else
  failed=$((failed + 1))
  tail -n 30 "$work/log"
  if [ -d "$work/store/experiment-1" ]; then
    python3 -B "$scripts/verify_compare.py" "$work/store/control/source-root/dist" "$work/store/experiment-1/source-root/dist" || true
  fi
  echo "failed: reprotest"
fi

begun="$(date +%s)"
if [ ! -d "$work/store/control/source-root/dist" ]; then
  echo "skipped: files in the reverse order: there is nothing to compare with"
  skipped=$((skipped + 1))
elif [ ! -w /dev/fuse ] || [ "$(id -u)" -ne 0 ]; then
  echo "skipped: files in the reverse order: this needs root and /dev/fuse"
  skipped=$((skipped + 1))
else
  mv "$checkout" "$checkout.ordered"
  mkdir "$checkout"
  reversed=yes
  if disorderfs --quiet --reverse-dirents=yes "$checkout.ordered" "$checkout" >"$work/log" 2>&1 &&
    sh "$checkout/scripts/package/verify_again.sh" "$checkout" "$work/reversed" >>"$work/log" 2>&1 &&
    python3 -B "$scripts/verify_compare.py" "$work/store/control/source-root/dist" "$work/reversed" >>"$work/log" 2>&1; then
    passed=$((passed + 1))
    echo "files in the reverse order: the same bytes, $(($(date +%s) - begun)) s"
  else
    failed=$((failed + 1))
    tail -n 30 "$work/log"
    echo "failed: files in the reverse order"
  fi
  restore
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
