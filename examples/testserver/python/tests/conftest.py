# SPDX-License-Identifier: Apache-2.0
"""Test data that several modules use."""

import pytest

pytest_plugins = ["pytester"]

DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: boats, kind: Boat}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


@pytest.fixture(autouse=True)
def place_of_kubeconfigs(tmp_path, monkeypatch):
    """The folder in which servers make that of their kubeconfig. One that is killed leaves it."""
    folder = tmp_path / "kubeconfigs"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def definition(tmp_path):
    """A file with the definition of boats."""
    file = tmp_path / "crd.yaml"
    file.write_text(DEFINITION)
    return file
