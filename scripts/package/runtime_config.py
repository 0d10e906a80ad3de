# SPDX-License-Identifier: Apache-2.0
"""Makes of a container of a Pod what an OCI runtime runs: config.json of the runtime specification
(https://github.com/opencontainers/runtime-spec), as the kubelet and a container runtime do together."""

import re

# Capabilities that container runtimes leave a container which does not drop them.
DEFAULT_CAPABILITIES = [
    "CAP_AUDIT_WRITE", "CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_MKNOD", "CAP_NET_BIND_SERVICE",
    "CAP_SETFCAP", "CAP_SETGID", "CAP_SETPCAP", "CAP_SETUID", "CAP_SYS_CHROOT"]
MASKED = ["/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug", "/proc/scsi",
          "/proc/timer_list", "/proc/timer_stats", "/sys/firmware"]
READ_ONLY = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"]
_HARDENED = ["nosuid", "noexec", "nodev"]
MOUNTS = [
    {"destination": "/proc", "type": "proc", "source": "proc", "options": _HARDENED},
    {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "strictatime", "mode=755", "size=65536k"]},
    {"destination": "/dev/pts", "type": "devpts", "source": "devpts",
     "options": ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"]},
    {"destination": "/dev/shm", "type": "tmpfs", "source": "shm", "options": [*_HARDENED, "mode=1777", "size=65536k"]},
    {"destination": "/dev/mqueue", "type": "mqueue", "source": "mqueue", "options": _HARDENED},
    {"destination": "/sys", "type": "sysfs", "source": "sysfs", "options": [*_HARDENED, "ro"]},
]
_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_.-][A-Za-z0-9_.-]*)\)")
_UNITS = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "k": 10**3, "M": 10**6, "G": 10**9, "": 1}


def bytes_of(quantity):
    """Returns the number of bytes of an amount: 16Mi."""
    number, unit = re.fullmatch(r"(\d+)([A-Za-z]*)", str(quantity)).groups()
    return int(number) * _UNITS[unit]


def expand(text, environment):
    """Puts the values of variables in the place of $(NAME). One that does not exist stays as it is, and $$ is $."""
    def value(found):
        return "$" if found[0] == "$$" else environment.get(found[1], found[0])
    return _REFERENCE.sub(value, text)


def environment_of(container, image, service, fields):
    """Returns the variables of a container: those of its image, of the cluster, and its own. `fields`: values of fieldRef by path."""
    environment = dict(entry.split("=", 1) for entry in image.get("Env", []))
    environment.update(service)
    for entry in container.get("env", []):
        if "value" in entry:
            environment[entry["name"]] = expand(entry["value"], environment)
        else:
            environment[entry["name"]] = fields[entry["valueFrom"]["fieldRef"]["fieldPath"]]
    return environment


def command_of(container, image, environment):
    """Returns the words of the process. A command takes the place of the image's entry point and of its arguments."""
    command, args = container.get("command"), container.get("args")
    if command is None:
        command, args = image.get("Entrypoint") or [], args if args is not None else image.get("Cmd") or []
    return [expand(word, environment) for word in command + (args or [])]


def setting(pod, container, name, otherwise=None):
    """Returns what the container says in its securityContext, or else the Pod in its own."""
    return container.get("securityContext", {}).get(name, pod.get("securityContext", {}).get(name, otherwise))


def user_of(pod, container, image):
    """Returns the user, its group, and further groups. Where it must not be root and is, the kubelet starts nothing."""
    uid, _, gid = image.get("User", "").partition(":")
    if not (uid or "0").isdecimal() or not (gid or "0").isdecimal():
        raise ValueError(f"the image names its user {image['User']}: the kubelet takes a number alone for one that is not root")
    uid, gid = setting(pod, container, "runAsUser", int(uid or 0)), setting(pod, container, "runAsGroup", int(gid or 0))
    if setting(pod, container, "runAsNonRoot") and uid == 0:
        raise ValueError(f"the container {container['name']} must not run as root, and would")
    of_pod = pod.get("securityContext", {})
    groups = of_pod.get("supplementalGroups", []) + ([of_pod["fsGroup"]] if "fsGroup" in of_pod else [])
    return {"uid": uid, "gid": gid, "additionalGids": groups}


def capabilities_of(container):
    """Returns the names of what the container keeps and gets."""
    wanted = container.get("securityContext", {}).get("capabilities", {})
    dropped = {f"CAP_{name}" for name in wanted.get("drop", [])}
    kept = [] if "CAP_ALL" in dropped else [name for name in DEFAULT_CAPABILITIES if name not in dropped]
    return kept + [f"CAP_{name}" for name in wanted.get("add", [])]


def mounts_of(container, volumes):
    """Returns the mounts of a container. `volumes`: the folder of each volume, or (folder, True) for one that is read-only by itself."""
    mounts = []
    for mount in container.get("volumeMounts", []):
        folder, read_only = volumes[mount["name"]]
        options = ["rbind", "rprivate", "ro" if read_only or mount.get("readOnly") else "rw"]
        mounts.append({"destination": mount["mountPath"], "type": "bind", "source": folder, "options": options})
    return mounts


def config_of(pod, container, image, environment, volumes, files, root, hostname, network, seccomp):
    """Returns config.json. `volumes` as for mounts_of; `files`: the file here by its path there, such as /etc/hosts; `network`: path of
    the Pod's namespace, or None for the machine's; `seccomp(capabilities)`: the runtime's own profile."""
    own = container.get("securityContext", {})
    capabilities = capabilities_of(container)
    user = user_of(pod, container, image)
    # One that is not root has none in effect.
    in_effect = capabilities if user["uid"] == 0 else []
    namespaces = [{"type": name} for name in ("mount", "pid", "ipc", "uts")]
    if network:
        namespaces.append({"type": "network", "path": network})
    linux = {"namespaces": namespaces, "maskedPaths": MASKED, "readonlyPaths": READ_ONLY,
             "sysctl": {entry["name"]: entry["value"] for entry in pod.get("securityContext", {}).get("sysctls", [])}}
    if (setting(pod, container, "seccompProfile") or {}).get("type") == "RuntimeDefault":
        linux["seccomp"] = seccomp(capabilities)
    bound = [{"destination": there, "type": "bind", "source": here, "options": ["rbind", "rprivate", "ro"]}
             for there, here in files.items()]
    return {
        "ociVersion": "1.0.0", "hostname": hostname,
        "root": {"path": root, "readonly": own.get("readOnlyRootFilesystem", False)},
        "mounts": MOUNTS + bound + mounts_of(container, volumes),
        "process": {
            "terminal": False, "user": user, "args": command_of(container, image, environment),
            "cwd": container.get("workingDir") or image.get("WorkingDir") or "/",
            "env": [f"{name}={value}" for name, value in environment.items()],
            "noNewPrivileges": own.get("allowPrivilegeEscalation") is False,
            "capabilities": {"bounding": capabilities, "permitted": in_effect, "effective": in_effect, "inheritable": [], "ambient": []},
        },
        "linux": linux,
    }
