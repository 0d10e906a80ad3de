# SPDX-License-Identifier: Apache-2.0
"""What a program with Python's `kubernetes` does beside clients-python: informers whose connection is cut, apply, leader election."""

import queue
import threading

from checks import LIMIT, SPACE, cut, run_checks
from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.informer import SharedInformer
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

config.load_kube_config()
core = client.CoreV1Api()


def config_map(name, data=None):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name), data=data)


def crud():
    made = core.create_namespaced_config_map(SPACE, config_map("crud", {"a": "1"}))
    made.data["b"] = "2"
    assert core.replace_namespaced_config_map("crud", SPACE, made).data == {"a": "1", "b": "2"}
    core.delete_namespaced_config_map("crud", SPACE)
    try:
        core.read_namespaced_config_map("crud", SPACE)
    except ApiException as error:
        assert error.status == 404 and '"reason":"NotFound"' in error.body, error.body
    else:
        raise AssertionError("what was deleted is there")


def cut_watch():
    """A watch that is cut goes on behind the last event that it gave."""
    events = queue.Queue()
    start = core.list_namespaced_config_map(SPACE).metadata.resource_version
    seen = {"version": start}

    def follow():
        while seen["version"]:
            try:
                for event in watch.Watch().stream(core.list_namespaced_config_map, SPACE, resource_version=seen["version"],
                                                  timeout_seconds=LIMIT):
                    events.put((event["type"], event["object"].metadata.name))
                    seen["version"] = None if event["type"] == "DELETED" else event["object"].metadata.resource_version
                    if event["type"] == "DELETED":
                        return
            except Exception:
                continue  # the cut; where it is another error, the events do not come

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    core.create_namespaced_config_map(SPACE, config_map("w1"))
    assert events.get(timeout=LIMIT) == ("ADDED", "w1")
    assert cut() > 0
    core.create_namespaced_config_map(SPACE, config_map("w2"))
    assert events.get(timeout=LIMIT) == ("ADDED", "w2")
    core.delete_namespaced_config_map("w1", SPACE)
    assert events.get(timeout=LIMIT) == ("DELETED", "w1")
    thread.join(LIMIT)


def informer():
    added = queue.Queue()
    shared = SharedInformer(core.list_namespaced_secret, namespace=SPACE)
    shared.add_event_handler("ADDED", lambda secret: added.put(secret.metadata.name))
    shared.start()
    core.create_namespaced_secret(SPACE, client.V1Secret(metadata=client.V1ObjectMeta(name="i1")))
    assert added.get(timeout=LIMIT) == "i1"
    assert cut() > 0
    core.create_namespaced_secret(SPACE, client.V1Secret(metadata=client.V1ObjectMeta(name="i2")))
    assert added.get(timeout=LIMIT) == "i2"
    assert sorted(one.metadata.name for one in shared.cache.list()) == ["i1", "i2"]
    shared.stop()


def apply():
    maps = dynamic.DynamicClient(client.ApiClient()).resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"a": "1", "b": "2"}}
    maps.server_side_apply(body=body, name="applied", namespace=SPACE, field_manager="one")
    try:
        maps.server_side_apply(body={**body, "data": {"a": "3"}}, name="applied", namespace=SPACE, field_manager="two")
    except dynamic.exceptions.ConflictError as error:
        assert 'conflict with \\"one\\": .data.a' in error.body, error.body
    else:
        raise AssertionError("a conflict was expected")
    made = maps.server_side_apply(body={**body, "data": {"a": "1"}}, name="applied", namespace=SPACE, field_manager="one")
    assert made.data.to_dict() == {"a": "1"}, made.data


def leads():
    began, ended = threading.Event(), threading.Event()
    lock = LeaseLock("leader", SPACE, "one")
    elected = electionconfig.Config(lock, 8, 5, 1, lambda: (began.set(), ended.wait()), None)
    threading.Thread(target=leaderelection.LeaderElection(elected).run, daemon=True).start()
    assert began.wait(LIMIT)
    lease = client.CoordinationV1Api().read_namespaced_lease("leader", SPACE)
    assert lease.spec.holder_identity == "one" and lease.spec.renew_time, lease.spec
    ended.set()


run_checks(crud, cut_watch, informer, apply, leads)
