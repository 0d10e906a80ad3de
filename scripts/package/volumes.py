# SPDX-License-Identifier: Apache-2.0
"""Makes the volumes of a Pod as the kubelet does: who owns them, what they may hold, and how their files lie."""

import base64
import os
import subprocess

import runtime_config

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
ACCESS = "kube-api-access"


def give(path, group, mode):
    if group is not None:
        os.chown(path, 0, group)
    os.chmod(path, mode)


def make_empty(folder, source, group):
    """Makes an emptyDir. A limit is a hard one here, while the kubelet only looks from time to time."""
    os.makedirs(folder)
    if "sizeLimit" in source:
        limit = runtime_config.bytes_of(source["sizeLimit"])
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={limit}", "tmpfs", folder], check=True)
    give(folder, group, 0o777 if group is None else 0o2777)


def make_claim(folder, group):
    """Makes the volume of a PersistentVolumeClaim: a new file system, which belongs to root but for the group of the Pod."""
    os.makedirs(folder)
    give(folder, group, 0o755 if group is None else 0o2775)


def make_files(folder, files, group, mode=0o644, owner=0):
    """Makes a volume of files {path: bytes} as the kubelet writes ConfigMaps, Secrets and tokens, which it replaces all at once: links
    to what is behind the link ..data."""
    version = "..2026_01_01_00_00_00.1"
    os.makedirs(os.path.join(folder, version))
    os.symlink(version, os.path.join(folder, "..data"))
    for path, content in files.items():
        file = os.path.join(folder, version, path)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "wb") as out:
            out.write(content)
        os.chown(file, owner, -1 if group is None else group)
        os.chmod(file, mode)
        top = path.split("/", 1)[0]
        if not os.path.lexists(os.path.join(folder, top)):
            os.symlink(f"..data/{top}", os.path.join(folder, top))
    give(folder, group, 0o755 if group is None else 0o2775)


def chosen(data, source):
    """Returns the files of a ConfigMap or Secret at the paths that the volume gives them."""
    if "items" not in source:
        return data
    return {item["path"]: data[item["key"]] for item in source["items"]}


def add_account(pod, account):
    """Adds to a Pod the volume with the credentials of its ServiceAccount, as admission does, unless one of both does not want it."""
    if pod.get("automountServiceAccountToken", account.get("automountServiceAccountToken", True)) is False:
        return
    pod.setdefault("volumes", []).append({"name": ACCESS})
    for container in pod.get("initContainers", []) + pod["containers"]:
        container.setdefault("volumeMounts", []).append({"name": ACCESS, "mountPath": ACCOUNT, "readOnly": True})


def make(pod, namespace, claims, folder, server):
    """Makes all volumes of a Pod below a folder. Returns where each is, and whether it is read-only: {name: (folder, read_only)}."""
    group = pod.get("securityContext", {}).get("fsGroup")
    core = f"/api/v1/namespaces/{namespace}"
    made = {}
    for volume in [{"name": claim, "claim": {}} for claim in claims] + pod.get("volumes", []):
        place, read_only = os.path.join(folder, volume["name"]), True
        if "emptyDir" in volume:
            make_empty(place, volume["emptyDir"], group)
            read_only = False
        elif "claim" in volume:
            make_claim(place, group)
            read_only = False
        elif "configMap" in volume:
            source = volume["configMap"]
            data = server.get(f"{core}/configmaps/{source['name']}")["data"]
            make_files(place, {path: text.encode() for path, text in chosen(data, source).items()}, group)
        elif "secret" in volume:
            source = volume["secret"]
            data = server.get(f"{core}/secrets/{source['secretName']}")["data"]
            make_files(place, {path: base64.b64decode(text) for path, text in chosen(data, source).items()}, group)
        elif volume["name"] == ACCESS:
            authority = server.get(f"{core}/configmaps/kube-root-ca.crt")["data"]["ca.crt"]
            token = server.token(namespace, pod["serviceAccountName"])
            files = {"token": token.encode(), "ca.crt": authority.encode(), "namespace": namespace.encode()}
            # A token is for the one user of the Pod, or for its group.
            user = pod.get("securityContext", {}).get("runAsUser", 0)
            make_files(place, files, group, 0o640 if group is not None else 0o600, user)
        else:
            raise SystemExit(f"error: the volume {volume['name']} is of a kind that scripts/package/volumes.py does not know: teach it")
        made[volume["name"]] = (place, read_only)
    return made
