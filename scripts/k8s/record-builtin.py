#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real API server answers about Services, bindings, evictions, autoscalers and finalizers of namespaces:

    record-builtin.py --tokens >tokens.csv     # for kube-apiserver --token-auth-file=tokens.csv
    record-builtin.py URL >tests/apiserver/data/builtin.json

The server should be a fresh one of the release that is embedded, with --service-cluster-ip-range=10.96.0.0/12,
--authorization-mode=RBAC and --disable-admission-plugins=ServiceAccount,DefaultTolerationSeconds,Priority,RuntimeClass.
Addresses of 10.96.0.* and ports below 30086 are asked for; others are what the server chose, and become "any".
"""
import sys

from recording import record, step

API, SERVICES, PODS = "/api/v1/namespaces/default", "/api/v1/namespaces/default/services", "/api/v1/namespaces/default/pods"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
SCALERS = "/namespaces/default/horizontalpodautoscalers"
REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"


def service(name, spec, port=True):
    if port and "ports" not in spec:
        spec = spec | {"ports": [{"port": 80}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def make(name, spec, port=True, query=""):
    step("POST", SERVICES + query, service(name, spec, port), ["spec", "status"])


def change(name, patch):
    step("PATCH", f"{SERVICES}/{name}", patch, ["spec", "status"])


# Addresses.
make("plain", {})
make("asked", {"clusterIP": "10.96.0.10"})
make("taken", {"clusterIP": "10.96.0.10"})
make("first", {"clusterIP": "10.96.0.1"})
make("network", {"clusterIP": "10.96.0.0"})
make("outside", {"clusterIP": "192.168.0.1"})
make("broadcast", {"clusterIP": "10.111.255.255"})
make("no-address", {"clusterIP": "10.96.0"})
make("six", {"clusterIP": "fd00::1"})
make("both", {"clusterIP": "10.96.0.11", "clusterIPs": ["10.96.0.11"]})
make("plural-only", {"clusterIPs": ["10.96.0.12"]})
make("differ", {"clusterIP": "10.96.0.12", "clusterIPs": ["10.96.0.13"]})
make("two", {"clusterIP": "10.96.0.12", "clusterIPs": ["10.96.0.12", "fd00::1"]})
make("two-of-one", {"clusterIP": "10.96.0.12", "clusterIPs": ["10.96.0.12", "10.96.0.13"]})
make("three", {"clusterIP": "10.96.0.12", "clusterIPs": ["10.96.0.12", "fd00::1", "fd00::2"]})
make("none-and", {"clusterIP": "None", "clusterIPs": ["None", "10.96.0.12"]})
make("headless", {"clusterIP": "None"})
make("headless-selector", {"clusterIP": "None", "selector": {"a": "b"}})
make("headless-six", {"clusterIP": "None", "ipFamilies": ["IPv6"]})
make("headless-single", {"clusterIP": "None", "ipFamilyPolicy": "SingleStack"})
make("headless-selector-six", {"clusterIP": "None", "selector": {"a": "b"}, "ipFamilies": ["IPv6"]})
make("headless-node", {"clusterIP": "None", "type": "NodePort"})
make("external", {"type": "ExternalName", "externalName": "example.com"}, False)
make("external-ip", {"type": "ExternalName", "externalName": "example.com", "clusterIP": "10.96.0.14"}, False)
make("external-family", {"type": "ExternalName", "externalName": "example.com", "ipFamilies": ["IPv4"]}, False)
make("family", {"ipFamilies": ["IPv4"]})
make("family-six", {"ipFamilies": ["IPv6"]})
make("family-none", {"ipFamilies": ["IPv5"]})
make("family-twice", {"ipFamilies": ["IPv4", "IPv4"]})
make("family-both", {"ipFamilies": ["IPv4", "IPv6"]})
make("family-differs", {"clusterIP": "10.96.0.14", "ipFamilies": ["IPv6"]})
make("prefer", {"ipFamilyPolicy": "PreferDualStack"})
make("require", {"ipFamilyPolicy": "RequireDualStack"})
make("policy", {"ipFamilyPolicy": "Other"})
make("dry", {}, query="?dryRun=All")
make("dry-taken", {"clusterIP": "10.96.0.10"}, query="?dryRun=All")
make("dry-outside", {"clusterIP": "10.0.0.1"}, query="?dryRun=All")
step("PUT", f"{SERVICES}/put", service("put", {"clusterIP": "10.96.0.15"}), ["spec.clusterIP"])
step("PUT", f"{SERVICES}/put", service("put", {"selector": {"a": "b"}}), ["spec"])
step("PUT", f"{SERVICES}/put", service("put", {"clusterIP": "10.96.0.16"}), ["spec"])
change("asked", {"spec": {"clusterIP": "10.96.0.16"}})
change("asked", {"spec": {"clusterIP": ""}})
change("asked", {"spec": {"clusterIP": None, "clusterIPs": None}})
change("asked", {"spec": {"clusterIP": "None"}})
change("asked", {"spec": {"ipFamilies": ["IPv6"]}})
change("asked", {"spec": {"ipFamilyPolicy": "PreferDualStack"}})
change("asked", {"spec": {"ipFamilyPolicy": "RequireDualStack"}})
change("asked", {"spec": {"type": "ExternalName", "externalName": "example.com"}})
make("asked-again", {"clusterIP": "10.96.0.10"})
change("asked", {"spec": {"type": "ClusterIP"}})
change("asked", {"spec": {"type": "ExternalName", "clusterIP": "10.96.0.17"}})
step("DELETE", f"{SERVICES}/asked-again")
make("asked-once-more", {"clusterIP": "10.96.0.10"})
change("external", {"spec": {"type": "ClusterIP", "ports": [{"port": 80}]}})
change("headless", {"spec": {"clusterIP": "10.96.0.18"}})

# Ports of nodes.
make("node", {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30001}]})
make("node-taken", {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30001}]})
make("node-low", {"type": "NodePort", "ports": [{"port": 80, "nodePort": 80}]})
make("node-any", {"type": "NodePort"})
make("node-twice", {"type": "NodePort", "ports": [
    {"name": "a", "port": 80, "nodePort": 30002}, {"name": "b", "port": 81, "nodePort": 30002}]})
make("node-udp", {"type": "NodePort", "ports": [
    {"name": "a", "port": 53, "nodePort": 30003}, {"name": "b", "port": 53, "protocol": "UDP"}]})
make("node-clusterip", {"ports": [{"port": 80, "nodePort": 30004}]})
change("node", {"spec": {"ports": [{"port": 81, "protocol": "TCP", "targetPort": 81}]}})
change("node", {"spec": {"ports": [{"port": 81, "protocol": "TCP", "targetPort": 81, "nodePort": 30005}]}})
make("node-free", {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30001}]})
change("node", {"spec": {"type": "ClusterIP"}})
make("node-freed", {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30005}]})
change("plain", {"spec": {"type": "NodePort"}})
make("balanced", {"type": "LoadBalancer", "ports": [{"port": 80, "nodePort": 30006}]})
make("balanced-without", {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": False})
make("balanced-local", {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 30007,
                        "ports": [{"port": 80, "nodePort": 30008}]})
make("balanced-local-taken", {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 30007,
                              "ports": [{"port": 80, "nodePort": 30009}]})
make("balanced-local-low", {"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": 7,
                            "ports": [{"port": 80, "nodePort": 30009}]})
make("balanced-local-any", {"type": "LoadBalancer", "externalTrafficPolicy": "Local"})
change("balanced-local", {"spec": {"externalTrafficPolicy": "Cluster"}})
change("balanced-local", {"spec": {"type": "ClusterIP"}})
change("balanced", {"spec": {"externalTrafficPolicy": "Local", "healthCheckNodePort": 30010}})
make("node-dry", {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30001}]}, query="?dryRun=All")
step("DELETE", f"{SERVICES}/node-udp")
make("node-deleted", {"type": "NodePort", "ports": [{"port": 80, "nodePort": 30003}]})


# Bindings.
def pod(name, extra=None, labels=None):
    return {"metadata": {"name": name, "labels": labels or {}}, "spec": {"containers": [{"name": "c", "image": "x"}]} | (extra or {})}


def binding(name, target, metadata=None):
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name} | (metadata or {}), "target": target}


BOUND = ["spec.nodeName", "metadata.annotations", "metadata.labels", "metadata.generation"]
for name, extra in (("p", None), ("q", None), ("gated", {"schedulingGates": [{"name": "g"}]})):
    step("POST", PODS, pod(name, extra), ["metadata.name"])
step("POST", f"{PODS}/p/binding", binding("p", {"kind": "Node", "name": "n1"}, {"annotations": {"a": "b"}, "labels": {"c": "d"}}),
     ["status", "code"])
step("GET", f"{PODS}/p", show=BOUND)
step("POST", f"{PODS}/p/binding", binding("p", {"kind": "Node", "name": "n2"}))
step("POST", f"{PODS}/p/binding", binding("q", {"kind": "Node", "name": "n2"}))
step("POST", f"{PODS}/none/binding", binding("none", {"kind": "Node", "name": "n2"}))
step("POST", f"{PODS}/q/binding", binding("q", {"kind": "Pod", "name": "n2"}))
step("POST", f"{PODS}/q/binding", binding("q", {"kind": "Node"}))
step("POST", f"{PODS}/q/binding", binding("q", {"kind": "Pod"}))
step("POST", f"{PODS}/q/binding", binding("q", {"name": "n1"}, {"uid": "other"}))
step("POST", f"{PODS}/gated/binding", binding("gated", {"name": "n1"}))
step("POST", f"{PODS}/q/binding?dryRun=All", binding("q", {"name": "n1"}), ["status", "code"])
step("POST", f"{API}/bindings", binding("q", {"name": "n1"}), ["status", "code"])
step("GET", f"{PODS}/q", show=BOUND)
step("DELETE", f"{PODS}/q?gracePeriodSeconds=30", show=["metadata.name"])
step("POST", f"{PODS}/q/binding", binding("q", {"name": "n1"}))


# Evictions.
def eviction(name, options=None):
    return {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}} | ({"deleteOptions": options} if options else {})


def running(name, labels, ready=True):
    step("POST", PODS, pod(name, {"nodeName": "n1"}, labels), ["metadata.name"])
    step("PATCH", f"{PODS}/{name}/status",
         {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True" if ready else "False"}]}}, ["status.phase"])


def budget(name, labels, status=None, spec=None):
    step("POST", BUDGETS, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
                           "spec": {"minAvailable": 1, "selector": {"matchLabels": labels}} | (spec or {})}, ["metadata.name"])
    if status is not None:
        step("PATCH", f"{BUDGETS}/{name}/status", {"status": status}, ["status"])


def evict(name, options=None, query="", show=("status", "code")):
    step("POST", f"{PODS}/{name}/eviction{query}", eviction(name, options), show)


evict("none")
step("POST", f"{PODS}/p/eviction", eviction("q"))
evict("gated", query="?dryRun=All")
step("GET", f"{PODS}/gated", show=["metadata.name"])
evict("gated")
step("GET", f"{PODS}/gated")
running("free", {"app": "free"})
evict("free", {"preconditions": {"uid": "other"}})
evict("free", {"propagationPolicy": "Other"})
evict("free", {"gracePeriodSeconds": 0})
step("GET", f"{PODS}/free")
running("a1", {"app": "a"})
running("a2", {"app": "a"})
budget("a", {"app": "a"})
evict("a1")
STATUS = {"observedGeneration": 1, "expectedPods": 2, "currentHealthy": 2, "desiredHealthy": 1, "disruptionsAllowed": 1}
step("PATCH", f"{BUDGETS}/a/status", {"status": STATUS}, ["status"])
evict("a1", query="?dryRun=All")
evict("a1")
step("GET", f"{BUDGETS}/a", show=["status.disruptionsAllowed", "status.currentHealthy"])
step("GET", f"{PODS}/a1", show=["metadata.deletionGracePeriodSeconds"])
evict("a2")
step("PATCH", f"{BUDGETS}/a/status", {"status": {"currentHealthy": 1}}, ["status.currentHealthy"])
evict("a2")
running("b1", {"app": "b"}, ready=False)
budget("b", {"app": "b"}, {"observedGeneration": 1, "expectedPods": 1, "currentHealthy": 0, "desiredHealthy": 1, "disruptionsAllowed": 0})
evict("b1")
step("PATCH", f"{BUDGETS}/b/status", {"status": {"currentHealthy": 1}}, ["status.currentHealthy"])
evict("b1", {"gracePeriodSeconds": 0})
running("c1", {"app": "c"}, ready=False)
budget("c", {"app": "c"}, {"observedGeneration": 1, "expectedPods": 1, "currentHealthy": 0, "desiredHealthy": 1, "disruptionsAllowed": 0},
       {"unhealthyPodEvictionPolicy": "AlwaysAllow"})
evict("c1", {"gracePeriodSeconds": 0})
running("d1", {"app": "d", "x": "y"})
budget("d", {"app": "d"}, STATUS)
budget("e", {"x": "y"}, STATUS)
evict("d1")

# Autoscalers of both versions.
ONE, TWO = "/apis/autoscaling/v1" + SCALERS, "/apis/autoscaling/v2" + SCALERS
REFERENCE = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
SHOWN = ["apiVersion", "spec", "metadata.annotations", "status"]


def scaler(version, name, spec, **metadata):
    return {"apiVersion": f"autoscaling/{version}", "kind": "HorizontalPodAutoscaler", "metadata": {"name": name} | metadata,
            "spec": {"scaleTargetRef": REFERENCE, "maxReplicas": 5} | spec}


METRICS = [
    {"type": "Resource", "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}}},
    {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}},
    {"type": "Pods", "pods": {"metric": {"name": "rps", "selector": {"matchLabels": {"a": "b"}}},
                              "target": {"type": "AverageValue", "averageValue": "100"}}},
    {"type": "Object", "object": {"describedObject": {"kind": "Service", "name": "s", "apiVersion": "v1"}, "metric": {"name": "hits"},
                                  "target": {"type": "Value", "value": "7"}}},
    {"type": "Object", "object": {"describedObject": {"kind": "Service", "name": "s", "apiVersion": "v1"}, "metric": {"name": "hits"},
                                  "target": {"type": "AverageValue", "averageValue": "7"}}},
    {"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "Value", "value": "3"}}},
    {"type": "External", "external": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "4"}}},
    {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "c",
                                                        "target": {"type": "Utilization", "averageUtilization": 50}}}]
BEHAVIOR = {"scaleDown": {"stabilizationWindowSeconds": 60, "policies": [{"type": "Pods", "value": 1, "periodSeconds": 15}]}}
for name, spec in (("v1-plain", {}), ("v1-cpu", {"targetCPUUtilizationPercentage": 70, "minReplicas": 2})):
    step("POST", ONE, scaler("v1", name, spec), SHOWN)
    step("GET", f"{TWO}/{name}", show=SHOWN)
    step("PATCH", f"{ONE}/{name}", {"spec": {"maxReplicas": 9}}, SHOWN)
for name, spec in (("v2-plain", {}), ("v2-cpu", {"metrics": [METRICS[1]]}), ("v2-all", {"metrics": METRICS, "behavior": BEHAVIOR})):
    step("POST", TWO, scaler("v2", name, spec, annotations={"mine": "yes"}), SHOWN)
    step("GET", f"{ONE}/{name}", show=SHOWN)
    step("PATCH", f"{ONE}/{name}", {"spec": {"maxReplicas": 8}}, SHOWN)
    step("GET", f"{TWO}/{name}", show=SHOWN)
current = [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 33, "averageValue": "330m"}}},
           {"type": "Pods", "pods": {"metric": {"name": "rps"}, "current": {"averageValue": "5"}}},
           {"type": "External", "external": {"metric": {"name": "queue"}, "current": {"value": "9"}}}]
step("PATCH", f"{TWO}/v2-cpu/status",
     {"status": {"currentReplicas": 1, "desiredReplicas": 2, "currentMetrics": current,
                 "conditions": [{"type": "AbleToScale", "status": "True", "reason": "r", "message": "m",
                                 "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}, SHOWN)
step("GET", f"{ONE}/v2-cpu", show=SHOWN)
step("PATCH", f"{ONE}/v2-cpu/status", {"status": {"currentReplicas": 3}}, SHOWN)
step("GET", f"{TWO}/v2-cpu", show=SHOWN)
step("GET", ONE + "?limit=1", show=["kind", "apiVersion"])

# Who signs.
REQUEST = ("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlITE1IUUNBUUF3RWpFUU1BNEdBMVVFQXd3SGMyOXRaVzl1WlRCWk1CTUdCeX"
           "FHU000OUFnRUdDQ3FHU000OQpBd0VIQTBJQUJGbktoT1NxRld4UFd6UmN0Qk1YSDVNYzEyZk0ya0VXRS95UzJQRjhLclRZblF6YXN3OXljQU10"
           "CklwdGpiR1M1djUrUFZTWkZkNXJCTUxFVVhUaTZzcnFnQURBS0JnZ3Foa2pPUFFRREFnTkhBREJFQWlBN3p1OWkKMHlwdVk4cUZ3eGd3STdUd3"
           "pmM1FMd3JhUllCNDdOWUZxMzJxRUFJZ0pZL2RZbkNZN3RFNlYrTDU4VDg1cS9zagp2aS9QTm9mOEswK3UraWhnaTRzPQotLS0tLUVORCBDRVJU"
           "SUZJQ0FURSBSRVFVRVNULS0tLS0K")
RBAC = "/apis/rbac.authorization.k8s.io/v1"
step("POST", f"{RBAC}/clusterroles", {"metadata": {"name": "signers"}, "rules": [
    {"verbs": ["get", "update", "patch"], "apiGroups": ["certificates.k8s.io"],
     "resources": ["certificatesigningrequests", "certificatesigningrequests/approval", "certificatesigningrequests/status"]}]},
     ["metadata.name"])
for name, verb, signer in (("one", "approve", "example.com/a"), ("domain", "sign", "example.com/*")):
    step("POST", f"{RBAC}/clusterroles", {"metadata": {"name": name}, "rules": [
        {"verbs": [verb], "apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "resourceNames": [signer]}]}, ["metadata.name"])
    step("POST", f"{RBAC}/clusterrolebindings", {
        "metadata": {"name": name}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"}]}, ["metadata.name"])
step("POST", f"{RBAC}/clusterrolebindings", {
    "metadata": {"name": "signers"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "signers"},
    "subjects": [{"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"} for name in ("one", "domain", "nobody")]},
     ["metadata.name"])
USERS = ("one", "domain", "nobody")
step("POST", REQUESTS, {"metadata": {"name": "r"}, "spec": {"request": REQUEST, "signerName": "example.com/a", "usages": ["client auth"]}},
     ["metadata.name"])
step("POST", REQUESTS, {"metadata": {"name": "s"}, "spec": {"request": REQUEST, "signerName": "example.org/a", "usages": ["client auth"]}},
     ["metadata.name"])
APPROVED = {"status": {"conditions": [{"type": "Approved", "status": "True", "reason": "r", "message": "m"}]}}
FAILED = {"status": {"conditions": [{"type": "Failed", "status": "True", "reason": "r", "message": "m"}]}}
for user in "nobody", "domain", "one":
    step("PATCH", REQUESTS + "/r/approval", APPROVED, ["status"], user)
step("PATCH", REQUESTS + "/s/approval", APPROVED, ["status"], "one")
for user in "nobody", "one", "domain":
    step("PATCH", REQUESTS + "/r/status", {"metadata": {"annotations": {"a": user}}}, ["metadata.annotations"], user)
    step("PATCH", REQUESTS + "/r/status", {"status": {"conditions": APPROVED["status"]["conditions"] + FAILED["status"]["conditions"]}},
         ["metadata.name"], user)
step("PATCH", REQUESTS + "/s/status", FAILED, ["metadata.name"], "domain")

# Finalizers of a namespace, and whose they are.
step("POST", "/api/v1/namespaces", {"metadata": {"name": "f"}}, ["spec"])
step("PUT", "/api/v1/namespaces/f/finalize?fieldManager=finalizers",
     {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "f"}, "spec": {"finalizers": ["kubernetes", "example.com/f"]}},
     ["spec", "managers"])

if sys.argv[1] == "--tokens":
    print('root-token,root,root,"system:masters"')
    for name in USERS:
        print(f"{name}-token,{name},{name}")
    sys.exit()

record(sys.argv[1])
