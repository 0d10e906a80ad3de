# SPDX-License-Identifier: Apache-2.0

import hashlib
import os
import subprocess
import tempfile
import unittest

import provenance
import sbom

LIBC = ("libc6", "2.36-9", "amd64", "glibc", "2.36-9")
EPOCH = ("libz", "1:1.2", "amd64", "zlib", "1:1.2")


class Document(unittest.TestCase):
    def test_names_each_package_once_and_says_who_contains_it(self):
        made = sbom.document("fairway", "0.2.0", [EPOCH, LIBC, LIBC], 0, "00")
        self.assertEqual([package["name"] for package in made["packages"]], ["fairway", "libc6", "libz"])
        self.assertEqual(made["packages"][0]["checksums"], [{"algorithm": "SHA256", "checksumValue": "00"}])
        contained = [one["relatedSpdxElement"] for one in made["relationships"] if one["relationshipType"] == "CONTAINS"]
        self.assertEqual(contained, ["SPDXRef-libc6-2.36-9-amd64", "SPDXRef-libz-1-1.2-amd64"])
        self.assertEqual(made["packages"][2]["externalRefs"][0]["referenceLocator"], "pkg:deb/debian/libz@1%3A1.2?arch=amd64")

    def test_has_the_packages_of_npm_with_their_licences(self):
        part = {"name": "@scope/part", "version": "1.2.3", "licence": "MIT"}
        made = sbom.document("fairway", "0.2.0", [], 0, bundled=[part])
        self.assertEqual(made["packages"][1]["licenseDeclared"], "MIT")
        self.assertEqual(made["packages"][1]["externalRefs"][0]["referenceLocator"], "pkg:npm/%40scope/part@1.2.3")
        self.assertEqual(made["relationships"][1]["relationshipType"], "CONTAINS")
        self.assertEqual(made["relationships"][1]["relatedSpdxElement"], made["packages"][1]["SPDXID"])

    def test_identifiers_have_no_other_characters(self):
        for package in sbom.document("fairway", "0.2.0", [("libstdc++6", "12+x~y", "amd64", "gcc", "1")], 0)["packages"]:
            self.assertRegex(package["SPDXID"], r"^SPDXRef-[A-Za-z0-9.-]+$")

    def test_another_content_has_another_namespace(self):
        one, other = sbom.document("fairway", "0.2.0", [LIBC], 0), sbom.document("fairway", "0.2.0", [EPOCH], 0)
        self.assertNotEqual(one["documentNamespace"], other["documentNamespace"])
        self.assertEqual(one, sbom.document("fairway", "0.2.0", [LIBC], 0))

    def test_refuses_a_file_of_no_package(self):
        with self.assertRaisesRegex(SystemExit, "/nowhere/lib.so"):
            sbom.packages_of(["/nowhere/lib.so"])


class Dependencies(unittest.TestCase):
    def package_that_needs(self, *fields):
        """A .deb with these fields about what it needs."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.makedirs(f"{folder.name}/tree/DEBIAN")
        with open(f"{folder.name}/tree/DEBIAN/control", "w", encoding="utf-8") as control:
            control.write("\n".join(["Package: x", "Version: 1", "Architecture: all", "Maintainer: a <a@example.com>", "Description: x",
                                     *fields, ""]))
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", f"{folder.name}/tree", f"{folder.name}/x.deb"], check=True,
                       stdout=subprocess.DEVNULL)
        return f"{folder.name}/x.deb"

    def test_have_the_version_of_the_build_and_the_bound(self):
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "dpkg"], capture_output=True, text=True, check=True).stdout
        found = sbom.dependencies_of(self.package_that_needs(
            "Depends: dpkg (>= 1.0) | other, fairway-none (= 0.2.0), not-there-at-all:any", "Pre-Depends: dpkg"))
        self.assertEqual([(name, one, bound) for name, one, _, bound in found],
                         [("dpkg", version, ">= 1.0"), ("fairway-none", "", "= 0.2.0"), ("not-there-at-all", "", "")])

    def test_are_in_the_document_and_no_part_of_the_artefact(self):
        made = sbom.document("fairway", "0.2.0", [], 0, "00", [("libc6", "2.36-9", "amd64", ">= 2.34"), ("fairway-gateway", "", "", "")])
        needed = [one["relatedSpdxElement"] for one in made["relationships"] if one["relationshipType"] == "DEPENDS_ON"]
        self.assertEqual(needed, ["SPDXRef-depends-libc6", "SPDXRef-depends-fairway-gateway"])
        self.assertEqual(made["packages"][1]["externalRefs"][0]["referenceLocator"], "pkg:deb/debian/libc6@2.36-9?arch=amd64")
        self.assertEqual(made["packages"][1]["comment"], "Depends: libc6 (>= 2.34)")
        self.assertNotIn("versionInfo", made["packages"][2])

    def test_of_another_file_are_none(self):
        self.assertEqual(sbom.dependencies_of("fairway.tar.gz"), [])


class Provenance(unittest.TestCase):
    def test_has_each_file_with_its_checksum(self):
        digest = hashlib.sha256(b"").hexdigest()
        made = provenance.statement("0.2.0", "abc", f"{digest}  b.deb\n{digest}  a.tar.gz\n", [])
        self.assertEqual([subject["name"] for subject in made["subject"]], ["a.tar.gz", "b.deb"])
        self.assertEqual(made["subject"][0]["digest"], {"sha256": digest})


if __name__ == "__main__":
    unittest.main()
