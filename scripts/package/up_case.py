# SPDX-License-Identifier: Apache-2.0
"""Checks `./dev up --kubeconfig FILE --image NAME` for check_images.py: the script installs the image in a cluster, and removes it."""

import os
import re
import shutil
import subprocess

import cluster
from waiting import until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAMESPACES = "/api/v1/namespaces"
# Where the script could leave something that it has made, and by which names.
LEFT = (NAMESPACES, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles")
OF_FAIRWAY = re.compile(r"fairway|.*\.config\.openshift\.io|conversions\.")


def find_kubectl():
    """Returns the program that conformance tests use, or that of this machine; empty: there is none."""
    kept = os.path.join(ROOT, ".cache", "kubernetes", "kubectl")
    return os.environ.get("KUBECTL") or (kept if os.path.exists(kept) else shutil.which("kubectl") or "")


def up(kubectl, kubeconfig, image, work):
    """Runs the script to its end. Returns the exit status, and what it said."""
    tools = os.path.join(work, "tools")
    if not os.path.exists(tools):
        os.makedirs(tools)
        os.symlink(kubectl, os.path.join(tools, "kubectl"))
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "KUBECACHEDIR": tools}
    words = ["examples/cluster/up.sh", "--kubeconfig", kubeconfig, "--image", image, "--once"]
    try:
        done = subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              stdin=subprocess.DEVNULL, timeout=400)
    except subprocess.TimeoutExpired as fault:
        raise RuntimeError(f"it has not ended: {fault.stdout}") from fault
    return done.returncode, done.stdout


def left_on(server):
    """Returns the names of what is there of Fairway."""
    return [one["metadata"]["name"] for path in LEFT for one in server.get(path)["items"] if OF_FAIRWAY.match(one["metadata"]["name"])]


def runs_pods(node, image):
    kubectl = find_kubectl()
    if not kubectl:
        return "there is no kubectl (KUBECTL, .cache/kubernetes, PATH)"
    kubeconfig = cluster.start_api_server(node, image, [], ["--service-cluster-ip-range", "10.112.0.0/12"])
    name = f"registry.example.com/{image}"
    # What somebody uses stays.
    node.server.create(NAMESPACES, {"metadata": {"name": "fairway-system"}})
    status, said = up(kubectl, kubeconfig, name, node.work)
    if status != 1 or "error: this cluster has something of Fairway" not in said or left_on(node.server) != ["fairway-system"]:
        raise RuntimeError(f"in a cluster that has a namespace of Fairway: exit status {status}: {said}")
    node.server.ask("DELETE", f"{NAMESPACES}/fairway-system")
    until(lambda: node.server.find(f"{NAMESPACES}/fairway-system") is None, lambda: "the namespace fairway-system is not deleted")

    controllers = cluster.Controllers(node)
    controllers.start()
    status, said = up(kubectl, kubeconfig, name, node.work)
    controllers.ended.set()
    controllers.join()
    said += "".join(controllers.faults) + "".join(pod.log() for pod in node.pods)
    if status != 0 or controllers.faults or not re.search(r"^  4\.6\.43  recommended$", said, re.MULTILINE):
        raise RuntimeError(f"exit status {status}: {said}")
    if left_on(node.server):
        raise RuntimeError(f"it leaves {', '.join(left_on(node.server))}: {said}")
    return None
