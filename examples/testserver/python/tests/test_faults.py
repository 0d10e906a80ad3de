# SPDX-License-Identifier: Apache-2.0
"""Tests of the faults, as the client of the package `kubernetes` meets them."""

import threading
import time

import kubernetes.client
import kubernetes.watch
import pytest
import urllib3

from fairway_testserver import Server

MAPS = "configmaps"


@pytest.fixture
def server():
    with Server() as started:
        yield started


@pytest.fixture
def core(server):
    with server.kubernetes_client() as client:
        yield kubernetes.client.CoreV1Api(client)


def create(core, name):
    return core.create_namespaced_config_map("default", {"metadata": {"name": name}})


def update(core, name):
    core.patch_namespaced_config_map(name, "default", {"data": {"a": "b"}})


def test_a_watch_is_cut(server, core):
    create(core, "a")
    seen, ends = threading.Event(), []

    def watch():
        # One request, as it comes: kubernetes.watch would ask again.
        answer = core.list_namespaced_config_map("default", watch=True, _preload_content=False)
        try:
            for _ in answer.stream():
                seen.set()
            ends.append("whole")
        except urllib3.exceptions.ProtocolError:
            ends.append("broken")

    thread = threading.Thread(target=watch)
    thread.start()
    assert seen.wait(120)
    assert server.faults.cut_watches("secrets") == 0
    assert server.faults.cut_watches(MAPS) == 1
    thread.join(120)
    assert ends == ["broken"]


def test_an_old_version_is_gone(server, core):
    version = create(core, "a").metadata.resource_version
    create(core, "b")
    server.faults.expire()
    with pytest.raises(kubernetes.client.ApiException) as gone:
        for _ in kubernetes.watch.Watch().stream(core.list_namespaced_config_map, "default", resource_version=version,
                                                 timeout_seconds=1):
            pass
    assert gone.value.status == 410


def test_updates_meet_conflicts(server, core):
    create(core, "a")
    server.faults.conflicts(2, MAPS)
    for _ in range(2):
        with pytest.raises(kubernetes.client.ApiException) as refused:
            update(core, "a")
        assert refused.value.status == 409
    update(core, "a")
    assert server.faults.pending() == {"conflicts": None, "slowWrites": None}


def test_writes_are_slow_until_that_is_cleared(server, core):
    server.faults.slow_writes("300ms", resource=MAPS)
    begun = time.monotonic()
    create(core, "a")
    assert time.monotonic() - begun >= 0.3
    assert server.faults.pending()["slowWrites"] == {"resource": MAPS, "delay": "300ms"}
    server.faults.clear()
    assert server.faults.pending()["slowWrites"] is None


def test_the_clock_stands_still_until_it_is_advanced():
    with Server(clock="2026-01-01T00:00:00Z") as server, server.kubernetes_client() as client:
        core = kubernetes.client.CoreV1Api(client)
        assert create(core, "a").metadata.creation_timestamp.isoformat() == "2026-01-01T00:00:00+00:00"
        assert server.faults.advance_clock("1h30m") == "2026-01-01T01:30:00Z"
        assert create(core, "b").metadata.creation_timestamp.isoformat() == "2026-01-01T01:30:00+00:00"
        assert server.faults.advance_clock() == "2026-01-01T01:30:00Z"


def test_a_fault_that_is_not_understood_is_an_error(server):
    with pytest.raises(ValueError, match="no resource 'boats.example.com' is served"):
        server.faults.conflicts(1, "boats.example.com")
    with pytest.raises(ValueError, match="/fairway/clock"):
        server.faults.advance_clock("1h")
