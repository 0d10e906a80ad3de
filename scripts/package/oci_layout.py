# SPDX-License-Identifier: Apache-2.0
"""Writes OCI images as a layout in a tar file, the same bytes for the same content: names sorted, one time, no owner but root.

The image specification says what is in it (https://specs.opencontainers.org/image-spec/): an index, a manifest and a configuration an
architecture, and layers.
"""

import gzip
import hashlib
import io
import json
import os
import tarfile

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def tar_of(root, seconds):
    """The bytes of a tar file of all below a folder, which belongs to root and was last changed at a time (seconds since 1970)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        names = []
        for folder, folders, files in os.walk(root):
            names += [os.path.relpath(os.path.join(folder, name), root) for name in folders + files]
        for name in sorted(names):
            path = os.path.join(root, name)
            entry = tar.gettarinfo(path, name)
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = seconds
            # Whatever the umask was, but for folders that everybody may write to.
            if not entry.issym() and not entry.mode & 0o1002:
                entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            # Hard links of the build machine are files here.
            if entry.islnk():
                entry.type, entry.linkname, entry.size = tarfile.REGTYPE, "", os.path.getsize(path)
            if entry.isreg():
                with open(path, "rb") as content:
                    tar.addfile(entry, content)
            else:
                tar.addfile(entry)
    return out.getvalue()


def _json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


class Layout:
    """An image layout that is made. `images` are added, one an architecture; `write` makes the tar file."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.blobs = {}
        self.manifests = []

    def _add(self, content, media_type):
        digest = hashlib.sha256(content).hexdigest()
        self.blobs[digest] = content
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

    def add_image(self, root, architecture, config, labels, created):
        """Adds the image of what is below a folder. `config` is that of the specification (User, Entrypoint ...); `created` a time as
        RFC 3339 writes it. Returns the size of its layer in bytes."""
        tar = tar_of(root, self.seconds)
        layer = self._add(gzip.compress(tar, 9, mtime=0), LAYER)
        description = self._add(_json({
            "architecture": architecture, "os": "linux", "created": created,
            "config": {**config, "Labels": labels},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(tar).hexdigest()}"]},
            "history": [{"created": created, "created_by": "./dev package"}]}), CONFIG)
        manifest = self._add(_json({"schemaVersion": 2, "mediaType": MANIFEST, "config": description, "layers": [layer],
                                    "annotations": labels}), MANIFEST)
        self.manifests.append({**manifest, "platform": {"architecture": architecture, "os": "linux"}})
        return layer["size"]

    def write(self, file, name):
        """Writes the tar file. `name` is the reference of the image in it: "fairway:0.2.0". More than one architecture is an index."""
        if len(self.manifests) == 1:
            top = dict(self.manifests[0])
            del top["platform"]
        else:
            top = self._add(_json({"schemaVersion": 2, "mediaType": INDEX, "manifests": self.manifests}), INDEX)
        top["annotations"] = {"org.opencontainers.image.ref.name": name}
        files = {"oci-layout": _json({"imageLayoutVersion": "1.0.0"}),
                 "index.json": _json({"schemaVersion": 2, "mediaType": INDEX, "manifests": [top]})}
        files.update({f"blobs/sha256/{digest}": content for digest, content in self.blobs.items()})
        with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as tar:
            for folder in ("blobs", "blobs/sha256"):
                entry = tarfile.TarInfo(folder)
                entry.type, entry.mode, entry.mtime = tarfile.DIRTYPE, 0o755, self.seconds
                tar.addfile(entry)
            for path in sorted(files):
                entry = tarfile.TarInfo(path)
                entry.size, entry.mtime = len(files[path]), self.seconds
                tar.addfile(entry, io.BytesIO(files[path]))
