# SPDX-License-Identifier: Apache-2.0

"""A cluster without nodes: an API server, embedded or real, with kube-controller-manager, and one administrator for both."""

import os
import pathlib
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

# Seconds that a program has to become ready.
PATIENCE = 240
# What the embedded API server does itself; kube-controller-manager does the rest.
OWN_CONTROLLERS = ("clusterrole-aggregation-controller", "garbage-collector-controller", "namespace-controller",
                   "resourcequota-controller", "root-ca-certificate-publisher-controller", "serviceaccount-controller",
                   "serviceaccount-token-controller")
# What has no purpose where there are no nodes.
OF_NODES = ("node-ipam-controller", "node-lifecycle-controller")
KUBECONFIG = """apiVersion: v1
kind: Config
current-context: cluster
contexts: [{{name: cluster, context: {{cluster: cluster, user: admin}}}}]
clusters: [{{name: cluster, cluster: {{server: "{url}", certificate-authority: "{folder}/ca.crt"}}}}]
users: [{{name: admin, user: {{client-certificate: "{folder}/admin.crt", client-key: "{folder}/admin.key"}}}}]
"""


def _free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Programs that run, with their files and logs in a folder. `url`, `kubeconfig`: where the API server is, and who asks it."""

    def __init__(self, name, folder):
        self.name, self.folder = name, pathlib.Path(folder)
        self._running = {}
        self._port, self._manager_port = _free_ports(2)
        self.url = f"https://127.0.0.1:{self._port}"
        self.kubeconfig = str(self.folder / "kubeconfig")
        self._make_certificates()
        (self.folder / "kubeconfig").write_text(KUBECONFIG.format(url=self.url, folder=self.folder))

    def _openssl(self, *words):
        subprocess.run(["openssl", *words], cwd=self.folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _make_certificates(self):
        self._openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=ca", "-keyout", "ca.key",
                      "-out", "ca.crt")
        for name, subject in ("server", "/CN=server"), ("admin", "/O=system:masters/CN=admin"):
            self._openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", subject, "-keyout", f"{name}.key", "-out", f"{name}.csr")
            (self.folder / f"{name}.ext").write_text("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n")
            self._openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                          "-extfile", f"{name}.ext", "-out", f"{name}.crt")
        self._openssl("genrsa", "-out", "accounts.key", "2048")

    def _run(self, name, *command):
        with open(self.folder / f"{name}.log", "wb") as log:
            self._running[name] = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)

    def _await_ready(self, what, url):
        context = ssl._create_unverified_context()
        context.load_cert_chain(self.folder / "admin.crt", self.folder / "admin.key")
        limit = time.monotonic() + PATIENCE
        while True:
            self.check()
            try:
                with urllib.request.urlopen(url, context=context, timeout=PATIENCE):
                    return
            except (urllib.error.URLError, OSError) as error:
                if time.monotonic() > limit:
                    raise RuntimeError(f"starting {self.name}: {what} is not ready after {PATIENCE} s: {error}") from error
            time.sleep(0.1)

    def check(self):
        """Raises RuntimeError, with the end of its log, where a program has ended."""
        for name, program in self._running.items():
            if program.poll() is not None:
                end = (self.folder / f"{name}.log").read_text(errors="replace")[-3000:]
                raise RuntimeError(f"running {self.name}: {name} has ended with {program.returncode}; its log ends with\n{end}")

    def start_embedded(self, fairway):
        """Starts the embedded API server of the program `fairway`, with its own controllers."""
        self._run("apiserver", fairway, "apiserver", "--memory", "--listen", f"127.0.0.1:{self._port}", "--client-ca-file", "ca.crt",
                  "--tls-cert-file", "server.crt", "--tls-private-key-file", "server.key", "--service-account-signing-key-file",
                  "accounts.key", "--service-cluster-ip-range", "10.0.0.0/24", "--audit-log", "audit.log", "--kubeconfig", "own.conf")
        self._await_ready("the API server", self.url + "/readyz")

    def start_real(self, programs):
        """Starts the kube-apiserver and etcd of a folder."""
        clients, peers = (f"http://127.0.0.1:{port}" for port in _free_ports(2))
        self._run("etcd", os.path.join(programs, "etcd"), "--data-dir", "etcd", "--unsafe-no-fsync", "--listen-client-urls", clients,
                  "--advertise-client-urls", clients, "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                  "--initial-cluster", f"default={peers}")
        self._run("apiserver", os.path.join(programs, "kube-apiserver"), f"--etcd-servers={clients}", "--bind-address=127.0.0.1",
                  f"--secure-port={self._port}", "--advertise-address=192.0.2.1", "--client-ca-file=ca.crt",
                  "--tls-cert-file=server.crt", "--tls-private-key-file=server.key", "--authorization-mode=Node,RBAC",
                  "--allow-privileged=true", f"--service-account-issuer={self.url}", "--service-account-key-file=accounts.key",
                  "--service-account-signing-key-file=accounts.key", "--service-cluster-ip-range=10.0.0.0/24")
        self._await_ready("the API server", self.url + "/readyz")

    def start_manager(self, program, leave=()):
        """Starts kube-controller-manager without those controllers that `leave` names."""
        controllers = ",".join(["*", *(f"-{name}" for name in (*leave, *OF_NODES))])
        self._run("manager", program, f"--kubeconfig={self.kubeconfig}", f"--authentication-kubeconfig={self.kubeconfig}",
                  f"--authorization-kubeconfig={self.kubeconfig}", "--bind-address=127.0.0.1", f"--secure-port={self._manager_port}",
                  "--cert-dir=manager", "--root-ca-file=ca.crt", "--service-account-private-key-file=accounts.key",
                  "--cluster-signing-cert-file=ca.crt", "--cluster-signing-key-file=ca.key", "--use-service-account-credentials",
                  "--leader-elect=false", f"--controllers={controllers}")
        self._await_ready("kube-controller-manager", f"https://127.0.0.1:{self._manager_port}/healthz")

    def stop(self):
        """Ends the programs, the last one first."""
        for program in reversed(self._running.values()):
            program.terminate()
        for program in reversed(self._running.values()):
            try:
                program.wait(20)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
