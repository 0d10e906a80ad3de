# SPDX-License-Identifier: Apache-2.0
"""What happens on an API server on which the operator of kopf_operator.py runs, also when its connections are cut."""

import os
import pathlib

from checks import LIMIT, SPACE, cut, run_checks
from kopf.testing import KopfRunner
from kopf_operator import GROUP
from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException

config.load_kube_config()
core, objects = client.CoreV1Api(), client.CustomObjectsApi()
WHERE = (GROUP, "v1", SPACE, "greetings")


def define():
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    api = client.ApiextensionsV1Api()
    api.create_custom_resource_definition({"metadata": {"name": f"greetings.{GROUP}"}, "spec": {
        "group": GROUP, "scope": "Namespaced", "names": {"plural": "greetings", "kind": "Greeting"},
        "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                      "schema": {"openAPIV3Schema": schema}}]}})
    wait_for(api.list_custom_resource_definition, f"greetings.{GROUP}", lambda one: any(
        c.type == "Established" and c.status == "True" for c in one.status.conditions or []))


def wait_for(function, name, holds, *arguments):
    """Follows an object until it is as it should be, and returns it. One that is deleted is None."""
    while True:
        try:
            for event in watch.Watch().stream(function, *arguments, field_selector=f"metadata.name={name}", timeout_seconds=LIMIT):
                one = None if event["type"] == "DELETED" else event["object"]
                if holds(one):
                    return one
            break
        except ApiException as error:
            # A kube-apiserver whose cache has not seen the version of the list asks for another try.
            assert error.status == 504, error
    raise AssertionError(f"{name} is not as it should be after {LIMIT} s")


def greeting(holds):
    return wait_for(objects.list_namespaced_custom_object, "g", holds, *WHERE)


def text(wanted):
    return wait_for(core.list_namespaced_config_map, "g", lambda one: one and one.data["text"] == wanted, SPACE)


def creates():
    objects.create_namespaced_custom_object(*WHERE, {"apiVersion": f"{GROUP}/v1", "kind": "Greeting", "metadata": {"name": "g"},
                                                     "spec": {"to": "Ada"}})
    child = text("Hello, Ada!")
    made = greeting(lambda one: one and one.get("status", {}).get("create"))
    assert made["status"]["create"] == {"text": "Hello, Ada!"}, made
    assert child.metadata.owner_references[0].uid == made["metadata"]["uid"]
    assert made["metadata"]["finalizers"] == ["kopf.zalando.org/KopfFinalizerMarker"], made


def ticks():
    greeting(lambda one: one and one.get("status", {}).get("ticks", 0) >= 2)


def updates():
    """The first try of the operator fails, and it comes back to it."""
    objects.patch_namespaced_custom_object(*WHERE, "g", {"spec": {"to": "Grace"}})
    assert text("Hello, Grace!").data["was"] == "Ada"


def updates_after_a_cut():
    # Where the answer to a write of kopf is lost, it may wait for an event that came before, which this check is not about. So kopf has
    # written that it is done with the update before.
    greeting(lambda one: one and '"Grace"' in one["metadata"]["annotations"]["kopf.zalando.org/last-handled-configuration"])
    assert cut(answered=True) > 0
    objects.patch_namespaced_custom_object(*WHERE, "g", {"spec": {"to": "Edsger"}})
    text("Hello, Edsger!")


def tells_events():
    """Events of the operator are posted beside its work."""
    for event in watch.Watch().stream(core.list_namespaced_event, SPACE, timeout_seconds=LIMIT):
        if event["object"].involved_object.name == "g" and event["object"].message == "made the text":
            return
    raise AssertionError("the event did not come")


def deletes():
    objects.delete_namespaced_custom_object(*WHERE, "g")
    greeting(lambda one: one is None)
    assert not [one for one in core.list_namespaced_config_map(SPACE).items if one.metadata.name == "g"]


define()
operator = pathlib.Path(__file__).parent / "kopf_operator.py"
with KopfRunner(["run", "--namespace", SPACE, "--standalone", "--quiet", str(operator)], timeout=LIMIT) as runner:
    status = run_checks(creates, ticks, updates, updates_after_a_cut, tells_events, deletes, last=False)
if status:
    print(runner.output)
os._exit(status)
