# SPDX-License-Identifier: Apache-2.0
"""A cluster of one node: an API server out of the image, and what controllers, kubelets and kube-proxies do for the Deployments,
StatefulSets and Services of deploy/, as far as a script waits for it."""

import os
import socket
import socketserver
import threading

import yaml

import api_server
import confinement
from pods import API_PORT, Pod, run
from waiting import until

# Of the images themselves (image.py).
IMAGE_USER = {"uid": 65532, "gid": 65532}
APPS = "/apis/apps/v1"


def start_api_server(node, image, objects, more=()):
    """Starts an API server in a container, as the image itself says, with some objects. Returns its kubeconfig."""
    address = node.service
    pod = {
        "hostNetwork": True, "volumes": [{"name": "data", "emptyDir": {}}],
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [{
            "name": "apiserver", "image": image, "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            "args": ["apiserver", "--memory", "--listen", f"{address}:{API_PORT}", "--kubeconfig", "/data/kubeconfig", "--apply",
                     "/data/objects.yaml", *more],
            "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}}]}
    run("ip", "address", "add", f"{address}/32", "dev", "lo")
    running = Pod(node, "apiserver", "default", pod, address)
    data, _ = running.volumes["data"]
    with open(os.path.join(data, "objects.yaml"), "w", encoding="utf-8") as file:
        yaml.safe_dump_all(objects, file)
    running.start()
    kubeconfig = os.path.join(data, "kubeconfig")
    until(lambda: running.main().pid() and os.path.exists(kubeconfig), lambda: f"there is no kubeconfig: {running.log()}")
    node.server = api_server.ApiServer(kubeconfig)
    faults = confinement.faults_of(running.main().pid(), IMAGE_USER, [], ["/data"], ("mnt", "pid", "ipc", "uts"))
    if faults:
        raise RuntimeError(f"it is not confined: {'; '.join(faults)}")
    return kubeconfig


class Forwarder(socketserver.ThreadingTCPServer):
    """Leads connections at a Service's address to a Pod."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, address, there):
        self.there = there
        super().__init__(address, Forwarded)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Forwarded(socketserver.BaseRequestHandler):
    def handle(self):
        with socket.create_connection(self.server.there, timeout=10) as there:
            other = threading.Thread(target=copy, args=(there, self.request), daemon=True)
            other.start()
            copy(self.request, there)
            other.join()


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def ready_status(one):
    """Returns the status of a workload all of whose Pods are ready."""
    count = one["spec"]["replicas"]
    revision = {"currentRevision": "1", "updateRevision": "1"} if one["kind"] == "StatefulSet" else {}
    return {"observedGeneration": one["metadata"]["generation"], "replicas": count, "readyReplicas": count, "updatedReplicas": count,
            "availableReplicas": count, **revision}


class Controllers(threading.Thread):
    """Runs Pods as long as what asks for them is there. `faults` has what went wrong."""

    def __init__(self, node):
        super().__init__(daemon=True)
        self.node, self.faults, self.workloads, self.services = node, [], {}, set()
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.05):
            try:
                self.look()
            except Exception as error:  # noqa: BLE001: whoever waits for its work says so
                self.faults.append(str(error))
                return

    def look(self):
        there = {}
        for resource, kind in (("statefulsets", "StatefulSet"), ("deployments", "Deployment")):
            for one in self.node.server.get(f"{APPS}/{resource}")["items"]:
                there[one["metadata"]["uid"]] = (resource, {"kind": kind, **one})
        for uid in set(self.workloads) - set(there):
            for pod in self.workloads.pop(uid):
                pod.main().stop()
        for uid, (resource, one) in there.items():
            if uid not in self.workloads:
                self.workloads[uid] = self.start_pods(one)
            elif not one.get("status", {}).get("readyReplicas") and all(is_ready(pod) for pod in self.workloads[uid]):
                metadata = one["metadata"]
                path = f"{APPS}/namespaces/{metadata['namespace']}/{resource}/{metadata['name']}/status"
                self.node.server.merge(path, {"status": ready_status(one)})

    def start_pods(self, one):
        metadata, spec = one["metadata"], one["spec"]
        addresses = [self.node.next_address() for _ in range(spec["replicas"])]
        self.name_services(spec["template"], addresses)
        account = self.node.server.get(
            f"/api/v1/namespaces/{metadata['namespace']}/serviceaccounts/{spec['template']['spec']['serviceAccountName']}")
        claims = [claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates", [])]
        pods = []
        for number, address in enumerate(addresses):
            pod = yaml.safe_load(yaml.safe_dump(spec["template"]["spec"]))
            pods.append(Pod(self.node, f"{metadata['name']}-{number}", metadata["namespace"], pod, address, account, claims))
            pods[-1].start()
        return pods

    def name_services(self, template, addresses):
        """Gives the names of Services their addresses, and leads those before these Pods to the first of them."""
        labels = template["metadata"]["labels"]
        ports = {port["name"]: port["containerPort"] for container in template["spec"]["containers"] for port in container["ports"]}
        for service in self.node.server.get("/api/v1/services")["items"]:
            metadata, spec = service["metadata"], service["spec"]
            headless, selected = spec.get("clusterIP") == "None", (spec.get("selector") or {"": None}).items() <= labels.items()
            names = (metadata["name"], f"{metadata['name']}.{metadata['namespace']}.svc")
            for name in names if selected or not headless else ():
                self.node.names[name] = addresses if headless else [spec["clusterIP"]]
            if selected and not headless and metadata["uid"] not in self.services:
                self.services.add(metadata["uid"])
                run("ip", "address", "add", f"{spec['clusterIP']}/32", "dev", "lo")
                for port in spec["ports"]:
                    Forwarder((spec["clusterIP"], port["port"]), (addresses[0], ports.get(port["targetPort"], port["targetPort"])))


def is_ready(pod):
    pod.main().pid()
    return pod.probe("readinessProbe")[0] == 200
