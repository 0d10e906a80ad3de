#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Creates every CustomResourceDefinition of some folders on the embedded API server and on a kube-apiserver, and compares what each
says: whether it is accepted, with which causes it is refused, and the conditions, names, defaults and warnings of those that are.

usage: compare.py FAIRWAY KUBERNETES [--all] FOLDER|ARCHIVE...
  KUBERNETES: the folder of kube-apiserver, or - for the embedded server alone, whose refusals are then listed
  --all: brings every definition to its conditions, in place of an eighth of them and dry runs of the others, and compares each also
    without its limits of sizes, and with ten times as large ones, so that many rules cost too much
"""

import collections
import contextlib
import pathlib
import sys
import tarfile
import tempfile
import time

import yaml

import servers

PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
# Seconds that a server has to bring its definitions to their conditions.
PATIENCE = 60
APPROVAL = "KubernetesAPIApprovalPolicyConformant"
# One definition of so many is served in a short run: a kube-apiserver needs a second for each.
SHARE = 8
LIMITS = ("maxLength", "maxItems", "maxProperties")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Definition:
    """A definition of a file, and what each server made of it."""

    def __init__(self, source, document):
        self.source = source
        self.document = document
        self.name = document["metadata"]["name"]
        self.dry = False
        self.outcomes = {}


def documents_of(path):
    """Yields the definitions of a file; a file that is no YAML, like a template, has none."""
    try:
        text = path.read_text()
        for document in yaml.load_all(text, LOADER) if "CustomResourceDefinition" in text else ():
            if isinstance(document, dict) and document.get("kind") == "CustomResourceDefinition":
                if document.get("apiVersion") == "apiextensions.k8s.io/v1":
                    yield document
    except (yaml.YAMLError, UnicodeDecodeError):
        return


def read_definitions(folder):
    """Returns the definitions under a folder, without those that two files hold alike."""
    found, seen = [], set()
    for path in sorted(pathlib.Path(folder).rglob("*.y*ml")):
        for document in documents_of(path):
            text = yaml.dump(document, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=True)
            if text not in seen:
                seen.add(text)
                found.append(Definition(f"{path.relative_to(folder)}", document))
    return found


def unpacked(folder, stack):
    """Returns a folder, or that of an archive's files, which goes with the stack."""
    if pathlib.Path(folder).is_dir():
        return folder
    made = stack.enter_context(tempfile.TemporaryDirectory())
    with tarfile.open(folder) as archive:
        archive.extractall(made, filter="data")
    return made


def with_limits(value, change):
    """Returns a schema, or a part of one, whose limits of sizes are changed; None takes a limit away."""
    if isinstance(value, list):
        return [with_limits(item, change) for item in value]
    if not isinstance(value, dict):
        return value
    made = {}
    for key, item in value.items():
        if key in LIMITS and isinstance(item, int):
            item = change(item)
        if item is not None or key not in LIMITS:
            made[key] = with_limits(item, change)
    return made


def mutants_of(definition):
    """Returns definitions with other limits than a definition has."""
    made = []
    for name, change in (("no limits", lambda limit: None), ("ten times the limits", lambda limit: limit * 10)):
        document = with_limits(definition.document, change)
        if document != definition.document:
            made.append(Definition(f"{definition.source}, {name}", document))
            made[-1].dry = True
    return made


def rounds_of(definitions):
    """Returns the definitions in groups without two of the same name."""
    groups, count = [], collections.Counter()
    for definition in definitions:
        index = count[definition.name]
        count[definition.name] += 1
        if index == len(groups):
            groups.append([])
        groups[index].append(definition)
    return groups


def conditions_of(document):
    return (document.get("status") or {}).get("conditions") or []


def is_settled(document):
    """Returns whether a server has decided about a definition's names and approval, and serves it if it may."""
    state = {condition["type"]: condition["status"] for condition in conditions_of(document)}
    # Each condition has a controller of its own on a kube-apiserver.
    if document["spec"]["group"].endswith((".k8s.io", ".kubernetes.io")) and APPROVAL not in state:
        return False
    return state.get("NamesAccepted") == "False" or state.get("Established") == "True"


def refusal(status, document):
    """Returns what a refusal says: causes sorted, since a kube-apiserver visits properties in no order, and without the rules that it
    chooses to name among those that cost as much."""
    details = document.get("details", {}) if isinstance(document, dict) else {}
    causes = []
    for cause in details.get("causes", []):
        is_choice = "contributed to estimated rule cost total" in cause["message"]
        causes.append((None if is_choice else cause.get("field"), cause.get("reason"), cause["message"]))
    message = document.get("message", "") if isinstance(document, dict) else str(document)
    return {"status": status, "causes": sorted(map(str, causes)), "message": message.split(": ", 1)[0] if causes else message}


