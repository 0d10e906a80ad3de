#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records how a real API server decides by RBAC: record-rbac.py URL TOKEN >tests/apiserver/data/rbac.json

TOKEN is that of a member of system:masters. The server should be a fresh one; the namespaces and roles that the
cases need are made here. Cases are random, but the same in each run.
"""
import http.client
import json
import random
import ssl
import sys

url, token = sys.argv[1:]
API = "/apis/rbac.authorization.k8s.io/v1"
connection = http.client.HTTPSConnection(url.removeprefix("https://"), context=ssl._create_unverified_context())


def post(path, body, user=None, groups=()):
    """The reply's status and JSON; as `user`, a member of `groups`, if given."""
    text = json.dumps(body).encode()
    headers = [("Authorization", "Bearer " + token), ("Content-Type", "application/json"), ("Content-Length", str(len(text)))]
    if user:
        headers += [("Impersonate-User", user)] + [("Impersonate-Group", group) for group in groups]
    connection.putrequest("POST", path)
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders(text)
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


def role(name, rules, namespace=None, **more):
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {}) | more
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role" if namespace else "ClusterRole", "metadata": metadata,
            "rules": rules}


def binding(name, kind, to, subjects, namespace=None):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
            "metadata": {"name": name} | ({"namespace": namespace} if namespace else {}),
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": to},
            "subjects": [{"kind": k, "name": n} | ({"namespace": s} if k == "ServiceAccount" else {"apiGroup": "rbac.authorization.k8s.io"})
                         for k, s, n in subjects]}


def rule(verbs, groups=None, resources=None, names=None, paths=None):
    made = {"verbs": verbs.split()}
    if groups is not None:
        made |= {"apiGroups": groups.split(","), "resources": resources.split()}
    if names:
        made["resourceNames"] = names.split()
    if paths:
        made["nonResourceURLs"] = paths.split()
    return made


objects = [
    role("reader", [rule("get list watch", "", "pods services"), rule("get", "apps", "deployments", "web api")]),
    role("scaler", [rule("update patch", "apps,extensions", "*/scale"), rule("get", "*", "deployments/scale")]),
    role("paths", [rule("get", paths="/logs/* /metrics /debug*"), rule("*", paths="/own")]),
    role("all-of-a-group", [rule("*", "example.com", "*"), rule("create", "", "pods/exec")]),
    role("named", [rule("list watch delete deletecollection", "", "secrets", "one two")]),
    role("ns-writer", [rule("create update patch delete", "", "configmaps pods/status"),
                       rule("escalate", "rbac.authorization.k8s.io", "roles")], "a"),
    role("ns-reader", [rule("*", "", "secrets")], "b"),
    binding("readers", "ClusterRole", "reader", [("User", "", "ann"), ("Group", "", "crew")]),
    binding("scalers", "ClusterRole", "scaler", [("User", "", "ann"), ("ServiceAccount", "a", "robot")]),
    binding("path-users", "ClusterRole", "paths", [("Group", "", "crew")]),
    binding("gone", "ClusterRole", "no-such-role", [("User", "", "bob"), ("User", "", "dan")]),
    binding("owners", "ClusterRole", "all-of-a-group", [("User", "", "dan")]),
    binding("named-ones", "ClusterRole", "named", [("User", "", "dan"), ("User", "", "ann")]),
    binding("writers", "Role", "ns-writer", [("ServiceAccount", "a", "robot"), ("User", "", "bob")], "a"),
    binding("readers", "ClusterRole", "reader", [("User", "", "eve")], "a"),
    binding("readers", "Role", "ns-reader", [("User", "", "eve"), ("ServiceAccount", "a", "robot")], "b"),
    binding("gone", "Role", "no-such-role", [("User", "", "eve")], "b"),
    binding("admins", "ClusterRole", "admin", [("User", "", "ada")], "b"),
]
# The right to write roles comes from a group of its own, so that it is not what is missing.
objects += [role("role-writer", [rule("create", "rbac.authorization.k8s.io", "roles clusterroles")]),
            binding("role-writers", "ClusterRole", "role-writer", [("Group", "", "role-writers")])]
for namespace in "a", "b":
    post("/api/v1/namespaces", {"metadata": {"name": namespace}})
