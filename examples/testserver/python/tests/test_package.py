# SPDX-License-Identifier: Apache-2.0
"""The package as it is installed."""

import importlib.metadata
import os
import subprocess


def test_version_is_that_of_fairway():
    program = os.environ.get("FAIRWAY", "fairway")
    said = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    assert importlib.metadata.version("fairway-testserver") in said.split()


def test_package_needs_no_other():
    assert not importlib.metadata.requires("fairway-testserver")
