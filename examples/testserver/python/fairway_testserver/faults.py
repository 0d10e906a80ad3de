# SPDX-License-Identifier: Apache-2.0
"""Faults that a test asks its server for, to see that clients live with them."""

import base64
import http.client
import json
import re
import ssl
import tempfile
import urllib.parse

# Seconds for an answer: only a server that hangs needs them.
_TIMEOUT = 60


class Faults:
    """The faults of a server. A resource is named by plural and group, as in "boats.example.com"; None stands for all."""

    def __init__(self, url, kubeconfig):
        self._address = urllib.parse.urlsplit(url)
        self._context = _context(kubeconfig.read_text())

    def cut_watches(self, resource=None):
        """Breaks the connections of open watches, as a failing network does, and returns their number."""
        return self._send("POST", {"cutWatches": _fields(resource=resource)})["cutWatches"]

    def expire(self):
        """Makes each version that a client knows too old: a watch or a page from there is 410, and the client lists again."""
        self._send("POST", {"expire": True})

    def conflicts(self, count=None, resource=None):
        """Has the next updates and patches refused with 409, as if another had written; without a count until `clear`."""
        self._send("POST", {"conflicts": _fields(resource=resource, count=count)})

    def slow_writes(self, delay, count=None, resource=None):
        """Delays the next writes by a time such as "200ms"; without a count until `clear`."""
        self._send("POST", {"slowWrites": _fields(resource=resource, count=count, delay=delay)})

    def pending(self):
        """Returns the faults that are still to come, as {"conflicts": ..., "slowWrites": ...}; None where there are none."""
        return self._send("GET")

    def clear(self):
        """Removes all faults."""
        self._send("DELETE")

    def advance_clock(self, step=None):
        """Advances the clock of a server with a clock of its own (`clock=...`) by a time such as "10m", and returns what time it is."""
        return self._send("GET" if step is None else "POST", step and {"advance": step}, "/fairway/clock")["now"]

    def _send(self, method, body=None, path="/fairway/faults"):
        connection = http.client.HTTPSConnection(self._address.hostname, self._address.port, context=self._context, timeout=_TIMEOUT)
        try:
            connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        document = json.loads(text)
        if answer.status != 200:
            raise ValueError(f"{method} {path} of the API server: {document.get('message', text)}")
        return document


def _fields(**fields):
    """Returns those that are given."""
    return {name: value for name, value in fields.items() if value is not None}


def _context(kubeconfig):
    """Returns the TLS of the administrator of a kubeconfig that `fairway apiserver` has written."""
    pem = {name: base64.b64decode(data).decode() for name, data in re.findall(r"^ +([a-z-]+)-data: (\S+)$", kubeconfig, re.MULTILINE)}
    context = ssl.create_default_context(cadata=pem["certificate-authority"])
    # Python takes certificates of clients from files alone.
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(pem["client-certificate"] + pem["client-key"])
        file.flush()
        context.load_cert_chain(file.name)
    return context
