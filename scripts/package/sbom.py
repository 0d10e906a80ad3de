# SPDX-License-Identifier: Apache-2.0
"""Writes the bill of materials of an artefact as SPDX 2.3 in JSON: Fairway itself, each Debian package whose libraries are in it, the
packages of npm in its console, and what an artefact that is a Debian package depends on.

usage: sbom.py --name NAME --version VERSION --out FILE [--artefact FILE] [--bundled FILE] LIBRARY...

Each LIBRARY is the path of a shared library on this machine, as shared_libraries.py prints it; dpkg says which package it is of. The
same input gives the same bytes: the time is SOURCE_DATE_EPOCH. --bundled: bundled.json of console/build.mjs.
"""

import argparse
import datetime
import hashlib
import json
import os
import re
import subprocess
import urllib.parse

NAMESPACE = "https://fairway.dev/spdx"
# What SPDX calls the licences that Debian's copyright files name in other words. A package with another name has NOASSERTION, and its
# text is where the file says.
LICENCE_FIELD = re.compile(r"^License:[ \t]*(\S[^\n]*)$", re.MULTILINE)


def spellings(library):
    """The paths by which dpkg may know a file: itself and what it links to, below /usr or not."""
    found = []
    for path in (library, os.path.realpath(library)):
        found += [path, path[4:] if path.startswith("/usr/") else "/usr" + path]
    return found


def packages_of(libraries):
    """The Debian package of each file: {file: (name, version, architecture, source package, its version)}."""
    wanted = {path: library for library in libraries for path in spellings(library)}
    if not wanted:
        return {}
    # It fails where it does not know one spelling, and prints the others.
    listed = subprocess.run(["dpkg-query", "-S", *wanted], capture_output=True, text=True, check=False).stdout
    names = {}
    for line in listed.splitlines():
        owners, _, path = line.partition(": ")
        if path in wanted:
            names[wanted[path]] = owners.split(", ")[0]
    unknown = [library for library in libraries if library not in names]
    if unknown:
        raise SystemExit(f"error: naming the packages of {' '.join(unknown)}: dpkg knows none; were they installed by hand?")
    fields = "${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n"
    shown = {}
    for name in sorted(set(names.values())):
        told = subprocess.run(["dpkg-query", "-W", "-f", fields, name], capture_output=True, text=True, check=True).stdout
        shown[name] = tuple(told.rstrip("\n").split("\t"))
    return {library: shown[name] for library, name in names.items()}


def dependencies_of(artefact):
    """What a .deb depends on: (name, version, architecture, bound), with the version that it was built with; empty for another file.

    Of alternatives the first counts, which is what was here. A package of Fairway has neither version nor architecture: it is made
    together with this one, and one that may be installed here is another.
    """
    if not artefact.endswith(".deb"):
        return []
    told = subprocess.run(["dpkg-deb", "-f", artefact, "Pre-Depends", "Depends"], capture_output=True, text=True, check=True).stdout
    versions, bounds = {}, {}
    for clause in re.sub(r"^(Pre-)?Depends:", ",", told, flags=re.MULTILINE).replace("\n", " ").split(","):
        match = re.match(r"\s*([a-z0-9][a-z0-9.+-]+)(?::\w+)?\s*(?:\(([^)]*)\))?", clause)
        if not match:
            continue
        name, versions[match.group(1)] = match.group(1), ("", "")
        if match.group(2):
            bounds.setdefault(name, set()).add(match.group(2))
        if not re.match(r"(lib)?fairway", name):
            shown = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\t${Architecture}\n", name], capture_output=True, text=True,
                                   check=False).stdout
            version, _, architecture = shown.split("\n")[0].partition("\t")
            versions[name] = (version, architecture)
    return [(name, *versions[name], ", ".join(sorted(bounds.get(name, [])))) for name in sorted(versions)]


