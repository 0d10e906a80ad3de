#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a real API server makes of x-kubernetes-validations: record-rules.py URL TOKEN

Writes the lines of tests/validation_rules/data/rules.jsonl to stdout: a schema, the reply to the definition that has it, and the
replies to objects: new ones, and updates of one object by another.
"""

import http.client
import json
import ssl
import sys
import time

url, token = sys.argv[1:]
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
connection = http.client.HTTPSConnection(url.removeprefix("https://"), context=ssl._create_unverified_context())


def call(method, path, body=None):
    connection.request(
        method,
        path,
        None if body is None else json.dumps(body),
        {"Authorization": "Bearer " + token, "Content-Type": "application/json"},
    )
    reply = connection.getresponse()
    text = reply.read()
    # What is not served yet is answered by a page of text.
    return reply.status, json.loads(text) if text.startswith(b"{") else {"kind": "Status", "message": text.decode()}


def shown(status, reply):
    if reply.get("kind") == "Status" and status >= 300:
        return {"code": status, "message": reply["message"], "causes": (reply.get("details") or {}).get("causes", [])}
    return {"code": status}


def string(**more):
    return {"type": "string"} | more


def integer(**more):
    return {"type": "integer"} | more


def array(items, **more):
    return {"type": "array", "items": items} | more


def mapping(values, **more):
    return {"type": "object", "additionalProperties": values} | more


def struct(properties, *rules, **more):
    made = {"type": "object", "properties": properties} | more
    return ruled(made, *rules) if rules else made


def ruled(schema, *rules):
    return schema | {"x-kubernetes-validations": [{"rule": r} if isinstance(r, str) else r for r in rules]}


def rule(text, **more):
    return {"rule": text} | more


A = string(maxLength=20)
KEYED = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
# Name: schema of spec, new objects (their spec), updates (old and new spec).
cases = {
    # What is wrong with expressions.
    "syntax error": (ruled(struct({"a": A}), "self.a =="), [], []),
    "unknown field": (ruled(struct({"a": A}), "self.b == ''"), [], []),
    "unknown name": (ruled(struct({"a": A}), "other == ''"), [], []),
    "several errors": (ruled(struct({"a": A}), "self.b == '' && self.c == '' &&\n  size(self.a) > 'x'"), [], []),
    "several lines": (ruled(struct({"a": A}), rule("self.a == ''\n|| self.nothing == 'x'", message="m")), [], []),
    "wrong types": (ruled(struct({"a": A, "n": integer()}), "self.a == self.n"), [], []),
    "no bool": (ruled(struct({"a": A}), "self.a"), [], []),
    "dyn is no bool": (ruled(struct({"x": {"x-kubernetes-int-or-string": True}}), "self.x"), [], []),
    "wide characters": (ruled(struct({"a": A}), "self.a == 'äöü' && self.ü == 'x'"), [], []),
    "two rules, both wrong": (ruled(struct({"a": A}), "self.b == ''", "self.c"), [], []),
    "rule with everything": (
        ruled(
            struct({"a": A}),
            rule("self.b > 1 && '<' == '&'", message="m", messageExpression="'x'", reason="FieldValueRequired", fieldPath=".a"),
        ),
        [],
        [],
    ),
    "messageExpression wrong": (ruled(struct({"a": A}), rule("self.a != ''", messageExpression="self.b")), [], []),
    "messageExpression of a wrong type": (ruled(struct({"a": A}), rule("self.a != ''", messageExpression="1 + 1")), [], []),
    "field path of nothing": (ruled(struct({"a": A}), rule("self.a != ''", fieldPath=".b")), [], []),
    "field path that is none": (ruled(struct({"a": A}), rule("self.a != ''", fieldPath="a")), [], []),
    "oldSelf in a list": (struct({"l": array(ruled(A, "self == oldSelf"), maxItems=5)}), [], []),
    "oldSelf in a set": (
        struct({"l": array(ruled(A, "self == oldSelf"), maxItems=5, **{"x-kubernetes-list-type": "set"})}),
        [],
        [],
    ),
    "oldSelf deep in a list": (struct({"l": array(struct({"m": ruled(A, "self == oldSelf")}), maxItems=5)}), [], []),
    "optionalOldSelf without oldSelf": (ruled(struct({"a": A}), rule("self.a != ''", optionalOldSelf=True)), [], []),
    "a default that breaks a rule": (struct({"a": ruled(string(default="x", maxLength=5), "self == 'y'")}), [], []),
    # What expressions cost.
    "an expensive rule": (ruled(struct({"l": array(string())}), "self.l.all(x, self.l.all(y, x == y))"), [], []),
    "a rule in an unbounded list": (
        struct({"l": array(struct({"s": ruled(string(), "self.matches('a.*b.*c') && self.contains('x')")}))}),
        [],
        [],
    ),
    "an expensive message": (
        ruled(struct({"l": array(string())}), rule("size(self.l) < 5", messageExpression="self.l.map(x, x + 'a').join(',')")),
        [],
        [],
    ),
    "message with the size": (
        ruled(struct({"l": array(A, maxItems=10)}), rule("size(self.l) < 5", messageExpression="'items: ' + string(size(self.l))")),
        [],
        [],
    ),
    "many rules together": (
        struct({"f%d" % i: ruled(array(string(maxLength=400), maxItems=2000), "self.all(x, x.contains('abc'))") for i in range(20)}),
        [],
        [],
    ),
    "maps": (struct({"m": ruled(mapping(string()), "self.all(k, k.startsWith('a') && self[k] != '')")}), [], []),
    "costs of numbers": (struct({"l": ruled(array(integer()), "self.all(x, x > 0 && x < 10)")}), [], []),
    "costs of equal objects": (
        ruled(struct({"a": struct({"x": string()}), "b": struct({"x": string()})}), "self.a.x == self.b.x"),
        [],
        [],
    ),
    "costs of enums": (
        struct({"l": ruled(array(string(enum=["aa", "bbbb"]), maxItems=1000), "self.all(x, self.exists(y, y == x))")}),
        [],
        [],
    ),
    "costs of times": (
        struct({"l": ruled(array(string(format="date-time"), maxItems=100), "self.all(x, x > timestamp('2020-01-01T00:00:00Z'))")}),
        [],
        [],
    ),
    "costs of required fields": (
        struct(
            {
                "l": array(
                    ruled(struct({"name": string(), "count": integer()}, required=["name", "count"]), "self.name.size() > self.count")
                )
            }
        ),
        [],
        [],
    ),
    # What rules say of objects.
    "one rule": (ruled(struct({"a": A}), "self.a == 'x'"), [{"a": "x"}, {"a": "y"}, {}], []),
    "message": (ruled(struct({"a": A}), rule("self.a == 'x'", message=" it is not x ")), [{"a": "y"}, {}], []),
    "rule on a scalar": (struct({"n": ruled(integer(), "self > 5")}), [{"n": 6}, {"n": 3}], []),
    "rule on a string": (struct({"a": ruled(A, "self.startsWith('x')")}), [{"a": "xa"}, {"a": "\"a"}], []),
    "rule on a list": (struct({"l": ruled(array(A, maxItems=9), "self.size() > 1")}), [{"l": ["a"]}, {"l": ["a", "b"]}], []),
    "rule on items": (struct({"l": array(ruled(A, "self != 'x'"), maxItems=9)}), [{"l": ["a", "x", "b", "x"]}], []),
    "rule on values": (struct({"m": mapping(ruled(integer(), "self > 0"), maxProperties=9)}), [{"m": {"a.b": 0}}, {"m": {"a": 1}}], []),
    "messageExpression": (
        ruled(
            struct({"a": A}),
            rule("self.a == 'x'", message="m", messageExpression="'it is ' + self.a"),
            rule("self.a == 'x'", message="m", messageExpression="self.a == 'e' ? '' : 'two\\nlines'"),
            rule("self.a == 'x'", message="m", messageExpression="' ' + string(1 / (size(self.a) - 1)) + ' '"),
        ),
        [{"a": "x"}, {"a": "y"}, {"a": "e"}, {"a": "yy"}],
        [],
    ),
    "reasons": (
        ruled(
            struct({"a": A, "n": ruled(integer(), rule("self > 5", reason="FieldValueDuplicate"))}),
            rule("self.a == 'x'", reason="FieldValueRequired"),
            rule("self.a == 'x'", reason="FieldValueForbidden"),
            rule("self.a == 'x'", reason="FieldValueInvalid"),
            rule("self.a == 'x'", reason="FieldValueDuplicate"),
        ),
        [{"a": "y", "n": 1}],
        [],
    ),
    "field paths": (
        ruled(
            struct({"a": A, "b.c": A, "m": mapping(A, maxProperties=5), "s": struct({"t": A})}),
            rule("self.a == 'x'", fieldPath=".a"),
            rule("self.a == 'x'", fieldPath=".s.t"),
            rule("self.a == 'x'", fieldPath="['b.c']"),
            rule("self.a == 'x'", fieldPath=".m['k']"),
        ),
        [{"a": "y"}],
        [],
    ),
    "names": (
        ruled(
            struct({"namespace": A, "a-b": A, "c.d/e": A, "f__g": A, "if": A}),
            "self.__namespace__ == 'n' && self.a__dash__b == 'x'",
            "self.c__dot__d__slash__e == 'x' && self.f__underscores__g == 'x' && self.__if__ == 'x'",
        ),
        [{"namespace": "n", "a-b": "x", "c.d/e": "x", "f__g": "x", "if": "x"}, {"namespace": "m", "a-b": "x"}],
        [],
    ),
    "int or string": (
        ruled(
            struct({"p": {"x-kubernetes-int-or-string": True}}),
            "type(self.p) == int ? self.p < 10 : self.p.endsWith('%')",
            "self.p < 10",
        ),
        [{"p": 5}, {"p": 15}, {"p": "5%"}, {"p": "5"}],
        [],
    ),
    "formats": (
        ruled(
            struct(
                {
                    "t": string(format="date-time"),
                    "d": string(format="date"),
                    "u": string(format="duration"),
                    "b": string(format="byte"),
                }
            ),
            "self.t > timestamp('2020-01-01T00:00:00Z')",
            "self.d.getFullYear() > 2020",
            "self.u > duration('1m')",
            "self.b == b'hi'",
        ),
        [
            {"t": "2021-01-01T00:00:00Z", "d": "2021-02-03", "u": "2m", "b": "aGk="},
            {"t": "2019-01-01T00:00:00Z", "d": "2019-02-03", "u": "2s", "b": "aGg="},
        ],
        [],
    ),
    "nullable": (
        ruled(struct({"a": ruled(A | {"nullable": True}, "self == 'x'")}), "!has(self.a) || self.a != 'y'"),
        [{"a": None}, {"a": "x"}, {"a": "y"}],
        [],
    ),
    "errors of evaluation": (
        ruled(
            struct({"n": integer(), "l": array(A, maxItems=3), "m": mapping(A, maxProperties=3)}),
            "10 / self.n > 0",
            "self.l[2] == 'a'",
            "self.m['k'] == 'a'",
            rule("self.n + 9223372036854775807 > 0", message="m"),
        ),
        [{"n": 0, "l": ["a"], "m": {"x": "y"}}, {"n": 1, "l": [], "m": {}}],
        [],
    ),
    "beside problems of the schema": (
        ruled(struct({"a": A, "n": integer(minimum=3)}, required=["a"]), "self.n > 5"),
        [{"n": 1}, {"a": "x", "n": 1}, {"a": "x" * 30, "n": 9}, {"a": 5, "n": 9}],
        [],
    ),
    "budget of one call": (
        struct({"l": ruled(array(integer(), maxItems=500), "self.all(x, self.all(y, x + y + x + y + x + y >= 0))")}),
        [{"l": list(range(400))}],
        [],
    ),
    "embedded": (
        struct(
            {
                "e": ruled(
                    {
                        "type": "object",
                        "x-kubernetes-embedded-resource": True,
                        "x-kubernetes-preserve-unknown-fields": True,
                    },
                    "self.metadata.name == 'x' && self.kind == 'K'",
                )
            }
        ),
        [
            {"e": {"apiVersion": "v1", "kind": "K", "metadata": {"name": "x"}}},
            {"e": {"apiVersion": "v1", "kind": "K", "metadata": {"name": "y"}}},
        ],
        [],
    ),
    # Changes.
    "immutable": (
        struct({"a": ruled(A, rule("self == oldSelf", message="it is immutable"))}),
        [{"a": "x"}],
        [({"a": "x"}, {"a": "y"}), ({"a": "x"}, {"a": "x"}), ({}, {"a": "x"}), ({"a": "x"}, {})],
    ),
    "optional oldSelf": (
        struct({"n": ruled(integer(), rule("oldSelf.hasValue() ? self >= oldSelf.value() : self > 5", optionalOldSelf=True))}),
        [{"n": 6}, {"n": 3}],
        [({"n": 6}, {"n": 5}), ({"n": 6}, {"n": 7}), ({}, {"n": 3})],
    ),
    "oldSelf in a list that is a map": (
        struct({"l": array(ruled(struct({"name": A, "v": A}, required=["name"]), "self.v == oldSelf.v"), maxItems=5, **KEYED)}),
        [],
        [
            ({"l": [{"name": "a", "v": "1"}, {"name": "b", "v": "2"}]}, {"l": [{"name": "b", "v": "2"}, {"name": "a", "v": "1"}]}),
            ({"l": [{"name": "a", "v": "1"}, {"name": "b", "v": "2"}]}, {"l": [{"name": "b", "v": "1"}, {"name": "c", "v": "9"}]}),
        ],
    ),
    "oldSelf in a map": (
        struct({"m": mapping(ruled(A, "self == oldSelf"), maxProperties=5)}),
        [],
        [({"m": {"a": "1", "b": "2"}}, {"m": {"a": "2", "c": "3"}})],
    ),
}
# Objects that were stored before their rule: schema before, schema after, updates.
later = {
    "unchanged": (
        struct({"a": A, "b": A}),
        struct({"a": ruled(A, "self == 'x'"), "b": A}),
        [({"a": "y", "b": "1"}, {"a": "y", "b": "2"}), ({"a": "y", "b": "1"}, {"a": "z", "b": "1"})],
    ),
    "unchanged around": (
        struct({"s": struct({"a": A}), "b": A}),
        struct({"s": ruled(struct({"a": A}), "self.a == 'x'"), "b": A}),
        [({"s": {"a": "y"}, "b": "1"}, {"s": {"a": "y"}, "b": "2"}), ({"s": {"a": "y"}, "b": "1"}, {"s": {"a": "z"}, "b": "1"})],
    ),
    "in an atomic list": (
        struct({"l": array(A, maxItems=5), "b": A}),
        struct({"l": array(ruled(A, "self == 'x'"), maxItems=5), "b": A}),
        [({"l": ["y"], "b": "1"}, {"l": ["y"], "b": "2"}), ({"l": ["y"]}, {"l": ["y", "x"]})],
    ),
    "in a list that is a map": (
        struct({"l": array(struct({"name": A, "v": A}, required=["name"]), maxItems=5, **KEYED)}),
        struct({"l": array(struct({"name": A, "v": ruled(A, "self == 'x'")}, required=["name"]), maxItems=5, **KEYED)}),
        [
            ({"l": [{"name": "a", "v": "y"}]}, {"l": [{"name": "b", "v": "x"}, {"name": "a", "v": "y"}]}),
            ({"l": [{"name": "a", "v": "y"}]}, {"l": [{"name": "b", "v": "y"}, {"name": "a", "v": "y"}]}),
        ],
    ),
    "with oldSelf": (
        struct({"a": A, "b": A}),
        struct({"a": ruled(A, "self == 'x' || oldSelf == 'never'"), "b": A}),
        [({"a": "y", "b": "1"}, {"a": "y", "b": "2"})],
    ),
}

# By the whole object.
roots = {
    "name": (["self.metadata.name != 'forbidden'", "self.kind == 'Thing' && self.apiVersion != ''"], ["fine", "forbidden"]),
    "generateName": (["self.metadata.name.startsWith('fi') || has(self.metadata.generateName)"], ["fine", "other"]),
    "labels cannot be seen": (["self.metadata.labels.size() > 0"], []),
}

number = 0


def names():
    global number
    number += 1
    return "things%d" % number


def define(spec, *rules):
    plural = names()
    schema = struct({"spec": spec}, *rules)
    kind = "Thing"
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": plural + ".rules%d.example.com" % number},
        "spec": {
            "group": "rules%d.example.com" % number,
            "scope": "Cluster",
            "names": {"plural": plural, "kind": kind},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    status, reply = call("POST", DEFINITIONS, definition)
    answer = shown(status, reply)
    path = "/apis/%s/v1/%s" % (definition["spec"]["group"], plural)
    if status == 201:
        for _ in range(200):
            status, live = call("GET", path)
            if status == 200:
                break
            time.sleep(0.05)
        else:
            raise SystemExit("not served: " + path)
    return definition, schema, path, answer


def thing(definition, spec, name="a"):
    return {"apiVersion": definition["spec"]["group"] + "/v1", "kind": "Thing", "metadata": {"name": name}, "spec": spec}


def update(path, old, new):
    status, live = call("POST", path, old)
    assert status == 201, live
    new = dict(new, metadata=live["metadata"])
    return live, new


for name, (spec, creations, updates) in cases.items():
    definition, schema, path, answer = define(spec)
    line = {"case": name, "schema": schema, "definition": answer, "creations": [], "updates": []}
    if answer["code"] == 201:
        for one in creations:
            document = thing(definition, one)
            answer = shown(*call("POST", path + "?dryRun=All", document))
            line["creations"].append({"object": document, "answer": answer})
        for before, after in updates:
            live, new = update(path, thing(definition, before), thing(definition, after))
            answer = shown(*call("PUT", path + "/a?dryRun=All", new))
            line["updates"].append({"from": live, "object": new, "answer": answer})
            call("DELETE", path + "/a")
        call("DELETE", DEFINITIONS + "/" + definition["metadata"]["name"])
    print(json.dumps(line))

for name, (before, after, updates) in later.items():
    definition, schema, path, answer = define(before)
    assert answer["code"] == 201, answer
    prepared = []
    line = {"case": "later: " + name, "schema": struct({"spec": after}), "definition": {"code": 201}, "creations": [], "updates": []}
    for i, (old, new) in enumerate(updates):
        prepared.append(update(path, thing(definition, old, "a%d" % i), thing(definition, new, "a%d" % i)))
    status, live = call("GET", DEFINITIONS + "/" + definition["metadata"]["name"])
    live["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = struct({"spec": after})
    status, reply = call("PUT", DEFINITIONS + "/" + definition["metadata"]["name"], live)
    assert status == 200, reply
    time.sleep(6)  # for the new schema to be in force
    for i, (old, new) in enumerate(prepared):
        answer = shown(*call("PUT", path + "/a%d?dryRun=All" % i, new))
        line["updates"].append({"from": old, "object": new, "answer": answer})
    call("DELETE", DEFINITIONS + "/" + definition["metadata"]["name"])
    print(json.dumps(line))

for name, (rules, objects) in roots.items():
    definition, schema, path, answer = define(struct({"a": A}), *rules)
    line = {"case": "root: " + name, "schema": schema, "definition": answer, "creations": [], "updates": []}
    for one in objects:
        document = thing(definition, {}, one)
        line["creations"].append({"object": document, "answer": shown(*call("POST", path + "?dryRun=All", document))})
    print(json.dumps(line))
    call("DELETE", DEFINITIONS + "/" + definition["metadata"]["name"])
