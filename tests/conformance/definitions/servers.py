# SPDX-License-Identifier: Apache-2.0

"""The two API servers that are compared: the embedded one, and a kube-apiserver with its etcd."""

import base64
import http.client
import json
import pathlib
import secrets
import socket
import ssl
import subprocess
import time

import yaml

# Seconds that a server has to start, and an answer to come.
PATIENCE = 120


def _free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Server:
    """A running API server, and a connection of its administrator to it."""

    def __init__(self, name, folder):
        self.name = name
        self._folder = pathlib.Path(folder)
        self._programs = []
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        self._context = ssl._create_unverified_context()
        self._connection = None
        self.port = None
        # Of a kube-apiserver: its administrator's.
        self.token = None

    def _run(self, name, *command):
        log = open(self._folder / f"{name}.log", "wb")
        self._programs.append(subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder))

    def _await(self, what, ready):
        limit = time.monotonic() + PATIENCE
        while not ready():
            if time.monotonic() > limit or any(program.poll() is not None for program in self._programs):
                logs = "".join(log.read_text(errors="replace")[-2000:] for log in self._folder.glob("*.log"))
                raise RuntimeError(f"starting {self.name}: {what} did not come; its logs end with\n{logs}")
            time.sleep(0.05)

    def _is_ready(self):
        try:
            return self.send("GET", "/readyz")[0] == 200
        except OSError:
            return False

    def send(self, method, path, body=None):
        """Sends a request, and returns the status, the document and the warnings of the answer."""
        text = None if body is None else json.dumps(body)
        for attempt in (1, 2):
            if self._connection is None:
                self._connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self._context, timeout=PATIENCE)
            try:
                self._connection.request(method, path, text, self._headers)
                answer = self._connection.getresponse()
                data = answer.read()
                break
            except (OSError, http.client.HTTPException):
                self._connection = None
                if attempt == 2:
                    raise
        kind = answer.headers.get("Content-Type", "")
        return answer.status, json.loads(data) if kind.startswith("application/json") else data, answer.headers.get_all("Warning", [])

    def stop(self):
        for program in reversed(self._programs):
            program.terminate()
            program.wait(PATIENCE)


def start_embedded(fairway, folder):
    """Starts `fairway apiserver` with its files in a folder."""
    server = Server("fairway apiserver", folder)
    kubeconfig = pathlib.Path(folder) / "kubeconfig"
    server._run("fairway", fairway, "apiserver", "--memory", "--listen", "127.0.0.1:0", "--kubeconfig", str(kubeconfig))
    server._await("its kubeconfig", kubeconfig.exists)
    document = yaml.safe_load(kubeconfig.read_text())
    user = document["users"][0]["user"]
    for key in ("client-certificate-data", "client-key-data"):
        (pathlib.Path(folder) / key).write_bytes(base64.b64decode(user[key]))
    server._context.load_cert_chain(pathlib.Path(folder) / "client-certificate-data", pathlib.Path(folder) / "client-key-data")
    server.port = int(document["clusters"][0]["cluster"]["server"].rsplit(":", 1)[1])
    server._await("its readiness", server._is_ready)
    return server


def start_real(programs, folder):
    """Starts the kube-apiserver of a folder of programs, and Debian's etcd."""
    server = Server("kube-apiserver", folder)
    clients, peers, server.port = _free_ports(3)
    token = server.token = secrets.token_hex(16)
    server._headers["Authorization"] = f"Bearer {token}"
    at = pathlib.Path(folder)
    (at / "tokens.csv").write_text(f"{token},admin,admin,system:masters\n")
    key, public = str(at / "sa.key"), str(at / "sa.pub")
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["openssl", "rsa", "-in", key, "-pubout", "-out", public], check=True, stderr=subprocess.DEVNULL)
    client, peer = f"http://127.0.0.1:{clients}", f"http://127.0.0.1:{peers}"
    server._run("etcd", "etcd", "--data-dir", str(at / "etcd"), "--unsafe-no-fsync", "--listen-client-urls", client,
                "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                "--initial-cluster", f"default={peer}")
    server._run("kube-apiserver", str(pathlib.Path(programs) / "kube-apiserver"), f"--etcd-servers={client}",
                "--bind-address=127.0.0.1", f"--secure-port={server.port}", "--advertise-address=192.0.2.1",
                "--endpoint-reconciler-type=none", f"--cert-dir={at}/certificates", f"--token-auth-file={at}/tokens.csv",
                "--authorization-mode=RBAC", "--service-account-issuer=https://kubernetes.example",
                f"--service-account-key-file={public}", f"--service-account-signing-key-file={key}",
                "--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount")
    server._await("its readiness", server._is_ready)
    return server
