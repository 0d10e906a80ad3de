# SPDX-License-Identifier: Apache-2.0
"""An operator with `kopf`: a Greeting has a ConfigMap, which changes with it, and a finalizer while the operator has to say goodbye."""

import kopf
from kubernetes import client

GROUP = "kopf.example.com"
# Seconds until a handler that failed is called again: a call whose connection is cut fails, and kopf would wait for a minute.
BACKOFF = 0.2


@kopf.on.startup()
def configure(settings, **_):
    # Kopf's own way without patches of annotations: its progress is in the status.
    settings.persistence.progress_storage = kopf.StatusProgressStorage()


def text_of(spec):
    return f"Hello, {spec['to']}!"


@kopf.on.create(GROUP, "v1", "greetings", backoff=BACKOFF)
def create(body, spec, namespace, name, **_):
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"text": text_of(spec)}}
    kopf.adopt(child)
    client.CoreV1Api().create_namespaced_config_map(namespace, child)
    kopf.info(body, reason="Made", message="made the text")
    return {"text": text_of(spec)}


@kopf.on.update(GROUP, "v1", "greetings", field="spec.to", backoff=BACKOFF)
def update(spec, old, namespace, name, retry, **_):
    if retry == 0:
        raise kopf.TemporaryError("once more", delay=BACKOFF)
    client.CoreV1Api().patch_namespaced_config_map(name, namespace, {"data": {"text": text_of(spec), "was": old}})


@kopf.on.delete(GROUP, "v1", "greetings", backoff=BACKOFF)
def delete(namespace, name, **_):
    # Kopf may call a handler again whose end it has not seen in a watch yet.
    try:
        client.CoreV1Api().delete_namespaced_config_map(name, namespace)
    except client.ApiException as error:
        if error.status != 404:
            raise


@kopf.timer(GROUP, "v1", "greetings", interval=0.3)
def count(status, patch, **_):
    # Twice shows that it comes again. More writes would make kopf wait for their events while its connections are cut.
    if status.get("ticks", 0) < 2:
        patch.status["ticks"] = status.get("ticks", 0) + 1
