#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs with the clients of others on an API server, one after the other:

    run.py SERVER PROGRAM FILE...

SERVER is `embedded` and PROGRAM the fairway to run, or `real` and PROGRAM the folder of a kube-apiserver (beside Debian's etcd). Each
FILE is a list of commands, NAME and then the words of a command, separated by tabs.

A command runs with $KUBECONFIG, whose connections go through a proxy, with $CUT, a URL that cuts all of them when it is posted to, and
with $SPACE, a namespace of its own. It prints `passed: CHECK` or `failed: CHECK: why` for each check. Here follow a line for each
program, with its seconds, and the counts.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import yaml

import cutter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "definitions"))
import servers  # noqa: E402 (the folder beside this one has them)

# Seconds that a program may take: only one that hangs needs them.
PATIENCE = 180


def read_commands(text):
    """The commands of a list: {name: words}."""
    return {name: words for name, *words in (line.split("\t") for line in text.splitlines() if line)}


def judge(name, output, status):
    """Counts the checks in the output of a program, as (passed, failed), and returns the lines of failures. A program that says
    nothing, or ends with another status than its checks let expect, has failed."""
    passed = len(re.findall(r"^passed: ", output, re.MULTILINE))
    failures = [f"failed: {name}: {what}" for what in re.findall(r"^failed: (.*)", output, re.MULTILINE)]
    if not failures and (status != 0 or passed == 0):
        failures.append(f"failed: {name}: it ended with {status} after {passed} checks")
    return passed, len(failures), failures


def write_kubeconfig(server, folder, port):
    """Writes a kubeconfig of the server's administrator for that port, and returns its path."""
    given = folder / "kubeconfig"
    if given.exists():
        document = yaml.safe_load(given.read_text())
        document["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{port}"
    else:
        document = {
            "apiVersion": "v1", "kind": "Config", "current-context": "x",
            "clusters": [{"name": "c", "cluster": {
                "server": f"https://127.0.0.1:{port}",
                # kube-apiserver writes its certificate and the CA of that into one file.
                "certificate-authority": str(folder / "certificates" / "apiserver.crt")}}],
            "users": [{"name": "u", "user": {"token": server.token}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        }
    path = folder / "through-proxy"
    path.write_text(yaml.safe_dump(document))
    return path


def run(name, words, server, folder):
    """Runs a program, and returns its output and status."""
    space = f"clients-{name}"
    status, answer, _ = server.send("POST", "/api/v1/namespaces", {"metadata": {"name": space}})
    if status != 201:
        return f"failed: its namespace: {answer}\n", 1
    proxy = cutter.Cutter(server.port)
    try:
        environment = dict(os.environ, KUBECONFIG=str(write_kubeconfig(server, folder, proxy.port)), CUT=proxy.door, SPACE=space)
        done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
                              errors="replace")
        return done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode(errors="replace") + f"\nfailed: it has not ended within {PATIENCE} s\n", 1
    finally:
        proxy.close()


def main():
    kind, program, *files = sys.argv[1:]
    commands = {}
    for file in files:
        commands.update(read_commands(pathlib.Path(file).read_text()))
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        start = servers.start_embedded if kind == "embedded" else servers.start_real
        server = start(os.path.realpath(program), folder)
        try:
            for name, words in commands.items():
                begun = time.monotonic()
                output, status = run(name, words, server, folder)
                p, f, failures = judge(name, output, status)
                if failures:
                    print(output)
                    print("\n".join(failures))
                print(f"{name}: {p} passed, {f} failed, {time.monotonic() - begun:.1f} s", flush=True)
                passed, failed = passed + p, failed + f
        finally:
            server.stop()
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
