# SPDX-License-Identifier: Apache-2.0
"""Tests of the fixtures: each runs pytest on tests of its own."""

import re

import pytest


@pytest.fixture(autouse=True)
def of_users(pytester):
    """What the tests of users have in common."""
    pytester.makeconftest("""
        import base64, json, pathlib, re, ssl, tempfile, urllib.request

        def call(server, path, body=None):
            # By hand, for the package `kubernetes` takes a second to load.
            user = dict(re.findall(r"^ +([a-z-]+)-data: (\\S+)$", server.kubeconfig.read_text(), re.MULTILINE))
            pem = {name: base64.b64decode(data).decode() for name, data in user.items()}
            context = ssl.create_default_context(cadata=pem["certificate-authority"])
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(pem["client-certificate"] + pem["client-key"])
                file.flush()
                context.load_cert_chain(file.name)
            request = urllib.request.Request(server.url + path, body and json.dumps(body).encode())
            request.add_header("content-type", "application/json")
            with urllib.request.urlopen(request, context=context) as answer:
                return json.load(answer)

        def spaces(server):
            return {one["metadata"]["name"] for one in call(server, "/api/v1/namespaces")["items"]}

        def add_space(server, name):
            call(server, "/api/v1/namespaces", {"metadata": {"name": name}})

        def has_boats(server):
            return any(group["name"] == "example.com" for group in call(server, "/apis")["groups"])
    """)


def test_each_test_has_a_server_and_a_session_has_one(pytester):
    pytester.makepyfile("""
        import pytest
        from conftest import add_space, spaces

        @pytest.mark.parametrize("turn", [1, 2])
        def test_own(fairway_server, turn):
            assert "mine" not in spaces(fairway_server)
            add_space(fairway_server, "mine")

        def test_first(fairway_session_server):
            add_space(fairway_session_server, "ours")

        def test_second(fairway_session_server, fairway_server):
            assert "ours" in spaces(fairway_session_server)
            assert "ours" not in spaces(fairway_server)
    """)
    pytester.runpytest_subprocess().assert_outcomes(passed=4)


def test_ini_and_marks_say_what_servers_have(pytester, definition, monkeypatch):
    (pytester.path / "crd.yaml").write_text(definition.read_text())
    (pytester.path / "space.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: applied}\n")
    pytester.makeini("""
        [pytest]
        fairway_apply = space.yaml
        fairway_args = --controllers=none
    """)
    pytester.makepyfile("""
        import pytest
        from conftest import has_boats, spaces

        def test_ini(fairway_server, fairway_session_server):
            assert "applied" in spaces(fairway_server) and "applied" in spaces(fairway_session_server)
            assert not has_boats(fairway_server)

        @pytest.mark.fairway(apply=["crd.yaml"])
        def test_mark(fairway_server):
            assert "applied" in spaces(fairway_server) and has_boats(fairway_server)

        @pytest.mark.fairway(clock="2026-01-01T00:00:00Z")
        def test_clock(fairway_server):
            assert fairway_server.faults.advance_clock("1h") == "2026-01-01T01:00:00Z"
    """)
    # From another folder: paths are those of the file with the settings.
    monkeypatch.chdir(pytester.mkdir("below"))
    pytester.runpytest_subprocess("--strict-markers", "..").assert_outcomes(passed=3)


def test_mark_with_a_typo_is_an_error(pytester):
    pytester.makepyfile("""
        import pytest

        @pytest.mark.fairway(aply=["crd.yaml"])
        def test_mark(fairway_server):
            pass
    """)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the mark fairway takes apply=[[]...], args=[[]...] and clock=TIME, not*aply*"])


def test_without_the_program_only_tests_that_need_it_fail(pytester):
    pytester.makeini("[pytest]\nfairway_program = /nowhere/fairway")
    pytester.makepyfile("""
        def test_with(fairway_server):
            pass

        def test_without():
            pass
    """)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*ServerError*there is no program `/nowhere/fairway`; install Fairway*"])


def test_failed_test_shows_what_its_server_wrote(pytester):
    program = pytester.path / "fairway"
    program.write_text('#!/bin/sh\necho "a warning" >&2\nexec "${FAIRWAY:-fairway}" "$@"\n')
    program.chmod(0o755)
    pytester.makeini(f"[pytest]\nfairway_program = {program}")
    pytester.makepyfile("""
        def test_good(fairway_server):
            pass

        def test_bad(fairway_server):
            assert False
    """)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    assert re.search(r"-+ Captured fairway_server call -+\na warning", result.stdout.str())
    assert result.stdout.str().count("a warning") == 1


def test_server_that_ends_during_a_test_is_an_error(pytester):
    pytester.makepyfile("""
        import os, signal

        def test_kills_it(fairway_server):
            os.kill(fairway_server.pid, signal.SIGKILL)
            os.waitid(os.P_PID, fairway_server.pid, os.WEXITED | os.WNOWAIT)
    """)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*it ended by signal 9 while tests used it*"])


def test_workers_beside_each_other_have_servers_of_their_own(pytester):
    pytester.makepyfile("""
        import pytest
        from conftest import add_space, spaces

        @pytest.mark.parametrize("turn", range(12))
        def test_own(fairway_server, fairway_session_server, turn):
            assert "mine" not in spaces(fairway_server)
            add_space(fairway_server, "mine")
            add_space(fairway_session_server, f"turn-{turn}")
    """)
    pytester.runpytest_subprocess("-n", "4").assert_outcomes(passed=12)
