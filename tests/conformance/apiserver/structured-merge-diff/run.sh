#!/bin/sh
# SPDX-License-Identifier: Apache-2.0

# Runs the tests of structured-merge-diff with our functions in place of theirs: _overlay/ asks the program `bridge` for all that
# fieldpath.Set, typed.TypedValue and merge.Updater do. usage: run.sh GO BRIDGE WORK_FOLDER [PARTS SEED]: with PARTS, one of so many
# parts of the tests, which the seed chooses
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
go="$1"
bridge="$2"
work="$3/structured-merge-diff"
parts="${4:-1}"
seed="${5:-1}"
# The module that k8s.io/apimachinery of tests/conformance/apiserver wants; its go.sum says what must be in it.
source="$(cd "$here/.." && "$go" list -m -f '{{.Dir}}' sigs.k8s.io/structured-merge-diff/v6)"
if [ ! -d "$source" ]; then
  (cd "$here/.." && "$go" mod download sigs.k8s.io/structured-merge-diff/v6)
  source="$(cd "$here/.." && "$go" list -m -f '{{.Dir}}' sigs.k8s.io/structured-merge-diff/v6)"
fi
rm -rf "$work"
mkdir -p "$work"
cp -r "$source/." "$work"
chmod -R u+w "$work"
cp -r "$here/_overlay/." "$work"

# theirs FILE RECEIVER NAME...: these functions are called theirNAME from here on; ours have the name.
theirs() {
  file="$1"
  receiver="$2"
  shift 2
  for name in "$@"; do
    sed "s/^func ${receiver}${name}(/func ${receiver}their${name}(/" "$work/$file" >"$work/changed"
    if cmp -s "$work/changed" "$work/$file"; then
      echo "error: $file has no function $receiver$name: another release? see $here/run.sh" >&2
      exit 1
    fi
    mv "$work/changed" "$work/$file"
  done
}
theirs fieldpath/set.go '(s \*Set) ' Insert Has Union Intersection Difference RecursiveDifference Leaves FilterIncludeMatches \
  EnsureNamedFieldsAreMembers
theirs fieldpath/serialize.go '(s \*Set) ' ToJSON FromJSON
theirs fieldpath/serialize-pe.go '' DeserializePathElement SerializePathElement
theirs fieldpath/element.go '(e PathElement) ' String
theirs fieldpath/path.go '(fp Path) ' String
theirs typed/typed.go '(tv TypedValue) ' Validate ToFieldSet Merge Compare RemoveItems ExtractItems
theirs typed/reconcile_schema.go '' ReconcileFieldSetWithSchema
theirs merge/update.go '(s \*Updater) ' Update Apply
# Their reader of sets takes their reader of elements.
sed -i 's/pe, err := DeserializePathElement/pe, err := theirDeserializePathElement/' "$work/fieldpath/serialize.go"

export FAIRWAY_BRIDGE="$bridge"
cd "$work"
names=.
if [ "$parts" -gt 1 ]; then
  GOFLAGS=-mod=mod "$go" test -vet=off -list '^Test' ./... | grep '^Test' | sort -u >"$work/tests"
  # In an order that the seed makes.
  while read -r name; do
    echo "$(printf '%s' "$seed $name" | cksum | cut -d ' ' -f 1) $name"
  done <"$work/tests" | sort -n | head -n "$(($(wc -l <"$work/tests") / parts))" | cut -d ' ' -f 2 >"$work/chosen"
  echo "$(wc -l <"$work/chosen") of $(wc -l <"$work/tests") tests of structured-merge-diff, chosen by the seed $seed"
  names="^($(paste -sd '|' "$work/chosen"))\$"
fi
# -vet=off: vet looks at functions that are theirs. GOFLAGS of the machine may forbid what go.mod wants.
GOFLAGS=-mod=mod "$go" test -count=1 -vet=off -run "$names" -json ./... >"$work/results.json" || true
exec python3 "$here/summary.py" "$work/results.json"
