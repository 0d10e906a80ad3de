# SPDX-License-Identifier: Apache-2.0
"""A Kubernetes API server for tests: `fairway apiserver --memory` as a process that ends with its owner.

    with fairway_testserver.Server(apply=["config/crd.yaml"]) as server:
        core = kubernetes.client.CoreV1Api(server.kubernetes_client())

With pytest, take the fixtures `fairway_server` and `fairway_session_server` (plugin.py).
"""

from .server import Server, ServerError

__all__ = ["Server", "ServerError"]
