#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real API server says of CustomResourceDefinitions: record-definitions.py URL TOKEN

Writes the lines of tests/apiserver/data/definitions.jsonl to stdout: a definition, and the reply to its dry-run creation,
or to the dry-run update of another definition by it.
"""

import copy
import http.client
import json
import ssl
import sys
import time

url, token = sys.argv[1:]
PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
connection = http.client.HTTPSConnection(url.removeprefix("https://"), context=ssl._create_unverified_context())


def call(method, path, body=None):
    connection.request(
        method,
        path,
        None if body is None else json.dumps(body),
        {"Authorization": "Bearer " + token, "Content-Type": "application/json"},
    )
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


def base():
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {
                "plural": "widgets",
                "singular": "widget",
                "kind": "Widget",
                "listKind": "WidgetList",
                "shortNames": ["wd"],
            },
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "properties": {
                                "spec": {
                                    "type": "object",
                                    "properties": {
                                        "replicas": {"type": "integer"},
                                        "color": {"type": "string"},
                                        "on": {"type": "boolean"},
                                        "list": {"type": "array", "items": {"type": "string"}},
                                        "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                                    },
                                },
                                "status": {
                                    "type": "object",
                                    "properties": {"replicas": {"type": "integer"}, "selector": {"type": "string"}},
                                },
                            },
                        }
                    },
                }
            ],
        },
    }


GONE = "(gone)"


def changed(document, *changes):
    for path, value in changes:
        at = document
        parts = path.split("/")
        for part in parts[:-1]:
            at = at[int(part)] if isinstance(at, list) else at.setdefault(part, {})
        last = parts[-1]
        if isinstance(at, list):
            if last == "+":
                at.append(value)
            elif value == GONE:
                del at[int(last)]
            else:
                at[int(last)] = value
        elif value == GONE:
            at.pop(last, None)
        else:
            at[last] = value
    return document


V = "spec/versions/0/"
SECOND = dict(copy.deepcopy(base()["spec"]["versions"][0]), name="v2", storage=False)
HOOK = {
    "strategy": "Webhook",
    "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://example.com/convert"}},
}


def hook(*changes):
    return [("spec/conversion", changed(copy.deepcopy(HOOK), *changes))]


def column(**members):
    return [(V + "additionalPrinterColumns", [{"name": "Color", "type": "string", "jsonPath": ".spec.color"} | members])]


creations = {
    "plain": [],
    "singular and list kind by default": [
        ("spec/names/singular", GONE),
        ("spec/names/listKind", GONE),
        ("spec/names/shortNames", GONE),
    ],
    "name is not plural.group": [("metadata/name", "gadgets.example.com")],
    "no name": [("metadata/name", GONE)],
    "name is no DNS name": [("metadata/name", "Widgets.example.com")],
    "no group": [("spec/group", GONE)],
    "empty group": [("spec/group", "")],
    "group without a dot": [("spec/group", "example"), ("metadata/name", "widgets.example")],
    "group of upper case": [("spec/group", "Example.com"), ("metadata/name", "widgets.Example.com")],
    "protected group": [("spec/group", "x.k8s.io"), ("metadata/name", "widgets.x.k8s.io")],
    "protected group, approved": [
        ("spec/group", "x.k8s.io"),
        ("metadata/name", "widgets.x.k8s.io"),
        ("metadata/annotations", {"api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1"}),
    ],
    "protected group, unapproved": [
        ("spec/group", "x.k8s.io"),
        ("metadata/name", "widgets.x.k8s.io"),
        ("metadata/annotations", {"api-approved.kubernetes.io": "unapproved, later"}),
    ],
    "protected group, approval is no URL": [
        ("spec/group", "x.kubernetes.io"),
        ("metadata/name", "widgets.x.kubernetes.io"),
        ("metadata/annotations", {"api-approved.kubernetes.io": "yes"}),
    ],
    "no scope": [("spec/scope", GONE)],
    "wrong scope": [("spec/scope", "Planet")],
    "no names": [("spec/names", {})],
    "no plural": [("spec/names/plural", "")],
    "plural of upper case": [("spec/names/plural", "Widgets")],
    "singular of upper case": [("spec/names/singular", "Widget")],
    "kind is no label": [("spec/names/kind", "Wid_get")],
    "kind equals list kind": [("spec/names/listKind", "Widget")],
    "list kind is no label": [("spec/names/listKind", "Widget List")],
    "short names": [("spec/names/shortNames", ["Wd", "w d", "wd", "wd"])],
    "categories": [("spec/names/categories", ["All", "all", "x y"])],
    "no versions": [("spec/versions", [])],
    "versions missing": [("spec/versions", GONE)],
    "no storage version": [(V + "storage", False)],
    "two storage versions": [("spec/versions/+", dict(SECOND, storage=True))],
    "version twice": [("spec/versions/+", dict(SECOND, name="v1"))],
    "version is no label": [(V + "name", "V1")],
    "version with a dot": [(V + "name", "v1.2")],
    "version without a name": [(V + "name", "")],
    "none served": [(V + "served", False)],
    "no schema": [(V + "schema", GONE)],
    "empty schema": [(V + "schema", {})],
    "schema is not structural": [(V + "schema/openAPIV3Schema/properties/spec/properties/x", {"description": "x"})],
    "schema root is no object": [(V + "schema/openAPIV3Schema", {"type": "string"})],
    "schema without a type": [(V + "schema/openAPIV3Schema/type", GONE)],
    "metadata in the schema": [
        (V + "schema/openAPIV3Schema/properties/metadata", {"type": "object", "properties": {"labels": {"type": "object"}}})
    ],
    "metadata name in the schema": [
        (
            V + "schema/openAPIV3Schema/properties/metadata",
            {"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}}},
        )
    ],
    "preserveUnknownFields": [("spec/preserveUnknownFields", True)],
    "deprecation warning without deprecated": [(V + "deprecationWarning", "do not")],
    "deprecation warning": [(V + "deprecated", True), (V + "deprecationWarning", "do not")],
    "empty deprecation warning": [(V + "deprecated", True), (V + "deprecationWarning", "")],
    "long deprecation warning": [(V + "deprecated", True), (V + "deprecationWarning", "x" * 257)],
    "deprecation warning with a newline": [(V + "deprecated", True), (V + "deprecationWarning", "a\nb")],
    "unknown strategy": [("spec/conversion", {"strategy": "Magic"})],
    "no strategy": [("spec/conversion", {"strategy": ""})],
    "None with a webhook": [("spec/conversion", {"strategy": "None", "webhook": HOOK["webhook"]})],
    "webhook strategy without a webhook": [("spec/conversion", {"strategy": "Webhook"})],
    "webhook": hook(),
    "webhook without a config": hook(("webhook/clientConfig", GONE)),
    "webhook without review versions": hook(("webhook/conversionReviewVersions", [])),
    "webhook with unknown review versions": hook(("webhook/conversionReviewVersions", ["v9", "v1", "v1"])),
    "webhook with unknown review versions only": hook(("webhook/conversionReviewVersions", ["v9"])),
    "webhook with a malformed review version": hook(("webhook/conversionReviewVersions", ["v1", "V.1"])),
    "webhook with url and service": hook(("webhook/clientConfig/service", {"name": "a", "namespace": "b"})),
    "webhook with neither": hook(("webhook/clientConfig", {})),
    "webhook by http": hook(("webhook/clientConfig/url", "http://example.com/")),
    "webhook with userinfo": hook(("webhook/clientConfig/url", "https://a:b@example.com/")),
    "webhook with fragment": hook(("webhook/clientConfig/url", "https://example.com/#x")),
    "webhook with query": hook(("webhook/clientConfig/url", "https://example.com/?x")),
    "webhook without a host": hook(("webhook/clientConfig/url", "https:///x")),
    "webhook url that is none": hook(("webhook/clientConfig/url", "https://[::1")),
    "webhook service": hook(("webhook/clientConfig", {"service": {"name": "a", "namespace": "b"}})),
    "webhook service without names": hook(("webhook/clientConfig", {"service": {"name": "", "namespace": ""}})),
    "webhook service with a path": hook(("webhook/clientConfig", {"service": {"name": "a", "namespace": "b", "path": "x/y"}})),
    "webhook service with an empty step": hook(
        ("webhook/clientConfig", {"service": {"name": "a", "namespace": "b", "path": "/x//y"}})
    ),
    "webhook service with a step that is no name": hook(
        ("webhook/clientConfig", {"service": {"name": "a", "namespace": "b", "path": "/x_/y"}})
    ),
    "webhook service with a port": hook(("webhook/clientConfig", {"service": {"name": "a", "namespace": "b", "port": 70000}})),
    "webhook ca bundle": hook(("webhook/clientConfig/caBundle", "Y2E=")),
    "column": column(),
    "column without a name": column(name=""),
    "column without a path": column(jsonPath=""),
    "column path without a dot": column(jsonPath="spec.color"),
    "column path with a filter": column(jsonPath='.status.conditions[?(@.type=="Ready")].status'),
    "column path that is none": column(jsonPath=".spec[0"),
    "column of an unknown type": column(type="text"),
    "column without a type": column(type=""),
    "column of an unknown format": column(format="hex"),
    "column of a known format": column(type="integer", format="int32", priority=1, description="x"),
    "columns twice": [
        (
            V + "additionalPrinterColumns",
            [{"name": "A", "type": "string", "jsonPath": ".a"}, {"name": "A", "type": "string", "jsonPath": ".b"}],
        )
    ],
    "status": [(V + "subresources", {"status": {}})],
    "scale": [
        (
            V + "subresources",
            {
                "scale": {
                    "specReplicasPath": ".spec.replicas",
                    "statusReplicasPath": ".status.replicas",
                    "labelSelectorPath": ".status.selector",
                }
            },
        )
    ],
    "scale without paths": [(V + "subresources", {"scale": {"specReplicasPath": "", "statusReplicasPath": ""}})],
    "scale with wrong paths": [
        (
            V + "subresources",
            {"scale": {"specReplicasPath": ".status.x", "statusReplicasPath": ".spec.x", "labelSelectorPath": ".x"}},
        )
    ],
    "scale with list paths": [
        (
            V + "subresources",
            {"scale": {"specReplicasPath": ".spec.x[0]", "statusReplicasPath": "status", "labelSelectorPath": "spec"}},
        )
    ],
    "scale path of a wrong type": [
        (
            V + "subresources",
            {
                "scale": {
                    "specReplicasPath": ".spec.color",
                    "statusReplicasPath": ".status.none",
                    "labelSelectorPath": ".spec.sel",
                }
            },
        )
    ],
    "subresources empty": [(V + "subresources", {})],
    "selectable fields": [
        (V + "selectableFields", [{"jsonPath": ".spec.color"}, {"jsonPath": ".spec.replicas"}, {"jsonPath": ".spec.on"}])
    ],
    "selectable field twice": [(V + "selectableFields", [{"jsonPath": ".spec.color"}, {"jsonPath": ".spec.color"}])],
    "selectable field of the metadata": [(V + "selectableFields", [{"jsonPath": ".metadata.labels.x"}])],
    "selectable field that is a list": [(V + "selectableFields", [{"jsonPath": ".spec.list"}])],
    "selectable field in an open object": [(V + "selectableFields", [{"jsonPath": ".spec.open.x"}])],
    "selectable field that does not exist": [(V + "selectableFields", [{"jsonPath": ".spec.none"}])],
    "selectable field of an item": [(V + "selectableFields", [{"jsonPath": ".spec.list[0]"}])],
    "selectable field without a path": [(V + "selectableFields", [{"jsonPath": ""}])],
    "selectable field in brackets": [(V + "selectableFields", [{"jsonPath": ".spec['color']"}])],
    "selectable field after one that is none, in brackets": [(V + "selectableFields", [{"jsonPath": ".spec.none['color']"}])],
    "selectable field with a dot at its end": [(V + "selectableFields", [{"jsonPath": ".spec.color."}])],
    "selectable field with a bracket at its end": [(V + "selectableFields", [{"jsonPath": ".spec.color]"}])],
    "selectable field with two dots": [(V + "selectableFields", [{"jsonPath": ".spec..color"}])],
    "selectable field with a space": [(V + "selectableFields", [{"jsonPath": ".spec.the color"}])],
    "selectable field without a dot": [(V + "selectableFields", [{"jsonPath": "spec.color"}])],
    "too many selectable fields": [(V + "selectableFields", [{"jsonPath": ".spec.f%d" % i} for i in range(9)])]
    + [(V + "schema/openAPIV3Schema/properties/spec/properties/f%d" % i, {"type": "string"}) for i in range(9)],
    "two versions": [("spec/versions/+", SECOND)],
    "errors in the second version": [("spec/versions/+", dict(SECOND, name="v 2", subresources={"scale": {}}))],
    "unknown field": [("spec/x", 1)],
    "wrong type": [(V + "served", "yes")],
    "names of other resources": [("spec/names/plural", "widgets"), ("spec/names/categories", ["all"])],
    "a status that is given": [
        ("status", {"storedVersions": ["v9"], "conditions": [], "acceptedNames": {"plural": "x", "kind": "Y"}})
    ],
    "many things at once": [("spec/scope", "x"), ("spec/group", ""), ("spec/names/kind", ""), (V + "name", "")],
}
updates = {
    "nothing": [],
    "scope": [("spec/scope", "Cluster")],
    "group": [("spec/group", "example.org")],
    "plural": [("spec/names/plural", "wadgets")],
    "kind": [("spec/names/kind", "Wadget")],
    "singular": [("spec/names/singular", "wadget")],
    "version added": [("spec/versions/+", SECOND)],
    "version that stores removed": [(V + "name", "v3")],
    "schema no longer structural": [(V + "schema/openAPIV3Schema/properties/spec/properties/x", {"description": "x"})],
    "column broken": column(jsonPath="x"),
    "labels": [("metadata/labels", {"a": "b"})],
}


def shown(status, reply):
    if reply.get("kind") == "Status":
        return {
            "code": status,
            "reason": reply["reason"],
            "message": reply["message"],
            "causes": reply.get("details", {}).get("causes", []),
        }
    return {"code": status, "spec": reply["spec"], "status": reply["status"]}


for name, changes in creations.items():
    document = changed(base(), *copy.deepcopy(changes))
    status, reply = call("POST", PATH + "?dryRun=All", document)
    print(json.dumps({"create": name, "definition": document, "answer": shown(status, reply)}))
status, live = call("POST", PATH, base())
assert status in (201, 409), live

for _ in range(50):
    status, live = call("GET", PATH + "/widgets.example.com")
    if len(live["status"]["conditions"] or []) > 1:
        break
    time.sleep(0.1)
for name, changes in updates.items():
    document = changed(copy.deepcopy(live), *copy.deepcopy(changes))
    status, reply = call("PUT", PATH + "/widgets.example.com?dryRun=All", document)
    print(json.dumps({"update": name, "from": live, "definition": document, "answer": shown(status, reply)}))
call("DELETE", PATH + "/widgets.example.com")
