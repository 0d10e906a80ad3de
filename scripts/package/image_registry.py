# SPDX-License-Identifier: Apache-2.0
"""A registry of images on this machine, and images that go into it and come back."""

import hashlib
import json
import os
import subprocess
import tarfile

from pods import run
from waiting import until


def digest_in(archive):
    """Returns the digest of the image in a tar file of an OCI layout."""
    with tarfile.open(archive) as tar:
        return json.load(tar.extractfile("index.json"))["manifests"][0]["digest"]


class Registry:
    """Debian's docker-registry, on a port of loopback that the kernel chooses."""

    def __init__(self, work):
        self.work = work
        self.log_file = os.path.join(work, "registry.log")
        settings = {"version": 0.1, "log": {"accesslog": {"disabled": True}, "level": "info"}, "http": {"addr": "127.0.0.1:0"},
                    "storage": {"filesystem": {"rootdirectory": os.path.join(work, "registry")}}}
        file = os.path.join(work, "registry.json")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(settings, out)
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(["docker-registry", "serve", file], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.address = until(self.find_address, lambda: f"docker-registry does not listen: {self.log()}")

    def log(self):
        with open(self.log_file, encoding="utf-8", errors="replace") as file:
            return file.read()

    def find_address(self):
        _, said, rest = self.log().partition("listening on ")
        return rest.split(",")[0].split('"')[0].strip() if said and "\n" in rest else ""

    def push(self, archive, name):
        """Puts the image of an archive into it as `name`: "fairway:0.2.0". Returns the digest that it has there."""
        run("skopeo", "copy", "--quiet", "--all", "--dest-tls-verify=false", f"oci-archive:{archive}", f"docker://{self.address}/{name}")
        manifest = subprocess.run(["skopeo", "inspect", "--raw", "--tls-verify=false", f"docker://{self.address}/{name}"], check=True,
                                  capture_output=True, stdin=subprocess.DEVNULL).stdout
        return f"sha256:{hashlib.sha256(manifest).hexdigest()}"

    def pull(self, repository, digest, bundle):
        """Gets an image by its digest, and unpacks it into a folder. Returns the root file system, and the image's configuration."""
        layout = f"{bundle}.layout"
        run("skopeo", "copy", "--quiet", "--src-tls-verify=false", f"docker://{self.address}/{repository}@{digest}", f"oci:{layout}:pulled")
        run("umoci", "unpack", "--image", f"{layout}:pulled", bundle)
        with open(os.path.join(layout, "index.json"), encoding="utf-8") as file:
            manifest = read_blob(layout, json.load(file)["manifests"][0]["digest"])
        return os.path.join(bundle, "rootfs"), read_blob(layout, manifest["config"]["digest"])["config"]


def read_blob(layout, digest):
    with open(os.path.join(layout, "blobs", *digest.split(":")), encoding="utf-8") as file:
        return json.load(file)
