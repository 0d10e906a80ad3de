# SPDX-License-Identifier: Apache-2.0

# The built-in kinds of Kubernetes, and the release that they are of.

# Modules of conformance whose requirements are those of one release.
kinds_modules="apiserver kube validation kube-controller-manager"

# The texts that name the release by its first two numbers.
kinds_texts="docs/apiserver-access.md docs/apiserver-compatibility.md docs/apiserver.md docs/builtin-kinds.md docs/cel.md
  docs/server-side-apply.md docs/testing.md src/envtest/data/admission-plugins.txt src/envtest/data/feature-gates.txt
  src/envtest/data/kube-apiserver-flags.txt tests/envtest/data/command-lines.txt tests/envtest/kube_apiserver_test.cc
  tests/envtest/programs_test.cc src/apiserver/internal/validation/data/object_rules.txt
  src/apiserver/internal/validation/data/workload_rules.txt src/envtest/internal/feature_gates.h tests/cel/cost.tsv
  tests/conformance/apiserver/cel-estimates/main.go"

kubernetes_of() { sed -nE 's/.*kubernetes_release = "([0-9.]+)".*/\1/p' "$FAIRWAY_ROOT/src/apiserver/kubernetes_release.h"; }

# dev_kinds [--kubernetes vX.Y.Z]: writes the tables of kinds anew; with a release, those of that one, and moves to it all that names it.
dev_kinds() {
  kinds_old="$(kubernetes_of)" kinds_new=
  while [ $# -gt 0 ]; do
    case "$1" in
      --kubernetes) kinds_new="${2:?--kubernetes needs a release, such as v$kinds_old}" && shift ;;
      *)
        echo "error: ./dev kinds takes --kubernetes RELEASE, not '$1'" >&2
        exit 2
        ;;
    esac
    shift
  done
  kinds_new="${kinds_new#v}"
  case "$kinds_new" in
    "") kinds_new="$kinds_old" ;;
    1.*.*) move_kinds ;;
    *)
      echo "error: ./dev kinds: --kubernetes: '$kinds_new' is no release: write v1.MINOR.PATCH, such as v$kinds_old" >&2
      exit 2
      ;;
  esac
  "$FAIRWAY_ROOT/scripts/kinds/generate"
  git -C "$FAIRWAY_ROOT" status --short -- src/apiserver/internal/kinds/data
  echo "the kinds of Kubernetes $kinds_new; what is left to do: docs/apiserver-internals.md, \"Take a new release of Kubernetes\""
}

# require_again MODULE: a requirement of $folder that `go mod tidy` has removed, as it was committed.
require_again() {
  (cd "$folder" && "$go" mod edit -require="$(git show "HEAD:./go.mod" | awk -v name="$1" 'index($1, name) { print $1 "@" $2; exit }')")
}

# move_kinds: the modules of conformance, and what names the release, from $kinds_old to $kinds_new.
move_kinds() {
  old_modules="$(echo "$kinds_old" | sed 's/^1/0/; s/\./\\./g')" new_modules="0.${kinds_new#1.}"
  for module in $kinds_modules; do
    folder="$FAIRWAY_ROOT/tests/conformance/$module"
    find_go "$folder"
    sed -i -E "s#(k8s\.io/[a-z-]+ (=> k8s\.io/[a-z-]+ )?)v$old_modules#\1v$new_modules#; s#(k8s\.io/kubernetes) v.*#\1 v$kinds_new#" \
      "$folder/go.mod"
    echo "Go modules of tests/conformance/$module"
    (cd "$folder" && "$go" mod tidy 2>&1 | grep -v '^go: \(downloading\|finding\)' || true)
    # What only upstream's tests need, whose files are laid over ours when they are built.
    [ "$module" != kube ] || require_again google/go-cmp
  done
  old="$(echo "$kinds_old" | sed 's/\./\\./g')" old_minor="$(echo "${kinds_old%.*}" | sed 's/\./\\./g')"
  sed -i "s/\"$old\"/\"$kinds_new\"/; s/\"$old_minor\"/\"${kinds_new%.*}\"/" "$FAIRWAY_ROOT/src/apiserver/kubernetes_release.h"
  for text in $kinds_texts; do
    sed -i -E "s/(Kubernetes|kube-apiserver)( v?)$old\b/\1\2$kinds_new/g
      s/(Kubernetes|kube-apiserver)( v?)$old_minor([^.0-9]|\.[^0-9]|\.?$)/\1\2${kinds_new%.*}\3/g; s/v$old\+fairway/v$kinds_new+fairway/g" \
      "$FAIRWAY_ROOT/$text"
  done
  build_kubernetes
  python3 "$FAIRWAY_ROOT/scripts/kinds/envtest_tables.py" "$FAIRWAY_ROOT/.cache/kubernetes/kube-apiserver" \
    "$("$go" env GOMODCACHE)/k8s.io" "$kinds_new" || [ $? -eq 3 ]
}
