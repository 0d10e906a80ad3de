# SPDX-License-Identifier: Apache-2.0

# Makes release images of the manifests in examples/cluster, signs them, and pushes them into a registry. Sourced.

# sha256 FILE: "sha256:HEX".
sha256() { printf 'sha256:%s' "$(sha256sum "$1" | cut -d ' ' -f 1)"; }

# put URL FILE TYPE: uploads, and ends it all where that fails.
put() { curl -fsS -o /dev/null -X PUT -H "Content-Type: $3" --data-binary "@$2" "$1"; }

# push_blob REGISTRY/REPOSITORY FILE DIGEST
push_blob() {
  location="$(curl -fsS -o /dev/null -D - -X POST "http://${1%%/*}/v2/${1#*/}/blobs/uploads/" |
    tr -d '\r' | sed -n 's/^[Ll]ocation: //p')"
  put "$location&digest=$3" "$2" application/octet-stream
}

# push_release REGISTRY/REPOSITORY VERSION METADATA FOLDER: pushes the release with the tag VERSION. FOLDER is for its files.
push_release() {
  folder="$4/$2"
  mkdir -p "$folder/release-manifests"
  printf '%s\n' "$3" >"$folder/release-manifests/release-metadata"
  for file in "examples/cluster/$(echo "$2" | cut -d . -f 1,2)"/*.yaml; do
    [ -e "$file" ] || continue
    sed "s/@VERSION@/$2/" "$file" >"$folder/release-manifests/${file##*/}"
  done
  # The same bytes each time, so that a release has the same digest.
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644 -C "$folder" -cf "$folder/layer.tar" \
    --no-recursion release-manifests $(cd "$folder" && ls -d release-manifests/*)
  gzip -n -c "$folder/layer.tar" >"$folder/layer"
  printf '{"architecture":"amd64","os":"linux","config":{},"rootfs":{"type":"layers","diff_ids":["%s"]}}' \
    "$(sha256 "$folder/layer.tar")" >"$folder/config"
  {
    printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",'
    printf '"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"%s","size":%d},' \
      "$(sha256 "$folder/config")" "$(wc -c <"$folder/config")"
    printf '"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"%s","size":%d}]}' \
      "$(sha256 "$folder/layer")" "$(wc -c <"$folder/layer")"
  } >"$folder/manifest"
  push_blob "$1" "$folder/config" "$(sha256 "$folder/config")"
  push_blob "$1" "$folder/layer" "$(sha256 "$folder/layer")"
  put "http://${1%%/*}/v2/${1#*/}/manifests/$2" "$folder/manifest" application/vnd.oci.image.manifest.v1+json
}

# make_key FOLDER: a key for releases. Its public part is FOLDER/keys/releases.asc; the secret one is in a folder of its own, whose
# path is short, as sockets of gnupg's agent are in it.
make_key() {
  key_home="$(mktemp -d)"
  mkdir -p "$1/keys"
  gpg --homedir "$key_home" --batch --quiet --pinentry-mode loopback --passphrase '' --quick-gen-key releases ed25519 sign never \
    2>"$1/key.log" || { cat "$1/key.log" >&2 && return 1; }
  gpg --homedir "$key_home" --batch --quiet --armor --output "$1/keys/releases.asc" --export releases
}

# sign_release REPOSITORY DIGEST STORE: what gives the image of this digest the key's signature, where STORE is looked for it.
sign_release() {
  mkdir -p "$3/$(echo "$2" | tr : =)"
  printf '{"critical":{"type":"atomic container signature","image":{"docker-manifest-digest":"%s"},%s},"optional":{}}' \
    "$2" "\"identity\":{\"docker-reference\":\"$1\"}" |
    gpg --homedir "$key_home" --batch --quiet --yes --local-user releases --output "$3/$(echo "$2" | tr : =)/signature-1" --sign
}

# forget_key: the secret key, whether there is one or not.
forget_key() {
  [ -n "${key_home:-}" ] || return 0
  gpgconf --homedir "$key_home" --kill all 2>/dev/null || true
  rm -rf "$key_home"
  key_home=
}
