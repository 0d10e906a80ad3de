# SPDX-License-Identifier: Apache-2.0
"""Speaks to an API server as the administrator of its kubeconfig."""

import base64
import json
import os
import ssl
import tempfile
import urllib.error
import urllib.request

import yaml


class ApiServer:
    def __init__(self, kubeconfig):
        with open(kubeconfig, encoding="utf-8") as file:
            config = yaml.safe_load(file)
        self.url = config["clusters"][0]["cluster"]["server"]
        authority = base64.b64decode(config["clusters"][0]["cluster"]["certificate-authority-data"]).decode()
        self.context = ssl.create_default_context(cadata=authority)
        user = config["users"][0]["user"]
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name in ("client-certificate-data", "client-key-data"):
                files.append(os.path.join(folder, name))
                with open(files[-1], "wb") as file:
                    file.write(base64.b64decode(user[name]))
            self.context.load_cert_chain(*files)

    def ask(self, method, path, body=None, kind="application/json"):
        """Returns the answer's object. An error has the server's message."""
        request = urllib.request.Request(self.url + path, method=method, headers={"Content-Type": kind},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from None

    def get(self, path):
        return self.ask("GET", path)

    def create(self, path, body):
        return self.ask("POST", path, body)

    def merge(self, path, body):
        return self.ask("PATCH", path, body, "application/merge-patch+json")

    def find(self, path):
        """Returns an object; None where it, or its kind, does not exist."""
        try:
            return self.get(path)
        except RuntimeError as error:
            if f"GET {path}: 404 " in str(error):
                return None
            raise

    def token(self, namespace, account):
        """Returns a token of a ServiceAccount, as the kubelet asks for one."""
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3607}}
        return self.create(f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token", request)["status"]["token"]


def condition(one, kind):
    """Returns the status and the reason of an object's condition: "True Programmed". Empty: it has none of that type."""
    for entry in (one or {}).get("status", {}).get("conditions", []):
        if entry["type"] == kind:
            return f"{entry['status']} {entry.get('reason', '')}"
    return ""
