#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for scheduler and kubelet: runs the suite's pods as processes with addresses of their own on `lo`.

usage: pods.py KUBECTL ECHO_BASIC FOLDER

For the suite's echo-basic alone, in a network namespace of its own, with $KUBECONFIG. ECHO_BASIC listens on $BIND_IP. Other images are
said to run, and do nothing. Logs are served to the API server as a kubelet does.
"""

import base64
import datetime
import http.server
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

KUBECTL, ECHO, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
NODE = "local"
NETWORK = "198.18"
ADDRESS = NETWORK + ".0.1"
PORT = 10250


def kubectl(*arguments: str, document=None):
    """What kubectl prints; None where it fails."""
    done = subprocess.run([KUBECTL, *arguments], input=None if document is None else json.dumps(document),
                          capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def is_taken(address: str, port: int) -> bool:
    """Whether somebody receives datagrams there: they answer no connection."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.bind((address, port))
        except OSError:
            return True
    return False


def is_open(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), 0.2).close()
        return True
    except OSError:
        return False


class Log:
    """The lines of a process, with the time at which each came."""

    by_pod: dict = {}

    def __init__(self, name: tuple, stream):
        self.lines = []
        Log.by_pod[name] = self
        threading.Thread(target=self.read, args=(stream,), daemon=True).start()

    def read(self, stream) -> None:
        for line in stream:
            self.lines.append((time.time(), line))

    def since(self, begin: float) -> bytes:
        return b"".join(line for at, line in list(self.lines) if at >= begin)


class Logs(http.server.BaseHTTPRequestHandler):
    """GET /containerLogs/NAMESPACE/POD/CONTAINER, as the API server asks a kubelet."""

    def do_GET(self) -> None:
        url = urllib.parse.urlparse(self.path)
        parts, query = url.path.strip("/").split("/"), urllib.parse.parse_qs(url.query)
        log = Log.by_pod.get(tuple(parts[1:3])) if parts[0] == "containerLogs" else None
        begin = 0.0
        if "sinceTime" in query:
            begin = datetime.datetime.fromisoformat(query["sinceTime"][0].replace("Z", "+00:00")).timestamp()
        if "sinceSeconds" in query:
            begin = time.time() - int(query["sinceSeconds"][0])
        body = log.since(begin) if log else b""
        self.send_response(200 if log else 404)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_) -> None:
        pass


def serve_logs() -> None:
    """The API server does not check the certificate of this kubelet."""
    key, certificate = FOLDER / "key.pem", FOLDER / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
                    "-days", "2", "-subj", "/CN=" + NODE], check=True, capture_output=True)
    subprocess.run(["ip", "address", "add", ADDRESS + "/32", "dev", "lo"], check=False)
    server = http.server.ThreadingHTTPServer((ADDRESS, PORT), Logs)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()


