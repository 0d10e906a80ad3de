# SPDX-License-Identifier: Apache-2.0
"""What must be true of every status that a controller of Gateway API writes, and that the official suite does not check.

The rules are those of GEP-1364, of the API's own documentation and of the API conventions of Kubernetes for conditions.
"""

import datetime
import re

CONTROLLER, DOMAIN = "fairway.dev/gateway", "fairway.dev"
# What has such statuses.
KINDS = [kind + ".gateway.networking.k8s.io" for kind in
         ("gatewayclasses", "gateways", "listenersets", "httproutes", "grpcroutes", "tlsroutes", "tcproutes", "udproutes",
          "backendtlspolicies")]
# There from the first status on: GEP-1364 wants positive conditions always.
ALWAYS = {
    "GatewayClass": {"Accepted"},
    "Gateway": {"Accepted", "ResolvedRefs", "Programmed"},
    "ListenerSet": {"Accepted", "Programmed"},
    "listener": {"Accepted", "ResolvedRefs", "Programmed"},
    "parent": {"Accepted", "ResolvedRefs"},
    "ancestor": {"Accepted", "ResolvedRefs"},
}
# There only while they are True: GEP-1364 on negative conditions.
NEGATIVE = {"Conflicted", "OverlappingTLSConfig", "PartiallyInvalid", "InsecureFrontendValidationMode"}
REASON = re.compile(r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")
# Deprecated ones, on request only, and the status that they have to have beside Accepted.
DEPRECATED = {"Scheduled": {"True": "True", "False": "False", "Unknown": "Unknown"},
              "Detached": {"True": "False", "False": "True", "Unknown": "Unknown"}}
# How long a generation may go without a status of it, and a transition be written before it is seen.
PATIENCE = 60


def is_of_the_definition(condition) -> bool:
    """A default that the CRD has for objects which no controller has seen yet."""
    return condition.get("lastTransitionTime") == "1970-01-01T00:00:00Z" and condition.get("status") == "Unknown" \
        and "observedGeneration" not in condition


def parent_name(reference, namespace) -> tuple:
    """A reference with the API's defaults, to compare it."""
    return (reference.get("group", "gateway.networking.k8s.io"), reference.get("kind", "Gateway"),
            reference.get("namespace", namespace), reference.get("name"), reference.get("sectionName"), reference.get("port"))


def is_of_another(condition) -> bool:
    """Whether it has the domain of another controller, which writes it beside ours: we have to leave it as it is."""
    domain, slash, _ = str(condition.get("type")).partition("/")
    return bool(slash) and domain != DOMAIN


def owners(thing):
    """(level, path, conditions) of everything of an object that has conditions of this controller."""
    for level, path, conditions in written(thing):
        yield level, path, [one for one in conditions if not is_of_another(one)]


def written(thing):
    """The same with the conditions of others."""
    status, kind = thing.get("status", {}), thing["kind"]
    if kind in ("GatewayClass", "Gateway", "ListenerSet"):
        if status.get("conditions") or status.get("listeners"):
            yield kind, "status", status.get("conditions", [])
        for one in status.get("listeners", []):
            yield "listener", f"status.listeners[{one['name']}]", one.get("conditions", [])
        return
    namespace = thing["metadata"]["namespace"]
    for level, entries, reference in (("parent", "parents", "parentRef"), ("ancestor", "ancestors", "ancestorRef")):
        for one in status.get(entries, []):
            if one.get("controllerName") == CONTROLLER:
                name = "/".join(str(part) for part in parent_name(one[reference], namespace)[2:] if part is not None)
                yield level, f"status.{entries}[{name}]", one.get("conditions", [])


def seconds(text) -> float:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Judge:
    """Sees each version of each object in its order, and collects what is wrong with them."""

    def __init__(self):
        self.findings = []
        self.judged = 0
        self.objects = set()
        self._before = {}
        self._behind = {}
        self._classes = set()

    def see(self, event, at) -> None:
        """An event of a watch, {type, object}, that came at the time `at`, in seconds."""
        thing = event["object"]
        key = thing["metadata"]["uid"]
        self._name = f"{thing['kind']} {thing['metadata'].get('namespace', '')}/{thing['metadata']['name']}"
        if event["type"] == "DELETED":
            if thing["kind"] == "GatewayClass":
                self._classes.discard(thing["metadata"]["name"])
            self._before.pop(key, None)
            self._behind.pop(key, None)
            return
        now = {}
        for level, path, conditions in owners(thing):
            if conditions and all(is_of_the_definition(one) for one in conditions):
                continue
            if path in now:
                self._find(f"{path} is there twice")
            self._judge_list(level, path, conditions, thing["metadata"].get("generation", 1))
            now[path] = {one["type"]: one for one in conditions if "type" in one}
        if now:
            self.judged += 1
            self.objects.add(key)
        self._judge_change(self._before.get(key, {}), now, at)
        self._judge_leftovers(thing, now)
        self._judge_delay(key, thing, now, at)
        self._before[key] = now

    def end(self, at) -> None:
        """No more events come."""
        for name, generation, since in self._behind.values():
            if at - since > PATIENCE:
                self._find(f"its generation {generation} has no status since {at - since:.0f} s", name)

    def _find(self, what, name=None) -> None:
        self.findings.append(f"{name or self._name}: {what}")

    def _judge_list(self, level, path, conditions, generation) -> None:
        types = [one.get("type") for one in conditions]
        for name in sorted({str(one) for one in types if types.count(one) > 1}):
            self._find(f"{path} has {name} more than once")
        for name in sorted(ALWAYS[level] - set(types)):
            self._find(f"{path} has no {name}")
        for one in conditions:
            name = f"{path} {one.get('type')}"
            if one.get("status") not in ("True", "False", "Unknown"):
                self._find(f"{name} has the status {one.get('status')!r}")
            if not REASON.match(one.get("reason", "")):
                self._find(f"{name} has the reason {one.get('reason')!r}")
            if not one.get("lastTransitionTime"):
                self._find(f"{name} has no lastTransitionTime")
            if "observedGeneration" not in one:
                self._find(f"{name} has no observedGeneration")
            elif one["observedGeneration"] > generation:
                self._find(f"{name} has observed generation {one['observedGeneration']} of an object of generation {generation}")
            if (one.get("type") in NEGATIVE or "/" in str(one.get("type"))) and one.get("status") != "True":
                self._find(f"{name} is {one.get('status')}: it is to be there only while it is True")
        self._judge_contradictions(path, {one.get("type"): one.get("status") for one in conditions})

    def _judge_contradictions(self, path, status) -> None:
        if status.get("Programmed") == "True" and status.get("Accepted") != "True":
            self._find(f"{path} is Programmed, and Accepted is {status.get('Accepted')}")
        if status.get("Ready") == "True" and status.get("Programmed") != "True":
            self._find(f"{path} is Ready, and Programmed is {status.get('Programmed')}")
        if status.get("Conflicted") == "True" and status.get("Accepted") != "False":
            self._find(f"{path} is Conflicted, and Accepted is {status.get('Accepted')}")
        for name, wanted in DEPRECATED.items():
            if name in status and status[name] != wanted.get(status.get("Accepted")):
                self._find(f"{path} has {name}={status[name]}, and Accepted is {status.get('Accepted')}")
        if status.get("PartiallyInvalid") == "True" and status.get("Accepted") != "True":
            self._find(f"{path} is PartiallyInvalid, and Accepted is {status.get('Accepted')}")

    def _judge_change(self, before, now, at) -> None:
        for path, conditions in now.items():
            for name, one in conditions.items():
                old = before.get(path, {}).get(name)
                if old is None or not one.get("lastTransitionTime") or not old.get("lastTransitionTime"):
                    continue
                change = f"{path} {name} went from {old['status']} ({old['lastTransitionTime']}) to {one['status']} " \
                         f"({one['lastTransitionTime']})"
                if one["status"] == old["status"] and one["lastTransitionTime"] != old["lastTransitionTime"]:
                    self._find(f"{change}: its time has changed without its status")
                if seconds(one["lastTransitionTime"]) < seconds(old["lastTransitionTime"]):
                    self._find(f"{change}: its time has gone back")
                # Twice within a second it changes at the same time.
                if one["status"] != old["status"] and at - seconds(one["lastTransitionTime"]) > PATIENCE:
                    self._find(f"{change}, {at - seconds(one['lastTransitionTime']):.0f} s later: its time is that of another change")
                if one.get("observedGeneration", 0) < old.get("observedGeneration", 0):
                    self._find(f"{path} {name} had observed generation {old['observedGeneration']}, "
                               f"and now {one.get('observedGeneration')}")

    def _judge_leftovers(self, thing, now) -> None:
        """What a status of this generation must not have any more."""
        generation = thing["metadata"].get("generation", 1)
        if not any(one.get("observedGeneration") == generation for conditions in now.values() for one in conditions.values()):
            return
        for path, conditions in now.items():
            for name, one in conditions.items():
                if one.get("observedGeneration", generation) < generation:
                    self._find(f"{path} {name} is left over from generation {one['observedGeneration']}, "
                               f"and others are of {generation}")
        spec = thing.get("spec", {})
        if thing["kind"] in ("Gateway", "ListenerSet"):
            wanted, there = [one["name"] for one in spec.get("listeners", [])], \
                [one["name"] for one in thing.get("status", {}).get("listeners", [])]
            if sorted(wanted) != sorted(there):
                self._find(f"its status has the listeners {there}, and its spec {wanted}")
        if "parentRefs" in spec:
            namespace = thing["metadata"]["namespace"]
            wanted = {parent_name(one, namespace) for one in spec["parentRefs"]}
            for one in thing.get("status", {}).get("parents", []):
                if one.get("controllerName") == CONTROLLER and parent_name(one["parentRef"], namespace) not in wanted:
                    self._find(f"its status has a parent that its spec does not have: {one['parentRef']}")

    def _is_ours(self, thing) -> bool:
        """Whether it is for this controller to give it a status: what of that can be seen in the object alone, and in classes."""
        spec = thing.get("spec", {})
        if thing["kind"] == "GatewayClass":
            return spec.get("controllerName") == CONTROLLER
        return thing["kind"] == "Gateway" and spec.get("gatewayClassName") in self._classes

    def _judge_delay(self, key, thing, now, at) -> None:
        generation = thing["metadata"].get("generation", 1)
        if thing["kind"] == "GatewayClass" and self._is_ours(thing):
            self._classes.add(thing["metadata"]["name"])
        is_behind = any(one.get("observedGeneration", 0) < generation for conditions in now.values() for one in conditions.values())
        is_behind = is_behind or (not now and self._is_ours(thing))
        _, known, since = self._behind.get(key, (None, None, at))
        if known is not None and at - since > PATIENCE and is_behind:
            self._find(f"its generation {known} has no status since {at - since:.0f} s")
            since = at
        if is_behind:
            self._behind[key] = (self._name, generation, since)
        else:
            self._behind.pop(key, None)
