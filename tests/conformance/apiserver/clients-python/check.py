#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What programs written with Python's `kubernetes` client do to an API server. $KUBECONFIG names the server. Each check prints a
line; the last line counts."""

import queue
import sys
import threading
import traceback

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.exceptions import ApiException

SPACE = "clients-python"
LIMIT = 60  # seconds: only a server that hangs needs them


def definition(plural="kites", kind="Kite"):
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.python.example.com"},
        "spec": {
            "group": "python.example.com",
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, "singular": kind.lower(), "shortNames": [plural[:2]]},
            "versions": [{
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.tails", "statusReplicasPath": ".status.tails"}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {
                        "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
                        "tails": {"type": "integer", "maximum": 9}}},
                    "status": {"type": "object", "properties": {"tails": {"type": "integer"}}}}}},
            }],
        },
    }


def refused(code, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except ApiException as error:
        assert error.status == code, f"{error.status} {error.reason}: {error.body}"
        return error
    raise AssertionError(f"{code} was expected")


def typed_objects(core):
    made = core.create_namespaced_config_map(SPACE, client.V1ConfigMap(
        metadata=client.V1ObjectMeta(name="a", labels={"set": "typed"}), data={"one": "1"}))
    assert made.metadata.uid and made.metadata.creation_timestamp.tzinfo is not None
    refused(409, core.create_namespaced_config_map, SPACE, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="a")))
    made.data["two"] = "2"
    replaced = core.replace_namespaced_config_map("a", SPACE, made)
    assert replaced.metadata.resource_version != made.metadata.resource_version
    refused(409, core.replace_namespaced_config_map, "a", SPACE, made)
    patched = core.patch_namespaced_config_map("a", SPACE, {"data": {"one": None, "three": "3"}})
    assert patched.data == {"two": "2", "three": "3"}, patched.data
    listed = core.list_namespaced_config_map(SPACE, label_selector="set=typed")
    assert [item.metadata.name for item in listed.items] == ["a"]
    core.delete_namespaced_config_map("a", SPACE)
    refused(404, core.read_namespaced_config_map, "a", SPACE)


def secrets_and_services(core):
    made = core.create_namespaced_secret(SPACE, client.V1Secret(
        metadata=client.V1ObjectMeta(generate_name="s-"), string_data={"key": "value"}))
    assert made.data == {"key": "dmFsdWU="} and made.type == "Opaque", made.data
    service = core.create_namespaced_service(SPACE, client.V1Service(
        metadata=client.V1ObjectMeta(name="web"),
        spec=client.V1ServiceSpec(selector={"app": "web"}, ports=[client.V1ServicePort(port=80)])))
    assert service.spec.ports[0].protocol == "TCP" and service.spec.type == "ClusterIP"


def deployments(apps):
    made = apps.create_namespaced_deployment(SPACE, {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "web:1"}]}}}})
    assert made.spec.replicas == 1 and made.spec.strategy.rolling_update.max_surge == "25%"
    apps.patch_namespaced_deployment_scale("web", SPACE, {"spec": {"replicas": 4}})
    assert apps.read_namespaced_deployment_scale("web", SPACE).spec.replicas == 4
    # A strategic merge patch finds a container by its name.
    patched = apps.patch_namespaced_deployment("web", SPACE, {"spec": {"template": {"spec": {
        "containers": [{"name": "web", "image": "web:2"}, {"name": "side", "image": "side:1"}]}}}})
    assert sorted(c.image for c in patched.spec.template.spec.containers) == ["side:1", "web:2"]
    apps.patch_namespaced_deployment_status("web", SPACE, {"status": {"replicas": 4, "observedGeneration": 3}})
    assert apps.read_namespaced_deployment("web", SPACE).status.replicas == 4
    apps.delete_namespaced_deployment("web", SPACE, propagation_policy="Background")


def watches(core):
    """Events of a watch that begins at the version of a list."""
    events = queue.Queue()
    start = core.list_namespaced_config_map(SPACE).metadata.resource_version
    watcher = watch.Watch()

    def follow():
        for event in watcher.stream(core.list_namespaced_config_map, SPACE, resource_version=start,
                                    label_selector="set=watched", timeout_seconds=LIMIT):
            events.put((event["type"], event["object"].metadata.name))
            if event["type"] == "DELETED":
                return

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    core.create_namespaced_config_map(SPACE, {"metadata": {"name": "w", "labels": {"set": "watched"}}})
    assert events.get(timeout=LIMIT) == ("ADDED", "w")
    core.patch_namespaced_config_map("w", SPACE, {"data": {"a": "b"}})
    assert events.get(timeout=LIMIT) == ("MODIFIED", "w")
    # What does not match any more is gone for this watch.
    core.patch_namespaced_config_map("w", SPACE, {"metadata": {"labels": {"set": "other"}}})
    assert events.get(timeout=LIMIT) == ("DELETED", "w")
    thread.join(LIMIT)
    core.delete_namespaced_config_map("w", SPACE)


def pages(core):
    for number in range(5):
        core.create_namespaced_config_map(SPACE, {"metadata": {"name": f"p-{number}", "labels": {"set": "pages"}}})
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(SPACE, label_selector="set=pages", limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
    assert names == [f"p-{number}" for number in range(5)], names
    core.delete_collection_namespaced_config_map(SPACE, label_selector="set=pages")
    assert not core.list_namespaced_config_map(SPACE, label_selector="set=pages").items


def custom_resources(api):
    extensions = client.ApiextensionsV1Api(api)
    extensions.create_custom_resource_definition(definition())
    for event in watch.Watch().stream(extensions.list_custom_resource_definition, timeout_seconds=LIMIT,
                                      field_selector="metadata.name=kites.python.example.com"):
        conditions = (event["object"].status and event["object"].status.conditions) or []
        if any(c.type == "Established" and c.status == "True" for c in conditions):
            break
    else:
        raise AssertionError("the definition is not established")
    objects = client.CustomObjectsApi(api)
    where = ("python.example.com", "v1", SPACE, "kites")
    kite = {"apiVersion": "python.example.com/v1", "kind": "Kite", "metadata": {"name": "k"}, "spec": {"tails": 3}}
    made = objects.create_namespaced_custom_object(*where, kite)
    assert made["spec"] == {"colour": "red", "tails": 3}, made
    kite["metadata"]["name"] = "wrong"
    kite["spec"]["tails"] = 10
    error = refused(422, objects.create_namespaced_custom_object, *where, kite)
    assert "should be less than or equal to 9" in error.body, error.body
    objects.patch_namespaced_custom_object(*where, "k", {"spec": {"colour": "blue"}})
    objects.patch_namespaced_custom_object_status(*where, "k", {"status": {"tails": 2}})
    now = objects.get_namespaced_custom_object(*where, "k")
    assert now["spec"]["colour"] == "blue" and now["status"]["tails"] == 2 and now["metadata"]["generation"] == 2
    assert objects.get_namespaced_custom_object_scale(*where, "k")["spec"]["replicas"] == 3
    assert len(objects.list_namespaced_custom_object(*where)["items"]) == 1
    objects.delete_namespaced_custom_object(*where, "k")


def dynamic_client(api):
    found = dynamic.DynamicClient(api)
    kites = found.resources.get(api_version="python.example.com/v1", kind="Kite")
    kites.create(namespace=SPACE, body={"apiVersion": "python.example.com/v1", "kind": "Kite",
                                        "metadata": {"name": "d"}, "spec": {"tails": 1}})
    applied = kites.server_side_apply(
        namespace=SPACE, name="d", field_manager="python", force_conflicts=True,
        body={"apiVersion": "python.example.com/v1", "kind": "Kite", "metadata": {"name": "d"}, "spec": {"tails": 2}})
    assert applied.spec.tails == 2
    assert [item.metadata.name for item in kites.get(namespace=SPACE).items] == ["d"]
    kites.delete(name="d", namespace=SPACE)
    assert found.resources.get(api_version="apps/v1", kind="Deployment").namespaced


def documents(api):
    utils.create_from_dict(api, {"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot", "namespace": SPACE}},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "reader", "namespace": SPACE},
         "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list"]}]},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
         "metadata": {"name": "reader", "namespace": SPACE},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
         "subjects": [{"kind": "ServiceAccount", "name": "robot", "namespace": SPACE}]}]})


def access(api, core):
    """The token of a ServiceAccount may do what its role says."""
    token = core.create_namespaced_service_account_token("robot", SPACE, client.AuthenticationV1TokenRequest(
        spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=3600))).status.token
    settings = client.Configuration()
    settings.host, settings.ssl_ca_cert = api.configuration.host, api.configuration.ssl_ca_cert
    settings.api_key = {"authorization": f"Bearer {token}"}
    robot = client.CoreV1Api(client.ApiClient(settings))
    robot.list_namespaced_config_map(SPACE)
    error = refused(403, robot.list_namespaced_secret, SPACE)
    assert f"system:serviceaccount:{SPACE}:robot" in error.body, error.body
    review = client.AuthorizationV1Api(api).create_subject_access_review(client.V1SubjectAccessReview(
        spec=client.V1SubjectAccessReviewSpec(user=f"system:serviceaccount:{SPACE}:robot", resource_attributes=
                                              client.V1ResourceAttributes(namespace=SPACE, verb="get", resource="configmaps"))))
    assert review.status.allowed, review.status


def versions(api):
    version = client.VersionApi(api).get_code()
    print(f"Python's client with a server that calls itself {version.git_version}")
    assert int(version.minor.rstrip("+")) >= 36
    groups = {group.name for group in client.ApisApi(api).get_api_versions().groups}
    assert {"apps", "batch", "rbac.authorization.k8s.io", "apiextensions.k8s.io"} <= groups, groups


def namespace_ends(core):
    start = core.list_namespace().metadata.resource_version
    core.delete_namespace(SPACE)
    for event in watch.Watch().stream(core.list_namespace, field_selector=f"metadata.name={SPACE}", resource_version=start,
                                      timeout_seconds=LIMIT):
        if event["type"] == "DELETED":
            return
    raise AssertionError("the namespace is still there")


def main():
    config.load_kube_config()
    api = client.ApiClient()
    core, apps = client.CoreV1Api(api), client.AppsV1Api(api)
    core.create_namespace({"metadata": {"name": SPACE}})
    checks = [
        ("version and discovery", versions, api), ("typed objects", typed_objects, core),
        ("secrets and services", secrets_and_services, core), ("deployments", deployments, apps),
        ("pages", pages, core), ("watches", watches, core), ("custom resources", custom_resources, api),
        ("the dynamic client", dynamic_client, api), ("a list of documents", documents, api),
        ("tokens and reviews", access, api, core), ("the end of a namespace", namespace_ends, core),
    ]
    passed = failed = 0
    for name, check, *arguments in checks:
        try:
            check(*arguments)
            passed += 1
            print(f"passed: {name}", flush=True)
        except Exception:  # whatever it is, the others go on
            failed += 1
            print(f"failed: {name}: {traceback.format_exc()}", flush=True)
    print(f"clients-python: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
