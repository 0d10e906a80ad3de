#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile users of an API server on loopback, and an administrator and a controller beside them.

  apiserver.py PORT IDENTITY SECONDS PID...

IDENTITY is a file with the administrator's certificate and key. 20 users do five things at once, each in a namespace of its own: they
hold half handshakes, open watches of 5 MB that they do not read, create objects that a silent webhook admits, read objects that a silent
webhook converts, ask for logs of a silent kubelet, and write 1 MB. Prints one line of JSON: polls of the administrator and how long they
took (ms), renewals of the controller's Lease and the longest time between two (s), and the memory of the processes (MiB).
"""
import base64
import json
import multiprocessing
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

USERS = 20
HANDSHAKES, WATCHES, WAITERS, WRITES_PER_SECOND = 30, 20, 4, 1
POLL_EVERY, RENEW_EVERY, LEASE_DURATION = 0.05, 2, 15
PORT, IDENTITY, SECONDS = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
PIDS = [int(pid) for pid in sys.argv[4:]]


def context(identity=None):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE  # it is on loopback, and not what is measured
    if identity:
        made.load_cert_chain(identity)
    return made


class Connection:
    """An HTTPS connection that is kept."""

    def __init__(self, tls, timeout=60, source=None):
        plain = socket.create_connection(("127.0.0.1", PORT), timeout, source_address=(source, 0) if source else None)
        self.socket = tls.wrap_socket(plain, server_hostname="localhost")
        self.buffer = b""

    def send(self, method, path, body=None, token=None, content_type="application/json"):
        data = b"" if body is None else (body if isinstance(body, bytes) else json.dumps(body).encode())
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n"
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        if data:
            head += f"Content-Type: {content_type}\r\nContent-Length: {len(data)}\r\n"
        self.socket.sendall(head.encode() + b"\r\n" + data)

    def fill(self):
        more = self.socket.recv(1 << 16)
        if not more:
            raise ConnectionError("the server has closed the connection")
        self.buffer += more

    def receive(self):
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        fields = {}
        for line in head.split(b"\r\n")[1:]:
            name, value = line.split(b":", 1)
            fields[name.strip().lower()] = value.strip()
        body = b""
        if fields.get(b"transfer-encoding") == b"chunked":
            while True:
                while b"\r\n" not in self.buffer:
                    self.fill()
                size, self.buffer = self.buffer.split(b"\r\n", 1)
                length = int(size, 16)
                while len(self.buffer) < length + 2:
                    self.fill()
                body += self.buffer[:length]
                self.buffer = self.buffer[length + 2:]
                if length == 0:
                    break
        else:
            length = int(fields.get(b"content-length", b"0"))
            while len(self.buffer) < length:
                self.fill()
            body, self.buffer = self.buffer[:length], self.buffer[length:]
        return int(head.split(b" ")[1]), body

    def call(self, *args, **named):
        self.send(*args, **named)
        return self.receive()

    def close(self):
        self.socket.close()


def source_of(user, number):
    return f"127.1.{user + 1}.{number % 200 + 1}"


class SilentServer:
    """Takes connections over TLS and requests, and answers nothing."""

    def __init__(self, folder):
        key, certificate = f"{folder}/silent.key", f"{folder}/silent.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                        "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        self.bundle = base64.b64encode(open(certificate, "rb").read()).decode()
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate, key)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.held = []
        threading.Thread(target=self.take, daemon=True).start()

    def take(self):
        while True:
            taken, _ = self.listener.accept()
            threading.Thread(target=self.hold, args=(taken,), daemon=True).start()

    def hold(self, taken):
        try:
            tls = self.tls.wrap_socket(taken, server_side=True)
            while tls.recv(1 << 16):
                pass
        except OSError:
            pass


def set_up(silent):
    """Objects that the users need; their tokens."""
    admin = Connection(context(IDENTITY))

    def make(path, value):
        status, body = admin.call("POST", path, value)
        if status not in (200, 201, 409):
            raise SystemExit(f"making {path}: {status} {body[:300]}")
        return json.loads(body)

    rbac = "/apis/rbac.authorization.k8s.io/v1"
    rules = [{"apiGroups": ["", "example.com"], "resources": ["configmaps", "secrets", "pods", "pods/log", "widgets"], "verbs": ["*"]}]
    make(f"{rbac}/clusterroles", {"metadata": {"name": "tenant"}, "rules": rules})
    lease_rules = [{"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"]}]
    make(f"{rbac}/clusterroles", {"metadata": {"name": "controller"}, "rules": lease_rules})
    tokens = []
    for name, role in [(f"user-{i}", "tenant") for i in range(USERS)] + [("controller", "controller")]:
        make("/api/v1/namespaces", {"metadata": {"name": name}})
        make(f"/api/v1/namespaces/{name}/serviceaccounts", {"metadata": {"name": "me"}})
        make(f"{rbac}/namespaces/{name}/rolebindings",
             {"metadata": {"name": "me"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
              "subjects": [{"kind": "ServiceAccount", "name": "me", "namespace": name}]})
        token = make(f"/api/v1/namespaces/{name}/serviceaccounts/me/token",
                     {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        tokens.append(token["status"]["token"])
    versions = [{"name": name, "served": True, "storage": name == "v2",
                 "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}} for name in ("v1", "v2")]
    where = {"url": f"https://127.0.0.1:{silent.port}/", "caBundle": silent.bundle}
    make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
         {"metadata": {"name": "widgets.example.com"},
          "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"}, "versions": versions,
                   "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": where}}}})
    time.sleep(2)
    make("/api/v1/nodes", {"metadata": {"name": "silent"}})
    status = {"status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                         "daemonEndpoints": {"kubeletEndpoint": {"Port": silent.port}}}}
    admin.call("PATCH", "/api/v1/nodes/silent/status", status, content_type="application/merge-patch+json")
    for i in range(USERS):
        at = f"/api/v1/namespaces/user-{i}"
        make(f"{at}/pods", {"metadata": {"name": "p"}, "spec": {"nodeName": "silent", "containers": [{"name": "c", "image": "x"}]}})
        make(f"/apis/example.com/v2/namespaces/user-{i}/widgets",
             {"apiVersion": "example.com/v2", "kind": "Widget", "metadata": {"name": "w"}})
        for n in range(5):
            make(f"{at}/configmaps", {"metadata": {"name": f"c{n}"}, "data": {"k": "x" * 1_000_000}})
    make("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
         {"metadata": {"name": "silent"},
          "webhooks": [{"name": "silent.example.com", "clientConfig": where, "sideEffects": "None", "admissionReviewVersions": ["v1"],
                        "timeoutSeconds": 30, "failurePolicy": "Fail",
                        "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["secrets"]}]}]})
    make("/apis/coordination.k8s.io/v1/namespaces/controller/leases",
         {"metadata": {"name": "lock"}, "spec": {"holderIdentity": "me", "leaseDurationSeconds": LEASE_DURATION}})
    return tokens


def attack(user, token, until):
    """What one user does, on threads that do the same thing again and again."""
    # Users are on other machines, and take no processor from the server: hundreds of threads with nice 19 still
    # outweigh it on two cores.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    tls = context()
    space = f"/api/v1/namespaces/user-{user}"

    def again(action, number, pause):
        while time.monotonic() < until:
            try:
                action(number)
            except (OSError, ValueError, IndexError):
                pass
            time.sleep(pause)

    def half_handshakes(number):
        held = []
        for i in range(HANDSHAKES):
            plain = socket.create_connection(("127.0.0.1", PORT), 10, source_address=(source_of(user, i), 0))
            plain.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
            held.append(plain)
        time.sleep(3)
        for one in held:
            one.close()

    def unread_watches(number):
        held = []
        for i in range(WATCHES):
            one = Connection(tls, 10, source_of(user, i))
            one.send("GET", f"{space}/configmaps?watch=1", token=token)
            held.append(one)
        time.sleep(5)
        for one in held:
            one.close()

    def ask(method, path, body=None):
        def once(number):
            one = Connection(tls, 60, source_of(user, number))
            try:
                one.call(method, path, body() if body else None, token=token)
            finally:
                one.close()
        return once

    def secret():
        return {"metadata": {"generateName": "s-"}}

    writer = {}

    def write(number):
        if "connection" not in writer:
            writer["connection"] = Connection(tls, 60, source_of(user, 1))
        try:
            large = {"data": {"k": os.urandom(500_000).hex()}}
            writer["connection"].call("PATCH", f"{space}/configmaps/c{number % 5}", large, token=token,
                                      content_type="application/merge-patch+json")
        except (OSError, ValueError):
            writer.pop("connection", None)
            raise

    jobs = [(half_handshakes, 0, 0.1), (unread_watches, 0, 0.1), (write, user, 1 / WRITES_PER_SECOND)]
    for i in range(WAITERS):
        jobs.append((ask("GET", f"{space}/pods/p/log"), i, 0.2))
        jobs.append((ask("GET", f"/apis/example.com/v1/namespaces/user-{user}/widgets/w"), i, 0.2))
        jobs.append((ask("POST", f"{space}/secrets", secret), i, 0.2))
    threads = [threading.Thread(target=again, args=job, daemon=True) for job in jobs]
    for one in threads:
        one.start()
    time.sleep(max(0, until - time.monotonic()))
    os._exit(0)


def poll(until, results):
    """The administrator: every other poll is on a new connection."""
    tls = context(IDENTITY)
    took, failed, kept = [], 0, None
    number = 0
    while time.monotonic() < until:
        begun = time.monotonic()
        try:
            if kept is None or number % 2:
                if kept:
                    kept.close()
                kept = Connection(tls, 20)
            status, _ = kept.call("GET", "/api/v1/namespaces/default")
            if status == 200:
                took.append((time.monotonic() - begun) * 1000)
            else:
                failed += 1
        except (OSError, ValueError):
            failed, kept = failed + 1, None
        number += 1
        time.sleep(max(0, POLL_EVERY - (time.monotonic() - begun)))
    results.put(("polls", took, failed))


def renew(token, until, results):
    """The controller: each renewal that does not come through is tried again at once."""
    path = "/apis/coordination.k8s.io/v1/namespaces/controller/leases/lock"
    tls, last, longest, renewals, refused = context(), time.monotonic(), 0.0, 0, 0
    while time.monotonic() < until:
        try:
            one = Connection(tls, 5)
            spec = {"spec": {"renewTime": time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())}}
            status, _ = one.call("PATCH", path, spec, token=token, content_type="application/merge-patch+json")
            one.close()
        except (OSError, ValueError):
            status = 0
        if status != 200:
            refused += 1
            time.sleep(0.2)
            continue
        now = time.monotonic()
        longest, last, renewals = max(longest, now - last), now, renewals + 1
        time.sleep(RENEW_EVERY)
    results.put(("lease", renewals, refused, max(longest, time.monotonic() - last)))


def memory():
    total = 0
    for pid in PIDS:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            total += sum(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    return total / 1024


def main():
    with tempfile.TemporaryDirectory() as folder:
        silent = SilentServer(folder)
        tokens = set_up(silent)
        before = memory()
        until = time.monotonic() + SECONDS
        results = multiprocessing.Queue()
        attackers = [multiprocessing.Process(target=attack, args=(i, tokens[i], until), daemon=True) for i in range(USERS)]
        good = [multiprocessing.Process(target=poll, args=(until, results)),
                multiprocessing.Process(target=renew, args=(tokens[USERS], until, results))]
        for one in attackers + good:
            one.start()
        most = before
        while time.monotonic() < until:
            most = max(most, memory())
            time.sleep(0.2)
        told = {}
        for _ in good:
            got = results.get(timeout=60)
            told[got[0]] = got[1:]
        took, failed = told["polls"]
        renewals, refused, gap = told["lease"]
        took.sort()
        at = lambda share: round(took[min(len(took) - 1, int(share * len(took)))], 1) if took else None
        print(json.dumps({"polls": len(took) + failed, "answered": len(took), "p50_ms": at(0.5), "p99_ms": at(0.99), "most_ms": at(1),
                          "renewals": renewals, "refused_renewals": refused, "longest_gap_s": round(gap, 1),
                          "lease_lost": gap > LEASE_DURATION, "before_mib": round(before), "most_mib": round(most)}))
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    main()