def acceptance(document, warnings):
    conditions = [{key: value for key, value in one.items() if key != "lastTransitionTime"} for one in conditions_of(document)]
    status = document.get("status") or {}
    return {"status": 201, "conditions": sorted(conditions, key=lambda one: one["type"]), "spec": document.get("spec"),
            "acceptedNames": status.get("acceptedNames"), "storedVersions": status.get("storedVersions"), "warnings": warnings}


def await_each(server, names, done):
    """Asks for definitions until each is done, and returns the last answers by name."""
    limit = time.monotonic() + PATIENCE
    answers, waiting = {}, set(names)
    while waiting and time.monotonic() < limit:
        for name in sorted(waiting):
            status, answer, _ = server.send("GET", f"{PATH}/{name}")
            answers[name] = answer
            if done(status, answer):
                waiting.remove(name)
        if waiting:
            time.sleep(0.05)
    if waiting:
        raise RuntimeError(f"waiting for definitions of {server.name}: still not done after {PATIENCE} s: {', '.join(sorted(waiting)[:4])}")
    return answers


def run_round(server, definitions):
    """Creates definitions of different names, keeps what the server says of each, and deletes them."""
    created = {}
    for definition in definitions:
        status, answer, warnings = server.send("POST", PATH + ("?dryRun=All" if definition.dry else ""), definition.document)
        if status == 201 and definition.dry:
            definition.outcomes[server.name] = acceptance(answer, warnings)
        elif status == 201:
            created[definition.name] = (definition, warnings)
        else:
            definition.outcomes[server.name] = refusal(status, answer)
    now = await_each(server, created, lambda status, answer: is_settled(answer))
    for name, (definition, warnings) in created.items():
        definition.outcomes[server.name] = acceptance(now[name], warnings)
        server.send("DELETE", f"{PATH}/{name}")
    await_each(server, created, lambda status, answer: status == 404)


def differences(ours, theirs, path=""):
    """Yields where two documents differ, as lines of text."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            yield from differences(ours.get(key), theirs.get(key), f"{path}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for index, (one, other) in enumerate(zip(ours, theirs)):
            yield from differences(one, other, f"{path}[{index}]")
    elif ours != theirs or isinstance(ours, bool) != isinstance(theirs, bool):
        yield f"{path}: {ours!r:.300}, on a kube-apiserver {theirs!r:.300}"


def judge(folder, definitions, running):
    """Prints what differs in a folder, and returns how many definitions do."""
    failed = 0
    for definition in definitions:
        ours = definition.outcomes[running[0].name]
        if len(running) == 1:
            found = [f"{ours['status']}: {ours['message']:.400}"] if ours["status"] != 201 else []
        else:
            found = list(differences(ours, definition.outcomes[running[1].name]))
        if found:
            failed += 1
            print(f"failed: {definition.name} ({definition.source})")
            for line in found[:6]:
                print(f"  {line}")
    refused = sum(definition.outcomes[running[-1].name]["status"] != 201 for definition in definitions)
    print(f"{folder}: {len(definitions)} definitions, {refused} refused by {running[-1].name}, {failed} differ", flush=True)
    return failed


def main():
    fairway, kubernetes, *folders = sys.argv[1:]
    everything = folders[:1] == ["--all"]
    folders = folders[1:] if everything else folders
    total = failed = 0
    with contextlib.ExitStack() as stack:
        starters = [lambda at: servers.start_embedded(fairway, at)]
        if kubernetes != "-":
            starters.append(lambda at: servers.start_real(kubernetes, at))
        running = []
        for start in starters:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            running.append(start(folder))
            stack.callback(running[-1].stop)
        for folder in folders:
            definitions = read_definitions(unpacked(folder, stack))
            if not definitions:
                print(f"failed: {folder} has no definitions")
                failed += 1
            for index, definition in enumerate(definitions):
                definition.dry = index % SHARE != 0 and not everything
            if everything:
                definitions += [mutant for definition in definitions for mutant in mutants_of(definition)]
            for group in rounds_of(definitions):
                for server in running:
                    run_round(server, group)
            failed += judge(folder, definitions, running)
            total += len(definitions)
    print(f"{total - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
