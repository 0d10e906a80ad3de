# SPDX-License-Identifier: Apache-2.0

# Makes a release: packages of a tagged commit, where they come from, and a signature.

# refuse_release WHAT...: says why there is no release.
refuse_release() {
  echo "error: release $release_version: $*" >&2
  exit 1
}

# key_kind KEY: what --key names: an "openpgp" or "openssh" secret key in a file, or a key that "gpg" has.
key_kind() {
  if [ ! -f "$1" ]; then
    gpg --list-secret-keys "$1" >/dev/null 2>&1 || refuse_release "--key: there is no file $1, and gpg has no secret key of that name"
    echo gpg
    return
  fi
  case "$(head -n 1 "$1")" in
    "-----BEGIN PGP PRIVATE KEY BLOCK-----") echo openpgp ;;
    "-----BEGIN OPENSSH PRIVATE KEY-----") echo openssh ;;
    *) refuse_release "--key: $1 is neither a secret key of gpg (gpg --armor --export-secret-keys) nor one of OpenSSH (ssh-keygen)" ;;
  esac
}

# sign_by_gpg FILE KEY: writes FILE.asc.
sign_by_gpg() {
  gpg --batch --yes --quiet --local-user "$2" --armor --detach-sign --output "$1.asc" "$1" || refuse_release "gpg could not sign $1"
  echo "signed: $(basename "$1").asc"
}

# sign_release FILE KEY: writes FILE.asc, a signature of OpenPGP, or FILE.sig, one of OpenSSH.
sign_release() {
  case "$release_key_kind" in
    gpg) sign_by_gpg "$1" "$2" ;;
    openpgp)
      # A home of its own, so that no agent and no keyring of the user comes to know the key, and none is left.
      (
        GNUPGHOME="$(mktemp -d)"
        export GNUPGHOME
        trap 'gpgconf --kill gpg-agent; rm -rf "$GNUPGHOME"' EXIT
        gpg --batch --quiet --import "$2" 2>/dev/null || refuse_release "gpg could not read the key in $2"
        signer="$(gpg --batch --with-colons --list-secret-keys | awk -F: '$1 == "fpr" { print $10; exit }')"
        sign_by_gpg "$1" "$signer"
      ) || exit
      ;;
    openssh)
      rm -f "$1.sig"
      ssh-keygen -Y sign -q -n file -f "$2" "$1" || refuse_release "ssh-keygen could not sign $1"
      echo "signed: $(basename "$1").sig"
      ;;
  esac
}

# verify_signature FILE: whether the signature of a file is one of the keys that users have from the repository.
verify_signature() {
  if [ "$release_key_kind" = openssh ]; then
    ssh-keygen -Y verify -q -f "$FAIRWAY_ROOT/packaging/release-signers" -I fairway -n file -s "$1.sig" <"$1" >/dev/null 2>&1
    return
  fi
  (
    GNUPGHOME="$(mktemp -d)"
    export GNUPGHOME
    trap 'gpgconf --kill all; rm -rf "$GNUPGHOME"' EXIT
    gpg --batch --quiet --import "$FAIRWAY_ROOT/packaging/release-key.asc" && gpg --batch --quiet --verify "$1.asc" "$1"
  ) >/dev/null 2>&1
}

# check_signer KEY: refuses a key whose signature nobody could check: that of a file of one line has to be good.
check_signer() {
  trial="$(mktemp -d)"
  echo "release $release_version" >"$trial/file"
  (sign_release "$trial/file" "$1") >"$trial/said" || exit
  if verify_signature "$trial/file"; then
    rm -rf "$trial"
    return
  fi
  rm -rf "$trial"
  case "$release_key_kind" in
    openssh) public="packaging/release-signers" how="echo \"fairway namespaces=\\\"file\\\" \$(ssh-keygen -y -f $1)\" >>$public" ;;
    openpgp) public="packaging/release-key.asc" how="where your gpg has it, gpg --armor --export KEY >$public" ;;
    gpg) public="packaging/release-key.asc" how="gpg --armor --export $1 >$public" ;;
  esac
  refuse_release "--key: $public, by which users check signatures, has no public key of $1: $how, commit it, and tag that"
}