class Pod:
    used = 9

    def __init__(self, pod: dict, files: dict):
        Pod.used += 1
        self.address = f"{NETWORK}.{Pod.used // 250}.{Pod.used % 250 + 1}"
        self.container = pod["spec"]["containers"][0]
        self.is_ready = False
        self.process = None
        subprocess.run(["ip", "address", "add", self.address + "/32", "dev", "lo"], check=False)
        if "echo-basic" in self.container["image"]:
            self.process = subprocess.Popen([ECHO], env=self.environment(pod, files), stdout=subprocess.PIPE,
                                            stderr=subprocess.STDOUT)
            Log((pod["metadata"]["namespace"], pod["metadata"]["name"]), self.process.stdout)

    def environment(self, pod: dict, files: dict) -> dict:
        of_pod = {"metadata.name": pod["metadata"]["name"], "metadata.namespace": pod["metadata"]["namespace"],
                  "status.podIP": self.address}
        made = {"BIND_IP": self.address, "PATH": os.environ["PATH"]}
        for one in self.container.get("env", []):
            value = one.get("value")
            if value is None:
                value = of_pod.get(one.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", ""), "")
            for mount, folder in files.items():
                if value == mount or value.startswith(mount + "/"):
                    value = str(folder) + value[len(mount):]
            made[one["name"]] = value
        return made

    def answers(self) -> bool:
        if self.process is None:
            return True
        declared = self.container.get("ports", [])
        if any(port.get("protocol") == "UDP" and is_taken(self.address, port["containerPort"]) for port in declared):
            return True
        ports = [port["containerPort"] for port in declared if port.get("protocol", "TCP") == "TCP"]
        # A backend of the tests of retries listens where its Service does not look: it is ready all the same.
        ports += [int(one["value"]) for one in self.container.get("env", []) if one["name"] == "TCP_PORT"]
        return any(is_open(self.address, port) for port in [*ports, 3000, 8443])

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
        subprocess.run(["ip", "address", "del", self.address + "/32", "dev", "lo"], check=False)


def mounts(pod: dict):
    """Where its Secrets and ConfigMaps are, by mount path; None while one of them does not exist, as with a kubelet."""
    metadata, found = pod["metadata"], {}
    for volume in pod["spec"].get("volumes", []):
        kind = "secret" if "secret" in volume else "configmap" if "configMap" in volume else None
        if kind is None:
            continue
        source = volume["secret" if kind == "secret" else "configMap"]
        text = kubectl("get", kind, source.get("secretName") or source["name"], "-n", metadata["namespace"], "-o", "json")
        if text is None:
            return None
        data = json.loads(text).get("data", {})
        folder = FOLDER / metadata["uid"] / volume["name"]
        folder.mkdir(parents=True, exist_ok=True)
        for item in source.get("items") or [{"key": key, "path": key} for key in data]:
            content = data[item["key"]]
            (folder / item["path"]).write_bytes(base64.b64decode(content) if kind == "secret" else content.encode())
        for mount in pod["spec"]["containers"][0].get("volumeMounts", []):
            if mount["name"] == volume["name"]:
                found[mount["mountPath"].rstrip("/")] = folder
    return found


def status(pod: Pod) -> dict:
    conditions = [{"type": name, "status": "True", "lastTransitionTime": now()}
                  for name in ("PodScheduled", "Initialized", "ContainersReady", "Ready")]
    container = {"name": pod.container["name"], "image": pod.container["image"], "imageID": NODE, "ready": True,
                 "started": True, "restartCount": 0, "state": {"running": {"startedAt": now()}}}
    return {"status": {"phase": "Running", "podIP": pod.address, "podIPs": [{"ip": pod.address}],
                       "hostIP": ADDRESS, "startTime": now(), "conditions": conditions,
                       "containerStatuses": [container]}}


def step(running: dict) -> None:
    text = kubectl("get", "pods", "-A", "-o", "json")
    if text is None:
        return
    seen = set()
    for pod in json.loads(text)["items"]:
        metadata = pod["metadata"]
        uid, place = metadata["uid"], ["-n", metadata["namespace"]]
        if "deletionTimestamp" in metadata:
            kubectl("delete", "pod", metadata["name"], *place, "--grace-period=0", "--force", "--wait=false")
            continue
        seen.add(uid)
        if not pod["spec"].get("nodeName"):
            path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/binding"
            kubectl("create", "--raw", path, "-f", "-", document={
                "apiVersion": "v1", "kind": "Binding", "metadata": {"name": metadata["name"]},
                "target": {"apiVersion": "v1", "kind": "Node", "name": NODE}})
        elif uid not in running:
            files = mounts(pod)
            if files is not None:
                running[uid] = Pod(pod, files)
        elif not running[uid].is_ready and running[uid].answers():
            done = kubectl("patch", "pod", metadata["name"], *place, "--subresource=status", "--type=merge", "-p",
                           json.dumps(status(running[uid])))
            running[uid].is_ready = done is not None
    for uid in set(running) - seen:
        running.pop(uid).stop()


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    FOLDER.mkdir(parents=True, exist_ok=True)
    serve_logs()
    kubectl("create", "-f", "-", document={"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}})
    kubectl("patch", "node", NODE, "--subresource=status", "--type=merge", "-p", json.dumps({"status": {"conditions": [
        {"type": "Ready", "status": "True", "reason": "Local", "message": "", "lastHeartbeatTime": now(),
         "lastTransitionTime": now()}], "addresses": [{"type": "InternalIP", "address": ADDRESS}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": PORT}}}}))
    running = {}
    try:
        while True:
            step(running)
            time.sleep(0.25)
    finally:
        for pod in running.values():
            pod.stop()


main()
