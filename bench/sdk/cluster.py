# SPDX-License-Identifier: Apache-2.0
"""Asks an API server about the operator that runs against it, for bench/sdk.

usage: cluster.py check URL CLIENT-PEM
       cluster.py await URL CLIENT-PEM WATCHING-FILE

check    makes Capacities, and fails unless the operator converts, defaults, refuses and reconciles them as both projects promise.
await    deletes the settings of the first of them, makes WATCHING-FILE, and prints the time at which they are there again, in
         nanoseconds since 1970.
"""

import http.client
import json
import ssl
import sys
import time
import urllib.parse

GROUP = "/apis/capacity.example.com"
SETTINGS = "/api/v1/namespaces/default/configmaps"
DEADLINE = 60


class Server:
    """An API server, asked as the owner of a client certificate. Each request has a connection of its own."""

    def __init__(self, url, pem):
        self.host = urllib.parse.urlsplit(url).netloc
        self.tls = ssl.create_default_context()
        self.tls.check_hostname = False
        self.tls.verify_mode = ssl.CERT_NONE
        self.tls.load_cert_chain(pem)

    def open(self, method, path, body=None):
        """Sends a request and returns the response, unread."""
        connection = http.client.HTTPSConnection(self.host, context=self.tls, timeout=DEADLINE)
        connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        return connection.getresponse()

    def ask(self, method, path, body=None):
        """Returns the status code and the object of the answer."""
        response = self.open(method, path, body)
        return response.status, json.loads(response.read())

    def create(self, version, name, spec):
        return self.ask("POST", f"{GROUP}/{version}/namespaces/default/capacities", {
            "apiVersion": f"capacity.example.com/{version}", "kind": "Capacity", "metadata": {"name": name}, "spec": spec})


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"error: {what} is {found!r}, and should be {wanted!r}")


def eventually(what, find, wanted):
    """Asks until the answer is the one that is wanted."""
    deadline = time.monotonic() + DEADLINE
    while (found := find()) != wanted:
        if time.monotonic() > deadline:
            expect(what, found, wanted)
        time.sleep(0.05)


def check(server):
    # Until the webhooks are registered and served, nothing can be created.
    eventually("the status of a creation in v1alpha1", lambda: server.create("v1alpha1", "one", {"size": 3})[0], 201)
    eventually("the data of the settings", lambda: server.ask("GET", f"{SETTINGS}/one-settings")[1].get("data"), {"replicas": "3"})

    def ready():
        _, found = server.ask("GET", f"{GROUP}/v1/namespaces/default/capacities/one")
        expect("spec in v1", found["spec"], {"replicas": 3})
        return [(each["type"], each["status"], each["message"]) for each in found.get("status", {}).get("conditions", [])]
    eventually("the condition", ready, [("Ready", "True", "the settings are in default/one-settings")])
    _, owned = server.ask("GET", f"{SETTINGS}/one-settings")
    expect("the owner of the settings", [each["name"] for each in owned["metadata"]["ownerReferences"]], ["one"])

    # Asked in v1: whether an old client then sees a default that it did not write is where the two differ.
    status, _ = server.create("v1alpha1", "two", {})
    expect("the status of a creation without a size", status, 201)
    _, made = server.ask("GET", f"{GROUP}/v1/namespaces/default/capacities/two")
    expect("spec in v1", made["spec"], {"replicas": 1})
    status, refused = server.create("v1", "three", {"replicas": 4})
    expect("the status of a creation with an even number", status // 100, 4)
    if "spec.replicas: 4 is even; a majority needs an odd number" not in refused["message"]:
        raise SystemExit(f"error: an even number is refused with {refused['message']!r}")


def await_settings(server, watching):
    status, _ = server.ask("DELETE", f"{SETTINGS}/one-settings")
    expect("the status of the deletion", status, 200)
    response = server.open("GET", f"{SETTINGS}?watch=true&fieldSelector=metadata.name%3Done-settings")
    with open(watching, "w", encoding="utf-8") as file:
        file.write("watching\n")
    event = json.loads(response.readline())
    expect("the first event", event["type"], "ADDED")
    print(time.time_ns())


def main():
    server = Server(sys.argv[2], sys.argv[3])
    if sys.argv[1] == "check":
        check(server)
    else:
        await_settings(server, sys.argv[4])


if __name__ == "__main__":
    main()
