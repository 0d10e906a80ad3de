# SPDX-License-Identifier: Apache-2.0
"""Names and certificates for a program that runs in a root file system: a network of its own that has a name server and a web server with
TLS, and what the program has to say when it asks them.

usage: verify_names.py ROOT COMMAND...     (in network and mount namespaces of its own: unshare -n -m)

COMMAND runs in ROOT by chroot; it is a fairway, which is asked for the graph of releases that it fetches by https. ROOT has the example
data at /page/examples. The last line counts the cases.
"""

import datetime
import http.server
import json
import os
import shutil
import socketserver
import ssl
import struct
import subprocess
import sys
import tempfile
import threading

# With its path: what runs in a root has a PATH of its own.
CHROOT = shutil.which("chroot") or "/usr/sbin/chroot"
# hosts.test is in /etc/hosts, dns.test is known to the name server alone, nowhere.test to none.
BY_FILE, BY_DNS, UNKNOWN = "hosts.test", "dns.test", "nowhere.test"
VERSION = "4.7.9"
GRAPH = {"nodes": [{"version": VERSION, "payload": "registry.example.com/release@sha256:" + "0" * 64, "metadata": {}}], "edges": []}
# Where distributions have the certificates of authorities that they trust: the first is where Debian's OpenSSL looks itself.
BUNDLES = ["etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt", "etc/ssl/ca-bundle.pem", "etc/ssl/cert.pem"]
# Modules for names that the machine may ask for and that did not come with the program: it has to go on to the next.
FOREIGN_NSSWITCH = "hosts: files mdns4_minimal resolve [!UNAVAIL=return] myhostname dns\n"


class _Graph(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # noqa: N802
        content = json.dumps(GRAPH).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments):
        pass


def question_of(message):
    """The name and the type that a DNS query asks for, and the bytes of its question."""
    labels, at = [], 12
    while message[at]:
        labels.append(message[at + 1:at + 1 + message[at]].decode("ascii", "replace"))
        at += 1 + message[at]
    return ".".join(labels).lower(), struct.unpack_from(">H", message, at + 1)[0], message[12:at + 5]


def answer_to(message):
    """The answer of the name server: 127.0.0.1 for BY_DNS, no address of another family, and no such name for all others."""
    name, kind, question = question_of(message)
    has_address = name == BY_DNS and kind == 1
    flags = 0x8580 if name == BY_DNS else 0x8583
    header = message[:2] + struct.pack(">HHHHH", flags, 1, 1 if has_address else 0, 0, 0)
    address = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + bytes([127, 0, 0, 1]) if has_address else b""
    return header + question + address


class _Names(socketserver.BaseRequestHandler):
    def handle(self):
        message, socket = self.request
        socket.sendto(answer_to(message), self.client_address)


def openssl(*arguments, folder):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificates(folder):
    """Writes authority.pem, and server.pem and server.key of a server with both names."""
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=Test authority",
            "-keyout", "authority.key", "-out", "authority.pem", "-days", "2", folder=folder)
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={BY_FILE}",
            "-keyout", "server.key", "-out", "server.csr", folder=folder)
    with open(os.path.join(folder, "names"), "w", encoding="utf-8") as out:
        out.write(f"subjectAltName=DNS:{BY_FILE},DNS:{BY_DNS}\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "server.pem", folder=folder)


def serve(folder):
    """Starts both servers. Returns the port of the web server."""
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Graph)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "server.pem"), os.path.join(folder, "server.key"))
    web.socket = context.wrap_socket(web.socket, server_side=True)
    for server in (web, socketserver.UDPServer(("127.0.0.1", 53), _Names)):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    return web.server_port


def write(root, path, text):
    os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
    # /etc/resolv.conf may be a link that leads out of the root.
    if os.path.islink(os.path.join(root, path)):
        os.remove(os.path.join(root, path))
    with open(os.path.join(root, path), "w", encoding="utf-8") as out:
        out.write(text)


def trust(root, authority):
    """Makes the machine trust an authority, as its users do: by Debian's tool where there is one."""
    if os.path.exists(os.path.join(root, "usr/sbin/update-ca-certificates")):
        write(root, "usr/local/share/ca-certificates/test.crt", authority)
        subprocess.run([CHROOT, root, "update-ca-certificates"], check=True, capture_output=True,
                       env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    else:
        write(root, BUNDLES[0], authority)


def places_of(root):
    """The files of authorities to try: all, one at a time, where the root has none of its own."""
    return BUNDLES if not os.path.exists(os.path.join(root, "usr/lib/ssl")) else []


class Cases:
    """Runs the program in a root, and counts."""

    def __init__(self, root, command, port, libc):
        self.root, self.command, self.port, self.libc = root, command, port, libc
        self.passed = self.failed = 0

    def try_name(self, what, name, wanted, **environment):
        """Fetches from a name. `wanted` has to be in what is printed: the version that is served, or what the error says."""
        env = {"PATH": "/usr/bin:/bin", "HOME": "/root", **environment}
        if self.libc:
            env["FAIRWAY_LIBC"] = self.libc
        url = f"https://{name}:{self.port}/graph?channel=stable-4.7&arch=amd64"
        done = subprocess.run(
            [CHROOT, self.root, *self.command, "graph", "show", "--graph-data", "/page/examples/graph-data", "--releases", url,
             "--channel", "stable-4.7"], capture_output=True, text=True, check=False, env=env, timeout=60)
        if (done.returncode == 0) == (wanted == VERSION) and wanted in done.stdout + done.stderr:
            self.passed += 1
        else:
            self.failed += 1
            print(f"failed: {what}: it ended with {done.returncode} and printed, without {wanted!r}:\n{done.stdout}{done.stderr}")


def run_cases(cases, root, authority):
    cases.try_name("a certificate of an authority that nobody trusts is refused", BY_FILE, "certificate")
    cases.try_name("a name that nobody knows is an error", UNKNOWN, "looking up nowhere.test")
    write(root, "tmp/authority.pem", authority)
    cases.try_name("SSL_CERT_FILE names an authority", BY_FILE, VERSION, SSL_CERT_FILE="/tmp/authority.pem")
    for place in places_of(root):
        write(root, place, authority)
        cases.try_name(f"authorities in /{place} are trusted", BY_FILE, VERSION)
        os.remove(os.path.join(root, place))
    trust(root, authority)
    cases.try_name("a name of /etc/hosts", BY_FILE, VERSION)
    cases.try_name("a name of the name server", BY_DNS, VERSION)
    write(root, "etc/nsswitch.conf", FOREIGN_NSSWITCH)
    cases.try_name("a name, where /etc/nsswitch.conf names modules that are not there", BY_DNS, VERSION)


def main():
    root, *command = sys.argv[1:]
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    write(root, "etc/hosts", f"127.0.0.1 localhost {BY_FILE}\n")
    write(root, "etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:2 attempts:1\n")
    with tempfile.TemporaryDirectory() as folder:
        make_certificates(folder)
        port = serve(folder)
        with open(os.path.join(folder, "authority.pem"), encoding="utf-8") as file:
            authority = file.read()
        cases = Cases(root, command, port, os.environ.get("FAIRWAY_LIBC"))
        begun = datetime.datetime.now()
        run_cases(cases, root, authority)
    print(f"names and certificates: {(datetime.datetime.now() - begun).total_seconds():.1f} s")
    print(f"{cases.passed} passed, {cases.failed} failed, 0 skipped")
    return 1 if cases.failed else 0


if __name__ == "__main__":
    sys.exit(main())
