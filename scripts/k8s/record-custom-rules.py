#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real API server makes of custom resources and of what is asked about the server itself:

    record-custom-rules.py --tokens >tokens.csv     # for kube-apiserver --token-auth-file=tokens.csv
    record-custom-rules.py URL >tests/apiserver/data/custom_rules.json

The server should be a fresh one of the release that is embedded.
"""
import sys

from recording import record, step, step_of_text

DEFINITIONS, FOOS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "/apis/example.com/v1/namespaces/default/foos"


def definition(formats):
    """With fields of these formats, as (type, format)."""
    fields = {f"f{number}": {"type": kind, "format": form} for number, (kind, form) in enumerate(formats)}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "foos.example.com"}, "spec": {
        "group": "example.com", "scope": "Namespaced", "names": {"plural": "foos", "kind": "Foo"}, "versions": [{
            "name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
            "selectableFields": [{"jsonPath": ".spec.co-l"}, {"jsonPath": ".spec.n"}],
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": fields | {
                    "n": {"type": "integer"}, "i": {"type": "integer", "format": "int32"}, "f": {"type": "number"},
                    "s": {"x-kubernetes-int-or-string": True}, "co-l": {"type": "string"}, "e": {"type": "integer", "enum": [5, 1]},
                    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}},
                "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}}]}}


# Formats.
KNOWN = [("string", one) for one in ("date-time", "datetime", "duration", "uuid", "byte", "ipv4", "cidr", "uri", "date", "hostname", "mac",
                                     "email", "password", "bsonobjectid", "isbn13", "creditcard", "hexcolor", "ssn", "rgbcolor",
                                     "k8s-short-name",
                                     "k8s-long-name", "uuid4", "ipv6", "isbn", "isbn10", "uuid3", "uuid5")] + [
    ("integer", "int32"), ("integer", "int64"), ("number", "float"), ("number", "double")]
step("POST", DEFINITIONS + "?dryRun=All", definition(KNOWN), ["metadata.name"])
step("POST", DEFINITIONS + "?dryRun=All", definition([("string", "nonsense")]), ["metadata.name"])
step("POST", DEFINITIONS + "?dryRun=All", definition([("integer", "uint8")]), ["metadata.name"])
step("POST", DEFINITIONS + "?dryRun=All", definition([("number", "int32")]), ["metadata.name"])
step("POST", DEFINITIONS + "?dryRun=All", definition([("boolean", "byte")]), ["metadata.name"])
step("POST", DEFINITIONS, definition([("string", "nonsense")]), ["metadata.name"])
step("PATCH", DEFINITIONS + "/foos.example.com", {"metadata": {"labels": {"a": "b"}}}, ["metadata.labels"])
changed = definition([("string", "nonsense"), ("string", "other")])["spec"]["versions"]
step("PATCH", DEFINITIONS + "/foos.example.com", {"spec": {"versions": changed}}, ["metadata.name"])

# Numbers. Python would write them in its own way.
for number, text in enumerate((
        '{"n":5.0}', '{"n":5e0}', '{"n":1e3}', '{"n":5.5}', '{"n":9007199254740993.0}', '{"n":-0.0}', '{"i":5.0}', '{"f":5.0}', '{"f":5}',
        '{"f":1e2}', '{"f":0.5}', '{"f":1e21}', '{"f":1e-7}', '{"f":123456789012345678}', '{"s":5.0}', '{"f":1.50}',
        '{"any":{"x":5.0,"y":[1.0,2.5,1e2,1e21,{"z":3.0}]}}', '{"e":5.0}', '{"e":4.0}')):
    step_of_text(FOOS, '{"apiVersion":"example.com/v1","kind":"Foo","metadata":{"name":"number-%d"},"spec":%s}' % (number, text),
                 "application/json")
step("PATCH", FOOS + "/number-0", {"spec": {"n": 6.0, "f": 7.0}}, ["spec"])
step("GET", FOOS + "/number-0", show=["spec"])


def foo(name, spec=None, **metadata):
    step("POST", FOOS, {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": name} | metadata, "spec": spec or {}},
         ["spec", "metadata.finalizers"])


# Selectable fields.
foo("red", {"co-l": "red", "n": 3})
foo("blue", {"co-l": "blue", "n": 3})
for selector in "spec.co-l%3Dred", "spec.co-l!%3Dred,spec.n%3D3", "spec%5B'co-l'%5D%3Dred", "spec.any%3Dx":
    step("GET", f"{FOOS}?fieldSelector={selector}", show=["names"])

# Finalizers and owners.
foo("finalizers", finalizers=["bare", "with.dots", "example.com/f", "orphan", "kubernetes"])
foo("finalizers-wrong", finalizers=["a b"])
step("PATCH", FOOS + "/finalizers", {"metadata": {"labels": {"a": "b"}}}, ["metadata.labels"])
step("PATCH", FOOS + "/finalizers", {"metadata": {"finalizers": ["bare", "more"]}}, ["metadata.finalizers"])
OWNER = {"apiVersion": "v1", "kind": "Pod", "uid": "8e6ba6d5-1c7c-4f6e-9d0e-9b2ad3a0c1d2", "controller": True}
foo("owners", ownerReferences=[OWNER | {"name": "a"}, OWNER | {"name": "b"}])

# Bodies that are not taken.
for media_type in "text/plain", "application/xml":
    step_of_text("/api/v1/namespaces/default/configmaps", "a: b", media_type)

# The server itself.
for path in ("/livez/ping", "/readyz/ping", "/healthz/ping", "/readyz/etcd", "/healthz/etcd", "/livez/etcd", "/readyz/log",
             "/readyz/nothing",
             "/readyz/informer-sync", "/livez/informer-sync", "/readyz/shutdown"):
    step("GET", path)
step("GET", "/api", show=["kind", "versions"])

if sys.argv[1] == "--tokens":
    print('root-token,root,root,"system:masters"')
    sys.exit()
record(sys.argv[1])
