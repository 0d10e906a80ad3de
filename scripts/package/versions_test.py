# SPDX-License-Identifier: Apache-2.0
"""Tests of versions.py."""

import os
import pathlib
import re
import tempfile
import unittest

import versions

FILES = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(fairway VERSION @ LANGUAGES CXX)\n",
    "packaging/debian/changelog": "fairway (@) bookworm; urgency=medium\n\nfairway (0.0.1) bookworm; urgency=medium\n",
    "deploy/charts/fairway-operator/Chart.yaml": "apiVersion: v2\nversion: @\nappVersion: @\n",
    "deploy/operator/kustomization.yaml": "images:\n- {name: fairway, newName: registry.example.com/fairway, newTag: @}\n"
                                          "- {name: envoy, newName: envoyproxy/envoy, newTag: v1.40.0}\n",
    "deploy/monitoring/kustomization.yaml": "resources: []\n",
    "packaging/github/apiserver/action.yml": "inputs:\n  kubeconfig:\n    default: 1.0\n"
                                             "  version:\n    description: A version\n    default: @\n",
    "README.md": "`apt-get install ./fairway_@_amd64.deb`, beside `libfairway-kube-dev_@_amd64.deb`\n",
    "docs/install.md": "fairway-@-linux-amd64.tar.gz fairway-@.oci.tar kubectl-fairway-@-linux-amd64.tar.gz fairway-@.provenance.json\n"
                       "Of 0.1.0, and of libssl_3.0.0_amd64.deb\n",
    "docs/helm.md": "helm push fairway-operator-@.tgz\n",
}


def fill(root, version):
    """Writes a tree whose files have the version."""
    for name, text in FILES.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("@", version), encoding="utf-8")


class Versions(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = place.name

    def test_of_all_files_are_one(self):
        fill(self.root, "0.3.0")
        self.assertEqual(versions.faults(self.root, "0.3.0"), [])

    def test_are_found_in_each_place_by_itself(self):
        for name, text in FILES.items():
            for place in re.finditer("@", text):
                fill(self.root, "0.3.0")
                old = text[:place.start()] + "0.2.0" + text[place.end():]
                pathlib.Path(self.root, name).write_text(old.replace("@", "0.3.0"), encoding="utf-8")
                line = text.count("\n", 0, place.start()) + 1
                self.assertEqual(versions.faults(self.root, "0.3.0"), [f"{name}:{line}: 0.2.0, not 0.3.0"])

    def test_that_are_missing_are_faults(self):
        fill(self.root, "0.3.0")
        os.remove(os.path.join(self.root, "packaging/github/apiserver/action.yml"))
        pathlib.Path(self.root, "deploy/charts/fairway-operator/Chart.yaml").write_text("version: 0.3.0\n", encoding="utf-8")
        self.assertEqual([fault.partition(":")[0] for fault in versions.faults(self.root, "0.3.0")],
                         ["deploy/charts/fairway-operator/Chart.yaml", "packaging/github/*/action.yml"])

    def test_of_this_tree_are_one(self):
        with open(os.path.join(versions.ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            version = versions.PLACES[0][1].search(file.read()).group(1)
        self.assertEqual(versions.faults(versions.ROOT, version), [])


if __name__ == "__main__":
    unittest.main()
