# SPDX-License-Identifier: Apache-2.0
"""Runs the images of DIST as the Pods of deploy/: pushed to a registry and pulled from it, with the users, file systems, volumes and
rights that the manifests give them, before an API server out of the same images.

usage: check_images.py DIST [--envoy PROGRAM]

It needs root, for namespaces. All of it has namespaces of its own, networks among them: nothing of this machine is reached or changed,
and it is gone when they are. Without Envoy (--envoy, FAIRWAY_ENVOY, or that of .cache/envoy) the gateway is left out. The last line
counts the checks.
"""

import argparse
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import image_cases
import seccomp

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOLS = ("crun", "docker-registry", "ip", "mount", "skopeo", "umoci", "unshare")
NAMESPACES = ["unshare", "--mount", "--propagation", "private", "--net", "--ipc", "--uts", "--pid", "--fork", "--kill-child",
              "--mount-proc"]
# All that is asked is on this machine.
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
COUNTS = re.compile(r"\d+ passed, \d+ failed, \d+ skipped$")


def find_envoy():
    """Returns the program of Envoy that other tests have, or nothing."""
    kept = sorted(glob.glob(os.path.join(ROOT, ".cache", "envoy", "**", "envoy", "_bin", "envoy"), recursive=True))
    return os.environ.get("FAIRWAY_ENVOY") or (kept[0] if kept else "")


def why_not():
    """Returns why nothing can be checked here; empty: it can."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [tool for tool in TOOLS if shutil.which(tool, path=path) is None]
    if missing:
        return f"there is no {', no '.join(missing)}: ./dev deps package"
    if not os.path.exists(seccomp.PROFILE):
        return f"there is no {seccomp.PROFILE}: it comes with skopeo"
    if os.geteuid() != 0:
        return "this user is not root"
    tried = subprocess.run([*NAMESPACES, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True)
    return f"no namespaces can be made: {tried.stderr.strip()}" if tried.returncode != 0 else ""


def check_all(dist, envoy, work):
    """Runs all checks, and prints what became of each. Returns an exit status."""
    passed = failed = skipped = 0
    # `ip netns` writes to /run. crun reads /sys/fs/cgroup, also where it makes no cgroup, and refuses some that a machine may have.
    for folder in ("/run", "/sys/fs/cgroup"):
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    cases = image_cases.Cases(dist, envoy, work)
    for name, case in cases.all():
        begun = time.monotonic()
        try:
            reason = case()
        except Exception as error:  # noqa: BLE001: whatever it is, the case has failed
            failed += 1
            text = str(error) if isinstance(error, (RuntimeError, TimeoutError, ValueError)) else traceback.format_exc()
            print(f"failed: {name}: {text}", flush=True)
            continue
        skipped, passed = skipped + bool(reason), passed + (not reason)
        print(f"skipped: {name}: {reason}" if reason else f"  {time.monotonic() - begun:5.1f} s  {name}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist")
    parser.add_argument("--envoy", default=find_envoy())
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return check_all(options.dist, options.envoy, options.inside)
    reason = why_not()
    if reason:
        print(f"skipped: images as Pods: {reason}\n0 passed, 0 failed, 1 skipped")
        return 0
    begun = time.monotonic()
    environment = {name: value for name, value in os.environ.items() if name.lower() not in PROXIES}
    environment["PATH"] = environment.get("PATH", "") + ":/usr/sbin:/sbin"
    work = tempfile.mkdtemp(prefix="fairway-images-")
    inside = None
    # The folder is removed, whoever ends this.
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        inside = subprocess.Popen([*NAMESPACES, sys.executable, os.path.abspath(__file__), os.path.abspath(options.dist), "--envoy",
                                   options.envoy, "--inside", work], env=environment, stdout=subprocess.PIPE, text=True)
        counts = ""
        for line in inside.stdout:
            if COUNTS.match(line):
                counts = line
            else:
                print(line, end="", flush=True)
        status = inside.wait()
    finally:
        # Its processes are those of a namespace, and end with its first one.
        if inside is not None and inside.poll() is None:
            inside.kill()
            inside.wait()
        shutil.rmtree(work, ignore_errors=True)
    print(f"images as Pods: {time.monotonic() - begun:.1f} s")
    print(counts or "failed: images as Pods: it has ended early\n0 passed, 1 failed, 0 skipped\n", end="")
    return status


if __name__ == "__main__":
    sys.exit(main())
