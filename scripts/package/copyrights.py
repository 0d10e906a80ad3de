"""The copyright files of the Debian packages that libraries are of: who hands the libraries on hands these on, too."""

import os

import sbom


def copyrights(libraries):
    """The name of each package and the path of its copyright file, sorted. An error names a package without one."""
    found = {}
    for library, (package, *_) in sbom.packages_of(libraries).items():
        file = os.path.realpath(f"/usr/share/doc/{package}/copyright")
        if not os.path.exists(file):
            raise SystemExit(f"error: {package}, which {library} is of, has no copyright file {file}")
        found[package] = file
    return sorted(found.items())
