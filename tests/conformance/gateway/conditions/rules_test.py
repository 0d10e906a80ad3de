# SPDX-License-Identifier: Apache-2.0
"""Each rule finds the sequence that breaks it, and nothing else."""

import copy
import unittest

import rules

EARLY, LATE = "2026-01-01T00:00:00Z", "2026-01-01T00:00:09Z"


def condition(name, status="True", generation=1, at=EARLY, reason="Because"):
    return {"type": name, "status": status, "reason": reason, "message": "", "observedGeneration": generation,
            "lastTransitionTime": at}


def gateway(generation=1):
    three = [condition(name, generation=generation) for name in ("Accepted", "ResolvedRefs", "Programmed")]
    return {"kind": "Gateway", "metadata": {"uid": "g", "namespace": "shop", "name": "web", "generation": generation},
            "spec": {"listeners": [{"name": "http"}]},
            "status": {"conditions": three, "listeners": [{"name": "http", "conditions": copy.deepcopy(three)}]}}


def route():
    entry = {"controllerName": rules.CONTROLLER, "parentRef": {"name": "web"},
             "conditions": [condition("Accepted"), condition("ResolvedRefs")]}
    return {"kind": "HTTPRoute", "metadata": {"uid": "r", "namespace": "shop", "name": "cart", "generation": 1},
            "spec": {"parentRefs": [{"name": "web"}]}, "status": {"parents": [entry]}}


def findings(*things, times=None):
    judge = rules.Judge()
    for number, thing in enumerate(things):
        judge.see({"type": "MODIFIED", "object": thing}, times[number] if times else 0)
    judge.end(times[-1] if times else 0)
    return judge.findings


