# SPDX-License-Identifier: Apache-2.0
"""Measures servers of tests: measure.py FAIRWAY ASSETS TURNS SERVERS. ASSETS is the folder of kube-apiserver and etcd, or -.

Memory is the proportional set size: pages that processes share count once."""

import base64
import concurrent.futures
import json
import os
import pathlib
import re
import ssl
import statistics
import sys
import tempfile
import time
import urllib.request

import fairway_testserver
import servers

DEFINITION = json.dumps({
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "boats.example.com"},
    "spec": {"group": "example.com", "scope": "Cluster", "names": {"plural": "boats", "kind": "Boat"}, "versions": [{
        "name": "v1", "served": True, "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}})
# How many servers are started, and used, at the same time: a runner of tests has about so many workers.
WORKERS = 8


def memory(process):
    """The memory of a process and its children, in MiB."""
    own = int(re.search(r"^Pss: +(\d+) kB", pathlib.Path(f"/proc/{process}/smaps_rollup").read_text(), re.MULTILINE).group(1)) / 1024
    return own + sum(memory(child) for task in pathlib.Path(f"/proc/{process}/task").iterdir()
                     for child in (task / "children").read_text().split())


def timed(call, *arguments, **named):
    """What a call returns, and its milliseconds."""
    begun = time.monotonic()
    result = call(*arguments, **named)
    return result, (time.monotonic() - begun) * 1000


def measure_fairway(program):
    server, ready = timed(fairway_testserver.Server, program=program)
    used = memory(server.pid)
    return ready, timed(server.stop)[1], used


def measure_real(assets):
    with tempfile.TemporaryDirectory() as folder:
        server, ready = timed(servers.start_real, assets, folder)
        used = sum(memory(program.pid) for program in server._programs)
        return ready, timed(server.stop)[1], used


def create(server):
    """Creates an object."""
    pem = {name: base64.b64decode(data).decode()
           for name, data in re.findall(r"^ +([a-z-]+)-data: (\S+)$", server.kubeconfig.read_text(), re.MULTILINE)}
    context = ssl.create_default_context(cadata=pem["certificate-authority"])
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(pem["client-certificate"] + pem["client-key"])
        file.flush()
        context.load_cert_chain(file.name)
    body = json.dumps({"apiVersion": "example.com/v1", "kind": "Boat", "metadata": {"name": "a"}}).encode()
    request = urllib.request.Request(server.url + "/apis/example.com/v1/boats", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, context=context, timeout=60) as answer:
        assert answer.status == 201


def measure_many(program, count, definition):
    """Starts many servers, and keeps them until each has an object."""
    def start(_):
        server = fairway_testserver.Server(program=program, apply=[definition])
        create(server)
        return server

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        begun = time.monotonic()
        running = list(pool.map(start, range(count)))
        ready = time.monotonic() - begun
        used = sum(memory(server.pid) for server in running)
        begun = time.monotonic()
        list(pool.map(fairway_testserver.Server.stop, running))
        return ready, time.monotonic() - begun, used


def main():
    program, assets, turns, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    measured = {"fairway": [measure_fairway(program) for _ in range(turns)]}
    if assets != "-":
        os.environ["PATH"] = assets + os.pathsep + os.environ["PATH"]
        measured["kube-apiserver with etcd"] = [measure_real(assets) for _ in range(turns)]
    medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in measured.items()}
    for name, (ready, ended, used) in medians.items():
        print(f"{name}: ready after {ready:.0f} ms, ended after {ended:.0f} ms, {used:.0f} MiB", flush=True)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as definition:
        definition.write(DEFINITION)
        definition.flush()
        ready, ended, used = measure_many(program, count, definition.name)
    print(f"{count} fairway servers at once, with a definition and an object each: made by {WORKERS} threads in {ready:.1f} s, "
          f"ended in {ended:.1f} s, {used / 1024:.2f} GiB in all, {used / count:.1f} MiB each")
    if len(medians) == 2:
        ours, theirs = medians["fairway"], medians["kube-apiserver with etcd"]
        print(f"testserver-memory ratio {theirs[2] / ours[2]:.3f}")
        print(f"testserver ratio {(theirs[0] + theirs[1]) / (ours[0] + ours[1]):.3f}")


if __name__ == "__main__":
    main()
