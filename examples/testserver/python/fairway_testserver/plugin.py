# SPDX-License-Identifier: Apache-2.0
"""Fixtures of pytest. Without Fairway's program only the tests that use them fail."""

import pathlib

import pytest

from .server import Server


def pytest_addoption(parser):
    """Adds the settings of pytest.ini."""
    parser.addini("fairway_program", "the program `fairway`, if it is neither in $FAIRWAY nor on the PATH")
    parser.addini("fairway_apply", "files of objects that each server has from its start; relative to pytest.ini", type="paths")
    parser.addini("fairway_args", "further flags of `fairway apiserver`", type="args")


def pytest_configure(config):
    """Registers the mark of tests."""
    config.addinivalue_line(
        "markers", "fairway(apply=[...], args=[...], clock=TIME): what this test's own fairway_server has, after what is said in "
                   "pytest.ini; paths are relative to that")


def _start(config, marks=()):
    """Starts a server as pytest.ini and the marks of a test say."""
    apply, args, clock = list(config.getini("fairway_apply")), list(config.getini("fairway_args")), None
    for mark in marks:
        unknown = set(mark.kwargs) - {"apply", "args", "clock"}
        if unknown or mark.args:
            wrong = sorted(unknown) or list(mark.args)
            raise pytest.UsageError(f"the mark fairway takes apply=[...], args=[...] and clock=TIME, not {wrong}")
        apply += [config.rootpath / pathlib.Path(file) for file in mark.kwargs.get("apply", ())]
        args += mark.kwargs.get("args", ())
        clock = mark.kwargs.get("clock", clock)
    return Server(apply=apply, args=args, clock=clock, program=config.getini("fairway_program") or None)


@pytest.fixture
def fairway_server(request):
    """An API server for this test alone."""
    marks = reversed(list(request.node.iter_markers("fairway")))
    with _start(request.config, marks) as server:
        yield server


@pytest.fixture(scope="session")
def fairway_session_server(request):
    """An API server for all tests of a session (with pytest-xdist, of a worker). They share its objects."""
    with _start(request.config) as server:
        yield server


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    """Shows what the servers of a test wrote, where it fails."""
    if call.excinfo is not None:
        for name, value in getattr(item, "funcargs", {}).items():
            if isinstance(value, Server) and (log := value.log()):
                item.add_report_section(call.when, name, log)
