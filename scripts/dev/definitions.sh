# SPDX-License-Identifier: Apache-2.0

# CustomResourceDefinitions that others ship, on the embedded API server and on a kube-apiserver.

# conformance_definitions [--all] [FOLDER...]: the definitions of the modules of tests/conformance/definitions/modules.txt and those of
# OpenShift, if $FAIRWAY_SHARED has them, or of folders. --all: all of them with their conditions, and with other limits of sizes.
conformance_definitions() {
  extent=
  if [ "${1:-}" = --all ]; then
    shift
    extent=--all
  fi
  need build test conformance
  build_kubernetes
  folder="$FAIRWAY_ROOT/tests/conformance/definitions"
  if [ -z "$unreachable" ] && [ $# -eq 0 ]; then
    while read -r module inside; do
      # Not in a module of ours, whose requirements would choose other versions.
      at="$(cd / && "$go" mod download -json "$module" 2>/dev/null | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
      if [ -z "$at" ]; then
        unreachable=yes
        break
      fi
      set -- "$@" "$at/$inside"
    done <<TEXT
$(grep -v '^#' "$folder/modules.txt")
TEXT
    of_openshift="${FAIRWAY_SHARED:-$FAIRWAY_ROOT/../shared}/data/crds/openshift-api.tar.xz"
    if [ -f "$of_openshift" ]; then
      set -- "$@" "$of_openshift"
    else
      echo "OpenShift's definitions are left out: $of_openshift is not there"
    fi
  fi
  if [ -n "$unreachable" ]; then
    skip_without_modules
    return
  fi
  configure_release
  compile build fairway
  python3 -m unittest discover -q -s "$folder" -p '*_test.py' || exit 1
  status=0
  definitions_log="$(mktemp)"
  # shellcheck disable=SC2086 # the flag is a word, or nothing
  python3 "$folder/compare.py" "$FAIRWAY_ROOT/build/fairway" "$kubernetes" $extent "$@" >"$definitions_log" || status=$?
  show_counted "$definitions_log"
  rm -f "$definitions_log"
  return "$status"
}
