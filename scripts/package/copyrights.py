# SPDX-License-Identifier: Apache-2.0
"""What is handed on with libraries of Debian's packages: each package's copyright file, and the texts of the licences that these name."""

import os
import re

import sbom

# Where Debian has the texts of licences that many packages have; copyright files name them by this path.
COMMON = re.compile(rb"/usr/share/common-licenses/([A-Za-z0-9][\w.+-]*\w)")


def copyrights(files):
    """The files to hand on with files of packages: (path below usr/share, path on this machine), sorted. An error names a package without
    a copyright file."""
    found = {}
    for file, (package, *_) in sbom.packages_of(files).items():
        text = os.path.realpath(f"/usr/share/doc/{package}/copyright")
        if not os.path.exists(text):
            raise SystemExit(f"error: {package}, which {file} is of, has no copyright file {text}")
        found[f"doc/{package}/copyright"] = text
        with open(text, "rb") as content:
            for name in COMMON.findall(content.read()):
                common = f"/usr/share/common-licenses/{name.decode()}"
                if os.path.exists(common):
                    found[f"common-licenses/{name.decode()}"] = os.path.realpath(common)
    return sorted(found.items())
