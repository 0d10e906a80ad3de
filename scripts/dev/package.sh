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
  need_console
  # Without the console there is no package.
  configure "$package_build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DFAIRWAY_TESTS=ON -DFAIRWAY_BENCH=ON \
    -DFAIRWAY_CONSOLE=ON "$@"
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

# bill_of FILE NAME LIBRARIES-FILE: the bill of materials FILE.spdx.json of an artefact in $package_made.
bill_of() {
  bundled=
  # Those that have the program, and in it the console.
  case "$2" in
    fairway | kubectl-fairway) bundled="--bundled $FAIRWAY_ROOT/$package_build/console/site/bundled.json" ;;
  esac
  python3 "$FAIRWAY_ROOT/scripts/package/sbom.py" --name "$2" --version "$version" --artefact "$package_made/$1" \
    --out "$package_made/$1.spdx.json" $bundled $(cat "$3")
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
  mv "$folder"/*.deb "$package_made/" || return
  : >"$package_work/none"
  for file in "$package_made"/*.deb; do
    name="$(basename "$file")"
    bill_of "$name" "${name%%_*}" "$package_work/none" || return
  done
}

package_tarball() {
  name="fairway-$version-linux-$architecture"
  rm -rf "$package_work/prefix"
  install_to "$package_work/prefix" || return
  cp "$FAIRWAY_ROOT/LICENSE" "$FAIRWAY_ROOT/CHANGELOG.md" "$package_work/prefix/" || return
  python3 "$FAIRWAY_ROOT/scripts/package/tarball.py" --name "$name" --prefix "$package_work/prefix" --out "$package_made/$name.tar.gz" \
    --libraries-out "$package_work/libraries" || return
  bill_of "$name.tar.gz" fairway "$package_work/libraries"
}

# package_krew: makes krew's archive and its manifest.
package_krew() {
  name="kubectl-fairway-$version-linux-$architecture.tar.gz"
  python3 "$FAIRWAY_ROOT/scripts/package/krew.py" --tarball "$package_made/fairway-$version-linux-$architecture.tar.gz" \
    --version "$version" --architecture "$architecture" --out "$package_made" \
    --libraries "$package_work/libraries" --libraries-out "$package_work/krew-libraries" || return
  bill_of "$name" kubectl-fairway "$package_work/krew-libraries"
}

# package_image NAME ENTRYPOINT DESCRIPTION PATH=FILE...
package_image() {
  name="$1" entrypoint="$2" description="$3"
  shift 3
  python3 "$FAIRWAY_ROOT/scripts/package/image.py" --name "$name" --version "$version" --entrypoint "$entrypoint" \
    --description "$description" --revision "$revision" --libraries-out "$package_work/libraries" \
    --out "$package_made/$name-$version.oci.tar" "$@" || return
  bill_of "$name-$version.oci.tar" "$name" "$package_work/libraries"
}

package_images() {
  prefix="$package_work/prefix"
  package_image fairway /usr/bin/fairway "Update service, operator, client and API server of Fairway" \
    "/usr/bin/fairway=$prefix/bin/fairway" || return
  # It has the command line of `fairway gateway`, and none of the libraries that the other commands need. Envoy is copied into its
  # containers at their start, and asks for these parts of glibc, which the controller does not; libm and libc are there.
  package_image fairway-gateway /usr/bin/fairway "Fairway's controller of Gateway API" \
    --library libdl.so.2 --library libpthread.so.0 --library librt.so.1 \
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

# check_packages: what others do with them, in $package_ours.
check_packages() {
  need lint
  package_failed=0 package_said="$(mktemp -d)"
  lintian --no-cfg --allow-root --fail-on error "$package_ours"/*.deb || {
    package_failed=1
    echo "failed: lintian: errors in the packages"
  }
  python3 "$FAIRWAY_ROOT/scripts/package/check_sdk.py" "$FAIRWAY_ROOT/$package_build" >"$package_said/sdk" || package_failed=1
  cat "$package_said/sdk"
  python3 "$FAIRWAY_ROOT/scripts/package/check_install.py" "$package_ours" >"$package_said/install" || package_failed=1
  cat "$package_said/install"
  # Without Envoy, which is PyPI's, the gateway is left out.
  find_envoy
  python3 -B "$FAIRWAY_ROOT/scripts/package/check_images.py" "$package_ours" ${envoy:+--envoy "$envoy"} \
    >"$package_said/images" || package_failed=1
  cat "$package_said/images"
  cat "$package_said/sdk" "$package_said/install" "$package_said/images" | awk -v failed="$package_failed" '
    /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { p += $1; f += $3; s += $5 }
    END { if (failed && !f) f = 1; printf "%d passed, %d failed, %d skipped\n", p + !failed, f, s }'
  rm -rf "$package_said"
  [ "$package_failed" -eq 0 ]
}

# verify_part WHAT COMMAND...: runs one check of verify_packages, and adds what its last line counts to $verify_passed, $verify_failed and
# $verify_skipped.
verify_part() {
  what="$1" part_begun="$(date +%s)"
  shift
  echo "=== $what"
  "$@" >"$verify_work/told" 2>&1 || true
  sed '$d' "$verify_work/told"
  counts="$(tail -n 1 "$verify_work/told")"
  case "$counts" in
    *" passed, "*" failed, "*" skipped")
      verify_passed=$((verify_passed + ${counts%% passed*}))
      more="${counts#* passed, }"
      verify_failed=$((verify_failed + ${more%% failed*}))
      more="${more#* failed, }"
      verify_skipped=$((verify_skipped + ${more%% skipped*}))
      ;;
    *)
      echo "$counts"
      counts="it ended without a result"
      verify_failed=$((verify_failed + 1))
      ;;
  esac
  echo "$what: $counts, $(($(date +%s) - part_begun)) s"
}

# verify_packages COMMIT [--made DIR] [--keep DIR]: what takes too long for each change: the same bytes from two checkouts of a commit, and
# from reprotest; the tarball in other distributions; tests on arm64. --made: packages that have to be the same, too; --keep: where the
# packages of the first checkout go if all is well.
verify_packages() {
  need build test package verify
  scripts="$FAIRWAY_ROOT/scripts/package" commit="$1" made= keep=
  shift
  while [ $# -gt 0 ]; do
    case "$1" in
      --made) made="$2" ;;
      --keep) keep="$2" ;;
    esac
    shift 2
  done
  verify_work="$(mktemp -d /var/tmp/fairway-verify-XXXXXX)"
  verify_passed=0 verify_failed=0 verify_skipped=0
  verify_part "two builds in two checkouts" sh "$scripts/verify_builds.sh" "$commit" "$verify_work"
  if [ "$verify_failed" -eq 0 ]; then
    [ -z "$made" ] || verify_part "what was packaged here, and there" compared "$made" "$verify_work/dist-one"
    verify_part "reprotest" sh "$scripts/verify_reprotest.sh" "$verify_work/one"
    verify_part "the tarball in other distributions" python3 -B "$scripts/verify_roots.py" "$verify_work/dist-one"
  fi
  verify_part "arm64" sh "$scripts/verify_arm64.sh"
  if [ "$verify_failed" -eq 0 ]; then
    [ -z "$keep" ] || cp "$verify_work"/dist-one/* "$keep/"
    rm -rf "$verify_work"
  else
    echo "error: verifying failed; what was made is left in $verify_work" >&2
  fi
  echo "$verify_passed passed, $verify_failed failed, $verify_skipped skipped"
  [ "$verify_failed" -eq 0 ]
}

# compared ONE TWO: whether two folders have the same files, as verify_part wants it.
compared() {
  if python3 -B "$scripts/verify_compare.py" "$1" "$2"; then
    echo "1 passed, 0 failed, 0 skipped"
  else
    echo "0 passed, 1 failed, 0 skipped"
  fi
}

# uncommitted FOLDER: prints the files that differ from the commit, and new ones that are not in FOLDER, where packages go.
uncommitted() {
  git -C "$FAIRWAY_ROOT" status --porcelain --untracked-files=no
  inside="${1#"$(cd "$FAIRWAY_ROOT" && pwd -P)/"}"
  if [ "$inside" = "$1" ]; then
    git -C "$FAIRWAY_ROOT" ls-files --others --exclude-standard
  else
    git -C "$FAIRWAY_ROOT" ls-files --others --exclude-standard -- . ":(exclude,literal)$inside"
  fi | sed 's/^/?? /'
}

# link_packages FOLDER: fills a folder with links to the packages of $package_out, which may have other files.
link_packages() {
  { sed 's/^[^ ]*  //' "$package_out/SHA256SUMS" && echo SHA256SUMS; } | while IFS= read -r name; do
    ln -s "$package_out/$name" "$1/"
  done
}

# place_packages --check|"--from MADE" FOLDER...: puts packages into a folder, or says whether that can be done (place.py).
place_packages() { python3 -B "$FAIRWAY_ROOT/scripts/package/place.py" "$@"; }

# make_packages: all of them, in $package_out, of what $package_build has built. Until all are made, the folder is as it was.
make_packages() {
  version="$(project_version)" architecture="$(dpkg --print-architecture)"
  # What a commit does not have is not labelled as one.
  revision="$(git -C "$FAIRWAY_ROOT" rev-parse HEAD 2>/dev/null)" || revision=
  [ -z "$revision" ] || [ -z "$(uncommitted "$package_out")" ] || revision=
  export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(source_date)}"
  package_work="$(mktemp -d)"
  trap 'rm -rf "$package_work"' EXIT
  package_log="$package_work/log" package_made="$package_work/made"
  mkdir "$package_made"
  package_part "Debian packages" package_debian
  package_part "tarball" package_tarball
  package_part "krew's archive" package_krew
  package_part "OCI images" package_images
  python3 "$FAIRWAY_ROOT/scripts/package/complete.py" "$package_made" "$version" "$architecture"
  (export LC_ALL=C && cd "$package_made" && sha256sum -- *.deb *.tar.gz *.oci.tar *.spdx.json fairway.yaml >SHA256SUMS)
  place_packages --from "$package_made" "$package_out" --version "$version"
  rm -rf "$package_work"
}

# dev_package [--out DIR] [--check] [--verify]
dev_package() {
  package_out="$FAIRWAY_ROOT/dist" package_check= package_verify=
  while [ $# -gt 0 ]; do
    case "$1" in
      --out) package_out="$(of_caller "${2:?--out needs a folder}")" && shift ;;
      --check) package_check=yes ;;
      --verify) package_verify=yes ;;
      *)
        echo "error: ./dev package takes --out DIR, --check and --verify, not '$1'" >&2
        exit 2
        ;;
    esac
    shift
  done
  # Before what takes long.
  place_packages --check "$package_out" --version "$(project_version)" || exit
  need build package
  # The same permissions for whoever packages.
  umask 022
  mkdir -p "$package_out"
  package_out="$(cd "$package_out" && pwd -P)"
  package_build="${package_build:-build}"
  build_installed "$package_build"
  make_packages
  echo "made in $package_out:"
  package_ours="$(mktemp -d)"
  trap 'rm -rf "$package_ours"' EXIT
  link_packages "$package_ours"
  (cd "$package_ours" && ls -shL -- *.deb *.tar.gz *.oci.tar | sed 's/^/  /')
  [ -z "$package_check" ] || check_packages
  [ -n "$package_verify" ] || return 0
  if [ -n "$revision" ]; then
    verify_packages "$revision" --made "$package_ours"
  else
    echo "there are changes that no commit has: what is verified is HEAD"
    verify_packages "$(git -C "$FAIRWAY_ROOT" rev-parse HEAD)"
  fi
}
