# SPDX-License-Identifier: Apache-2.0

# Makes what others install: Debian packages, a tarball, OCI images, each with a bill of materials, and their checksums.

# The version that CMakeLists.txt says.
project_version() { sed -n 's/^project(fairway VERSION \([0-9.]*\).*/\1/p' "$FAIRWAY_ROOT/CMakeLists.txt"; }

# The time that all files of a release have: that of the commit.
source_date() { git -C "$FAIRWAY_ROOT" log -1 --format=%ct 2>/dev/null || echo 0; }

# build_installed FOLDER [CMAKE OPTION...]: all that is installed, built in a folder.
build_installed() {
  package_build="$1"
  shift
  configure "$package_build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DFAIRWAY_TESTS=ON -DFAIRWAY_BENCH=ON "$@"
  compile "$package_build" installed
  # Without Python's registry it is built all the same, and cannot speak to Envoys.
  if ! grep -a -q envoy.service.discovery.v3.DeltaDiscoveryRequest "$FAIRWAY_ROOT/$package_build/fairway-gateway"; then
    echo "error: fairway-gateway was built without the descriptors of Envoy's API: scripts/envoy_api.py makes them" >&2
    exit 1
  fi
}

# install_to DIR: the programs with their manuals and completions, without debug symbols.
install_to() {
  for component in fairway gateway; do
    cmake --install "$FAIRWAY_ROOT/$package_build" --prefix "$1" --component "$component" --strip >>"$package_log" 2>&1 || return
  done
}

# bill_of FILE NAME LIBRARIES-FILE: the bill of materials FILE.spdx.json of an artefact in $package_out.
bill_of() {
  python3 "$FAIRWAY_ROOT/scripts/package/sbom.py" --name "$2" --version "$version" --artefact "$package_out/$1" \
    --out "$package_out/$1.spdx.json" $(cat "$3")
}

# debug_package FILE FOLDER: the package of debug symbols that CPack made, in FOLDER, with what CPack leaves out: checksums by the right
# names, licence and changelog, and a name that apt knows.
debug_package() {
  parts="$(mktemp -d "$2/parts.XXXXXX")"
  dpkg-deb -R "$1" "$parts" || return
  name="$(basename "$1" | cut -d _ -f 1)"
  # Those of the package that it belongs to.
  mkdir -p "$parts/usr/share/doc" && ln -s "${name%-dbgsym}" "$parts/usr/share/doc/$name" || return
  (cd "$parts" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums) || return
  chmod 755 "$parts" && chmod 644 "$parts/DEBIAN/md5sums" || return
  dpkg-deb --root-owner-group -Zxz -b "$parts" "${1%.ddeb}.deb" >>"$package_log" || return
  rm -rf "$parts"
}

