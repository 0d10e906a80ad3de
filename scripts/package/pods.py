# SPDX-License-Identifier: Apache-2.0
"""Runs Pods as a node does: images unpacked, volumes made, a network namespace for each Pod, and crun for its containers.

Left out: limits of memory and processor, which need cgroups, and what runs before a container is stopped (preStop)."""

import json
import os
import signal
import subprocess
import urllib.error
import urllib.request

import runtime_config
import seccomp
import volumes
from waiting import until

API_PORT = 6443


def run(*words):
    """Runs a command, and returns what it prints; an error has all of it."""
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


class Node:
    """State that all Pods of a node share. `images`: (root file system, its configuration) by the last part of the name:
    "fairway:0.2.0"; `service`: the first address of Services, at which Pods find the API server; `pods_in`: the network of Pods,
    "10.244"; `names`: addresses by the names of Services, as no DNS of a cluster runs here."""

    def __init__(self, work, images, service, pods_in):
        self.work, self.images, self.service, self.pods_in = work, images, service, pods_in
        self.server, self.profile = None, seccomp.read_profile()
        self.addresses, self.names, self.pods = 0, {}, []
        # What lies above an image must not lie on an overlay itself, as /tmp of a container may.
        os.makedirs(work)
        run("mount", "-t", "tmpfs", "tmpfs", work)

    def next_address(self):
        """Returns the address of a new Pod, the second one of a network of its own."""
        self.addresses += 1
        return f"{self.pods_in}.{self.addresses}.2"

    def image(self, name):
        """Returns the image of that name, whatever registry it is said to be in."""
        found = self.images.get(name.rsplit("/", 1)[-1])
        if found is None:
            raise RuntimeError(f"the image {name} is none of those that were made: {', '.join(sorted(self.images))}")
        return found

    def seccomp(self, capabilities):
        return seccomp.filter_of(self.profile, os.uname().machine, capabilities)

    def network(self, name, address):
        """Makes a network namespace that reaches this one, and is reached at the address. Returns its path."""
        gateway = address.rsplit(".", 1)[0] + ".1"
        here = "pod" + "".join(address.split(".")[1:3])
        name = f"{here}-{name}"
        run("ip", "netns", "add", name)
        run("ip", "link", "add", here, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "address", "add", f"{gateway}/24", "dev", here)
        run("ip", "link", "set", here, "up")
        for words in (("link", "set", "lo", "up"), ("address", "add", f"{address}/24", "dev", "eth0"), ("link", "set", "eth0", "up"),
                      ("route", "add", "default", "via", gateway)):
            run("ip", "-n", name, *words)
        return f"/run/netns/{name}"


