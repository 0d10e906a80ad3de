# SPDX-License-Identifier: Apache-2.0
"""Writes where packages come from: an in-toto statement with a SLSA provenance (https://slsa.dev/spec/v1.0/provenance), one line of JSON.

usage: provenance.py --version VERSION --revision COMMIT --out FILE SHA256SUMS

Subjects are the files of SHA256SUMS. Dependencies are the commit, and the Debian packages that are installed for building it, with
their versions. The same commit on a machine with the same packages gives the same bytes.
"""

import argparse
import json
import os
import subprocess

import sbom

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def build_packages():
    """The Debian packages of the group `build` of scripts/packages, with their versions."""
    with open(os.path.join(ROOT, "scripts", "packages"), encoding="utf-8") as file:
        names = [line.split()[1] for line in file if line.startswith("build ")]
    found = []
    for name in sorted(names):
        shown = subprocess.run(["dpkg-query", "-W", "-f", "${Version} ${Architecture}", name], check=True, capture_output=True, text=True)
        version, architecture = shown.stdout.split()
        found.append({"uri": sbom.purl(name, version, architecture)})
    return found


def statement(version, revision, sums, packages):
    subjects = []
    for line in sums.splitlines():
        digest, name = line.split(None, 1)
        subjects.append({"name": name.lstrip("*"), "digest": {"sha256": digest}})
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": sorted(subjects, key=lambda subject: subject["name"]),
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "https://fairway.dev/package/v1",
                "externalParameters": {"version": version, "command": f"./dev release {version}"},
                "resolvedDependencies": [{"uri": "git+https://fairway.dev", "digest": {"gitCommit": revision}}, *packages],
            },
            "runDetails": {"builder": {"id": "https://fairway.dev/package/local"}},
        },
    }


def main():
    parser = argparse.ArgumentParser()
    for flag in ("--version", "--revision", "--out"):
        parser.add_argument(flag, required=True)
    parser.add_argument("sums")
    options = parser.parse_args()
    with open(options.sums, encoding="utf-8") as file:
        written = statement(options.version, options.revision, file.read(), build_packages())
    with open(options.out, "w", encoding="utf-8") as out:
        out.write(json.dumps(written, sort_keys=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