package_debian() {
  folder="$package_work/debian"
  (cd "$FAIRWAY_ROOT/$package_build" && cpack -G DEB -B "$folder") >>"$package_log" 2>&1 || return
  for file in "$folder"/*.ddeb; do
    if [ -f "$file" ]; then debug_package "$file" "$folder" || return; fi
  done
  mv "$folder"/*.deb "$package_out/" || return
  : >"$package_work/none"
  for file in "$package_out"/*.deb; do
    name="$(basename "$file")"
    bill_of "$name" "${name%%_*}" "$package_work/none" || return
  done
}

package_tarball() {
  name="fairway-$version-linux-$architecture"
  rm -rf "$package_work/prefix"
  install_to "$package_work/prefix" || return
  cp "$FAIRWAY_ROOT/LICENSE" "$FAIRWAY_ROOT/CHANGELOG.md" "$package_work/prefix/" || return
  python3 "$FAIRWAY_ROOT/scripts/package/tarball.py" --name "$name" --prefix "$package_work/prefix" --out "$package_out/$name.tar.gz" \
    --libraries-out "$package_work/libraries" || return
  bill_of "$name.tar.gz" fairway "$package_work/libraries"
}

# package_image NAME ENTRYPOINT DESCRIPTION PATH=FILE...
package_image() {
  name="$1" entrypoint="$2" description="$3"
  shift 3
  python3 "$FAIRWAY_ROOT/scripts/package/image.py" --name "$name" --version "$version" --entrypoint "$entrypoint" \
    --description "$description" --revision "$revision" --libraries-out "$package_work/libraries" \
    --out "$package_out/$name-$version.oci.tar" "$@" || return
  bill_of "$name-$version.oci.tar" "$name" "$package_work/libraries"
}

package_images() {
  prefix="$package_work/prefix"
  package_image fairway /usr/bin/fairway "Update service, operator, client and API server of Fairway" \
    "/usr/bin/fairway=$prefix/bin/fairway" || return
  # It has the command line of `fairway gateway`, and none of the libraries that the other commands need.
  package_image fairway-gateway /usr/bin/fairway "Fairway's controller of Gateway API" \
    "/usr/bin/fairway=$prefix/libexec/fairway/fairway-gateway"
}

# package_part WHAT COMMAND...: runs it, says how long it took, and shows what went wrong.
package_part() {
  what="$1" part_begun="$(date +%s)"
  shift
  if ! "$@"; then
    [ ! -s "$package_log" ] || tail -n 40 "$package_log" >&2
    echo "error: making $what failed" >&2
    exit 1
  fi
  echo "$what: $(($(date +%s) - part_begun)) s"
}

# check_packages: what others do with them, in $package_out.
check_packages() {
  need lint
  package_failed=0
  lintian --no-cfg --allow-root --fail-on error "$package_out"/*.deb || package_failed=1
  python3 "$FAIRWAY_ROOT/scripts/package/check_sdk.py" "$FAIRWAY_ROOT/$package_build" >"$package_out/.sdk" || package_failed=1
  cat "$package_out/.sdk"
  python3 "$FAIRWAY_ROOT/scripts/package/check_install.py" "$package_out" >"$package_out/.install" || package_failed=1
  cat "$package_out/.install"
  cat "$package_out/.sdk" "$package_out/.install" | awk -v failed="$package_failed" '
    /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { p += $1; f += $3; s += $5 }
    END { if (failed && !f) f = 1; printf "%d passed, %d failed, %d skipped\n", p + !failed, f, s }'
  rm -f "$package_out/.sdk" "$package_out/.install"
  [ "$package_failed" -eq 0 ]
}

# dev_package [--out DIR] [--check]
dev_package() {
  package_out="$FAIRWAY_ROOT/dist" package_check=
  while [ $# -gt 0 ]; do
    case "$1" in
      --out) package_out="${2:?--out needs a folder}" && shift ;;
      --check) package_check=yes ;;
      *)
        echo "error: ./dev package takes --out DIR and --check, not '$1'" >&2
        exit 2
        ;;
    esac
    shift
  done
  need build package
  # The same permissions for whoever packages.
  umask 022
  mkdir -p "$package_out"
  package_out="$(cd "$package_out" && pwd)"
  version="$(project_version)" architecture="$(dpkg --print-architecture)"
  # What a commit does not have is not labelled as one.
  revision="$(git -C "$FAIRWAY_ROOT" rev-parse HEAD 2>/dev/null)" || revision=
  [ -z "$(git -C "$FAIRWAY_ROOT" status --porcelain 2>/dev/null)" ] || revision=
  export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(source_date)}"
  package_work="$(mktemp -d)"
  trap 'rm -rf "$package_work"' EXIT
  package_log="$package_work/log"
  build_installed "${package_build:-build}"
  rm -f "$package_out"/*.deb "$package_out"/*.tar.gz "$package_out"/*.oci.tar "$package_out"/*.spdx.json \
    "$package_out"/SHA256SUMS* "$package_out"/*.provenance.json
  package_part "Debian packages" package_debian
  package_part "tarball" package_tarball
  package_part "OCI images" package_images
  python3 "$FAIRWAY_ROOT/scripts/package/complete.py" "$package_out" "$version" "$architecture"
  (cd "$package_out" && sha256sum -- *.deb *.tar.gz *.oci.tar *.spdx.json >SHA256SUMS)
  rm -rf "$package_work"
  echo "made in $package_out:"
  (cd "$package_out" && ls -sh -- *.deb *.tar.gz *.oci.tar | sed 's/^/  /')
  [ -z "$package_check" ] || check_packages
}