for made in objects:
    namespace = made["metadata"].get("namespace")
    status, reply = post(API + (f"/namespaces/{namespace}" if namespace else "") + "/" + made["kind"].lower() + "s", made)
    assert status in (201, 409), reply

chosen = random.Random(1)
users = [("ann", []), ("bob", []), ("dan", []), ("eve", []), ("ada", []), ("zoe", ["crew"]), ("root", ["system:masters"]),
         ("system:serviceaccount:a:robot", ["system:serviceaccounts", "system:serviceaccounts:a"]),
         ("system:kube-controller-manager", []), ("system:kube-scheduler", []), ("system:node:n1", ["system:nodes"]),
         ("system:serviceaccount:kube-system:endpointslice-controller", ["system:serviceaccounts"]),
         ("system:serviceaccount:kube-system:generic-garbage-collector", ["system:serviceaccounts"]), ("system:anonymous", None)]
resources = [("", "pods"), ("", "services"), ("", "secrets"), ("", "configmaps"), ("", "nodes"), ("", "endpoints"),
             ("apps", "deployments"),
             ("extensions", "deployments"), ("example.com", "widgets"), ("rbac.authorization.k8s.io", "roles"),
             ("discovery.k8s.io", "endpointslices"),
             ("coordination.k8s.io", "leases"), ("authorization.k8s.io", "selfsubjectaccessreviews"), ("batch", "jobs")]
verbs = "get list watch create update patch delete deletecollection escalate bind impersonate".split()
paths = ("/healthz /healthz/etcd /version /version/ /logs/x/y /logs /metrics /metrics/a /debug /debugger /own /api /apis/apps "
         "/openapi/v3 /livez").split()

cases = []
for _ in range(1000):
    user, groups = chosen.choice(users)
    groups = ["system:unauthenticated"] if groups is None else groups + ["system:authenticated"]
    spec = {"user": user, "groups": groups}
    if chosen.random() < 0.2:
        spec["nonResourceAttributes"] = {"path": chosen.choice(paths), "verb": chosen.choice(["get", "get", "post", "head"])}
    else:
        group, resource = chosen.choice(resources)
        asked = {"verb": chosen.choice(verbs), "group": group, "version": "v1", "resource": resource}
        for name, values in ("namespace", ["", "a", "b", "a", "b", "kube-system"]), ("name", ["", "", "one", "web", "kube-scheduler"]), \
                ("subresource", ["", "", "", "status", "scale", "exec"]):
            if value := chosen.choice(values):
                asked[name] = value
        spec["resourceAttributes"] = asked
    status, reply = post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {"spec": spec})
    assert status == 201, reply
    cases.append(spec | {"allowed": reply["status"]["allowed"], "reason": reply["status"].get("reason", "")})

grants = []
wanted = [
    [rule("get", "", "pods")], [rule("get list watch update", "", "pods services nodes")], [rule("*", "*", "*")],
    [rule("get", paths="/logs/a /x")],
    [rule("update", "apps", "deployments/scale replicasets/scale deployments")],
    [rule("list delete", "", "secrets", "one three")],
    [rule("list", "", "secrets")], [rule("get", "apps", "deployments", "web db"), rule("create", "", "pods")],
    [rule("get", paths="/debug*")],
    [rule("*", "example.com", "widgets gadgets/status"), rule("create", "", "pods/exec pods/log")], [rule("get", paths="/logs/*")],
]
for user, groups in ("ann", []), ("dan", ["crew"]), ("ada", []), ("bob", []), ("eve", []), ("root", ["system:masters"]):
    for namespace in None, "a", "b":
        for rules in wanted:
            if namespace and any("nonResourceURLs" in r for r in rules):
                continue  # the server refuses those in a Role as invalid
            where = API + (f"/namespaces/{namespace}/roles" if namespace else "/clusterroles")
            status, reply = post(where + "?dryRun=All", role("wanted", rules, namespace), user, groups + ["role-writers"])
            assert status in (201, 403), reply
            grants.append({"user": user, "groups": groups + ["role-writers", "system:authenticated"], "namespace": namespace or "",
                           "rules": rules, "refused": reply["message"] if status == 403 else ""})

print('{"objects": [\n' + ",\n".join(map(json.dumps, objects)) + '\n],\n"cases": [\n' + ",\n".join(map(json.dumps, cases)) +
      '\n],\n"grants": [\n' + ",\n".join(map(json.dumps, grants)) + "\n]}")
