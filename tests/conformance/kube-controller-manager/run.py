#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kube-controller-manager on the embedded API server, whose own controllers are left to it:

    run.py FAIRWAY FOLDER      # FOLDER has kube-controller-manager and kubectl

Nothing runs Pods here: this program binds them to a Node and says that they are ready, as a scheduler and a kubelet would. It prints what
it has seen, and ends with 1 at the first thing that does not happen.
"""
import base64
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import traceback

FAIRWAY, PROGRAMS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PATIENCE = 240  # seconds, for each thing that is waited for


class Api:
    """Requests as the administrator."""

    def __init__(self, kubeconfig, folder):
        text = open(kubeconfig).read()
        self.server = re.search(r"server: https://(\S+)", text)[1]
        files = []
        for name in "certificate-authority-data", "client-certificate-data", "client-key-data":
            files.append(os.path.join(folder, name))
            with open(files[-1], "wb") as file:
                file.write(base64.b64decode(re.search(name + r": (\S+)", text)[1]))
        self.authority = files[0]
        self.context = ssl.create_default_context(cafile=files[0])
        self.context.load_cert_chain(files[1], files[2])

    def send(self, method, path, body=None, kind="application/json"):
        connection = http.client.HTTPSConnection(self.server, context=self.context, timeout=PATIENCE)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": kind})
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read())
        finally:
            connection.close()

    def get(self, path):
        """Nothing where it is not there."""
        status, answer = self.send("GET", path)
        return answer if status == 200 else None

    def items(self, path):
        return (self.get(path) or {}).get("items", [])

    def create(self, path, body):
        status, answer = self.send("POST", path, body)
        if status not in (200, 201):
            raise RuntimeError(f"POST {path}: {answer}")
        return answer

    def patch(self, path, body):
        status, answer = self.send("PATCH", path, body, "application/merge-patch+json")
        if status != 200:
            raise RuntimeError(f"PATCH {path}: {answer}")
        return answer


def wait_for(what, condition):
    """Prints how long it took; what `condition` returned at last."""
    begun = time.monotonic()
    while time.monotonic() < begun + PATIENCE:
        found = condition()
        if found:
            print(f"  {what} ({time.monotonic() - begun:.1f} s)", flush=True)
            return found
        time.sleep(0.1)
    raise RuntimeError(f"{what}: not after {PATIENCE} s")


class StandIn(threading.Thread):
    """Binds Pods and makes them ready; those with the label `ends` succeed. Deleted ones go at once."""

    def __init__(self, api):
        super().__init__(daemon=True)
        self.api, self.stopping, self.addresses = api, False, 0

    def run(self):
        while not self.stopping:
            try:
                for pod in self.api.items("/api/v1/pods"):
                    self.serve(pod)
            except (OSError, RuntimeError, http.client.HTTPException):
                pass  # it has changed meanwhile: the next round sees it
            time.sleep(0.1)

    def serve(self, pod):
        name = pod["metadata"]["name"]
        path = f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods"
        if "deletionTimestamp" in pod["metadata"]:
            self.api.send("DELETE", f"{path}/{name}", {"gracePeriodSeconds": 0})
        elif not pod["spec"].get("nodeName"):
            self.api.create(f"{path}/{name}/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                                                       "target": {"kind": "Node", "name": "node-1"}})
        elif pod["status"].get("phase", "Pending") == "Pending":
            self.addresses += 1
            address = f"10.244.0.{self.addresses}"
            ends = "ends" in pod["metadata"].get("labels", {})
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            self.api.patch(f"{path}/{name}/status", {"status": {
                "phase": "Succeeded" if ends else "Running", "podIP": address, "podIPs": [{"ip": address}], "startTime": now,
                "conditions": [{"type": kind, "status": "False" if ends else "True", "lastTransitionTime": now}
                               for kind in ("Initialized", "ContainersReady", "Ready")]}})


def template(labels, **spec):
    return {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "example.com/web:1"}]} | spec}


def check(api, kubectl):
    namespaces = "/api/v1/namespaces"
    api.create(namespaces, {"metadata": {"name": "shop"}})
    shop, apps = namespaces + "/shop", "/apis/apps/v1/namespaces/shop"
    print("namespace and service account controllers")
    wait_for("the ServiceAccount default", lambda: api.get(shop + "/serviceaccounts/default"))
    wait_for("the ConfigMap kube-root-ca.crt", lambda: api.get(shop + "/configmaps/kube-root-ca.crt"))
    view = wait_for("the rules of the ClusterRole view",
                    lambda: (api.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/view") or {}).get("rules"))
    print(f"    {len(view)} rules")

    print("Deployment, ReplicaSet, Pods")
    api.create(shop + "/services", {"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}})
    api.create(apps + "/deployments", {"metadata": {"name": "web"}, "spec": {
        "replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template({"app": "web"})}})
    kubectl("rollout", "status", "deployment/web", "-n", "shop", f"--timeout={PATIENCE}s")
    first = wait_for("one ReplicaSet of 3", lambda: [
        one for one in api.items(apps + "/replicasets") if one["status"].get("readyReplicas") == 3])
    assert first[0]["metadata"]["ownerReferences"][0]["kind"] == "Deployment"
    wait_for("an EndpointSlice with 3 ready addresses", lambda: [
        one for one in api.items("/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices")
        if len([end for end in one["endpoints"] or [] if end["conditions"]["ready"]]) == 3])
    wait_for("Endpoints with 3 addresses", lambda: [
        one for one in (api.get(shop + "/endpoints/web") or {}).get("subsets", []) if len(one.get("addresses", [])) == 3])
    kubectl("set", "image", "deployment/web", "c=example.com/web:2", "-n", "shop")
    kubectl("rollout", "status", "deployment/web", "-n", "shop", f"--timeout={PATIENCE}s")
    wait_for("the old ReplicaSet has no Pods, the new one 3", lambda: sorted(
        one["status"]["replicas"] for one in api.items(apps + "/replicasets")) == [0, 3])
    history = kubectl("rollout", "history", "deployment/web", "-n", "shop")
    assert len(re.findall(r"^\d+ ", history, re.M)) == 2, history
    kubectl("rollout", "undo", "deployment/web", "-n", "shop")
    kubectl("rollout", "status", "deployment/web", "-n", "shop", f"--timeout={PATIENCE}s")
    kubectl("scale", "deployment/web", "--replicas=2", "-n", "shop")
    wait_for("2 Pods after a scale", lambda: len(api.items(shop + "/pods?labelSelector=app%3Dweb")) == 2)

    print("PodDisruptionBudget and eviction")
    budgets = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets"
    api.create(budgets, {"metadata": {"name": "web"}, "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}}})
    wait_for("the budget is counted", lambda: (api.get(budgets + "/web") or {}).get("status", {}).get("currentHealthy") == 2)
    pod = api.items(shop + "/pods?labelSelector=app%3Dweb")[0]["metadata"]["name"]
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
    status, answer = api.send("POST", f"{shop}/pods/{pod}/eviction", eviction)
    assert status == 429, answer
    print("  an eviction is refused: " + answer["details"]["causes"][0]["message"])
    api.patch(budgets + "/web", {"spec": {"minAvailable": 1}})
    wait_for("the budget allows one", lambda: (api.get(budgets + "/web") or {})["status"]["disruptionsAllowed"] == 1)
    api.create(f"{shop}/pods/{pod}/eviction", eviction)
    wait_for("the Pod is replaced", lambda: (lambda pods: len(pods) == 2 and pod not in [one["metadata"]["name"] for one in pods])(
        api.items(shop + "/pods?labelSelector=app%3Dweb")))

    print("StatefulSet, DaemonSet, Job")
    api.create(apps + "/statefulsets", {"metadata": {"name": "db"}, "spec": {
        "serviceName": "db", "replicas": 2, "selector": {"matchLabels": {"app": "db"}}, "template": template({"app": "db"})}})
    kubectl("rollout", "status", "statefulset/db", "-n", "shop", f"--timeout={PATIENCE}s")
    api.create(apps + "/daemonsets", {"metadata": {"name": "agent"}, "spec": {
        "selector": {"matchLabels": {"app": "agent"}}, "template": template({"app": "agent"})}})
    kubectl("rollout", "status", "daemonset/agent", "-n", "shop", f"--timeout={PATIENCE}s")
    api.create("/apis/batch/v1/namespaces/shop/jobs", {"metadata": {"name": "once"}, "spec": {
        "completions": 2, "template": template({"ends": "yes"}, restartPolicy="Never")}})
    kubectl("wait", "--for=condition=Complete", "job/once", "-n", "shop", f"--timeout={PATIENCE}s")
    kubectl("create", "job", "--image=example.com/x", "by-hand", "-n", "shop")
    wait_for("a Pod of another Job", lambda: api.items(shop + "/pods?labelSelector=batch.kubernetes.io%2Fjob-name%3Dby-hand"))
    api.patch("/apis/batch/v1/namespaces/shop/jobs/once", {"spec": {"ttlSecondsAfterFinished": 0}})
    wait_for("the Job that has ended goes, and its Pods", lambda: not api.get("/apis/batch/v1/namespaces/shop/jobs/once") and
             not api.items(shop + "/pods?labelSelector=ends%3Dyes"))

    print("ResourceQuota")
    quotas = shop + "/resourcequotas"
    api.create(quotas, {"metadata": {"name": "limits"}, "spec": {"hard": {"pods": "20", "count/configmaps": "10"}}})
    running = str(len(api.items(shop + "/pods")))
    wait_for("the quota is counted", lambda: (api.get(quotas + "/limits") or {}).get("status", {}).get("used", {}).get("pods") == running)

    print("garbage collector")
    kubectl("delete", "deployment/web", "-n", "shop", "--cascade=foreground", f"--timeout={PATIENCE}s")
    wait_for("no ReplicaSets and Pods are left of it", lambda: not api.items(apps + "/replicasets") and
             not api.items(shop + "/pods?labelSelector=app%3Dweb"))
    kubectl("delete", "statefulset/db", "-n", "shop", "--cascade=orphan", f"--timeout={PATIENCE}s")
    wait_for("its Pods stay, without an owner", lambda: [
        "ownerReferences" in one["metadata"] for one in api.items(shop + "/pods?labelSelector=app%3Ddb")] == [False, False])

    print("namespace controller")
    kubectl("delete", "namespace", "shop", f"--timeout={PATIENCE}s")
    assert api.get(shop) is None and not api.items("/api/v1/pods") and not api.items("/apis/batch/v1/jobs")
    print("  nothing of it is left")


def main():
    with tempfile.TemporaryDirectory() as folder:
        kubeconfig, running = os.path.join(folder, "kubeconfig"), []
        logs = {name: open(os.path.join(folder, name + ".log"), "w+") for name in ("apiserver", "manager")}

        def start(name, *command):
            running.append(subprocess.Popen(command, stdout=logs[name], stderr=subprocess.STDOUT))

        def kubectl(*arguments):
            done = subprocess.run([PROGRAMS + "/kubectl", *arguments], capture_output=True, text=True, timeout=PATIENCE + 60,
                                  env={"KUBECONFIG": kubeconfig, "HOME": folder, "PATH": os.environ["PATH"]})
            if done.returncode:
                raise RuntimeError(f"kubectl {' '.join(arguments)}: {done.stdout}{done.stderr}")
            print(f"  kubectl {' '.join(arguments)}: {done.stdout.strip().splitlines()[-1] if done.stdout.strip() else 'done'}", flush=True)
            return done.stdout

        try:
            start("apiserver", FAIRWAY, "apiserver", "--memory", "--listen", "127.0.0.1:0", "--kubeconfig", kubeconfig,
                  "--audit-log", os.path.join(folder, "audit.log"), "--no-garbage-collector", "--no-namespace-controller",
                  "--no-namespace-defaults", "--no-role-aggregation")
            wait_for("the API server is ready", lambda: os.path.exists(kubeconfig) and os.path.getsize(kubeconfig))
            api = Api(kubeconfig, folder)
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            start("manager", PROGRAMS + "/kube-controller-manager", "--kubeconfig", kubeconfig, "--authentication-kubeconfig", kubeconfig,
                  "--authorization-kubeconfig", kubeconfig, "--root-ca-file", api.authority, "--bind-address=127.0.0.1",
                  f"--secure-port={port}", "--cert-dir", folder, "--use-service-account-credentials", "--leader-elect", "--v=1",
                  # Nobody reports for the Node.
                  "--controllers=*,-node-lifecycle-controller")
            api.create("/api/v1/nodes", {"metadata": {"name": "node-1"}})
            # It is ready: nobody else would say so.
            api.patch("/api/v1/nodes/node-1", {"spec": {"taints": None}})
            StandIn(api).start()
            lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager"
            wait_for("kube-controller-manager leads", lambda: (api.get(lease) or {}).get("spec", {}).get("holderIdentity"))
            check(api, kubectl)
            for process in running:
                if process.poll() is not None:
                    raise RuntimeError(f"{process.args[0]} has ended: {process.returncode}")
        except Exception:
            traceback.print_exc()
            for name, log in logs.items():
                log.seek(0)
                print(f"--- the end of {name}'s log\n{log.read()[-6000:]}", file=sys.stderr)
            return 1
        finally:
            for process in running:
                process.send_signal(signal.SIGKILL)
                process.wait()
            summary(os.path.join(folder, "audit.log"))
    print("kube-controller-manager: all as on a real API server")
    return 0


def summary(audit):
    """What was refused, once each."""
    refused = {}
    if not os.path.exists(audit):
        return
    for line in open(audit):
        event = json.loads(line)
        code = event.get("responseStatus", {}).get("code", 0)
        if code < 400 or code in (404, 409, 429):
            continue
        reference = event.get("objectRef", {})
        key = f"{code} {event['verb']} {reference.get('resource', event['requestURI'])}/{reference.get('subresource', '')}: " \
              f"{event['responseStatus'].get('message', '')[:200]}"
        refused[key] = refused.get(key, 0) + 1
    for key, count in sorted(refused.items()):
        print(f"  refused {count} times: {key}")


sys.exit(main())
