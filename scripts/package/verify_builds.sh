#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Builds and packages a commit in two clean checkouts that have as little in common as two people's machines with the same packages, and
# compares all files of both byte for byte.
#
# usage: verify_builds.sh [--once] COMMIT FOLDER     (leaves FOLDER/dist-one and FOLDER/one with its build; the last line counts)
#
# --once: the first alone, which is compared with nothing.
# The first is built without a compiler cache: nothing of another build can be in it. The second may take from the cache what was
# compiled in other folders; CCACHE_DISABLE=1 has both compile everything.
set -eu
root="$(cd "$(dirname "$0")/../.." && pwd)"
once=
if [ "$1" = --once ]; then
  once=yes
  shift
fi
commit="$1"
mkdir -p "$2"
folder="$(cd "$2" && pwd)"
one="$folder/one" two="$folder/a-path-of-another-length/two"

check_out() {
  rm -rf "$1"
  mkdir -p "$(dirname "$1")"
  git clone -q --no-checkout "$root" "$1"
  git -C "$1" -c advice.detachedHead=false checkout -q --detach "$commit"
}

# packaged NAME CHECKOUT UMASK VARIABLE=VALUE...: packages a checkout into FOLDER/dist-NAME, and says how long it took.
packaged() {
  name="$1" checkout="$2" mask="$3"
  shift 3
  begun="$(date +%s)"
  if ! (
    umask "$mask"
    check_out "$checkout"
    # What is downloaded and is of one exact version. It need not come twice.
    if [ "$name" = two ]; then
      mkdir -p "$checkout/.cache"
      cp "$one"/.cache/envoy-api-*.pb "$checkout/.cache/"
    fi
    cd "$checkout"
    $elsewhere env -u SOURCE_DATE_EPOCH -u FAIRWAY_ROOT "$@" ./dev package --out "$folder/dist-$name"
  ) >"$folder/$name.log" 2>&1; then
    tail -n 40 "$folder/$name.log"
    echo "error: packaging $commit in $checkout failed; all it printed is in $folder/$name.log"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
  fi
  chmod -R u+rwX,go+rX "$folder/dist-$name"
  echo "$name: $(($(date +%s) - begun)) s in $checkout"
}

elsewhere=
packaged one "$one" 022 CCACHE_DISABLE=1 TZ=UTC LC_ALL=C
[ -z "$once" ] || exit 0
# Another host name, where this may be: programs like to write it down.
elsewhere="$(command -v unshare || true)"
if [ -n "$elsewhere" ] && unshare --uts hostname elsewhere 2>/dev/null; then
  printf '#!/bin/sh\nhostname elsewhere\nexec "$@"\n' >"$folder/elsewhere"
  elsewhere="unshare --uts sh $folder/elsewhere"
else
  elsewhere=
fi
# Any locale but C; a Debian without locales has C.UTF-8.
locale="$(locale -a 2>/dev/null | grep -vE '^(C|POSIX)$' | tail -n 1)"
mkdir -p "$folder/home"
packaged two "$two" 077 TZ=XYZ-13:30 LC_ALL="${locale:-C.UTF-8}" LANGUAGE=fr HOME="$folder/home" \
  CCACHE_DIR="${CCACHE_DIR:-$HOME/.cache/ccache}" USER=somebody LOGNAME=somebody

failed=0
python3 -B "$root/scripts/package/verify_compare.py" "$folder/dist-one" "$folder/dist-two" || failed=1
# The build of the first is for what packages it again.
[ "$failed" -eq 1 ] || rm -rf "$folder/a-path-of-another-length"
echo "$((1 - failed)) passed, $failed failed, 0 skipped"
exit "$failed"
