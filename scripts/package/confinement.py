# SPDX-License-Identifier: Apache-2.0
"""Reads the confinement of a process, as the kernel says it in /proc/PID."""

import errno
import os
import subprocess

CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
SEPARATE = ("mnt", "pid", "ipc", "uts", "net")
# File systems of the kernel itself, which a runtime mounts into every container; what of /proc and /sys could be written to belongs to
# root.
KERNEL = ("proc", "sysfs", "devpts", "mqueue")
PROBE = "probe-of-check-images"
# Memory, for devices and shared memory.
RUNTIME = ("/dev", "/dev/shm")


def status_of(text):
    """Returns the lines of /proc/PID/status by their names."""
    return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}


def faults_in(status, user, groups):
    """Returns what a process may that it should not: its user and groups are others, it has a capability or could get one, or no
    filter of system calls."""
    faults = []
    for name, wanted in (("Uid", user["uid"]), ("Gid", user["gid"])):
        if set(status[name].split()) != {str(wanted)}:
            faults.append(f"{name} is {status[name]}, and not {wanted}")
    if {int(group) for group in status["Groups"].split()} - set(groups) - {user["gid"]}:
        faults.append(f"Groups are {status['Groups']}")
    faults += [f"{name} is {status[name]}" for name in CAPABILITIES if int(status[name], 16) != 0]
    # 2: a filter.
    return faults + [f"{name} is {status[name]}" for name, wanted in (("NoNewPrivs", "1"), ("Seccomp", "2")) if status[name] != wanted]


def writable_mounts(mountinfo):
    """Returns the paths of what can be written to, of the lines of /proc/PID/mountinfo, but for what a runtime mounts by itself."""
    found = []
    for line in mountinfo.splitlines():
        fields, _, kind = line.partition(" - ")
        path, options = fields.split()[4:6]
        if "rw" in options.split(",") and kind.split()[0] not in KERNEL and path not in RUNTIME:
            found.append(path)
    return sorted(found)


def processes_below(pid):
    """Returns the ids of a process and of all that it has started."""
    found = [pid]
    for one in found:
        try:
            with open(f"/proc/{one}/task/{one}/children", encoding="utf-8") as file:
                found += [int(child) for child in file.read().split()]
        except FileNotFoundError:
            pass
    return found


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def refusal(pid, path):
    """Returns the name of the error by which a process's file system refuses a new file, also to root: "EROFS". Empty: it takes it."""
    try:
        file = os.path.join(f"/proc/{pid}/root", path.lstrip("/"), PROBE)
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY | os.O_EXCL))
        os.unlink(file)
    except OSError as error:
        return errno.errorcode[error.errno]
    return ""


def refusal_to(pid, path, user, groups):
    """Returns why a user may not make a file in a folder of a process's file system. Empty: it may."""
    folder = os.open(os.path.join(f"/proc/{pid}/root", path.lstrip("/")), os.O_RDONLY | os.O_DIRECTORY)
    try:
        tried = subprocess.run(["touch", f"/proc/self/fd/{folder}/{PROBE}"], user=user["uid"], group=user["gid"], extra_groups=groups,
                               pass_fds=[folder], capture_output=True, text=True)
        if tried.returncode == 0:
            os.unlink(PROBE, dir_fd=folder)
        return tried.stderr.strip()
    finally:
        os.close(folder)


def faults_of(pid, user, groups, writable, separate=SEPARATE):
    """Returns what is wrong with the confinement of a process. `writable`: the paths, and no others, that it may write to."""
    faults = faults_in(status_of(read(f"/proc/{pid}/status")), user, groups)
    faults += [f"it shares the namespace {name}" for name in separate
               if os.readlink(f"/proc/{pid}/ns/{name}") == os.readlink(f"/proc/self/ns/{name}")]
    found = writable_mounts(read(f"/proc/{pid}/mountinfo"))
    if found != sorted(writable):
        faults.append(f"it can write to {found}, and not to {sorted(writable)}")
    faults += [f"a file in {path} is not refused as one of a read-only file system: {refusal(pid, path) or 'it is made'}"
               for path in ("/", "/usr/bin", "/etc") if refusal(pid, path) != "EROFS"]
    refused = {path: refusal_to(pid, path, user, groups) for path in writable}
    return faults + [f"{path} takes no file of user {user['uid']}: {why}" for path, why in refused.items() if why]