# dev_release VERSION [--out DIR] [--key KEY] [--no-verify]
dev_release() {
  release_version= release_out="$FAIRWAY_ROOT/dist" release_key= release_verify=yes
  while [ $# -gt 0 ]; do
    case "$1" in
      --out) release_out="$(of_caller "${2:?--out needs a folder}")" && shift ;;
      --key) release_key="${2:?--key needs a file, or a key of gpg}" && shift ;;
      --no-verify) release_verify= ;;
      -*)
        echo "error: ./dev release takes VERSION, --out DIR, --key KEY and --no-verify, not '$1'" >&2
        exit 2
        ;;
      *)
        if [ -n "$release_version" ]; then
          echo "error: ./dev release makes one version, not $release_version and $1" >&2
          exit 2
        fi
        release_version="$1"
        ;;
    esac
    shift
  done
  if [ -z "$release_version" ]; then
    echo "error: ./dev release needs a version, such as $(project_version)" >&2
    exit 2
  fi
  [ "$release_version" = "$(project_version)" ] || refuse_release "CMakeLists.txt says $(project_version)"
  grep -q "^## \\[$release_version\\] - [0-9]" "$FAIRWAY_ROOT/CHANGELOG.md" ||
    refuse_release "CHANGELOG.md has no line '## [$release_version] - DATE'"
  others="$(python3 -B "$FAIRWAY_ROOT/scripts/package/versions.py" "$release_version")" ||
    refuse_release "files have another version:$(printf '\n%s' "$others")"
  dirty="$(uncommitted "$(realpath -m "$release_out")")"
  [ -z "$dirty" ] || refuse_release "there are changes that no commit has: $(echo "$dirty" | head -n 3 | tr '\n' ' ')"
  tagged="$(git -C "$FAIRWAY_ROOT" rev-parse --verify --quiet "v$release_version^{commit}")" ||
    refuse_release "there is no tag v$release_version: git tag -s v$release_version"
  head="$(git -C "$FAIRWAY_ROOT" rev-parse HEAD)"
  [ "$tagged" = "$head" ] || refuse_release "v$release_version is $tagged, and this is $head: git checkout v$release_version"
  # Before what takes long.
  if [ -n "$release_key" ]; then
    need up
    # A key of gpg has a name, which is no path.
    [ ! -f "$(of_caller "$release_key")" ] || release_key="$(of_caller "$release_key")"
    release_key_kind="$(key_kind "$release_key")" || exit
    check_signer "$release_key"
  fi
  # An earlier release stays.
  place_release() { place_packages "$@" "$release_out" --version "$release_version" --release ${release_key:+--signed}; }
  place_release --check || exit
  need build package
  release_work="$(mktemp -d /var/tmp/fairway-release-XXXXXX)"
  release_made="$release_work/made"
  mkdir -p "$release_made" "$release_out"
  release_out="$(cd "$release_out" && pwd -P)"
  # Made in a checkout of its own: nothing of another build, and nothing that git ignores.
  if [ -n "$release_verify" ]; then
    verify_packages "$tagged" --keep "$release_made" || refuse_release "verifying it failed"
  else
    sh "$FAIRWAY_ROOT/scripts/package/verify_builds.sh" --once "$tagged" "$release_work" || refuse_release "packaging it failed"
    mv "$release_work"/dist-one/* "$release_made/"
    echo "not verified: without --no-verify two builds, reprotest, other distributions and arm64 are tried"
  fi
  python3 "$FAIRWAY_ROOT/scripts/package/provenance.py" --version "$release_version" --revision "$tagged" \
    --out "$release_made/fairway-$release_version.provenance.json" "$release_made/SHA256SUMS"
  (cd "$release_made" && sha256sum -- *.provenance.json >>SHA256SUMS)
  if [ -n "$release_key" ]; then
    sign_release "$release_made/SHA256SUMS" "$release_key"
  else
    echo "not signed: --key KEY signs SHA256SUMS"
  fi
  place_release --from "$release_made" || exit
  rm -rf "$release_work"
  echo "made in $release_out"
}