class Container:
    """A container of a Pod, which has begun."""

    def __init__(self, node, name, config):
        self.name, self.config = name, config
        bundle = os.path.join(node.work, "bundles", name)
        os.makedirs(bundle)
        with open(os.path.join(bundle, "config.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)
        self.pid_file, self.log_file = os.path.join(bundle, "pid"), os.path.join(bundle, "log")
        self.crun = ["crun", "--root", os.path.join(node.work, "crun"), "--cgroup-manager=disabled"]
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen([*self.crun, "run", "--bundle", bundle, "--pid-file", self.pid_file, name],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def log(self):
        with open(self.log_file, encoding="utf-8", errors="replace") as file:
            return file.read()

    def pid(self):
        """Returns the id of its first process."""
        def written():
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} has ended with {self.process.returncode}: {self.log()}")
            try:
                with open(self.pid_file, encoding="utf-8") as file:
                    return int(file.read() or 0)
            except FileNotFoundError:
                return 0
        return until(written, lambda: f"{self.name} does not begin: {self.log()}")

    def ended(self, seconds):
        """Waits for its end, and returns its exit status."""
        until(lambda: self.process.poll() is not None, lambda: f"{self.name} does not end: {self.log()}", seconds)
        return self.process.returncode

    def exec(self, *words):
        """Runs a command in it, as `kubectl exec` does. Returns the exit status and what it printed."""
        done = subprocess.run([*self.crun, "exec", self.name, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout + done.stderr

    def stop(self):
        if self.process.poll() is None:
            os.kill(self.pid(), signal.SIGTERM)


class Pod:
    """A Pod of this node."""

    def __init__(self, node, name, namespace, spec, address, account=None, claims=()):
        """Makes its volumes and its network. `account`: its ServiceAccount; `claims`: names of its PersistentVolumeClaims."""
        self.node, self.name, self.spec, self.address = node, name, spec, address
        if account is not None:
            volumes.add_account(spec, account)
        self.network = None if spec.get("hostNetwork") else node.network(name, address)
        node.pods.append(self)
        folder = os.path.join(node.work, "pods", name)
        os.makedirs(folder)
        self.volumes = volumes.make(spec, namespace, claims, os.path.join(folder, "volumes"), node.server)
        self.files = {}
        for path, text in {"/etc/hosts": self.hosts(), "/etc/hostname": f"{name}\n", "/etc/resolv.conf": ""}.items():
            self.files[path] = os.path.join(folder, os.path.basename(path))
            with open(self.files[path], "w", encoding="utf-8") as file:
                file.write(text)
        self.containers = {}

    def start(self):
        """Runs those of its containers that come first, to their ends, and starts the others."""
        for container in self.spec.get("initContainers", []):
            status = self.begin(container).ended(30)
            if status != 0:
                raise RuntimeError(f"{self.name}: {container['name']} ended with {status}: {self.log()}")
        for container in self.spec["containers"]:
            self.begin(container)

    def hosts(self):
        """Returns the text of its /etc/hosts."""
        lines = ["127.0.0.1 localhost", f"{self.address} {self.name}"]
        lines += [f"{address} {name}" for name, addresses in self.node.names.items() for address in addresses]
        return "".join(line + "\n" for line in lines)

    def begin(self, container):
        root, image = self.node.image(container["image"])
        name = f"{self.name}-{container['name']}"
        # What a runtime adds to the image, such as folders to mount at, lies above it.
        layers = {layer: os.path.join(self.node.work, "layers", name, layer) for layer in ("upper", "work", "root")}
        for layer in layers.values():
            os.makedirs(layer)
        options = f"lowerdir={root},upperdir={layers['upper']},workdir={layers['work']}"
        run("mount", "-t", "overlay", "overlay", "-o", options, layers["root"])
        service = {"KUBERNETES_SERVICE_HOST": self.node.service, "KUBERNETES_SERVICE_PORT": str(API_PORT)}
        environment = runtime_config.environment_of(container, image, service, {"status.podIP": self.address})
        config = runtime_config.config_of(self.spec, container, image, environment, self.volumes, self.files, layers["root"], self.name,
                                          self.network, self.node.seccomp)
        self.containers[container["name"]] = Container(self.node, name, config)
        return self.containers[container["name"]]

    def main(self):
        """Returns the first of its containers that stay."""
        name = self.spec["containers"][0]["name"]
        if name not in self.containers:
            raise RuntimeError(f"the container {name} of {self.name} has not begun")
        return self.containers[name]

    def log(self):
        return "".join(f"--- log of {one.name}\n{one.log()}" for one in self.containers.values())

    def probe(self, kind):
        """Asks what the kubelet asks: readinessProbe, livenessProbe. Returns the status and the text; 0: nobody listens."""
        container = self.spec["containers"][0]
        asked = container[kind]["httpGet"]
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        return fetch(f"http://{self.address}:{ports.get(asked['port'], asked['port'])}{asked['path']}")

    def wait_until_ready(self):
        def ready():
            self.main().pid()
            return self.probe("readinessProbe")[0] == 200
        until(ready, lambda: f"{self.name} is not ready: {self.probe('readinessProbe')} {self.log()}")
        alive = self.probe("livenessProbe")
        if alive[0] != 200:
            raise RuntimeError(f"{self.name} is ready, and to its livenessProbe it says {alive}: {self.log()}")


def fetch(url, host=None):
    """Returns the status and the text of an answer; 0 and the reason where there is none."""
    request = urllib.request.Request(url, headers={"Host": host} if host else {})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")
    except OSError as error:
        return 0, str(error)