def dependency(name, version, architecture, bound):
    """The entry of one dependency."""
    entry = {
        "SPDXID": identifier(f"depends-{name}"), "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
        "comment": "Depends: " + (f"{name} ({bound})" if bound else name),
    }
    if version:
        entry["versionInfo"] = version
        entry["supplier"] = "Organization: Debian"
        entry["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                  "referenceLocator": purl(name, version, architecture)}]
    return entry


def licences_of(package):
    """The short names of licences in a package's copyright file, sorted; empty where that is not in the machine-readable form."""
    try:
        with open(f"/usr/share/doc/{package}/copyright", encoding="utf-8", errors="replace") as file:
            text = file.read()
    except FileNotFoundError:
        return []
    if not re.match(r"^Format(-Specification)?:", text, re.MULTILINE):
        return []
    return sorted({match.group(1).strip() for match in LICENCE_FIELD.finditer(text)})


def purl(package, version, architecture):
    """The package URL of a Debian package."""
    name, number = (urllib.parse.quote(text, safe="~.-_") for text in (package, version))
    return f"pkg:deb/debian/{name}@{number}?arch={architecture}"


def identifier(text):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)


def document(name, version, packages, seconds, digest=None, dependencies=(), bundled=()):
    """The document as a value. `packages` are the tuples of packages_of, which are in the artefact; `digest` the SHA-256 of the artefact,
    if it is one file; `dependencies` are the tuples of dependencies_of; `bundled` the packages of npm, with name, version and licence."""
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    own = {
        "SPDXID": identifier(name), "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "2026 The authors of Fairway",
        "supplier": "Organization: Fairway",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:generic/{name}@{version}"}],
    }
    if digest:
        own["checksums"] = [{"algorithm": "SHA256", "checksumValue": digest}]
    others, relations = [], [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]}]
    for package, package_version, architecture, source, source_version in sorted(set(packages)):
        reference = identifier(f"{package}-{package_version}-{architecture}")
        entry = {
            "SPDXID": reference, "name": package, "versionInfo": package_version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
            "supplier": "Organization: Debian",
            "sourceInfo": f"built from: {source} {source_version}",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": purl(package, package_version, architecture)}],
        }
        licences = licences_of(package)
        if licences:
            entry["licenseComments"] = "The package's copyright file names: " + ", ".join(licences)
        others.append(entry)
        relations.append({"spdxElementId": own["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": reference})
    for part in bundled:
        reference = identifier(f"npm-{part['name']}-{part['version']}")
        others.append({
            "SPDXID": reference, "name": part["name"], "versionInfo": part["version"], "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": part["licence"], "licenseDeclared": part["licence"],
            "copyrightText": "NOASSERTION", "supplier": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": f"pkg:npm/{urllib.parse.quote(part['name'])}@{part['version']}"}],
        })
        relations.append({"spdxElementId": own["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": reference})
    for needed in dependencies:
        others.append(dependency(*needed))
        relations.append({"spdxElementId": own["SPDXID"], "relationshipType": "DEPENDS_ON", "relatedSpdxElement": others[-1]["SPDXID"]})
    content = json.dumps([own, others], sort_keys=True).encode()
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{name}-{version}",
        "documentNamespace": f"{NAMESPACE}/{name}-{version}-{hashlib.sha256(content).hexdigest()[:16]}",
        "creationInfo": {"created": created, "creators": ["Organization: Fairway", f"Tool: fairway-package-{version}"]},
        "packages": [own, *others], "relationships": relations,
    }


def main():
    parser = argparse.ArgumentParser()
    for flag in ("--name", "--version", "--out"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--artefact")
    parser.add_argument("--bundled")
    parser.add_argument("library", nargs="*")
    options = parser.parse_args()
    digest = None
    if options.artefact:
        with open(options.artefact, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
    packages = list(packages_of(options.library).values())
    dependencies = dependencies_of(options.artefact) if options.artefact else []
    bundled = []
    if options.bundled:
        with open(options.bundled, encoding="utf-8") as file:
            bundled = json.load(file)
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    written = document(options.name, options.version, packages, seconds, digest, dependencies, bundled)
    with open(options.out, "w", encoding="utf-8") as out:
        json.dump(written, out, indent=1, sort_keys=True)
        out.write("\n")


if __name__ == "__main__":
    main()
