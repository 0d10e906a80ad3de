# SPDX-License-Identifier: Apache-2.0
"""Tests of the server as a child process."""

import concurrent.futures
import os
import pathlib
import select
import signal
import stat
import subprocess
import sys
import textwrap
import time

import kubernetes.client
import pytest

from fairway_testserver import Server, ServerError
from fairway_testserver import server as server_module

# Seconds until a test gives up: only one that fails needs them.
PATIENCE = 120


def names_of_boats(server):
    with server.kubernetes_client() as client:
        boats = kubernetes.client.CustomObjectsApi(client).list_cluster_custom_object("example.com", "v1", "boats")
        return [boat["metadata"]["name"] for boat in boats["items"]]


def await_end(process):
    """Waits until a process that need not be our child has ended."""
    try:
        fd = os.pidfd_open(process)
    except ProcessLookupError:
        return
    try:
        assert select.select([fd], [], [], PATIENCE)[0], f"process {process} is still there"
    finally:
        os.close(fd)


def write_program(folder, script):
    """Writes a program that stands in for fairway, and returns its path."""
    program = folder / "fairway"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def test_is_ready_with_its_kubeconfig_and_url():
    with Server() as server:
        assert server.url.startswith("https://127.0.0.1:")
        assert server.url in server.kubeconfig.read_text()
        assert stat.S_IMODE(server.kubeconfig.stat().st_mode) == 0o600
        with server.kubernetes_client() as client:
            spaces = kubernetes.client.CoreV1Api(client).list_namespace()
        assert "default" in [space.metadata.name for space in spaces.items]


def test_configuration_makes_clients():
    with Server() as server:
        configuration = server.kubernetes_configuration()
        assert configuration.host == server.url
        with kubernetes.client.ApiClient(configuration) as client:
            assert "fairway" in kubernetes.client.VersionApi(client).get_code().git_version


def test_applied_definitions_are_served(definition):
    with Server(apply=[definition]) as server:
        assert names_of_boats(server) == []


def test_servers_beside_each_other_share_nothing(definition):
    def use(number):
        with Server(apply=[definition]) as server, server.kubernetes_client() as client:
            boat = {"apiVersion": "example.com/v1", "kind": "Boat", "metadata": {"name": f"b{number}"}}
            kubernetes.client.CustomObjectsApi(client).create_cluster_custom_object("example.com", "v1", "boats", boat)
            return names_of_boats(server)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(use, range(8))) == [[f"b{number}"] for number in range(8)]


def test_further_flags_are_passed_on():
    with Server(args=["--controllers", "none"]) as server, server.kubernetes_client() as client:
        # Where the controllers run, each namespace has the ServiceAccount `default`.
        core = kubernetes.client.CoreV1Api(client)
        core.create_namespace({"metadata": {"name": "a"}})
        assert core.list_namespaced_service_account("a").items == []


def test_environment_is_for_programs_that_use_it():
    with Server() as server:
        environment = server.environment(MORE="1")
        assert environment["KUBECONFIG"] == str(server.kubeconfig)
        assert environment["PATH"] == os.environ["PATH"] and environment["MORE"] == "1"


def test_stops_and_leaves_no_file():
    server = Server()
    process, folder = server.pid, server.kubeconfig.parent
    server.stop()
    server.stop()
    await_end(process)
    assert not folder.exists()
    assert server.log() == ""


def test_stops_when_its_block_raises():
    with pytest.raises(ZeroDivisionError):
        with Server() as server:
            raise ZeroDivisionError
    await_end(server.pid)


def start_in_child(after):
    """Starts a process that starts a server, prints its number and then runs `after`. Returns it and that number."""
    script = textwrap.dedent("""
        import os, sys, time, threading
        from fairway_testserver import Server
        server = Server()
        print(server.pid, flush=True)
    """) + after
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    return child, int(child.stdout.readline())


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGTERM])
def test_ends_when_its_owner_is_killed(signal_number, place_of_kubeconfigs):
    child, server = start_in_child("time.sleep(600)")
    with child:
        child.send_signal(signal_number)
        assert child.wait() == -signal_number
        await_end(server)
    assert list(place_of_kubeconfigs.iterdir()) == []


