# SPDX-License-Identifier: Apache-2.0
"""What a program with `lightkube` does: CRUD, a definition's objects, a watch whose connection is cut, waits, apply, a lease that is
fought for."""

import datetime
import threading

from checks import LIMIT, SPACE, cut, run_checks
from lightkube import Client
from lightkube.core.exceptions import ApiError
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.apps_v1 import DeploymentSpec
from lightkube.models.autoscaling_v1 import ScaleSpec
from lightkube.models.coordination_v1 import LeaseSpec
from lightkube.models.core_v1 import Container, PodSpec, PodTemplateSpec
from lightkube.models.meta_v1 import LabelSelector, ObjectMeta
from lightkube.resources.apiextensions_v1 import CustomResourceDefinition
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.coordination_v1 import Lease
from lightkube.resources.core_v1 import ConfigMap
from lightkube.types import PatchType, on_error_retry

client = Client(namespace=SPACE, field_manager="lightkube")


def config_map(name, **data):
    return ConfigMap(metadata=ObjectMeta(name=name), data=data or None)


def refused(code, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except ApiError as error:
        assert error.status.code == code, error.status
        return error.status
    raise AssertionError(f"{code} was expected")


def crud():
    made = client.create(config_map("crud", a="1"))
    made.data["b"] = "2"
    assert client.replace(made).data == {"a": "1", "b": "2"}
    assert refused(409, client.replace, made).reason == "Conflict"
    patched = client.patch(ConfigMap, "crud", [{"op": "remove", "path": "/data/a"}], patch_type=PatchType.JSON)
    assert patched.data == {"b": "2"}, patched.data
    for number in range(4):
        client.create(ConfigMap(metadata=ObjectMeta(name=f"p{number}", labels={"set": "pages"})))
    assert [one.metadata.name for one in client.list(ConfigMap, labels={"set": "pages"}, chunk_size=3)] == ["p0", "p1", "p2", "p3"]
    client.delete(ConfigMap, "crud")
    assert refused(404, client.get, ConfigMap, "crud").message == 'configmaps "crud" not found'


def definition():
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}}},
                                               "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
    crd = client.create(CustomResourceDefinition.from_dict({"metadata": {"name": "boxes.lightkube.example.com"}, "spec": {
        "group": "lightkube.example.com", "scope": "Namespaced", "names": {"plural": "boxes", "kind": "Box"}, "versions": [
            {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": schema}}]}}))
    client.wait(CustomResourceDefinition, crd.metadata.name, for_conditions=["Established"])
    box = create_namespaced_resource("lightkube.example.com", "v1", "Box", "boxes")
    made = client.create(box(metadata=ObjectMeta(name="b"), spec={"size": 2}))
    assert "greater than or equal to 1" in refused(422, client.patch, box, "b", {"spec": {"size": 0}}, patch_type=PatchType.MERGE).message
    made["status"] = {"full": True}
    assert client.replace(box.Status(made)).status == {"full": True}


def cut_watch():
    """lightkube begins a watch that was cut anew, behind the last event."""
    seen, events = threading.Semaphore(0), []
    start = client.create(config_map("w0")).metadata.resourceVersion

    def follow():
        # Of its own: a connection that is idle while it is cut would fail at its next use, which this client does not retry.
        for event, one in Client(namespace=SPACE).watch(ConfigMap, resource_version=start, on_error=on_error_retry):
            events.append((event, one.metadata.name))
            seen.release()

    threading.Thread(target=follow, daemon=True).start()
    client.create(config_map("w1"))
    assert seen.acquire(timeout=LIMIT) and cut() > 0
    Client(namespace=SPACE).create(config_map("w2"))
    assert seen.acquire(timeout=LIMIT)
    assert events == [("ADDED", "w1"), ("ADDED", "w2")], events


def apply():
    template = PodTemplateSpec(metadata=ObjectMeta(labels={"app": "a"}), spec=PodSpec(containers=[Container(name="a", image="a:1")]))
    one = Deployment(metadata=ObjectMeta(name="a", namespace=SPACE),
                     spec=DeploymentSpec(selector=LabelSelector(matchLabels={"app": "a"}), template=template, replicas=2))
    assert client.apply(one).spec.replicas == 2
    status = refused(409, client.apply, one.from_dict({**one.to_dict(), "spec": {**one.to_dict()["spec"], "replicas": 3}}),
                     field_manager="other")
    assert status.message == 'Apply failed with 1 conflict: conflict with "lightkube": .spec.replicas', status.message
    scaled = client.apply(Deployment.Scale(metadata=ObjectMeta(name="a", namespace=SPACE), spec=ScaleSpec(replicas=4)),
                          field_manager="scaler", force=True)
    assert scaled.spec.replicas == 4
    managers = {(one.manager, one.subresource) for one in client.get(Deployment, "a").metadata.managedFields}
    assert managers == {("lightkube", None), ("scaler", "scale")}, managers


def leads():
    """Of all that take the same version of a lease, one gets it."""
    lease = client.create(Lease(metadata=ObjectMeta(name="leader"), spec=LeaseSpec(leaseDurationSeconds=1)))
    leaders = []

    def stand(name):
        now = datetime.datetime.now(datetime.timezone.utc)
        spec = LeaseSpec(holderIdentity=name, leaseDurationSeconds=1, acquireTime=now, renewTime=now)
        try:
            client.replace(Lease(metadata=lease.metadata, spec=spec))
            leaders.append(name)
        except ApiError as error:
            assert error.status.code == 409, error.status

    threads = [threading.Thread(target=stand, args=(f"candidate-{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert [client.get(Lease, "leader").spec.holderIdentity] == leaders, leaders


run_checks(crud, definition, cut_watch, apply, leads)
