# SPDX-License-Identifier: Apache-2.0
"""Makes of the seccomp profile that container runtimes come with what `linux.seccomp` of the OCI runtime specification has."""

import json

# Of Debian's golang-github-containers-common, on which skopeo depends: what podman and CRI-O take for RuntimeDefault.
PROFILE = "/usr/share/containers/seccomp.json"
# Names of the kernel for the architectures of a machine.
ARCHITECTURES = {"x86_64": ("amd64", ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"]),
                 "aarch64": ("arm64", ["SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"])}


def applies(rule, architecture, capabilities):
    """Returns whether a rule is meant for a container on this architecture, with these capabilities."""
    includes, excludes = rule.get("includes") or {}, rule.get("excludes") or {}
    if includes.get("arches") and architecture not in includes["arches"]:
        return False
    if not set(includes.get("caps") or []) <= set(capabilities):
        return False
    return architecture not in (excludes.get("arches") or []) and not set(excludes.get("caps") or []) & set(capabilities)


def filter_of(profile, machine, capabilities):
    """Returns the filter for a container on a machine (as `uname -m` has it) with these capabilities."""
    architecture, kernel = ARCHITECTURES[machine]
    calls = []
    for rule in profile["syscalls"]:
        if not applies(rule, architecture, capabilities):
            continue
        call = {"names": rule["names"], "action": rule["action"], "args": rule.get("args") or []}
        if rule.get("errnoRet") is not None:
            call["errnoRet"] = rule["errnoRet"]
        calls.append(call)
    made = {"defaultAction": profile["defaultAction"], "architectures": kernel, "syscalls": calls}
    if "defaultErrnoRet" in profile:
        made["defaultErrnoRet"] = profile["defaultErrnoRet"]
    return made


def read_profile(path=PROFILE):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