def test_ends_with_an_owner_that_does_not_stop_it():
    child, server = start_in_child("os._exit(3)")
    with child:
        assert child.wait() == 3
        await_end(server)


def test_outlives_the_thread_that_started_it():
    script = textwrap.dedent("""
        from fairway_testserver import Server
        import kubernetes.client, threading
        servers = []
        thread = threading.Thread(target=lambda: servers.append(Server()))
        thread.start()
        thread.join()
        with servers[0] as server, server.kubernetes_client() as client:
            kubernetes.client.CoreV1Api(client).list_namespace()
    """)
    subprocess.run([sys.executable, "-c", script], check=True, timeout=PATIENCE)


def test_survives_ctrl_c_so_that_tests_can_clean_up():
    script = textwrap.dedent("""
        import os, signal
        from fairway_testserver import Server
        import kubernetes.client
        signal.signal(signal.SIGINT, signal.default_int_handler)  # who starts these tests may ignore it
        with Server() as server:
            try:
                os.killpg(0, signal.SIGINT)  # as the terminal does
                signal.pause()
            except KeyboardInterrupt:
                with server.kubernetes_client() as client:
                    kubernetes.client.CoreV1Api(client).list_namespace()
    """)
    subprocess.run([sys.executable, "-c", script], check=True, start_new_session=True, timeout=PATIENCE)


def test_one_that_ended_by_itself_is_an_error():
    server = Server()
    os.kill(server.pid, signal.SIGKILL)
    os.waitid(os.P_PID, server.pid, os.WEXITED | os.WNOWAIT)
    with pytest.raises(ServerError, match="it ended by signal 9 while tests used it; it wrote nothing"):
        server.stop()


def test_the_failure_of_a_test_is_not_hidden_by_that_of_its_server():
    with pytest.raises(ZeroDivisionError):
        with Server() as server:
            os.kill(server.pid, signal.SIGKILL)
            os.waitid(os.P_PID, server.pid, os.WEXITED | os.WNOWAIT)
            raise ZeroDivisionError


def test_error_without_the_program(monkeypatch):
    monkeypatch.delenv("FAIRWAY", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ServerError, match="there is no program `fairway` on the PATH; install Fairway"):
        Server()
    with pytest.raises(ServerError, match="there is no program `/nowhere/fairway`; install Fairway"):
        Server(program="/nowhere/fairway")


def test_error_has_what_the_program_wrote(tmp_path):
    missing = tmp_path / "missing.yaml"
    with pytest.raises(ServerError, match=rf"it ended with status 1 before it was ready; it wrote\nerror: .*{missing}"):
        Server(apply=[missing])
    with pytest.raises(ServerError, match="--no-such-flag"):
        Server(args=["--no-such-flag"])


def test_program_that_is_never_ready_is_an_error_and_ended(tmp_path, monkeypatch):
    marker = tmp_path / "pid"
    program = write_program(tmp_path, f"echo working >&2; echo $$ >{marker}.new; mv {marker}.new {marker}; exec sleep 600")

    def run_out_of_time(*_):
        limit = time.monotonic() + PATIENCE
        while not marker.exists() and time.monotonic() < limit:
            time.sleep(0.01)
        return [], [], []

    with monkeypatch.context() as patched:
        patched.setattr(server_module.select, "select", run_out_of_time)
        with pytest.raises(ServerError, match="it is not ready after 60 s; it wrote\nworking"):
            Server(program=program)
    await_end(int(marker.read_text()))


def test_program_that_writes_nothing_and_ends_is_an_error(tmp_path):
    with pytest.raises(ServerError, match="it ended with status 4 before it was ready; it wrote nothing"):
        Server(program=write_program(tmp_path, "exit 4"))


def test_error_without_the_package_kubernetes(monkeypatch):
    with Server() as server:
        monkeypatch.setitem(sys.modules, "kubernetes", None)
        monkeypatch.setitem(sys.modules, "kubernetes.client", None)
        with pytest.raises(ImportError, match="pip install kubernetes"):
            server.kubernetes_client()


def test_no_descriptor_is_left():
    Server().stop()
    before = len(list(pathlib.Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        Server().stop()
    assert len(list(pathlib.Path("/proc/self/fd").iterdir())) == before
