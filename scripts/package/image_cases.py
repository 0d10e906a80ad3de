# SPDX-License-Identifier: Apache-2.0
"""The checks of check_images.py: what is made of each folder of deploy/, and what has to come of it."""

import glob
import json
import os

import api_server
import cluster
import confinement
import image
import kustomization
import runtime_config
import up_case
from image_registry import Registry, digest_in
from pods import Node, Pod, fetch, run
from waiting import until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, "examples")
ROUTING = "/apis/gateway.networking.k8s.io/v1"
GRAPH = "/api/upgrades_info/graph?channel=stable-4.7&arch=amd64"
RELEASE = "4.6.23"
FOLDERS = ("update-service", "operator", "gateway")


def read_yaml(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return kustomization.documents(file.read())


DEFINITIONS = read_yaml("examples/cluster/gateway/definitions.yaml") + read_yaml("deploy/gateway/parameters-crd.yaml")


def graph_data():
    """Returns the example as a ConfigMap, and the volume that gives its files their paths back."""
    folder = os.path.join(EXAMPLES, "graph-data")
    files = [path for path in glob.glob(os.path.join(folder, "**"), recursive=True) if os.path.isfile(path)]
    data, items = {}, []
    for path in [*files, os.path.join(EXAMPLES, "releases.json")]:
        key = os.path.relpath(path, EXAMPLES).replace("/", ".")
        with open(path, encoding="utf-8") as file:
            data[key] = file.read()
        items.append({"key": key, "path": os.path.relpath(path, EXAMPLES)})
    return data, {"name": "examples", "configMap": {"name": "examples", "items": items}}


class Cases:
    """All checks, in the order in which they need each other. A check returns why it is skipped, or nothing."""

    def __init__(self, dist, envoy, work):
        self.dist, self.envoy, self.work = dist, envoy, work
        # Pods reach each other, and the first address of Services.
        run("ip", "link", "set", "lo", "up")
        with open("/proc/sys/net/ipv4/ip_forward", "w", encoding="utf-8") as file:
            file.write("1")
        self.node = Node(os.path.join(work, "node"), {}, "10.96.0.1", "10.244")
        # Where an API server knows nothing of Fairway yet.
        self.fresh = Node(os.path.join(work, "fresh"), self.node.images, "10.112.0.1", "10.245")
        self.folders = {name: kustomization.read_folder(os.path.join(ROOT, "deploy", name)) for name in FOLDERS}
        self.registry = None
        self.updates = []

    def all(self):
        archives = sorted(glob.glob(os.path.join(self.dist, "*.oci.tar")))
        if not archives:
            raise SystemExit(f"error: there is no *.oci.tar in {self.dist}: ./dev package makes them")
        for archive in archives:
            yield f"{os.path.basename(archive)} comes back from a registry as it was", lambda archive=archive: self.comes_back(archive)
        yield "fairway apiserver runs in a container", self.api_server_runs
        yield "a Pod without a securityContext is told from one that is confined", self.unconfined_is_seen
        yield "deploy/update-service serves a graph", self.update_service_serves
        yield "deploy/update-service is confined", lambda: self.is_confined(self.updates)
        yield "deploy/operator writes ClusterVersion", self.operator_writes
        yield "deploy/operator is confined", lambda: self.is_confined(self.pods_of("fairway-operator"))
        yield "deploy/gateway routes requests", self.gateway_routes
        yield "deploy/gateway is confined", lambda: self.is_confined(self.pods_of("fairway-gateway"))
        yield "Pods end in order", self.pods_end
        yield "./dev up --kubeconfig --image", lambda: up_case.runs_pods(self.fresh, self.first_image())

    def comes_back(self, archive):
        self.registry = self.registry or Registry(self.work)
        name, version = os.path.basename(archive)[:-len(".oci.tar")].rsplit("-", 1)
        there = self.registry.push(archive, f"{name}:{version}")
        if there != digest_in(archive):
            raise RuntimeError(f"the registry has it as {there}, and {archive} as {digest_in(archive)}")
        bundle = os.path.join(self.work, "images", f"{name}-{version}")
        os.makedirs(os.path.dirname(bundle), exist_ok=True)
        self.node.images[f"{name}:{version}"] = self.registry.pull(name, there, bundle)

    def first_image(self):
        """Returns the name of the image of `fairway`."""
        found = [name for name in self.node.images if name.startswith("fairway:")]
        if not found:
            raise RuntimeError("no image of fairway has come back from the registry")
        return found[0]

    def api_server_runs(self):
        cluster.start_api_server(self.node, self.first_image(), DEFINITIONS + [one for folder in self.folders.values() for one in folder])

    def unconfined_is_seen(self):
        """Looks at what a runtime leaves a Pod that asks for nothing: else the checks of the other Pods would prove nothing."""
        words = ["apiserver", "--memory", "--listen", "127.0.0.1:0", "--kubeconfig", "/tmp/kubeconfig"]
        pod = {"hostNetwork": True, "containers": [{"name": "any", "image": self.first_image(), "args": words}]}
        running = Pod(self.fresh, "unconfined", "default", pod, "127.0.0.1")
        running.start()
        found = confinement.faults_of(running.main().pid(), cluster.IMAGE_USER, [], [])
        missed = [word for word in ("CapBnd", "NoNewPrivs", "Seccomp", "namespace net", "write to ['/']", "in /usr/bin")
                  if not any(word in fault for fault in found)]
        if missed:
            raise RuntimeError(f"it has not seen {', '.join(missed)}, but {found}")

    @property
    def server(self):
        if self.node.server is None:
            raise RuntimeError("the API server does not run")
        return self.node.server

    def pod(self, folder, name, change=lambda pod: None, claims=(), address=None):
        """Runs a Pod of a folder, with what a user changes in it."""
        workload = kustomization.one_of_kind(self.folders[folder], "Deployment", "StatefulSet")
        namespace = workload["metadata"]["namespace"]
        pod = json.loads(json.dumps(kustomization.pod_of(workload)))
        change(pod)
        account = self.server.get(f"/api/v1/namespaces/{namespace}/serviceaccounts/{pod['serviceAccountName']}")
        running = Pod(self.node, name, namespace, pod, address or self.node.next_address(), account, claims)
        running.start()
        return running

    def pods_of(self, name):
        return [pod for pod in self.node.pods if pod.name.startswith(name)]

    def update_service_serves(self):
        """Two replicas with graph data out of a ConfigMap, as docs/deploy.md installs them: the first graph is accepted by hand."""
        core = "/api/v1/namespaces/fairway-updates"
        data, volume = graph_data()
        self.server.create(f"{core}/configmaps", {"metadata": {"name": "examples"}, "data": data})
        self.server.create(f"{core}/secrets", {"metadata": {"name": "fairway-updates-peers"}, "stringData": {"token": 16 * "0123"}})
        settings = self.server.get(f"{core}/configmaps/fairway-updates")["data"]["settings.toml"].splitlines()
        sources = {"releases": 'releases = ["/examples/releases.json"]', "graph-data": 'graph-data = "/examples/graph-data"'}
        changed = [sources.get(line.split(" = ")[0], line) for line in settings]
        self.server.merge(f"{core}/configmaps/fairway-updates", {"data": {"settings.toml": "\n".join(changed) + "\n"}})

        def change(pod):
            pod["volumes"].append(volume)
            pod["containers"][0]["volumeMounts"].append({"name": "examples", "mountPath": "/examples", "readOnly": True})
        replicas = kustomization.one_of_kind(self.folders["update-service"], "StatefulSet")
        claims = [claim["metadata"]["name"] for claim in replicas["spec"]["volumeClaimTemplates"]]
        addresses = [self.node.next_address() for _ in range(replicas["spec"]["replicas"])]
        self.node.names[replicas["spec"]["serviceName"]] = addresses
        self.updates = [self.pod("update-service", f"fairway-updates-{n}", change, claims, address) for n, address in enumerate(addresses)]
        first = self.updates[0]

        def command():
            first.main().pid()
            _, said, rest = first.probe("readinessProbe")[1].partition("accept this one: ")
            return rest.split(" --data ")[0].split() if said else None
        words = until(command, lambda: f"there is no graph to accept: {first.probe('readinessProbe')} {first.log()}")
        status, text = first.main().exec(*words, "--data", "/var/lib/fairway")
        if status != 0:
            raise RuntimeError(f"{' '.join(words)} in the Pod: exit status {status}: {text}")
        for replica in self.updates:
            replica.wait_until_ready()
            answer, text = fetch(f"http://{replica.address}:8080{GRAPH}")
            if answer != 200 or len(json.loads(text)["nodes"]) != 6:
                raise RuntimeError(f"{replica.name} answers {answer} {text}: {replica.log()}")

    def operator_writes(self):
        """Starts deploy/operator at a release given by --release, asking deploy/update-service."""
        with open(os.path.join(EXAMPLES, "releases.json"), encoding="utf-8") as file:
            image_of = {release["version"]: release["image"] for release in json.load(file)["releases"]}

        def change(pod):
            pod["containers"][0]["args"].append(f"--release={RELEASE}={image_of[RELEASE]}")
        operator = self.pod("operator", "fairway-operator-0", change)
        operator.wait_until_ready()
        path = "/apis/config.openshift.io/v1/clusterversions/version"
        until(lambda: self.server.find(path), lambda: f"there is no ClusterVersion: {operator.log()}")
        upstream = f"http://{self.updates[0].address}:8080{GRAPH.split('?', 1)[0]}"
        self.server.merge(path, {"spec": {"channel": "stable-4.7", "upstream": upstream}})

        def offered():
            return [update["version"] for update in self.server.get(path).get("status", {}).get("availableUpdates") or []]
        until(lambda: "4.6.43" in offered(), lambda: f"the updates of ClusterVersion are {offered()}: {operator.log()}")
        seen = api_server.condition(self.server.get(path), "RetrievedUpdates")
        if not seen.startswith("True") or "forbidden" in operator.log():
            raise RuntimeError(f"RetrievedUpdates is {seen}: {operator.log()}")

    def gateway_routes(self):
        if not self.envoy:
            return "there is no Envoy (--envoy PROGRAM, FAIRWAY_ENVOY)"
        server = self.server
        self.put_envoy()
        gateway = self.pod("gateway", "fairway-gateway-0")
        gateway.wait_until_ready()
        # What a load balancer, and the controller of EndpointSlices, do in a cluster.
        path = "/api/v1/namespaces/fairway-gateway/services/fairway-gateway/status"
        server.merge(path, {"status": {"loadBalancer": {"ingress": [{"ip": gateway.address}]}}})
        server.create("/apis/discovery.k8s.io/v1/namespaces/fairway-updates/endpointslices", {
            "metadata": {"name": "fairway-updates-1", "labels": {"kubernetes.io/service-name": "fairway-updates"}}, "addressType": "IPv4",
            "ports": [{"name": "updates", "protocol": "TCP", "port": 8080}],
            "endpoints": [{"addresses": [replica.address], "conditions": {"ready": True}} for replica in self.updates]})
        here = f"{ROUTING}/namespaces/fairway-updates"
        server.create(f"{here}/gateways", {
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"name": "web"},
            "spec": {"gatewayClassName": "fairway", "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}]}})
        server.create(f"{here}/httproutes", {
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": {"name": "updates"},
            "spec": {"parentRefs": [{"name": "web"}], "hostnames": ["updates.example.com"],
                     "rules": [{"backendRefs": [{"name": "fairway-updates", "port": 80}]}]}})

        def programmed():
            gateway.main().pid()
            return api_server.condition(server.get(f"{here}/gateways/web"), "Programmed")
        until(lambda: programmed() == "True Programmed", lambda: f"Programmed is {programmed()}: {gateway.log()}")

        def ask():
            return fetch(f"http://{gateway.address}{GRAPH}", "updates.example.com")
        until(lambda: ask()[0] == 200, lambda: f"a request gets {ask()}: {gateway.log()}")
        nodes = len(json.loads(ask()[1])["nodes"])
        if nodes != 6 or "forbidden" in gateway.log():
            raise RuntimeError(f"the graph has {nodes} releases: {gateway.log()}")
        return None

    def put_envoy(self):
        """Puts Envoy into a root file system with `cp`, as its own image has both. That image is in no registry that tests may ask."""
        workload = kustomization.one_of_kind(self.folders["gateway"], "Deployment")
        copies = kustomization.pod_of(workload)["initContainers"][0]
        root = os.path.join(self.work, "images", "envoy")
        image.fill(root, {copies["command"][1]: self.envoy, "/usr/bin/cp": "/bin/cp"}, "/")
        self.node.images[copies["image"].rsplit("/", 1)[-1]] = (root, {"Env": ["PATH=/usr/local/bin:/usr/bin"]})

    def is_confined(self, pods):
        """Looks at each process of the Pods: whoever it is, what it may do, and where it can write and has written."""
        if not pods:
            return "none runs"
        faults = []
        for pod in pods:
            for container in pod.spec["containers"]:
                group = pod.spec["securityContext"].get("fsGroup")
                volumes = {mount["mountPath"]: pod.volumes[mount["name"]] for mount in container["volumeMounts"]
                           if not mount.get("readOnly")}
                writable = {path: folder for path, (folder, read_only) in volumes.items() if not read_only}
                user = {"uid": runtime_config.setting(pod.spec, container, "runAsUser"),
                        "gid": runtime_config.setting(pod.spec, container, "runAsGroup")}
                first = pod.main().pid()
                for pid in confinement.processes_below(first):
                    faults += [f"{pod.name}, process {confinement.read(f'/proc/{pid}/comm').strip()}: {fault}"
                               for fault in confinement.faults_of(pid, user, [group] if group else [], list(writable))]
                # Elsewhere it cannot. Nothing has to be written to /tmp.
                for path, folder in writable.items():
                    until(lambda: path == "/tmp" or os.listdir(folder), lambda: f"{pod.name} has written nothing to {path}", 10)
        if faults:
            raise RuntimeError("; ".join(faults))
        return None

    def pods_end(self):
        """Ends all Pods as the kubelet does, the API server last."""
        for pod in reversed([pod for pod in self.fresh.pods + self.node.pods if pod.containers]):
            pod.main().stop()
            status = pod.main().ended(pod.spec.get("terminationGracePeriodSeconds", 30))
            if status != 0:
                raise RuntimeError(f"{pod.name} ends with {status}: {pod.log()}")
