# SPDX-License-Identifier: Apache-2.0

# Makes a release: packages of a tagged commit, where they come from, and a signature.

# refuse_release WHAT...: says why there is no release.
refuse_release() {
  echo "error: release $release_version: $*" >&2
  exit 1
}

# dev_release VERSION [--out DIR] [--key KEY]
dev_release() {
  release_version= release_out="$FAIRWAY_ROOT/dist" release_key=
  while [ $# -gt 0 ]; do
    case "$1" in
      --out) release_out="${2:?--out needs a folder}" && shift ;;
      --key) release_key="${2:?--key needs a key of gpg}" && shift ;;
      -*)
        echo "error: ./dev release takes VERSION, --out DIR and --key KEY, not '$1'" >&2
        exit 2
        ;;
      *) release_version="$1" ;;
    esac
    shift
  done
  if [ -z "$release_version" ]; then
    echo "error: ./dev release needs a version, such as $(project_version)" >&2
    exit 2
  fi
  [ "$release_version" = "$(project_version)" ] || refuse_release "CMakeLists.txt says $(project_version)"
  grep -q "^## $release_version - [0-9]" "$FAIRWAY_ROOT/CHANGELOG.md" ||
    refuse_release "CHANGELOG.md has no line '## $release_version - DATE'"
  dirty="$(git -C "$FAIRWAY_ROOT" status --porcelain)"
  [ -z "$dirty" ] || refuse_release "there are changes that no commit has: $(echo "$dirty" | head -n 3 | tr '\n' ' ')"
  tagged="$(git -C "$FAIRWAY_ROOT" rev-parse --verify --quiet "v$release_version^{commit}")" ||
    refuse_release "there is no tag v$release_version: git tag -s v$release_version"
  revision="$(git -C "$FAIRWAY_ROOT" rev-parse HEAD)"
  [ "$tagged" = "$revision" ] || refuse_release "v$release_version is $tagged, and this is $revision: git checkout v$release_version"
  if [ -n "$release_key" ]; then
    need up
    gpg --list-secret-keys "$release_key" >/dev/null 2>&1 || refuse_release "gpg has no secret key $release_key"
  fi
  # Nothing of another build.
  package_build=build-release
  rm -rf "$FAIRWAY_ROOT/build-release"
  dev_package --out "$release_out"
  python3 "$FAIRWAY_ROOT/scripts/package/provenance.py" --version "$release_version" --revision "$revision" \
    --out "$release_out/fairway-$release_version.provenance.json" "$release_out/SHA256SUMS"
  (cd "$release_out" && sha256sum -- *.provenance.json >>SHA256SUMS)
  if [ -n "$release_key" ]; then
    gpg --batch --yes --local-user "$release_key" --armor --detach-sign --output "$release_out/SHA256SUMS.asc" "$release_out/SHA256SUMS"
    echo "signed: $release_out/SHA256SUMS.asc"
  else
    echo "not signed: --key KEY signs SHA256SUMS"
  fi
}
