# SPDX-License-Identifier: Apache-2.0
"""Reads a folder of deploy/ as `kubectl apply -k` does, as far as these folders ask for it: resources, ConfigMaps of files, images."""

import os

import yaml

KEYS = {"apiVersion", "kind", "resources", "configMapGenerator", "images"}


def documents(text):
    """Returns the objects of a file of YAML, in their order."""
    return [one for one in yaml.safe_load_all(text) if one]


def pod_of(one):
    """Returns the Pod spec in an object; None where it has none."""
    return one.get("spec", {}).get("template", {}).get("spec")


def containers_of(pod):
    return pod.get("initContainers", []) + pod["containers"]


def image_name(name, images):
    """Returns the image that the entries of `images` make of a name."""
    for entry in images:
        if entry["name"] == name:
            renamed = entry.get("newName", name)
            if "digest" in entry:
                return f"{renamed}@{entry['digest']}"
            return f"{renamed}:{entry['newTag']}" if "newTag" in entry else renamed
    return name


def config_map(folder, entry):
    """Returns the ConfigMap of a generator. Its name has no suffix: nothing here is applied a second time."""
    data = {}
    for item in entry["files"]:
        name, _, path = item.rpartition("=")
        with open(os.path.join(folder, path), encoding="utf-8") as file:
            data[name or os.path.basename(path)] = file.read()
    metadata = {"name": entry["name"], "namespace": entry["namespace"]}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def read_folder(folder):
    """Returns the objects that a folder's kustomization.yaml makes. A key that is not known here is an error, so that nobody takes
    for read what was not."""
    path = os.path.join(folder, "kustomization.yaml")
    with open(path, encoding="utf-8") as file:
        kustomization = yaml.safe_load(file)
    unknown = sorted(set(kustomization) - KEYS)
    if unknown:
        raise SystemExit(f"error: {path} has {', '.join(unknown)}, which scripts/package/kustomization.py does not know: teach it")
    objects = []
    for name in kustomization["resources"]:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            objects += documents(file.read())
    objects += [config_map(folder, entry) for entry in kustomization.get("configMapGenerator", [])]
    for one in objects:
        for container in containers_of(pod_of(one)) if pod_of(one) else []:
            container["image"] = image_name(container["image"], kustomization.get("images", []))
    return objects


def one_of_kind(objects, *kinds):
    """Returns the first object of these kinds."""
    found = next((one for one in objects if one["kind"] in kinds), None)
    if found is None:
        raise SystemExit(f"error: there is no {' or '.join(kinds)} among {', '.join(one['kind'] for one in objects)}")
    return found
