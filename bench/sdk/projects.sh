# SPDX-License-Identifier: Apache-2.0

# The projects that bench/sdk compares, and what they consist of. Sourced by run.sh.

# make_prefix: sets prefix, where Fairway's libraries are installed: that of FAIRWAY_PREFIX, or one made of the build.
make_prefix() {
  prefix="${FAIRWAY_PREFIX:-}"
  if [ -z "$prefix" ]; then
    prefix="$work/prefix"
    for component in $(cd "$bench_root/scripts/package" && python3 -c 'import complete; print(*complete.components())'); do
      cmake --install "$build" --prefix "$prefix" --component "$component-dev" >>"$work/install.log" 2>&1 ||
        { tail -n 5 "$work/install.log" >&2; die "the libraries could not be installed; ninja -C build installed builds them"; }
    done
  fi
}

# make_ours: capacity, as the program writes it, and the example widgets.
make_ours() {
  "$fairway" new operator capacity --group capacity.example.com --kind Capacity --versions v1alpha1,v1 --dir "$work/capacity" \
    >"$work/new.log"
  cp -R "$bench_root/examples/widgets" "$work/widgets"
}

# make_theirs: what kubebuilder writes for the same kind, in scaffold; in theirs with our types, conversions, webhooks, controller and
# tests (rivals/capacity), and with what controller-gen makes of them.
make_theirs() {
  tools="$build/bench_sdk_tools"
  (cd "$rivals/tools" && CGO_ENABLED=0 "$go" build -trimpath -buildvcs=false -o "$tools/" tool)
  mkdir "$work/scaffold"
  cd "$work/scaffold"
  # It asks Go by its name.
  PATH="$(dirname "$(command -v "$go")"):$PATH"
  export PATH
  {
    "$tools/kubebuilder" init --domain example.com --repo example.com/capacity --project-name capacity --license none --fetch-deps=false &&
      # The versions that are locked, before it looks for others.
      cp "$rivals/capacity/go.mod" "$rivals/capacity/go.sum" . &&
      "$tools/kubebuilder" create api --group capacity --version v1alpha1 --kind Capacity --resource --controller=false --make=false &&
      "$tools/kubebuilder" create api --group capacity --version v1 --kind Capacity --resource --controller --make=false &&
      "$tools/kubebuilder" create webhook --group capacity --version v1 --kind Capacity --defaulting --programmatic-validation \
        --conversion --spoke v1alpha1 --make=false &&
      cp -R "$work/scaffold" "$work/theirs" && cp -R "$rivals/capacity/." "$work/theirs" && cd "$work/theirs" &&
      # Our licence's line and the empty one after it: theirs has none, either.
      find . -name '*.go' -exec sed -i '1{/SPDX-License-Identifier/{N;d}}' {} + &&
      "$tools/controller-gen" object paths=./... &&
      "$tools/controller-gen" rbac:roleName=manager-role crd webhook paths=./... output:crd:artifacts:config=config/crd/bases
  } >"$work/scaffold.log" 2>&1 </dev/null || { tail -n 20 "$work/scaffold.log" >&2; die "kubebuilder could not make its project"; }
  cd "$work"
}

# lines: how many lines the files have whose names are read.
lines() { tr '\n' '\0' | xargs -0 -r cat | wc -l; }

made_by_controller_gen='/zz_generated|/config/crd/bases/|/config/rbac/role\.yaml$|/config/webhook/manifests\.yaml$'

# count_lines: prints how many lines each project has: in all, of the program, of its tests, of a definition that people write, those
# that a tool writes anew with each change, and those that a person had to add to what `new operator` and `kubebuilder` have written.
count_lines() {
  form='%-12s %8s %8s %8s %10s %10s %8s\n'
  find theirs -type f ! -name go.sum >theirs.files
  grep -E "$made_by_controller_gen" theirs.files >theirs.generated
  grep -vE "$made_by_controller_gen" theirs.files >theirs.kept
  added="$(cd "$rivals/capacity" && find . -name '*.go' | while read -r file; do
    diff -N "$work/scaffold/$file" "$work/theirs/$file" | grep '^>' || true
  done | wc -l)"
  printf "$form" lines all program tests definition generated added
  printf "$form" kubebuilder "$(lines <theirs.files)" "$(grep '\.go$' theirs.kept | grep -vE '_test\.go$|/test/' | lines)" \
    "$(grep -E '_test\.go$|/test/' theirs.kept | lines)" 0 "$(lines <theirs.generated)" "$added"
  printf "$form" capacity "$(find capacity -type f | lines)" "$(find capacity/src -type f | lines)" \
    "$(find capacity/tests -type f | lines)" "$(echo capacity/crd.yaml | lines)" 0 0
  printf "$form" widgets "$(find widgets -type f | lines)" "$(echo widgets/main.cc | lines)" 0 "$(echo widgets/crd.yaml | lines)" 0 \
    "$(find widgets -type f | lines)"
}

# closure COMPONENT...: the components and libraries that these link, one a line.
closure() {
  waiting="$*"
  while [ -n "$waiting" ]; do
    next=
    for one in $waiting; do
      links="$(find "$prefix" -name "Fairway-$one-links.cmake")"
      echo "$one"
      sed -n 's/^set(Fairway_.*_LIBRARIES "\(.*\)")$/\1/p' "$links" | tr ';' '\n'
      next="$next $(sed -n 's/^set(Fairway_.*_COMPONENTS "\(.*\)")$/\1/p' "$links" | tr ';' ' ')"
    done
    waiting="$(echo $next | tr ' ' '\n' | sort -u)"
  done | sort -u | grep .
}

# count_dependencies: prints what the programs are linked with. Components have no "::" in their names.
count_dependencies() {
  closure program >closure
  echo "capacity and widgets link $(grep -vc :: closure) components of Fairway, and $(grep -c :: closure) libraries of Debian;" \
    "the tests of capacity $(closure program testing | grep -vc ::) and $(closure program testing | grep -c ::), and GoogleTest"
  cd "$work/theirs"
  direct="$("$go" list -m -f '{{if not (or .Indirect .Main)}}{{.Path}}{{end}}' all | grep -c .)"
  linked="$("$go" list -deps -f '{{with .Module}}{{.Path}}{{end}}' ./cmd | sort -u | grep -vc '^example.com/capacity$')"
  echo "kubebuilder's project requires $direct modules, $(grep -c '// indirect' go.mod) more through them, and links $linked"
  cd "$work"
}
