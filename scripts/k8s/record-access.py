#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real API server answers to impersonation, reviews and requests for tokens:

    record-access.py --tokens >tokens.csv      # for kube-apiserver --token-auth-file=tokens.csv
    record-access.py URL >tests/apiserver/data/access.json

The server should be a fresh one of the release that is embedded, with --authorization-mode=RBAC, --anonymous-auth=false,
--disable-admission-plugins=ServiceAccount and --service-account-issuer=https://kubernetes.default.svc.cluster.local.
Each case has a user of its own: the server remembers how a user was allowed to impersonate, and tries that first.
"""
import http.client
import itertools
import json
import random
import ssl
import sys

RBAC = "/apis/rbac.authorization.k8s.io/v1"
AUTHENTICATION = "/apis/authentication.k8s.io/v1"
AUTHORIZATION = "/apis/authorization.k8s.io/v1"
SELF = AUTHENTICATION + "/selfsubjectreviews"
ACCOUNT = "/api/v1/namespaces/a/serviceaccounts/robot/token"


def role(name, *rules):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": list(rules)}


def rule(verbs, groups, resources, names=None):
    made = {"verbs": verbs.split(), "apiGroups": groups.split(","), "resources": resources.split()}
    return made | ({"resourceNames": names.split()} if names else {})


def binding(name, to, group, namespace=None, kind="Group"):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
            "metadata": {"name": name} | ({"namespace": namespace} if namespace else {}),
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": to},
            "subjects": [{"kind": kind, "name": group, "apiGroup": "rbac.authorization.k8s.io"}]}


objects = [("/api/v1/namespaces", {"metadata": {"name": name}}) for name in "ab"]
objects += [("/api/v1/namespaces/a/serviceaccounts", {"metadata": {"name": name}}) for name in ("robot", "other")]
objects += [("/api/v1/namespaces/a/secrets", {"metadata": {"name": "bound"}}), ("/api/v1/nodes", {"metadata": {"name": "n1"}})]
for name, account in ("p", "robot"), ("q", "other"):
    objects.append(("/api/v1/namespaces/a/pods", {
        "metadata": {"name": name},
        "spec": {"serviceAccountName": account, "nodeName": "n1", "automountServiceAccountToken": False,
                 "containers": [{"name": "c", "image": "x"}]}}))
for made in (
        role("actor", rule("impersonate", "", "users", "bob system:anonymous system:node:n1"), rule("impersonate", "", "groups", "crew"),
             rule("impersonate", "authentication.k8s.io", "userextras/scopes", "view"),
             rule("impersonate", "authentication.k8s.io", "uids", "42")),
        role("account-actor", rule("impersonate", "", "serviceaccounts")),
        role("constrained", rule("impersonate:user-info", "authentication.k8s.io", "users groups uids userextras/acme.io/k"),
             rule("impersonate:arbitrary-node", "authentication.k8s.io", "nodes", "n1"),
             rule("impersonate:serviceaccount", "authentication.k8s.io", "serviceaccounts", "robot"),
             rule("impersonate-on:user-info:create impersonate-on:arbitrary-node:create impersonate-on:serviceaccount:create",
                  "authentication.k8s.io", "selfsubjectreviews")),
        role("map-reader", rule("get list", "", "configmaps")),
        binding("actors", "actor", "actors"), binding("account-actors", "account-actor", "account-actors", "a"),
        binding("constrained", "constrained", "constrained"), binding("readers", "map-reader", "crew", "a"),
        binding("bob", "map-reader", "bob", "a", "User"), binding("gone", "no-such-role", "actors")):
    plural = made["kind"].lower() + "s"
    namespace = made["metadata"].get("namespace")
    objects.append((RBAC + (f"/namespaces/{namespace}/" if namespace else "/") + plural, made))

cases, only_statuses = [], set()


def case(groups, method, path, body=None, headers=(), only_status=False):
    cases.append({"user": f"u{len(cases)}", "groups": list(groups), "method": method, "path": path,
                  "headers": [list(header) for header in headers]} | ({"body": body} if body is not None else {}))
    if only_status:  # the rest of the answer is another one each time, or tells how the server is built
        only_statuses.add(len(cases) - 1)


def named(name=None, groups=(), uid=None, extra=()):
    headers = [("Impersonate-User", name)] if name is not None else []
    headers += [("Impersonate-Group", group) for group in groups]
    headers += [("Impersonate-Uid", uid)] if uid else []
    return headers + [("Impersonate-Extra-" + key, value) for key, value in extra]


wanted = [
    named("bob"), named("eve"), named("bob", ["crew"]), named("bob", ["crew", "system:masters"]), named("bob", ["other"]),
    named("bob", ["system:authenticated"]), named("bob", ["system:unauthenticated"]), named("bob", uid="42"), named("bob", uid="43"),
    named("bob", extra=[("scopes", "view")]), named("bob", extra=[("Scopes", "view"), ("scopes", "edit")]),
    named("bob", extra=[("acme.io%2Fk", "v")]), named("bob", extra=[("acme.io%2Fk", "")]),
    named("bob", ["crew"], "42", [("scopes", "view")]),
    named("system:anonymous"), named("system:anonymous", ["crew"]), named("system:serviceaccount:a:robot"),
    named("system:serviceaccount:b:robot"), named("system:serviceaccount:a:robot", ["crew"]), named("system:serviceaccount:a:other"),
    named("system:serviceaccount:robot"), named("system:node:n1"), named("system:node:n2"), named("system:node:n1", ["system:nodes"]),
    named("system:masters"), named("with \"quotes\""),
]
for groups, headers in itertools.product(([], ["actors"], ["account-actors"], ["constrained"], ["actors", "account-actors"],
                                          ["system:masters"]), wanted):
    case(groups, "POST", SELF, {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}, headers)
for groups, headers, path in itertools.product((["actors"], ["constrained"], ["system:masters"], []),
                                               (named("bob"), named("bob", ["crew"]), named("eve"), named("system:node:n1")),
                                               ("/api/v1/namespaces/a/configmaps", "/api/v1/configmaps", "/api/v1/nodes/n1", "/logs",
                                                "/apis/example.com/v1/widgets")):
    case(groups, "GET", path, headers=headers)
for headers in named(groups=["crew"]), named(uid="42"), named(extra=[("scopes", "view"), ("scopes", "b")]), \
        named(groups=["a", "b\"c"], uid="4", extra=[("z", "1"), ("a%2Fb", "2")]):
    case(["system:masters"], "GET", "/api/v1/namespaces", headers=headers)

chosen = random.Random(1)
users = [("bob", []), ("ann", ["actors"]), ("root", ["system:masters"]), ("system:serviceaccount:a:robot", ["account-actors"]),
         ("", ["crew"])]
for _ in range(60):
    user, groups = chosen.choice(users)
    spec = {"user": user, "groups": groups}
    if chosen.random() < 0.2:
        spec["nonResourceAttributes"] = {"path": chosen.choice(["/healthz", "/logs", "/api"]), "verb": "get"}
    else:
        spec["resourceAttributes"] = {"verb": chosen.choice(["get", "list", "impersonate", "delete"]), "group": "", "version": "v1",
                                      "resource": chosen.choice(["configmaps", "users", "groups", "serviceaccounts"]),
                                      "namespace": chosen.choice(["a", "a", "b", ""]), "name": chosen.choice(["", "bob", "crew"])}
    kind = chosen.choice(["SubjectAccessReview", "LocalSubjectAccessReview", "SelfSubjectAccessReview"])
    local = kind.startswith("Local")
    if kind.startswith("Self"):
        spec.pop("user"), spec.pop("groups")
    path = AUTHORIZATION + ("/namespaces/a" if local else "") + "/" + kind.lower() + "s"
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec}
    if local and chosen.random() < 0.5:
        body["metadata"] = {"namespace": chosen.choice(["a", "a", "b"])}
    case(["system:masters"] if not kind.startswith("Self") else chosen.choice([["crew"], ["actors"], []]), "POST", path, body)
resource = {"verb": "get", "resource": "pods"}
for spec in ({}, {"user": "bob"}, {"resourceAttributes": resource},
             {"user": "bob", "resourceAttributes": resource, "nonResourceAttributes": {}},
             {"user": "bob", "resourceAttributes": resource | {"fieldSelector": {}}},
             {"user": "bob", "resourceAttributes": resource | {"labelSelector": {"rawSelector": "a=b", "requirements": [
                 {"key": "a", "operator": "Exists"}]}}},
             {"user": "bob", "resourceAttributes": resource | {"labelSelector": {"rawSelector": "a in (", }}},
             {"user": "bob", "uid": "7", "extra": {"k": ["v", "w"]}, "nonResourceAttributes": {"path": "/api", "verb": "get"}}):
    case(["system:masters"], "POST", AUTHORIZATION + "/subjectaccessreviews", {"spec": spec})
case(["system:masters"], "POST", AUTHORIZATION + "/subjectaccessreviews",
     {"metadata": {"name": "x", "labels": {"a": "b"}}, "spec": {"user": "bob", "resourceAttributes": resource}}, only_status=True)
case([], "POST", AUTHORIZATION + "/subjectaccessreviews", {"spec": {"user": "bob", "resourceAttributes": resource}})
case([], "GET", AUTHORIZATION + "/subjectaccessreviews")
for groups, spec in ([], {"namespace": "a"}), (["actors"], {"namespace": "a"}), (["crew"], {"namespace": "a"}), \
        (["crew"], {"namespace": "b"}), (["system:masters"], {"namespace": "a"}), ([], {}):
    case(groups, "POST", AUTHORIZATION + "/selfsubjectrulesreviews", {"spec": spec})
for spec in {}, {"token": "none"}, {"token": "a.b.c", "audiences": ["x"]}:
    case(["system:masters"], "POST", AUTHENTICATION + "/tokenreviews", {"spec": spec})
case([], "POST", AUTHENTICATION + "/tokenreviews", {"spec": {"token": "x"}})

for spec in (
        {}, {"expirationSeconds": 600}, {"expirationSeconds": 599}, {"expirationSeconds": 2 ** 32}, {"expirationSeconds": 2 ** 32 + 1},
        {"audiences": ["one", "two"]}, {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "p"}},
        {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "q"}},
        {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "none"}},
        {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "p", "uid": "other"}},
        {"boundObjectRef": {"kind": "Secret", "apiVersion": "v1", "name": "bound"}},
        {"boundObjectRef": {"kind": "Node", "apiVersion": "v1", "name": "n1"}},
        {"boundObjectRef": {"kind": "ConfigMap", "apiVersion": "v1", "name": "m"}},
        {"boundObjectRef": {"kind": "Deployment", "apiVersion": "apps/v1", "name": "m"}}):
    case(["system:masters"], "POST", ACCOUNT, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})
for metadata in {"name": "other"}, {"namespace": "b"}, {"uid": "other"}, {"name": "robot", "namespace": "a"}:
    case(["system:masters"], "POST", ACCOUNT, {"metadata": metadata, "spec": {}}, only_status="uid" in metadata)
case(["system:masters"], "POST", ACCOUNT.replace("robot", "none"), {"spec": {}})
case(["system:masters"], "POST", ACCOUNT, {"apiVersion": "v1", "kind": "TokenRequest", "spec": {}}, only_status=True)
case(["system:masters"], "GET", ACCOUNT, only_status=True)
case([], "POST", ACCOUNT, {"spec": {}})

if sys.argv[1] == "--tokens":
    print('root-token,root,root,"system:masters"')
    for one in cases:
        print(f'{one["user"]}-token,{one["user"]},uid,"{",".join(one["groups"])}"')
    sys.exit()

connection = http.client.HTTPSConnection(sys.argv[1].removeprefix("https://"), context=ssl._create_unverified_context())


def send(method, path, token, body=None, headers=()):
    """The reply's status and JSON."""
    text = json.dumps(body).encode() if body is not None else b""
    connection.putrequest(method, path)
    for name, value in [("Authorization", "Bearer " + token), ("Content-Type", "application/json"), ("Content-Length", str(len(text))),
                        *headers]:
        connection.putheader(name, value)
    connection.endheaders(text)
    reply = connection.getresponse()
    read = reply.read()
    try:
        return reply.status, json.loads(read)
    except ValueError:
        return reply.status, read.decode()


for path, body in objects:
    status, reply = send("POST", path, "root-token", body)
    assert status in (201, 409), reply
for number, one in enumerate(cases):
    status, reply = send(one["method"], one["path"], one["user"] + "-token", one.get("body"), one["headers"])
    one["status"] = status
    # What is another one each time, and what answers to other questions say.
    if number not in only_statuses and isinstance(reply, dict) and (status >= 400 or one["method"] == "POST"):
        reply.get("metadata", {}).pop("managedFields", None)
        for name in "creationTimestamp", "uid", "resourceVersion":
            reply.get("metadata", {}).pop(name, None)
        if isinstance(reply.get("status"), dict):
            for name in "token", "expirationTimestamp":
                reply["status"].pop(name, None)
        one["answer"] = reply

print('{"objects": [\n' + ",\n".join(json.dumps({"path": path, "body": body}) for path, body in objects) + '\n],\n"cases": [\n' +
      ",\n".join(map(json.dumps, cases)) + "\n]}")
