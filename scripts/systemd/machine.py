# SPDX-License-Identifier: Apache-2.0
"""A systemd that runs units, on a copy of this machine's root file system that is gone afterwards.

It is PID 1 of its own namespaces of processes, mounts, cgroups, IPC, names and networks: what it filters, hides and takes away is what
it does on a machine that it has booted. It needs root, cgroups of version 2 and overlay mounts; `why_not()` says what is missing.
"""

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time

SYSTEMD = "/lib/systemd/systemd"
PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
NAMESPACES = ("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--cgroup", "--net", "--ipc", "--uts")
# Units that others order themselves by, without anything to do here: no unit of the machine is started.
TARGETS = ("sysinit", "basic", "shutdown", "umount", "final", "multi-user", "network-online")
STUB = "[Unit]\nDefaultDependencies=no\n"

# Runs in the new namespaces with an empty folder, the folder of units, a terminal, and pairs of files, here and there: makes the
# root, and becomes its systemd.
BOOT = r"""
set -e
mount -t tmpfs -o mode=755 tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
cd "$1/root"
mkdir -p proc sys dev run tmp mnt usr/libexec/fairway etc/fairway
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
touch dev/console
mount --bind "$3" dev/console
mkdir dev/shm dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t devpts -o mode=620,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mkdir -p run/units run/none run/log
cp -r "$2/." run/units/
shift 3
while [ "$#" -gt 1 ]; do
  mkdir -p ".$(dirname "$2")"
  touch ".$2"
  mount --bind "$1" ".$2"
  mount -o remount,bind,ro ".$2"
  shift 2
done
pivot_root . mnt
umount -l /mnt
# Credentials of a unit are mounted by a child of systemd.
mount --make-rshared /
exec env -i container=fairway-test PATH=/usr/sbin:/usr/bin:/sbin:/bin SYSTEMD_UNIT_PATH=/run/units \
  SYSTEMD_GENERATOR_PATH=/run/none SYSTEMD_ENVIRONMENT_GENERATOR_PATH=/run/none \
  """ + SYSTEMD + r""" --unit=basic.target --log-target=console --log-level=notice --show-status=no
"""


def cgroups():
    """Returns the folder of cgroups of version 2; None: there is none."""
    for folder in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        if os.path.exists(f"{folder}/cgroup.procs") and os.path.exists(f"{folder}/cgroup.controllers"):
            return folder
    return None


def why_not():
    """Returns why no systemd can run here; None: it can."""
    if os.geteuid() != 0:
        return "this user is not root"
    if not os.path.exists(SYSTEMD):
        return f"there is no {SYSTEMD}"
    folder = cgroups()
    if folder is None or not os.access(folder, os.W_OK):
        return "there are no cgroups of version 2 to write to"
    probe = ("mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/r && "
             "mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r")
    tried = subprocess.run([*NAMESPACES, "sh", "-c", probe], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if tried.returncode != 0:
        return f"no namespaces or overlay mounts can be made: {tried.stderr.strip()}"
    return None


class Machine:
    """A running systemd: `with Machine(units, programs) as machine`. `units`: text by file name, folders of drop-ins included;
    `programs`: the file here by the path there."""

    def __init__(self, units, programs):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="fairway-systemd-"))
        self.cgroup = pathlib.Path(cgroups()) / f"fairway-test-{os.getpid()}"
        self.log = self.scratch / "boot.log"
        folder = self.scratch / "units"
        for name, text in {**{f"{target}.target": STUB for target in TARGETS}, **units}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        (self.scratch / "root").mkdir()
        # What systemd says about units goes to its console, which has to be a terminal.
        self.terminal, self.console = os.openpty()
        self.words = ["sh", "-c", BOOT, "boot", str(self.scratch / "root"), str(folder), os.ttyname(self.console)]
        for there, here in programs.items():
            self.words += [str(here), there]
        self.process = self.first = None
        self.said = b""
        threading.Thread(target=self.listen, daemon=True).start()

    def __enter__(self):
        self.cgroup.mkdir()
        try:
            with open(self.log, "wb") as log:
                self.process = subprocess.Popen([*NAMESPACES, *self.words], preexec_fn=self.enter, stdin=subprocess.DEVNULL,
                                                stdout=log, stderr=log, start_new_session=True)
            self.first = until(self.find_first, "systemd does not begin", self.process, self.log)
            until(lambda: self.run("systemctl", "is-active", "basic.target").returncode == 0, "systemd does not boot",
                  self.process, self.log)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process:
            for child in children(self.process.pid):
                os.kill(child, signal.SIGKILL)  # its PID 1: all of its processes end with it
            self.process.kill()
            self.process.wait()
        for folder, _, _ in os.walk(self.cgroup, topdown=False):
            until(lambda: not removed(folder), f"{folder} stays in use")
        os.close(self.console)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def enter(self):
        """Puts a new process into the machine's cgroup, and has it end with this one."""
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        (self.cgroup / "cgroup.procs").write_text(str(os.getpid()))

    def listen(self):
        """Reads what systemd says, until its terminal closes."""
        try:
            while True:
                self.said += os.read(self.terminal, 4096)
        except OSError:
            os.close(self.terminal)

    def find_first(self):
        """Returns the process that has become systemd; None: none has yet."""
        for child in children(self.process.pid):
            if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                return child
        return None

    def run(self, *words, text=""):
        """Runs a command in the machine, as root, with the text as its standard input."""
        return subprocess.run(["nsenter", "--target", str(self.first), "--mount", "--pid", "--cgroup", "--ipc", "--uts", "--net", *words],
                              input=text, capture_output=True, text=True, errors="replace", timeout=120)

    def write(self, path, text, mode="0644"):
        """Writes a file, as root, with its folders."""
        command = 'mkdir -p "$(dirname "$1")" && umask 077 && cat >"$1" && chmod "$2" "$1"'
        done = self.run("sh", "-c", command, "sh", path, mode, text=text)
        if done.returncode != 0:
            raise RuntimeError(f"writing {path}: {done.stderr}")

    def read(self, path):
        """Returns a file's text, as root sees it; empty if there is none."""
        return self.run("cat", path).stdout

    def show(self, unit, *properties):
        """Returns the properties of a unit, by name."""
        shown = self.run("systemctl", "show", unit, "--property", ",".join(properties)).stdout
        return dict(line.split("=", 1) for line in shown.splitlines())


def removed(folder):
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        pass
    except OSError:
        return True
    return False


def children(pid):
    try:
        return [int(one) for one in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def until(holds, otherwise, process=None, log=None, seconds=60):
    """Returns what `holds` returns once it is true; raises after too long a time, or when the process has ended."""
    last = time.monotonic() + seconds
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > last or (process and process.poll() is not None):
            raise RuntimeError(otherwise + (f": {log.read_text(errors='replace')}" if log else ""))
        time.sleep(0.02)
