#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real API server makes of admission webhooks and policies: record-admission.py URL TOKEN

Writes the lines of tests/apiserver/data/admission.jsonl to stdout. A line is a case: what its webhooks answer, by the path of
their URL, and steps: a request, and its reply. "asked" is what the webhooks were asked in a step. WEBHOOK stands for the
address of the webhooks, CA_BUNDLE for their CA. Run it on a fresh server; it needs openssl.
"""

import base64
import http.client
import http.server
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading
import time

REGISTRATION = "/apis/admissionregistration.k8s.io/v1/"
MUTATING, VALIDATING = REGISTRATION + "mutatingwebhookconfigurations", REGISTRATION + "validatingwebhookconfigurations"
POLICIES, BINDINGS = REGISTRATION + "validatingadmissionpolicies", REGISTRATION + "validatingadmissionpolicybindings"
MAPS = "/api/v1/namespaces/adm/configmaps"


def config_map(name="m", **more):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "adm"} | more.pop("metadata", {})} | more


def rule(operations="CREATE", groups="", versions="v1", resources="configmaps", **more):
    return {"operations": operations.split(), "apiGroups": groups.split(",") if groups else [""], "apiVersions": versions.split(),
            "resources": resources.split()} | more


def webhook(path, *rules, name=None, **more):
    made = {"name": name or f"{path}.example.com", "clientConfig": {"url": f"https://WEBHOOK/{path}", "caBundle": "CA_BUNDLE"},
            "admissionReviewVersions": ["v1"], "sideEffects": "None", "rules": list(rules or [rule()])} | more
    return {key: value for key, value in made.items() if value is not None}


def configuration(kind, name, *webhooks):
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind + "WebhookConfiguration", "metadata": {"name": name},
            "webhooks": list(webhooks)}


def policy(*validations, name="p", **spec):
    more = {"matchConstraints": {"resourceRules": [rule("CREATE UPDATE")]}, "validations": list(validations)} | spec
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy", "metadata": {"name": name},
            "spec": {key: value for key, value in more.items() if value is not None}}


def binding(policy="p", actions="Deny", name="b", **spec):
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": name},
            "spec": {"policyName": policy, "validationActions": actions.split()} | spec}


def post(path, body, **more):
    return {"method": "POST", "path": path, "body": body} | more


def place(body):
    plurals = {"MutatingWebhookConfiguration": MUTATING, "ValidatingWebhookConfiguration": VALIDATING,
               "ValidatingAdmissionPolicy": POLICIES, "ValidatingAdmissionPolicyBinding": BINDINGS}
    return post(plurals[body["kind"]], body)


def patch(*operations):
    return {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(operations).encode()).decode()}


def label(key, value="x"):
    return {"op": "add", "path": "/metadata/labels/" + key, "value": value}


LABELLED = {"metadata": {"labels": {"from": "client"}}}
ALLOW, DENY = {"response": {"allowed": True}}, {"response": {"allowed": False}}
cases = []


def case(name, *steps, webhooks=None):
    cases.append({"name": name, "webhooks": webhooks or {}, "steps": list(steps)})


def validating(name, answer, *steps, only_code=False, **more):
    """One validating webhook, and the creation of a ConfigMap."""
    case(name, place(configuration("Validating", "v", webhook("v", **more))),
         *(steps or [post(MAPS, config_map(), **({"only_code": True} if only_code else {}))]), webhooks={"v": answer})


def mutating(name, answer, *steps, only_code=False, **more):
    case(name, place(configuration("Mutating", "m", webhook("m", **more))),
         *(steps or [post(MAPS, config_map(**LABELLED), **({"only_code": True} if only_code else {}))]), webhooks={"m": answer})


# Answers.
validating("allowed", ALLOW)
validating("denied", DENY)
for number, status in enumerate((
        {"message": "no"}, {"reason": "Conflict"}, {"message": "no", "reason": "Conflict", "code": 409}, {"code": 200, "message": "no"},
        {"status": "Success", "message": "no", "details": {"name": "n", "causes": [{"message": "why", "field": "data"}]}})):
    validating(f"denied with status {number}", {"response": {"allowed": False, "status": status}})
validating("allowed with a warning", {"response": {"allowed": True, "warnings": ["beware", "of \"this\""]}})
validating("denied with a warning", {"response": {"allowed": False, "warnings": ["beware"]}})
validating("audit annotations", {"response": {"allowed": True, "auditAnnotations": {"k": "v"}}})
validating("no response", {"raw": '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}'})
validating("another uid", {"response": {"allowed": True, "uid": "other"}}, only_code=True)
validating("garbage", {"raw": "garbage"}, only_code=True)
validating("another version", {"raw": '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","response":{"allowed":true}}'},
           only_code=True)
validating("a patch of a validating webhook", {"response": {"allowed": True} | patch(label("a"))})
validating("status 500", {"status": 500, "raw": "oh"})
validating("status 404", {"status": 404, "raw": "oh"})
validating("slow", {"delay": 4, "response": {"allowed": True}}, timeoutSeconds=1)
validating("slow, ignored", {"delay": 4, "response": {"allowed": True}}, timeoutSeconds=1, failurePolicy="Ignore")
validating("garbage, ignored", {"raw": "garbage"}, failurePolicy="Ignore")
validating("denied, whatever the policy of failures", DENY, failurePolicy="Ignore")
validating("v1beta1", {"version": "v1beta1", "response": {"allowed": False, "status": {"message": "old"}}},
           admissionReviewVersions=["v1beta1", "v1"])
mutating("mutated", {"response": {"allowed": True} | patch(label("a"))})
mutating("an empty patch", {"response": {"allowed": True} | patch()})
mutating("a patch without a type", {"response": {"allowed": True, "patch": patch(label("a"))["patch"]}})
mutating("a type without a patch", {"response": {"allowed": True, "patchType": "JSONPatch"}})
mutating("another type of patch", {"response": {"allowed": True} | patch(label("a")) | {"patchType": "Other"}})
mutating("a patch that does not apply", {"response": {"allowed": True} | patch({"op": "test", "path": "/data/x", "value": "y"})},
         only_code=True)
mutating("a patch that breaks the object", {"response": {"allowed": True} | patch({"op": "replace", "path": "/metadata", "value": 1})},
         only_code=True)
mutating("a patch to an invalid object", {"response": {"allowed": True} | patch({"op": "add", "path": "/data", "value": {"a b": ""}})})
mutating("a patch that denies", {"response": {"allowed": False} | patch(label("a"))})
mutating("a patch of a new name", {"response": {"allowed": True} | patch({"op": "replace", "path": "/metadata/name", "value": "n"})},
         post(MAPS, config_map(**LABELLED)), {"method": "GET", "path": MAPS + "/n"})
mutating("a patch of another namespace", {"response": {"allowed": True} |
                                          patch({"op": "replace", "path": "/metadata/namespace", "value": "kube-system"})})

# Order.
case("the order of mutating webhooks",
     place(configuration("Mutating", "b", webhook("b1"), webhook("b2"))), place(configuration("Mutating", "a", webhook("a"))),
     place(configuration("Validating", "v", webhook("v"))), post(MAPS, config_map(**LABELLED)),
     webhooks={"v": ALLOW} | {name: {"response": {"allowed": True} | patch(label(name))} for name in ("a", "b1", "b2")})
case("asked again", place(configuration("Mutating", "a", webhook("a1", reinvocationPolicy="IfNeeded"), webhook("a2"))),
     place(configuration("Mutating", "b", webhook("b", reinvocationPolicy="IfNeeded"), webhook("c", reinvocationPolicy="IfNeeded"))),
     post(MAPS, config_map(**LABELLED)),
     webhooks={"a1": ALLOW, "a2": ALLOW, "b": {"response": {"allowed": True} | patch(label("b"))}, "c": ALLOW})
case("not asked again without a change", place(configuration("Mutating", "a", webhook("a", reinvocationPolicy="IfNeeded"), webhook("b"))),
     post(MAPS, config_map(**LABELLED)), webhooks={"a": ALLOW, "b": {"response": {"allowed": True} | patch(label("from", "client"))}})
case("a mutating webhook denies", place(configuration("Mutating", "a", webhook("a"), webhook("b"))), post(MAPS, config_map()),
     webhooks={"a": DENY, "b": ALLOW})

# What is asked.
EVERYTHING = rule("*", "*", "*", "*/*")
IN_NAMESPACE = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "adm"}}}
MERGE, APPLY = {"type": "application/merge-patch+json"}, {"type": "application/apply-patch+yaml"}


def asked_of(name, *steps, kind="Validating", **more):
    case(name, place(configuration(kind, "v", webhook("v", **({"rules": [EVERYTHING]} | IN_NAMESPACE | more)))), *steps,
         webhooks={"v": ALLOW})


DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {
    "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}},
                                                          "spec": {"containers": [{"name": "c", "image": "i"}]}}}}
DEPLOYMENTS = "/apis/apps/v1/namespaces/adm/deployments"
for kind in "Validating", "Mutating":
    asked_of(f"the life of an object, {kind}", post(MAPS + "?fieldManager=me", config_map(data={"a": "1"})),
             {"method": "PUT", "path": MAPS + "/m?fieldManager=me&fieldValidation=Strict", "body": config_map(data={"a": "2"})},
             {"method": "PATCH", "path": MAPS + "/m?dryRun=All", "body": {"data": {"a": "3"}}} | MERGE,
             {"method": "PATCH", "path": MAPS + "/m?fieldManager=you&force=true", "body": config_map(data={"a": "4"})} | APPLY,
             {"method": "PATCH", "path": MAPS + "/n?fieldManager=you", "body": config_map("n", data={"a": "4"})} | APPLY,
             {"method": "DELETE", "path": MAPS + "/m", "body": {"propagationPolicy": "Background", "gracePeriodSeconds": 0}},
             {"method": "DELETE", "path": MAPS + "?labelSelector=!none"}, kind=kind)
    asked_of(f"subresources, {kind}", post(DEPLOYMENTS, DEPLOYMENT),
             {"method": "PATCH", "path": DEPLOYMENTS + "/d/status", "body": {"status": {"replicas": 2}}} | MERGE,
             {"method": "PATCH", "path": DEPLOYMENTS + "/d/scale", "body": {"spec": {"replicas": 3}}} | MERGE, kind=kind)
asked_of("a generated name", post(MAPS, {"metadata": {"generateName": "g-"}}, random=True))
asked_of("a generated name, Mutating", post(MAPS, {"metadata": {"generateName": "g-"}}, random=True), kind="Mutating")
asked_of("a namespace", post("/api/v1/namespaces", {"metadata": {"name": "adm2"}}),
         {"method": "PATCH", "path": "/api/v1/namespaces/adm2", "body": {"metadata": {"labels": {"a": "b"}}}} | MERGE,
         rules=[rule("*", "", "v1", "namespaces")], namespaceSelector={"matchExpressions": [
             {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["adm2"]}]})
asked_of("cluster scope", post("/api/v1/namespaces", {"metadata": {"name": "adm3"}}), post(MAPS, config_map()),
         rules=[rule("CREATE", "", "v1", "namespaces configmaps", scope="Cluster")], namespaceSelector={"matchExpressions": [
             {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["adm", "adm3"]}]})
asked_of("namespaced scope", post("/api/v1/namespaces", {"metadata": {"name": "adm4"}}), post(MAPS, config_map()),
         rules=[rule("CREATE", "", "v1", "namespaces configmaps", scope="Namespaced")])
asked_of("an update that creates", {"method": "PUT", "path": "/apis/coordination.k8s.io/v1/namespaces/adm/leases/l", "body": {
    "metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}}})
asked_of("labels", post(MAPS, config_map()), post(MAPS, config_map("n", metadata={"labels": {"a": "b"}})),
         {"method": "PATCH", "path": MAPS + "/n", "body": {"metadata": {"labels": {"a": None}}}} | MERGE,
         {"method": "PATCH", "path": MAPS + "/n", "body": {"metadata": {"labels": {"c": "d"}}}} | MERGE,
         objectSelector={"matchLabels": {"a": "b"}})
EVENT = {"metadata": {"name": "e", "namespace": "adm"}, "involvedObject": {"namespace": "adm", "name": "x"}, "reason": "R",
    "message": "M",
         "type": "Normal"}
for match_policy in "Exact", "Equivalent":
    asked_of(f"another version, {match_policy}", post("/api/v1/namespaces/adm/events", EVENT),
             rules=[rule("CREATE", "events.k8s.io", "v1", "events")], matchPolicy=match_policy)
asked_of("its own configurations are exempt", place(configuration("Validating", "w", webhook("w", rule("DELETE", resources="nothing")))),
         rules=[EVERYTHING], namespaceSelector={})
asked_of("another namespace", post("/api/v1/namespaces/kube-system/configmaps", {"metadata": {"name": "x"}}))
asked_of("a namespace that is not there", post("/api/v1/namespaces/none/configmaps", {"metadata": {"name": "x"}}))

# Match conditions.
for number, (expression, more) in enumerate((
        ("object.metadata.name == 'm'", {}), ("object.metadata.name == 'n'", {}), ("object.data.x == 'y'", {}),
        ("object.data.x == 'y'", {"failurePolicy": "Ignore"}), ("oldObject == null && request.operation == 'CREATE'", {}),
        ("request.userInfo.username == 'admin' && 'system:masters' in request.userInfo.groups && !request.dryRun", {}),
        ("request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' && request.requestKind.version == 'v1'", {}),
        ("request.namespace == 'adm' && request.name == 'm'", {}), ("has(request.subResource)", {}), ("has(request.options)", {}),
        ("authorizer.group('').resource('pods').namespace('adm').check('create').allowed()", {}),
        ("authorizer.serviceAccount('adm', 'nobody').group('').resource('pods').check('create').allowed()", {}),
        ("authorizer.path('/healthz').check('get').allowed()", {}), ("authorizer.requestResource.check('create').allowed()", {}),
        ("authorizer.serviceAccount('adm', 'No').group('').resource('pods').check('create').allowed()", {}),
        ("authorizer.path(' ').check('get').allowed()", {}), ("namespaceObject.metadata.name == 'adm'", {}))):
    validating(f"a match condition {number}", DENY, matchConditions=[{"name": "c", "expression": expression}], **more)
validating("a match condition that is false beside an error", DENY,
           matchConditions=[{"name": "a", "expression": "object.data.x == 'y'"}, {"name": "b", "expression": "false"}])
validating("match conditions with errors", DENY, matchConditions=[{"name": "a", "expression": "object.data.x == 'y'"},
                                                                  {"name": "b", "expression": "object.data.z == 'y'"}])

# Policies.
YES, NO = config_map(data={"a": "yes"}), config_map("n", data={"a": "no"})
ASK = [post(MAPS, YES), post(MAPS, NO)]
RULE = "object.data.a == 'yes'"


def judged(name, *validations, steps=None, bindings=None, before=(), **spec):
    case(name, *before, place(policy(*validations, **spec)), *[place(one) for one in (bindings or [binding()])], *(steps or ASK))


judged("a policy", {"expression": RULE})
judged("a message", {"expression": RULE, "message": " say yes "})
judged("a message expression", {"expression": RULE, "message": "no", "messageExpression": "'not ' + object.data.a"})
judged("a message expression that fails", {"expression": RULE, "message": "no", "messageExpression": "'not ' + object.data.x"})
judged("a message expression of two lines", {"expression": RULE, "messageExpression": "'a\\nb'"})
for reason in "Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized":
    judged(f"a reason: {reason}", {"expression": RULE, "reason": reason})
judged("several validations", {"expression": "true"}, {"expression": RULE, "message": "first"}, {"expression": RULE, "message": "second"})
for failure in "Fail", "Ignore":
    judged(f"an error, {failure}", {"expression": "object.data.x == 'y'"}, failurePolicy=failure)
judged("an error before a denial, ignored", {"expression": "object.data.x == 'y'"}, {"expression": RULE}, failurePolicy="Ignore")
judged("warnings", {"expression": RULE, "message": "beware"}, bindings=[binding(actions="Warn")])
judged("audit", {"expression": RULE}, bindings=[binding(actions="Audit")])
judged("warnings and audit", {"expression": RULE}, bindings=[binding(actions="Warn Audit")])
judged("no binding", {"expression": RULE}, bindings=[binding("other")])
judged("variables", {"expression": "variables.b && variables.all.size() == 2"}, variables=[
    {"name": "a", "expression": "object.data.a"}, {"name": "b", "expression": "variables.a == 'yes'"},
    {"name": "all", "expression": "[variables.a, 'x']"}])
judged("a variable that fails", {"expression": "variables.a == 'y'"}, variables=[{"name": "a", "expression": "object.data.x"}])
judged("a variable that fails and is not needed", {"expression": RULE + " || variables.a == 'y'"},
       variables=[{"name": "a", "expression": "object.data.x"}])
judged("match conditions of a policy", {"expression": "false"}, matchConditions=[{"name": "no", "expression": "object.data.a == 'no'"}])
judged("match conditions of a policy that fail", {"expression": "false"}, matchConditions=[{"name": "no",
    "expression": "object.data.x == ''"}])
judged("match conditions with variables", {"expression": "false"}, variables=[{"name": "a", "expression": "object.data.a"}],
       matchConditions=[{"name": "no", "expression": "variables.a == 'no'"}])
judged("the namespace", {"expression": "namespaceObject.metadata.name == 'adm' && namespaceObject.metadata.labels['x'] == 'y'"})
judged("the namespace's status",
    {"expression": "namespaceObject.status.phase == 'Active' && namespaceObject.spec.finalizers.size() == 1"})
judged("rights",
    {"expression": "authorizer.group('apps').resource('deployments').subresource('scale').name('x').check('update').allowed()"},
       {"expression": "authorizer.serviceAccount('adm', 'x').requestResource.check('create').allowed()"}, steps=[])
judged("rights of others",
    {"expression": "authorizer.serviceAccount('adm', 'x').group('').resource('configmaps').check('get').allowed()"},
       {"expression": "authorizer.serviceAccount('adm', 'x').group('').resource('configmaps').check('get').reason() == ''"})
judged("updates", {"expression": "oldObject == null || object.data.a == oldObject.data.a"},
       steps=[post(MAPS, YES), {"method": "PUT", "path": MAPS + "/m", "body": config_map(data={"a": "no"})},
              {"method": "PATCH", "path": MAPS + "/m", "body": {"data": {"b": "no"}}} | MERGE,
              {"method": "PATCH", "path": MAPS + "/m?dryRun=All", "body": {"data": {"a": "no"}}} | MERGE])
judged("deletes", {"expression": "object == null && oldObject.data.a == 'no'", "message": "keep it"},
       steps=[*ASK, {"method": "DELETE", "path": MAPS + "/m"}, {"method": "DELETE", "path": MAPS + "/n"}],
       matchConstraints={"resourceRules": [rule("DELETE")]})
judged("names of resources", {"expression": "false"},
       matchConstraints={"resourceRules": [rule("CREATE", resourceNames=["n", "o"])]})
judged("excluded resources", {"expression": "false"}, matchConstraints={
    "resourceRules": [rule("CREATE")], "excludeResourceRules": [rule("*", resourceNames=["n"])]})
judged("a binding for some", {"expression": "false"}, bindings=[
    binding(matchResources={"objectSelector": {"matchLabels": {"a": "b"}}}),
    binding(name="c", matchResources={"resourceRules": [rule("CREATE", resourceNames=["n"])]})])
judged("a generated name and a policy", {"expression": "object.metadata.name.startsWith('g-') && object.metadata.name.size() == 7"},
       {"expression": "false"}, steps=[post(MAPS, {"metadata": {"generateName": "g-"}}, only_code=True)])
judged("the budget", {"expression": "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, "
                      "[1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a + b + c + d + e + f > 0"
                      "))))))"}, steps=[post(MAPS, YES)])
PARAM = [post(MAPS, config_map(name, data={"wanted": wanted}, metadata={"labels": {"param": wanted}}))
         for name, wanted in (("p-yes", "yes"), ("p-no", "no"))]
WITH = {"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}, "before": PARAM}
WANTED = {"expression": "object.data.a == params.data.wanted", "messageExpression": "'wanted ' + params.data.wanted"}


def with_params(**ref):
    return binding(paramRef={"parameterNotFoundAction": "Deny"} | ref)


judged("params by name", WANTED, bindings=[with_params(name="p-yes", namespace="adm")], **WITH)
judged("params of the same namespace", WANTED, bindings=[with_params(name="p-no")], **WITH)
judged("params by labels", WANTED, bindings=[with_params(selector={"matchLabels": {"param": "no"}})], **WITH)
judged("several params", WANTED, bindings=[with_params(selector={"matchExpressions": [{"key": "param", "operator": "Exists"}]})], **WITH)
judged("params that are not there", WANTED, bindings=[with_params(name="none")], **WITH)
judged("params that may be missing", WANTED, bindings=[with_params(name="none", parameterNotFoundAction="Allow")], **WITH)
judged("params that are not there, ignored", WANTED, bindings=[with_params(name="none")], failurePolicy="Ignore", **WITH)
judged("params that are not given", {"expression": "params == null && object.data.a == 'yes'"}, **WITH)
judged("params of the cluster", {"expression": "params.metadata.name == 'adm' && object.data.a == 'yes'"},
       bindings=[with_params(name="adm")], paramKind={"apiVersion": "v1", "kind": "Namespace"})
judged("params of the cluster with a namespace", {"expression": "true"}, bindings=[with_params(name="adm", namespace="adm")],
       paramKind={"apiVersion": "v1", "kind": "Namespace"})
judged("params of no namespace", {"expression": "true"}, bindings=[with_params(name="p-yes")], steps=[
    post("/api/v1/namespaces", {"metadata": {"name": "adm5"}}), post("/apis/storage.k8s.io/v1/storageclasses", {
        "metadata": {"name": "s"}, "provisioner": "x"})],
       matchConstraints={"resourceRules": [rule("CREATE", "storage.k8s.io", "v1", "storageclasses")]}, **WITH)
judged("params of an unknown kind", {"expression": "true"}, bindings=[with_params(name="x")],
       paramKind={"apiVersion": "example.com/v1", "kind": "None"})
case("two policies", place(policy({"expression": RULE, "message": "first"})), place(policy({"expression": RULE}, name="q")),
    place(binding()),
     place(binding("q", name="c", actions="Warn")), *ASK)
case("a policy before a webhook", place(policy({"expression": RULE})), place(binding()), place(configuration("Mutating", "m",
    webhook("m"))),
     place(configuration("Validating", "v", webhook("v"))), *ASK,
     webhooks={"v": ALLOW, "m": {"response": {"allowed": True} | patch({"op": "replace", "path": "/data/a", "value": "no"})}})

# What is wrong with configurations.
for number, more in enumerate((
        {"name": "short.name"}, {"name": "Upper.example.com"}, {"sideEffects": "Some"}, {"sideEffects": None}, {"timeoutSeconds": 0},
        {"timeoutSeconds": 31}, {"failurePolicy": "Maybe"}, {"matchPolicy": "Never"}, {"admissionReviewVersions": []},
        {"admissionReviewVersions": ["v2"]}, {"admissionReviewVersions": ["v1", "v1", "V"]}, {"clientConfig": {}},
        {"clientConfig": {"url": "http://a/b"}}, {"clientConfig": {"url": "https://u@a/b?c#d"}},
        {"clientConfig": {"service": {"name": "n", "namespace": ""}}}, {"clientConfig": {"service": {"name": "n", "namespace": "x",
            "port": 0}}},
        {"clientConfig": {"service": {"name": "n", "namespace": "x", "path": "//"}}},
        {"clientConfig": {"url": "https://a", "service": {"name": "n", "namespace": "x"}}},
        {"objectSelector": {"matchExpressions": [{"key": "a b", "operator": "In"}]}},
        {"namespaceSelector": {"matchExpressions": [{"key": "a", "operator": "Equal", "values": ["a b"]}]}},
        {"namespaceSelector": {"matchLabels": {"a": "b c"}}},
        {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]}},
        {"reinvocationPolicy": "Always"}, {"matchConditions": [{"name": "a", "expression": "object.x ="}]},
        {"matchConditions": [{"name": "a", "expression": "1 + 1"}, {"name": "a", "expression": "true"}]},
        {"matchConditions": [{"name": "a b", "expression": ""}]}, {"matchConditions": [{"name": "", "expression": "params.x"}]},
        {"matchConditions": [{"name": "a", "expression": "variables.x"}]}, {"matchConditions": [{"name": "a",
            "expression": "request.none == ''"}]},
        {"matchConditions": [{"name": str(i), "expression": "true"} for i in range(65)]},
        {"rules": [rule("CREATE *")]}, {"rules": [rule("create")]}, {"rules": [rule(groups="*,apps")]},
            {"rules": [rule(versions="* v1")]},
        {"rules": [rule(resources="*/* pods")]}, {"rules": [rule(resources="* pods")]}, {"rules": [rule(resources="pods/* pods/status")]},
        {"rules": [rule(resources="*/scale deployments/scale")]}, {"rules": [rule(scope="Everything")]},
        {"rules": [{"operations": [], "apiGroups": [], "apiVersions": [], "resources": []}]},
        {"rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": [""], "resources": [""]}]})):
    case(f"a wrong webhook {number}", place(configuration("Mutating", "m", webhook("m", **more))))
case("two webhooks with one name", place(configuration("Validating", "v", webhook("v"), webhook("v"))))
case("no webhooks", place(configuration("Validating", "v")))
for number, (validations, more) in enumerate((
        ([], {}), ([{"expression": ""}], {}), ([{"expression": "1"}], {}), ([{"expression": "object.x"}], {}),
            ([{"expression": "none == ''"}], {}),
        ([{"expression": "true", "message": " "}], {}), ([{"expression": "true", "message": "a\nb"}], {}),
        ([{"expression": "true", "messageExpression": " "}], {}), ([{"expression": "true", "messageExpression": "1"}], {}),
        ([{"expression": "true", "messageExpression": "string(authorizer)"}], {}), ([{"expression": "params.x == ''"}], {}),
        ([{"expression": "true"}], {"paramKind": {"apiVersion": "a/b/c", "kind": ""}}),
        ([{"expression": "true"}], {"paramKind": {"apiVersion": "", "kind": "9"}}),
        ([{"expression": "true"}], {"paramKind": {"apiVersion": "A/V", "kind": "K"}}),
        ([{"expression": "true"}], {"failurePolicy": "Maybe"}), ([{"expression": "true"}], {"matchConstraints": None}),
        ([{"expression": "true"}], {"matchConstraints": {}}),
        ([{"expression": "true"}], {"matchConstraints": {"resourceRules": [rule("CREATE", resourceNames=["a/b", "c", "c"])],
            "matchPolicy": "No"}}),
        ([{"expression": "variables.a"}], {"variables": [{"name": "a", "expression": "1"}]}),
        ([{"expression": "variables.b == 1"}], {"variables": [{"name": "a", "expression": "1"}]}),
        ([{"expression": "true"}], {"variables": [{"name": "1a", "expression": "x"}, {"name": "", "expression": ""}, {"name": "if",
            "expression": "1"}]}),
        ([{"expression": "variables.b"}], {"variables": [{"name": "a", "expression": "variables.b"}, {"name": "b",
            "expression": "true"}]}),
        ([], {"auditAnnotations": [{"key": "a", "valueExpression": "'x'"}, {"key": "a", "valueExpression": "1"}, {"key": "a b",
            "valueExpression": ""}]}),
        ([{"expression": "true", "reason": "Because"}], {}),
        ([{"expression": "authorizer.group('').check('x').allowed()"}], {}),
        ([{"expression": "true"}], {"matchConditions": [{"name": "a", "expression": "variables.x"}], "variables": [{"name": "x",
            "expression": "true"}]}))):
    case(f"a wrong policy {number}", place(policy(*validations, **more)))
for number, one in enumerate((
        binding(""), binding("a b"), binding(actions=""), binding(actions="Deny Warn"), binding(actions="Deny Deny Maybe"),
        binding(paramRef={}), binding(paramRef={"name": "a/b", "selector": {}, "parameterNotFoundAction": "Maybe"}),
        binding(paramRef={"name": "a"}), binding(matchResources={"matchPolicy": "No", "resourceRules": [rule("create")]}))):
    case(f"a wrong binding {number}", place(one))
case("an unchanged condition is tolerated", place(configuration("Validating", "v", webhook("v", rule("DELETE", resources="none")))),
     {"method": "PATCH", "path": VALIDATING + "/v", "body": {"webhooks": [webhook("v", name="short")]}} | MERGE)

# --- The recording.
url, token = sys.argv[1:]
asked, current = [], {}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        name, _, query = self.path.strip("/").partition("?")
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked.append({"webhook": name, "query": query, "request": review["request"]})
        answer = current.get(name, ALLOW)
        time.sleep(answer.get("delay", 0))
        text = answer.get("raw")
        if text is None:
            text = json.dumps({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/" + answer.get("version", "v1"),
                               "response": {"uid": review["request"]["uid"]} | answer["response"]})
        try:
            self.send_response(answer.get("status", 200))
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())
        except OSError:
            pass  # it has waited long enough

    def log_message(self, *_):
        pass


folder = tempfile.mkdtemp()
certificate, key = os.path.join(folder, "crt"), os.path.join(folder, "key")
subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj",
                "/CN=webhook", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
listener.socket = context.wrap_socket(listener.socket, server_side=True)
threading.Thread(target=listener.serve_forever, daemon=True).start()
address = f"127.0.0.1:{listener.server_address[1]}"
bundle = base64.b64encode(open(certificate, "rb").read()).decode()


def send(method, path, body=None, content_type="application/json"):
    connection = http.client.HTTPSConnection(url.removeprefix("https://"), context=ssl._create_unverified_context())
    text = None if body is None else json.dumps(body).replace("WEBHOOK", address).replace("CA_BUNDLE", bundle)
    connection.request(method, path, text, {"Authorization": "Bearer " + token, "Content-Type": content_type})
    reply = connection.getresponse()
    read = reply.read().decode().replace(address, "WEBHOOK").replace(bundle, "CA_BUNDLE")
    return reply.status, json.loads(read) if read.startswith("{") else {}, reply.headers.get_all("Warning") or []


def stripped(value):
    """Without what is another one each time, and without what is not about admission."""
    if not isinstance(value, dict):
        return value
    value = {member: inner for member, inner in value.items() if member not in ("spec", "status") or value.get("kind") == "Scale"}
    if isinstance(value.get("metadata"), dict):
        value["metadata"] = {member: inner for member, inner in value["metadata"].items() if member not in (
            "uid", "resourceVersion", "creationTimestamp", "managedFields", "generation")}
    return value


def shown_request(request, is_random):
    shown = {member: value for member, value in request.items() if member not in ("uid", "userInfo")}
    shown["user"] = request["userInfo"].get("username")
    for member in "object", "oldObject":
        value = request.get(member)
        if isinstance(value, dict):
            shown["has" + member[0].upper() + member[1:] + "Uid"] = "uid" in value.get("metadata", {})
        shown[member] = stripped(value)
    if is_random:
        shown["name"] = bool(request.get("name"))
        shown["object"]["metadata"].pop("name", None)
    return shown


def shown_reply(status, reply, warnings, step):
    shown = {"code": status}
    if warnings:
        shown["warnings"] = warnings
    if status >= 400 and not step.get("only_code"):
        shown |= {"message": reply.get("message"), "reason": reply.get("reason", ""), "details": reply.get("details", {})}
    if status < 300 and reply.get("kind") == "ConfigMap" and not step.get("random"):
        shown["object"] = stripped(reply)
    return shown


send("POST", "/api/v1/namespaces", {"metadata": {"name": "adm", "labels": {"x": "y"}}})
for number, one in enumerate(cases):
    current = one["webhooks"]
    for step in one["steps"]:
        is_configuration = step["path"].startswith(REGISTRATION)
        asked.clear()
        status, reply, warnings = send(step["method"], step["path"], step.get("body"), step.get("type", "application/json"))
        step["reply"] = shown_reply(status, reply, warnings, step)
        if asked:
            step["asked"] = [{"webhook": each["webhook"], "query": each["query"],
                              "request": shown_request(each["request"], step.get("random"))} for each in asked]
        if is_configuration and status < 300 and len(one["steps"]) > 1:
            time.sleep(1.2)  # until the server's watches have it
    for path in POLICIES, BINDINGS, MUTATING, VALIDATING:
        send("DELETE", path)
    if len(one["steps"]) > 1:
        time.sleep(1.2)
    for path in MAPS, DEPLOYMENTS, "/apis/coordination.k8s.io/v1/namespaces/adm/leases", "/api/v1/namespaces/adm/events":
        send("DELETE", path)
    for path in "/api/v1/namespaces/kube-system/configmaps/x", "/apis/storage.k8s.io/v1/storageclasses/s":
        send("DELETE", path)
    print(json.dumps(one), flush=True)
    print(f"{number + 1} of {len(cases)}: {one['name']}", file=sys.stderr)