class RulesTest(unittest.TestCase):
    def found(self, words, *things, times=None):
        seen = findings(*things, times=times)
        self.assertTrue(any(words in one for one in seen), f"{words!r} is not in {seen}")

    def changed(self, thing, name, at="conditions", **members):
        """A copy with other members of one condition."""
        thing = copy.deepcopy(thing)
        status = thing["status"]
        owner = status if at == "conditions" else status[at][0]
        for one in owner["conditions"]:
            if one["type"] == name:
                one.update(members)
        return thing

    def test_what_is_right_is_not_found(self):
        later = gateway(2)
        not_yet = self.changed(gateway(2), "Programmed", status="False", lastTransitionTime=LATE)
        self.assertEqual(findings(gateway(), not_yet), [])
        self.assertEqual(findings(gateway(), later, route()), [])

    def test_conditions_of_other_controllers_are_not_judged(self):
        before, after = gateway(), gateway(2)
        for one in (before, after):
            for owner in (one["status"], one["status"]["listeners"][0]):
                owner["conditions"].append(condition("example.com/Seeded", status="False"))
        self.assertEqual(findings(before, after), [])
        for one in (before, after):
            one["status"]["conditions"][-1]["type"] = "fairway.dev/Seeded"
        self.found("fairway.dev/Seeded is left over from generation 1", before, after)

    def test_defaults_of_the_definition_are_not_judged(self):
        default = {"type": "Accepted", "status": "Unknown", "reason": "Pending", "lastTransitionTime": "1970-01-01T00:00:00Z"}
        thing = gateway()
        thing["status"] = {"conditions": [default]}
        judge = rules.Judge()
        judge.see({"type": "ADDED", "object": thing}, 0)
        self.assertEqual((judge.findings, judge.judged), ([], 0))

    def test_entries_of_others_are_not_judged(self):
        thing = route()
        thing["status"]["parents"].append({"controllerName": "example.com/other", "parentRef": {"name": "x"}, "conditions": []})
        self.assertEqual(findings(thing), [])

    def test_a_deleted_object_is_forgotten(self):
        judge = rules.Judge()
        judge.see({"type": "ADDED", "object": gateway(2)}, 0)
        judge.see({"type": "DELETED", "object": gateway(2)}, 0)
        judge.see({"type": "ADDED", "object": gateway(1)}, 0)
        self.assertEqual(judge.findings, [])

    def test_observed_generation(self):
        for at in ("conditions", "listeners"):
            self.found("of an object of generation 1", self.changed(gateway(), "Accepted", at, observedGeneration=2))
            self.found("had observed generation 2", gateway(2), self.changed(gateway(2), "Accepted", at, observedGeneration=1))
        missing = gateway()
        del missing["status"]["listeners"][0]["conditions"][0]["observedGeneration"]
        self.found("status.listeners[http] Accepted has no observedGeneration", missing)

    def test_transition_times(self):
        self.found("without its status", gateway(), self.changed(gateway(), "Accepted", lastTransitionTime=LATE))
        late = self.changed(gateway(), "Programmed", lastTransitionTime=LATE)
        self.found("gone back", late, self.changed(late, "Programmed", status="False", lastTransitionTime=EARLY))
        self.found("no lastTransitionTime", self.changed(gateway(), "Programmed", lastTransitionTime=None))

        changed = self.changed(gateway(), "Programmed", status="False")
        self.found("its time is that of another change", gateway(), changed, times=[0, rules.seconds(EARLY) + 3600])

    def test_empty_lists(self):
        for at in ("status", "listener"):
            thing = gateway()
            (thing["status"] if at == "status" else thing["status"]["listeners"][0])["conditions"] = []
            self.found("has no Accepted", thing)
        thing = route()
        thing["status"]["parents"][0]["conditions"] = []
        self.found("has no Accepted", thing)

    def test_deprecated_conditions(self):
        thing = gateway()
        thing["status"]["conditions"].append(condition("Scheduled", "False"))
        self.found("has Scheduled=False, and Accepted is True", thing)
        thing = gateway()
        thing["status"]["listeners"][0]["conditions"].append(condition("Detached", "True"))
        self.found("has Detached=True, and Accepted is True", thing)
        thing["status"]["listeners"][0]["conditions"][-1]["status"] = "False"
        self.assertEqual(findings(thing), [])

    def test_an_entry_is_there_once(self):
        thing = route()
        thing["status"]["parents"] *= 2
        self.found("status.parents[shop/web] is there twice", thing)

    def test_lists(self):
        twice = gateway()
        twice["status"]["conditions"].append(condition("Accepted"))
        self.found("more than once", twice)
        missing = gateway()
        missing["status"]["listeners"][0]["conditions"].pop()
        self.found("status.listeners[http] has no Programmed", missing)
        self.found("has the reason ''", self.changed(gateway(), "Accepted", reason=""))
        self.found("has the status 'Maybe'", self.changed(gateway(), "Accepted", status="Maybe"))

    def test_negative_conditions(self):
        for name in ("Conflicted", "fairway.dev/CertificateExpired"):
            thing = gateway()
            thing["status"]["listeners"][0]["conditions"].append(condition(name, "False"))
            self.found("only while it is True", thing)

    def test_contradictions(self):
        self.found("is Programmed, and Accepted is False", self.changed(gateway(), "Accepted", "listeners", status="False"))
        ready = self.changed(gateway(), "Programmed", status="False")
        ready["status"]["conditions"].append(condition("Ready"))
        self.found("is Ready, and Programmed is False", ready)
        conflicted = gateway()
        conflicted["status"]["listeners"][0]["conditions"].append(condition("Conflicted"))
        self.found("is Conflicted, and Accepted is True", conflicted)
        partly = self.changed(route(), "Accepted", "parents", status="False")
        partly["status"]["parents"][0]["conditions"].append(condition("PartiallyInvalid"))
        self.found("is PartiallyInvalid, and Accepted is False", partly)

    def test_leftovers(self):
        self.found("left over from generation 1", self.changed(gateway(2), "Programmed", "listeners", observedGeneration=1))
        more = gateway()
        more["spec"]["listeners"] = []
        self.found("its status has the listeners ['http']", more)
        moved = route()
        moved["spec"]["parentRefs"] = [{"name": "other"}]
        self.found("a parent that its spec does not have", moved)

    def test_a_generation_without_a_status(self):
        behind = gateway()
        behind["metadata"]["generation"] = 2
        self.found("its generation 2 has no status since 61 s", behind, behind, times=[0, 61])
        self.assertEqual(findings(behind, gateway(2), times=[0, 61]), [])

    def test_an_object_without_a_status(self):
        ours = {"kind": "GatewayClass", "metadata": {"uid": "c", "name": "ours", "generation": 1},
                "spec": {"controllerName": rules.CONTROLLER},
                "status": {"conditions": [condition("Accepted")]}}
        nothing = gateway()
        nothing["spec"]["gatewayClassName"] = "ours"
        nothing["status"] = {}
        self.found("its generation 1 has no status since 61 s", ours, nothing, nothing, times=[0, 0, 61])
        self.assertEqual(findings(nothing, nothing, times=[0, 61]), [])


if __name__ == "__main__":
    unittest.main()
