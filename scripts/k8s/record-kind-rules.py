#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real API server refuses of built-in kinds, for their references, and for what must not change:

    record-kind-rules.py --tokens >tokens.csv     # for kube-apiserver --token-auth-file=tokens.csv
    record-kind-rules.py URL >tests/apiserver/data/kind_rules.json

The server should be a fresh one of the release that is embedded, with --authorization-mode=RBAC and
--disable-admission-plugins=DefaultTolerationSeconds, and without a controller manager.
"""
import base64
import sys

from recording import record, step

CORE, HERE, APPS, BATCH = "/api/v1", "/api/v1/namespaces/default", "/apis/apps/v1/namespaces/default", "/apis/batch/v1/namespaces/default"
RBAC, STORAGE = "/apis/rbac.authorization.k8s.io/v1", "/apis/storage.k8s.io/v1"
REGISTRATION = "/apis/apiregistration.k8s.io/v1/apiservices"


def make(path, name, body, show=(), **metadata):
    step("POST", path, {"metadata": {"name": name} | metadata} | body, ["metadata.name", *show])


def change(path, patch, show=()):
    step("PATCH", path, patch, ["metadata.name", *show])


def template(labels, **spec):
    return ({"metadata": {"labels": labels}} if labels else {}) | {"spec": {"containers": [{"name": "c", "image": "x"}]} | spec}


A, B = {"app": "a"}, {"app": "b"}
SELECTOR = {"matchLabels": A}

# Workloads: a selector that is there, selects the template, and stays.
for plural in "deployments", "replicasets", "daemonsets", "statefulsets":
    path = f"{APPS}/{plural}"
    make(path, "good", {"spec": {"selector": SELECTOR, "template": template(A)}})
    make(path, "none", {"spec": {"template": template(A)}})
    make(path, "empty", {"spec": {"selector": {}, "template": template(A)}})
    make(path, "other", {"spec": {"selector": SELECTOR, "template": template(B)}})
    make(path, "bare", {"spec": {"selector": SELECTOR, "template": template({})}})
    make(path, "expression", {"spec": {"selector": {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a"]}]},
                                       "template": template(A)}})
    make(path, "operator", {"spec": {"selector": {"matchExpressions": [{"key": "app", "operator": "Is", "values": ["a"]}]},
                                     "template": template(A)}})
    make(path, "values", {"spec": {"selector": {"matchExpressions": [{"key": "app", "operator": "In"}]}, "template": template(A)}})
    make(path, "label", {"spec": {"selector": {"matchLabels": {"app": "-"}}, "template": template(A)}})
    change(f"{path}/good", {"spec": {"template": {"metadata": {"labels": {"more": "x"}}}}}, ["spec.template.metadata.labels"])
    change(f"{path}/good", {"spec": {"selector": {"matchLabels": {"more": "x"}}}})
    change(f"{path}/good", {"spec": {"selector": None}})
    change(f"{path}/good", {"spec": {"selector": {"matchLabels": {"app": "b"}}}})
    change(f"{path}/good", {"spec": {"template": {"metadata": {"labels": B}}}})
    change(f"{path}/good", {"metadata": {"labels": {"x": "y"}}}, ["metadata.labels"])
    change(f"{path}/good/status", {"metadata": {"labels": {"by": "status"}}}, ["metadata.labels"])
for field, value in (("replicas", 3), ("minReadySeconds", 3), ("revisionHistoryLimit", 3), ("ordinals", {"start": 1}),
                     ("updateStrategy", {"type": "OnDelete", "rollingUpdate": None}),
                     ("persistentVolumeClaimRetentionPolicy", {"whenDeleted": "Delete"}),
                     ("serviceName", "s"), ("podManagementPolicy", "Parallel"),
                     ("volumeClaimTemplates", [{"metadata": {"name": "v"}, "spec": {
                         "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}])):
    change(f"{APPS}/statefulsets/good", {"spec": {field: value}}, ["spec." + field])
REVISIONS = f"{APPS}/controllerrevisions"
make(REVISIONS, "good", {"data": {"a": 1}, "revision": 1})
make(REVISIONS, "none", {"revision": 1})
make(REVISIONS, "null", {"data": None, "revision": 1})
make(REVISIONS, "negative", {"data": {"a": 1}, "revision": -1})
change(f"{REVISIONS}/good", {"data": {"a": 2}})

# Jobs.
JOBS = f"{BATCH}/jobs"


def job(labels=None, pod=None, **spec):
    return {"spec": {"template": template(labels or {}, restartPolicy="Never", **(pod or {}))} | spec}


make(JOBS, "good", job())
make(JOBS, "manual", job(A, manualSelector=True, selector=SELECTOR))
make(JOBS, "manual-none", job(A, manualSelector=True))
make(JOBS, "manual-other", job(B, manualSelector=True, selector=SELECTOR))
make(JOBS, "indexed", job(completionMode="Indexed", completions=3, parallelism=3))
make(JOBS, "suspended", job(suspend=True))
make(JOBS, "n" * 63, job())
make(JOBS, "n" * 64, job())
make(JOBS, "i" * 62, job(completionMode="Indexed", completions=3))
change(f"{JOBS}/good", {"spec": {"parallelism": 2}}, ["spec.parallelism"])
change(f"{JOBS}/good", {"spec": {"completions": 2}})
change(f"{JOBS}/good", {"spec": {"completionMode": "Indexed"}})
change(f"{JOBS}/good", {"spec": {"template": {"spec": {"priority": 7}}}})
change(f"{JOBS}/good", {"spec": {"template": {"metadata": {"annotations": {"a": "b"}}}}})
change(f"{JOBS}/good", {"spec": {"podReplacementPolicy": "Failed", "podFailurePolicy": {
    "rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [1]}}]}}})
change(f"{JOBS}/good", {"spec": {"managedBy": "example.com/x"}})
change(f"{JOBS}/good", {"spec": {"backoffLimit": 3, "activeDeadlineSeconds": 5, "ttlSecondsAfterFinished": 5}}, ["spec.backoffLimit"])
change(f"{JOBS}/manual", {"spec": {"selector": {"matchLabels": {"app": "b"}}}})
change(f"{JOBS}/indexed", {"spec": {"completions": 4}})
change(f"{JOBS}/indexed", {"spec": {"completions": 4, "parallelism": 4}}, ["spec.completions"])
change(f"{JOBS}/indexed", {"spec": {"backoffLimitPerIndex": 4}})
change(f"{JOBS}/indexed", {"spec": {"successPolicy": {"rules": [{"succeededCount": 1}]}}})
change(f"{JOBS}/suspended", {"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}}, ["spec.template.spec.nodeSelector"])
change(f"{JOBS}/suspended", {"spec": {"template": {"metadata": {"annotations": {"a": "b"}}}}}, ["spec.template.metadata.annotations"])
change(f"{JOBS}/suspended", {"spec": {"template": {"spec": {"hostNetwork": True}}}})
change(f"{JOBS}/suspended", {"spec": {"suspend": False}}, ["spec.suspend"])
change(f"{JOBS}/suspended", {"spec": {"template": {"spec": {"nodeSelector": {"a": "c"}}}}})
CRON = f"{BATCH}/cronjobs"
cron = {"spec": {"schedule": "* * * * *", "jobTemplate": job()}}
make(CRON, "c" * 52, cron)
make(CRON, "c" * 53, cron)

# Storage.
CLAIMS = f"{HERE}/persistentvolumeclaims"


def claim(**spec):
    return {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}} | spec}


make(CLAIMS, "good", claim(), ["status", "spec"])
make(CLAIMS, "class", claim(storageClassName="fast"), ["status"])
make(CLAIMS, "bound", claim(storageClassName="fast", volumeName="v"), ["status"])
change(f"{CLAIMS}/good", {"spec": {"resources": {"requests": {"storage": "2Gi"}}}})
change(f"{CLAIMS}/good", {"spec": {"accessModes": ["ReadOnlyMany"]}})
change(f"{CLAIMS}/good", {"spec": {"storageClassName": "fast"}}, ["spec.storageClassName"])
change(f"{CLAIMS}/good", {"spec": {"storageClassName": "slow"}})
change(f"{CLAIMS}/good", {"spec": {"volumeName": "v"}}, ["spec.volumeName"])
change(f"{CLAIMS}/good", {"spec": {"volumeName": "w"}})
change(f"{CLAIMS}/good", {"spec": {"selector": {"matchLabels": A}}})
change(f"{CLAIMS}/bound/status", {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}}, ["status.phase"])
change(f"{CLAIMS}/bound", {"spec": {"accessModes": ["ReadOnlyMany"]}})
make(f"{STORAGE}/storageclasses", "fast", {"provisioner": "example.com/p", "parameters": {"a": "b"}, "allowVolumeExpansion": True},
     ["reclaimPolicy", "volumeBindingMode"])
change(f"{CLAIMS}/bound", {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}, ["spec.resources"])
change(f"{CLAIMS}/bound", {"spec": {"resources": {"requests": {"storage": "512Mi"}}}})
make(CLAIMS, "still", claim(storageClassName="slow", volumeName="w"))
change(f"{CLAIMS}/still/status", {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}}, ["status.phase"])
grown = {"spec": {"resources": {"requests": {"storage": "1.5Gi"}}}}
change(f"{CLAIMS}/still", grown)  # of a class that is not there
make(f"{STORAGE}/storageclasses", "slow", {"provisioner": "example.com/p"}, ["allowVolumeExpansion"])
change(f"{CLAIMS}/still", grown)  # whose class does not say so
change(f"{CLAIMS}/still", {"spec": {"resources": {"requests": {"storage": "1024Mi"}}}}, ["spec.resources"])
change(f"{STORAGE}/storageclasses/slow", {"allowVolumeExpansion": False})
change(f"{CLAIMS}/still", grown)
change(f"{STORAGE}/storageclasses/slow", {"allowVolumeExpansion": True})
change(f"{CLAIMS}/still", {"spec": {"resources": {"requests": {"storage": "1025Mi"}}}, "metadata": {"labels": {"x": "y"}}},
       ["spec.resources"])
make(CLAIMS, "classless", claim(storageClassName="", volumeName="u"))
change(f"{CLAIMS}/classless/status", {"status": {"phase": "Bound", "capacity": {"storage": "1Gi"}}}, ["status.phase"])
change(f"{CLAIMS}/classless", grown)
make(CLAIMS, "pending", claim(storageClassName="slow"))
change(f"{CLAIMS}/pending", grown)
for patch in ({"provisioner": "example.com/q"}, {"parameters": {"a": "c"}}, {"parameters": None}, {"reclaimPolicy": "Retain"},
              {"volumeBindingMode": "WaitForFirstConsumer"}, {"allowVolumeExpansion": False}, {"mountOptions": ["ro"]}):
    change(f"{STORAGE}/storageclasses/fast", patch, ["allowVolumeExpansion", "mountOptions"])
make(f"{STORAGE}/storageclasses", "none", {})
VOLUMES = f"{CORE}/persistentvolumes"
make(VOLUMES, "v", {"spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/a"}}},
     ["status.phase", "spec.persistentVolumeReclaimPolicy", "spec.volumeMode"])
change(f"{VOLUMES}/v", {"spec": {"hostPath": {"path": "/b"}}})
change(f"{VOLUMES}/v", {"spec": {"hostPath": None, "nfs": {"server": "s", "path": "/"}}})
change(f"{VOLUMES}/v", {"spec": {"volumeMode": "Block"}})
change(f"{VOLUMES}/v", {"spec": {"capacity": {"storage": "2Gi"}}}, ["spec.capacity"])
change(f"{VOLUMES}/v", {"spec": {"persistentVolumeReclaimPolicy": "Delete"}}, ["spec.persistentVolumeReclaimPolicy"])


def near(*terms):
    return {"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
        {"key": key, "operator": "In", "values": [value]} for key, value in term]} for term in terms]}}}}


BETA, GA = "failure-domain.beta.kubernetes.io", "topology.kubernetes.io"
source = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/a"}}
for name, affinity in (("zoned", near([(f"{BETA}/zone", "z"), (f"{BETA}/region", "r")], [("beta.kubernetes.io/os", "linux")])),
                       ("typed", near([("beta.kubernetes.io/instance-type", "m"), ("beta.kubernetes.io/arch", "amd64")])),
                       ("free", {"spec": {}})):
    make(VOLUMES, name, {"spec": source | affinity["spec"]})
for name, affinity in (
        ("zoned", near([(f"{GA}/zone", "z"), (f"{BETA}/region", "r")], [("beta.kubernetes.io/os", "linux")])),
        ("zoned", near([(f"{GA}/zone", "z"), (f"{GA}/region", "r")], [("kubernetes.io/os", "linux")])),
        ("zoned", near([(f"{BETA}/zone", "z"), (f"{GA}/region", "r")], [("kubernetes.io/os", "linux")])),
        ("zoned", near([(f"{GA}/zone", "y"), (f"{GA}/region", "r")], [("kubernetes.io/os", "linux")])),
        ("zoned", near([(f"{GA}/zone", "z"), (f"{GA}/region", "r")])),
        ("zoned", {"spec": {"nodeAffinity": None}}),
        ("typed", near([("kubernetes.io/arch", "m"), ("kubernetes.io/arch", "amd64")])),
        ("typed", near([("node.kubernetes.io/instance-type", "m"), ("kubernetes.io/arch", "amd64")])),
        ("free", near([(f"{BETA}/zone", "z")])), ("free", near([(f"{GA}/zone", "z")]))):
    change(f"{VOLUMES}/{name}", affinity, ["spec.nodeAffinity"])
NODES = f"{STORAGE}/csinodes"
make(NODES, "n", {"spec": {"drivers": [{"name": "d.example.com", "nodeID": "1", "topologyKeys": ["a"]}]}})
change(f"{NODES}/n", {"spec": {"drivers": [{"name": "d.example.com", "nodeID": "2", "topologyKeys": ["a"]}]}})
change(f"{NODES}/n", {"spec": {"drivers": [{"name": "d.example.com", "nodeID": "1", "topologyKeys": ["a"], "allocatable": {"count": 3}},
                                            {"name": "e.example.com", "nodeID": "2", "topologyKeys": None}]}}, ["spec.drivers"])
DRIVERS = f"{STORAGE}/csidrivers"
make(DRIVERS, "d.example.com", {"spec": {}}, ["spec"])
for patch in ({"attachRequired": False}, {"podInfoOnMount": True}, {"volumeLifecycleModes": ["Ephemeral"]}, {"fsGroupPolicy": "None"},
              {"storageCapacity": True}):
    change(f"{DRIVERS}/d.example.com", {"spec": patch}, ["spec"])
ATTACHMENTS = f"{STORAGE}/volumeattachments"
make(ATTACHMENTS, "a", {"spec": {"attacher": "d.example.com", "nodeName": "n", "source": {"persistentVolumeName": "v"}}})
change(f"{ATTACHMENTS}/a", {"spec": {"nodeName": "m"}})
CAPACITIES = f"{STORAGE}/namespaces/default/csistoragecapacities"
make(CAPACITIES, "c", {"storageClassName": "fast", "nodeTopology": {"matchLabels": A}})
change(f"{CAPACITIES}/c", {"storageClassName": "slow"})
change(f"{CAPACITIES}/c", {"nodeTopology": {"matchLabels": {"app": "b"}}})
change(f"{CAPACITIES}/c", {"capacity": "1Gi"}, ["capacity"])
ATTRIBUTES = f"{STORAGE}/volumeattributesclasses"
make(ATTRIBUTES, "a", {"driverName": "d.example.com", "parameters": {"a": "b"}})
change(f"{ATTRIBUTES}/a", {"driverName": "e.example.com"})
change(f"{ATTRIBUTES}/a", {"parameters": {"a": "c"}})

# Classes.
PRIORITIES = "/apis/scheduling.k8s.io/v1/priorityclasses"
make(PRIORITIES, "high", {"value": 100, "preemptionPolicy": "Never"})
make(PRIORITIES, "plain", {"value": 7}, ["preemptionPolicy"])
make(PRIORITIES, "system-x", {"value": 7})
make(PRIORITIES, "huge", {"value": 1000000001})
change(f"{PRIORITIES}/high", {"value": 101})
change(f"{PRIORITIES}/high", {"preemptionPolicy": "PreemptLowerPriority"})
change(f"{PRIORITIES}/high", {"description": "d"}, ["description"])
RUNTIMES = "/apis/node.k8s.io/v1/runtimeclasses"
make(RUNTIMES, "kata", {"handler": "kata", "overhead": {"podFixed": {"cpu": "250m"}},
                        "scheduling": {"nodeSelector": {"kata": "yes"}, "tolerations": [{"key": "k", "operator": "Exists"}]}})
make(RUNTIMES, "none", {})
make(RUNTIMES, "wrong", {"handler": "A_b"})
change(f"{RUNTIMES}/kata", {"handler": "other"})
change(f"{RUNTIMES}/kata", {"metadata": {"labels": A}}, ["metadata.labels"])
INGRESSES = "/apis/networking.k8s.io/v1/ingressclasses"
make(INGRESSES, "i", {"spec": {"controller": "example.com/c"}})
change(f"{INGRESSES}/i", {"spec": {"controller": "example.com/d"}})
SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
make(SLICES, "s", {"addressType": "IPv4", "endpoints": []})
make(SLICES, "none", {"endpoints": []})
make(SLICES, "other", {"addressType": "IPv7", "endpoints": []})
change(f"{SLICES}/s", {"addressType": "IPv6"})
change(f"{SLICES}/s", {"endpoints": [{"addresses": ["10.0.0.1"]}]}, ["endpoints"])

# Pods and what they name.
PODS = f"{HERE}/pods"


def pod(**spec):
    return {"spec": {"containers": [{"name": "c", "image": "x"}], "automountServiceAccountToken": False} | spec}


WHOSE = ["spec.serviceAccountName", "spec.serviceAccount"]
PRIORITY = ["spec.priority", "spec.preemptionPolicy", "spec.priorityClassName"]
RUNTIME = ["spec.overhead", "spec.nodeSelector"]
make(f"{HERE}/serviceaccounts", "default", {})
make(f"{HERE}/serviceaccounts", "robot", {"imagePullSecrets": [{"name": "pull"}]})
make(PODS, "plain", pod(), WHOSE + PRIORITY)
make(PODS, "robot", pod(serviceAccountName="robot"), [*WHOSE, "spec.imagePullSecrets"])
make(PODS, "old", pod(serviceAccount="robot"), WHOSE)
make(PODS, "both", pod(serviceAccount="default", serviceAccountName="robot"), WHOSE)
make(PODS, "nobody", pod(serviceAccountName="nobody"))
make(PODS, "high", pod(priorityClassName="high"), PRIORITY)
make(PODS, "high-same", pod(priorityClassName="high", priority=100), PRIORITY)
make(PODS, "high-other", pod(priorityClassName="high", priority=7))
make(PODS, "high-policy", pod(priorityClassName="high", preemptionPolicy="PreemptLowerPriority"))
make(PODS, "number", pod(priority=7))
make(PODS, "plain-class", pod(priorityClassName="plain"), PRIORITY)
make(PODS, "unknown", pod(priorityClassName="unknown"))
make(PRIORITIES, "usual", {"value": 50, "globalDefault": True})
make(PODS, "usual", pod(), PRIORITY)
make(PRIORITIES, "usual-too", {"value": 50, "globalDefault": True})
change(f"{PRIORITIES}/plain", {"globalDefault": True})
make(PODS, "kata", pod(runtimeClassName="kata"), RUNTIME)
make(PODS, "kata-selector", pod(runtimeClassName="kata", nodeSelector={"a": "b"}), ["spec.nodeSelector"])
make(PODS, "kata-conflict", pod(runtimeClassName="kata", nodeSelector={"kata": "no"}))
make(PODS, "kata-overhead", pod(runtimeClassName="kata", overhead={"cpu": "1"}))
make(PODS, "overhead", pod(overhead={"cpu": "1"}))
make(PODS, "no-runtime", pod(runtimeClassName="nothing"))
change(f"{PODS}/plain", {"spec": {"serviceAccountName": "robot"}})
change(f"{PODS}/plain", {"metadata": {"labels": A}}, WHOSE)

# Access.
RULE = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
for path in f"{RBAC}/clusterroles", f"{RBAC}/namespaces/default/roles":
    make(path, "good", {"rules": [RULE]})
    make(path, "no-verbs", {"rules": [{"apiGroups": [""], "resources": ["pods"]}]})
    make(path, "no-groups", {"rules": [{"verbs": ["get"], "resources": ["pods"]}]})
    make(path, "no-resources", {"rules": [{"verbs": ["get"], "apiGroups": [""]}]})
    make(path, "nothing", {"rules": [RULE, {}]})
    make(path, "urls", {"rules": [{"verbs": ["get"], "nonResourceURLs": ["/x"]}]})
    make(path, "both", {"rules": [RULE | {"nonResourceURLs": ["/x"]}]})
    change(f"{path}/good", {"rules": [{"verbs": []}]})
make(f"{RBAC}/clusterroles", "aggregate", {"aggregationRule": {"clusterRoleSelectors": []}})
make(f"{RBAC}/clusterroles", "aggregate-operator",
     {"aggregationRule": {"clusterRoleSelectors": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]}})
USER = {"kind": "User", "name": "one", "apiGroup": "rbac.authorization.k8s.io"}
REFERENCE = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "good"}
for path in f"{RBAC}/clusterrolebindings", f"{RBAC}/namespaces/default/rolebindings":
    make(path, "good", {"roleRef": REFERENCE, "subjects": [USER]})
    make(path, "no-group", {"roleRef": {"kind": "ClusterRole", "name": "good"}, "subjects": [{"kind": "Group", "name": "g"}]},
         ["roleRef", "subjects"])
    make(path, "role", {"roleRef": REFERENCE | {"kind": "Role"}})
    make(path, "kind", {"roleRef": REFERENCE | {"kind": "Other"}})
    make(path, "no-name", {"roleRef": REFERENCE | {"name": ""}})
    make(path, "slash", {"roleRef": REFERENCE | {"name": "a/b"}})
    make(path, "other-group", {"roleRef": REFERENCE | {"apiGroup": "example.com"}})
    for number, subject in enumerate((
            {"kind": "User"}, {"kind": "Other", "name": "x"}, {"kind": "ServiceAccount", "name": "robot"},
            {"kind": "ServiceAccount", "name": "robot", "namespace": "default"},
            {"kind": "ServiceAccount", "name": "A_b", "namespace": "x"},
            {"kind": "ServiceAccount", "name": "robot", "namespace": "x", "apiGroup": "example.com"},
            {"kind": "User", "name": "x", "apiGroup": "example.com"}, {"kind": "Group", "name": "x", "apiGroup": "example.com"})):
        make(path, f"subject-{number}", {"roleRef": REFERENCE, "subjects": [USER, subject]})
    change(f"{path}/good", {"subjects": [{"kind": "User"}]})

# APIServices and Events.
SERVICE = {"group": "example.com", "version": "v1", "groupPriorityMinimum": 1000, "versionPriority": 10,
           "service": {"namespace": "default", "name": "s"}, "insecureSkipTLSVerify": True}
make(REGISTRATION, "v1.example.com", {"spec": SERVICE}, ["spec"])
make(REGISTRATION, "other", {"spec": SERVICE})
make(REGISTRATION, "v1beta1.", {"spec": SERVICE | {"group": "", "version": "v1beta1"}})
make(REGISTRATION, "v2.example.com", {"spec": SERVICE | {"version": "v2", "groupPriorityMinimum": 0, "versionPriority": 1001}})
make(REGISTRATION, "v3.example.com", {"spec": SERVICE | {"version": "v3", "caBundle": base64.b64encode(b"x").decode()}})
make(REGISTRATION, "v4.example.com", {"spec": SERVICE | {"version": "v4", "service": {}}})
make(REGISTRATION, "v5.example.com", {"spec": SERVICE | {"version": "v5", "service": None}})
EVENTS, NEW_EVENTS = f"{HERE}/events", "/apis/events.k8s.io/v1/namespaces/default/events"
EVENT = {"involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"}, "reason": "r", "message": "m", "type": "Normal"}
make(EVENTS, "good", EVENT)
make(EVENTS, "no-namespace", EVENT | {"involvedObject": {"kind": "Node", "name": "n"}})
make(EVENTS, "other", EVENT | {"involvedObject": {"kind": "Pod", "name": "p", "namespace": "kube-system"}})
make("/api/v1/namespaces/kube-system/events", "no-namespace", EVENT | {"involvedObject": {"kind": "Node", "name": "n"}})
make(EVENTS, "timed", EVENT | {"eventTime": "2026-01-01T00:00:00.000000Z"})
make(EVENTS, "timed-good", EVENT | {"eventTime": "2026-01-01T00:00:00.000000Z", "reportingComponent": "example.com/c",
                                    "reportingInstance": "i", "action": "a"})
make(EVENTS, "long", EVENT | {"eventTime": "2026-01-01T00:00:00.000000Z", "reportingComponent": "example.com/c",
                              "reportingInstance": "i" * 129, "action": "a" * 129, "reason": "r" * 129, "message": "m" * 1025})
NEW = {"regarding": {"kind": "Pod", "name": "p", "namespace": "default"}, "reason": "r", "note": "m", "type": "Normal",
       "eventTime": "2026-01-01T00:00:00.000000Z", "reportingController": "example.com/c", "reportingInstance": "i", "action": "a"}
make(NEW_EVENTS, "new", NEW)
make(NEW_EVENTS, "new-no-time", {key: value for key, value in NEW.items() if key != "eventTime"})
make(NEW_EVENTS, "new-type", NEW | {"type": "Other"})
make(NEW_EVENTS, "new-count", NEW | {"deprecatedCount": 3})
make(NEW_EVENTS, "new-series", NEW | {"series": {"count": 1}})
change(f"{NEW_EVENTS}/new", {"note": "other"})
change(f"{NEW_EVENTS}/new", {"reason": "other", "action": "other"})
change(f"{NEW_EVENTS}/new", {"series": {"count": 2, "lastObservedTime": "2026-01-01T00:00:00.000000Z"}}, ["series.count"])
change(f"{EVENTS}/good", {"message": "other", "count": 2}, ["message"])

# Metadata.
MAPS = f"{HERE}/configmaps"


def owner(name, **more):
    return {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": "8e6ba6d5-1c7c-4f6e-9d0e-9b2ad3a0c1d2"} | more


make(MAPS, "owned", {}, ownerReferences=[owner("a", controller=True), owner("b", controller=False)])
make(MAPS, "two", {}, ownerReferences=[owner("a", controller=True), owner("b", controller=True)])
change(f"{MAPS}/owned", {"metadata": {"ownerReferences": [owner("a", controller=True), owner("b", controller=True)]}})
make(MAPS, "finalizer", {}, finalizers=["example.com/f"])
for number, finalizers in enumerate((["nothing"], ["kubernetes"], ["foregroundDeletion"], ["a b/c"], [""], ["foregroundDeletion", "orphan"],
                                     ["example.com/a/b"], ["example.com/f", "bare"])):
    make(MAPS, f"finalizer-{number}", {}, finalizers=finalizers)
change(f"{MAPS}/finalizer", {"metadata": {"finalizers": ["bare"]}})

# ConfigMaps and Secrets.
HALF, MORE = "x*524288", "x*524289"
for number, key in enumerate(("a b", "..", "..x", "ok_-.1", "k" * 254)):
    make(MAPS, f"key-{number}", {"data": {key: "1"}})
make(MAPS, "twice", {"data": {"a": "1"}, "binaryData": {"a": base64.b64encode(b"1").decode()}})
make(MAPS, "binary", {"binaryData": {"a/b": base64.b64encode(b"1").decode()}})
make(MAPS, "full", {"data": {"a": HALF, "b": HALF}})
make(MAPS, "too-full", {"data": {"a": HALF, "b": MORE}})
change(f"{MAPS}/full", {"data": {"c": "x"}})
make(MAPS, "still", {"data": {"a": "1"}, "immutable": True})
change(f"{MAPS}/still", {"data": {"a": "2"}})
change(f"{MAPS}/still", {"immutable": False})
change(f"{MAPS}/still", {"metadata": {"labels": A}})
SECRETS = f"{HERE}/secrets"


def encoded(**data):
    return {key.replace("_", "."): base64.b64encode(value.encode()).decode() for key, value in data.items()}


make(SECRETS, "keys", {"stringData": {"a b": "1"}})
make(SECRETS, "full", {"stringData": {"a": HALF, "b": HALF}})
make(SECRETS, "too-full", {"stringData": {"a": HALF, "b": MORE}})
for number, (type_, data) in enumerate((
        ("kubernetes.io/tls", {}), ("kubernetes.io/tls", encoded(tls_crt="x")), ("kubernetes.io/tls", encoded(tls_crt="", tls_key="")),
        ("kubernetes.io/ssh-auth", {}), ("kubernetes.io/ssh-auth", {"ssh-privatekey": ""}),
        ("kubernetes.io/ssh-auth", {"ssh-privatekey": "eA=="}),
        ("kubernetes.io/basic-auth", {}), ("kubernetes.io/basic-auth", encoded(username="")),
        ("kubernetes.io/basic-auth", encoded(password="x")),
        ("kubernetes.io/dockercfg", {}), ("kubernetes.io/dockercfg", {".dockercfg": "eA=="}),
        ("kubernetes.io/dockercfg", {".dockercfg": base64.b64encode(b"{}").decode()}),
        ("kubernetes.io/dockerconfigjson", {}), ("kubernetes.io/dockerconfigjson", {".dockerconfigjson": "eA=="}),
        ("kubernetes.io/dockerconfigjson", {".dockerconfigjson": base64.b64encode(b'{"auths": {}}').decode()}),
        ("kubernetes.io/dockerconfigjson", {".dockerconfigjson": base64.b64encode(b"[]").decode()}),
        ("kubernetes.io/service-account-token", {}), ("bootstrap.kubernetes.io/token", {}), ("example.com/any", {}))):
    make(SECRETS, f"type-{number}", {"type": type_, "data": data})
change(f"{SECRETS}/type-2", {"data": {"tls.key": None}})
change(f"{SECRETS}/type-2", {"type": "Opaque"})
make(SECRETS, "still", {"stringData": {"a": "1"}, "immutable": True})
change(f"{SECRETS}/still", {"data": {"a": "Mg=="}})
change(f"{SECRETS}/still", {"immutable": None})

# Labels by the status.
make(f"{BATCH}/jobs", "labelled", job())
for path in (f"{BATCH}/jobs/labelled", f"{CLAIMS}/good", f"{VOLUMES}/v", f"{PODS}/plain", REGISTRATION + "/v1.example.com",
             f"{CORE}/namespaces/default", f"{ATTACHMENTS}/a"):
    change(f"{path}/status", {"metadata": {"labels": {"by": "status"}, "annotations": {"by": "status"}}},
           ["metadata.labels.by", "metadata.annotations.by"])

# Trust in signers: a certificate of an authority, and one that is none.
AUTHORITY = """-----BEGIN CERTIFICATE-----
MIIBfTCCASOgAwIBAgIUX+oTYDJ3DJoVTdkgzzeY40c6NLwwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJYXV0aG9yaXR5MB4XDTI2MTEzMDA5MDc1MVoXDTQ2MTEyNTA5
MDc1MVowFDESMBAGA1UEAwwJYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAE7Rv8i9GJMI30zdadKkVZruIU3vrncivNnyWmbKRxwNkm/QFWe80iCFel
cLCZlF+eeSwUBWW4M9n12SUCiek96aNTMFEwHQYDVR0OBBYEFDxCBoZYXlfIFTZy
1uPtt4El2TBpMB8GA1UdIwQYMBaAFDxCBoZYXlfIFTZy1uPtt4El2TBpMA8GA1Ud
EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgEIZN+v5obFquWJwErK8iu9g/
djT/fJH/6oNWki0BWSgCIQCtnA0U2b75mdAgxWPDsd2AJDBT2IhvNMkyU5PRcZWG
zA==
-----END CERTIFICATE-----
"""
LEAF = """-----BEGIN CERTIFICATE-----
MIIBcTCCARagAwIBAgIUKyNQIa8iUdeL2jVEPVs/JVEf5iAwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEbGVhZjAeFw0yNjExMzAwOTA3NTFaFw00NjExMjUwOTA3NTFa
MA8xDTALBgNVBAMMBGxlYWYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS3m4hs
C1pBafM4+2hxYeTunZ8DtYp2PYxERlisMk2CZ2WTWP2en2lY3P+gN4lK36IBn71r
d08uYvubg8d1O/mto1AwTjAdBgNVHQ4EFgQUj7kIS2BiFx4rTiGBH/rUnALbHlgw
HwYDVR0jBBgwFoAUj7kIS2BiFx4rTiGBH/rUnALbHlgwDAYDVR0TAQH/BAIwADAK
BggqhkjOPQQDAgNJADBGAiEAo3V6Cv8jyGOO9FZtI+K9al8LZUnSWtC14mrbgo97
yBkCIQCHlb/9GBvdZ17fyYapyp0IkMqjE4JinWZRE45aBU0vAA==
-----END CERTIFICATE-----
"""
# A byte after the certificate.
LONGER = ("-----BEGIN CERTIFICATE-----\n" + base64.b64encode(
    base64.b64decode("".join(AUTHORITY.splitlines()[1:-1])) + b"x").decode() + "\n-----END CERTIFICATE-----\n")
BUNDLES = "/apis/certificates.k8s.io/v1/clustertrustbundles"
for number, (name, signer, bundle) in enumerate((
        ("plain", None, AUTHORITY), ("with:colon", None, AUTHORITY), ("example.com:signer:one", "example.com/signer", AUTHORITY),
        ("example.com:other:one", "example.com/signer", AUTHORITY), ("example.com:signer:-", "example.com/signer", AUTHORITY),
        ("signer:one", "signer", AUTHORITY), ("empty", None, ""), ("text", None, "some text"), ("twice", None, AUTHORITY + AUTHORITY),
        ("leaf", None, LEAF), ("mixed", None, AUTHORITY + LEAF), ("around", None, "before\n" + AUTHORITY + "after\n"),
        ("block", None, AUTHORITY.replace("CERTIFICATE", "SECRET")),
        ("headers", None, AUTHORITY.replace("-----\n", "-----\nA: b\n\n", 1)),
        ("broken", None, AUTHORITY.replace("MII", "AAA", 1)), ("null", None, None),
        ("indented", None, " " + AUTHORITY), ("in-a-line", None, "x" + AUTHORITY), ("one-line", None, AUTHORITY.replace("\n", "")),
        ("spaced", None, AUTHORITY.replace("MII", "M I\tI", 1)),
        ("open", None, AUTHORITY.replace("CERTIFICATE-----", "CERTIFICATE----- \t", 1)),
        ("closed", None, AUTHORITY.rstrip() + "x\n"), ("no-end", None, AUTHORITY.rstrip()), ("crlf", None, AUTHORITY.replace("\n", "\r\n")),
        ("begins", None, "-----BEGIN X-----\n" + AUTHORITY), ("ends", None, "-----END X-----\n" + AUTHORITY),
        ("more", None, LONGER))):
    spec = {"trustBundle": bundle} | ({"signerName": signer} if signer else {})
    make(BUNDLES, name, {"spec": spec}, ["spec.signerName"])
change(f"{BUNDLES}/plain", {"spec": {"trustBundle": "some text"}})
change(f"{BUNDLES}/plain", {"spec": {"signerName": "example.com/signer"}})
change(f"{BUNDLES}/plain", {"metadata": {"labels": {"a": "b"}}}, ["metadata.labels"])

# Devices.
DEVICES = "/apis/resource.k8s.io/v1"
CLAIM = {"spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}]}}}
make(f"{DEVICES}/namespaces/default/resourceclaims", "claim", CLAIM, ["spec", "status"])
make(f"{DEVICES}/namespaces/default/resourceclaims", "admin", {"spec": {"devices": {"requests": [
    {"name": "r", "exactly": {"deviceClassName": "c", "adminAccess": True}}]}}})
make(f"{DEVICES}/namespaces/default/resourceclaimtemplates", "admin", {"spec": {"spec": {"devices": {"requests": [
    {"name": "q", "exactly": {"deviceClassName": "c"}}, {"name": "r", "exactly": {"deviceClassName": "c", "adminAccess": True}}]}}}})
change(f"{DEVICES}/namespaces/default/resourceclaims/claim", {"spec": {"devices": {"requests": []}}})
change(f"{DEVICES}/namespaces/default/resourceclaims/claim/status", {"metadata": {"labels": {"by": "status"}}}, ["metadata.labels"])
make(f"{DEVICES}/namespaces/default/resourceclaimtemplates", "template", {"spec": CLAIM}, ["spec"])
make(f"{DEVICES}/deviceclasses", "class", {"spec": {}}, ["spec", "metadata.generation"])
change(f"{DEVICES}/deviceclasses/class", {"spec": {"selectors": [{"cel": {"expression": "true"}}]}}, ["spec", "metadata.generation"])
RULE = {"spec": {"deviceSelector": {"driver": "example.com"}, "taint": {"key": "example.com/a", "effect": "NoSchedule"}}}
make(f"{DEVICES}/devicetaintrules", "rule", RULE, ["spec", "metadata.generation"])
change(f"{DEVICES}/devicetaintrules/rule", {"spec": {"taint": {"effect": "NoExecute"}}}, ["spec", "metadata.generation"])

# The flow of requests, and migrations of what is stored.
FLOW = "/apis/flowcontrol.apiserver.k8s.io/v1"
SUBJECTS = {"subjects": [{"kind": "User", "user": {"name": "u"}}],
            "resourceRules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "namespaces": ["*"]}]}
make(f"{FLOW}/flowschemas", "own", {"spec": {"priorityLevelConfiguration": {"name": "own"}, "rules": [SUBJECTS]}},
     ["spec", "metadata.generation"])
change(f"{FLOW}/flowschemas/own", {"spec": {"matchingPrecedence": 7}}, ["spec", "metadata.generation"])
change(f"{FLOW}/flowschemas/own/status", {"metadata": {"labels": {"by": "status"}}}, ["metadata.labels"])
make(f"{FLOW}/prioritylevelconfigurations", "own", {"spec": {"type": "Limited", "limited": {"limitResponse": {
    "type": "Queue", "queuing": {}}}}}, ["spec", "metadata.generation"])
MIGRATIONS = "/apis/storagemigration.k8s.io/v1/storageversionmigrations"
make(MIGRATIONS, "gizmos", {"spec": {"resource": {"group": "example.com", "resource": "gizmos"}}}, ["spec", "status"])
change(f"{MIGRATIONS}/gizmos", {"spec": {"resource": {"resource": "others"}}})

if sys.argv[1] == "--tokens":
    print('root-token,root,root,"system:masters"')
    sys.exit()
record(sys.argv[1])
