# Makes release images of the manifests in examples/cluster, and pushes them into a registry. Sourced.

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
