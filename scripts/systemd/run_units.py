#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the units of deploy/systemd by a systemd of their own (machine.py), with all that they filter, hide and take away.

  scripts/systemd/run_units.py [--build build] [--envoy PATH]

The last line counts the checks. Without root or namespaces it says what is missing, and skips all.
"""

import argparse
import pathlib
import re
import signal
import sys
import time
import traceback

import machine as systemd
from machine import until

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = ("serve", "apiserver", "operator", "gateway")
STATUS = {"serve": "http://127.0.0.1:9080", "apiserver": "https://127.0.0.1:6443", "operator": "http://127.0.0.1:8082",
          "gateway": "http://127.0.0.1:8081"}
NET_BIND_SERVICE = 1 << 10
CAPABILITIES = {"gateway": NET_BIND_SERVICE}
RELOADS = {"serve": " info reloading", "gateway": " info replacing Envoy"}

# Their output in files, as no journal runs; times short enough to see what happens when they have passed.
DROP_IN = """[Service]
StandardOutput=append:/run/log/{unit}
StandardError=append:/run/log/{unit}
WatchdogSec=3s
TimeoutAbortSec=1s
RestartSec=100ms
"""
# Each call that the filter refuses ends the process, so that none is refused unnoticed.
STRICT = "SystemCallErrorNumber=kill\n"
# What may be refused: they answer few requests, and do without short slices for the threads that do so.
REFUSED = {"operator": "sched_setattr", "gateway": "sched_setattr"}
# docs/systemd.md, "Run a cluster of one machine".
OF_ONE_MACHINE = "LoadCredential=kubeconfig:/run/fairway-apiserver/kubeconfig\n"
SETTINGS = {
    "serve": "FAIRWAY_GRAPH_DATA=/etc/fairway/graph-data\nFAIRWAY_RELEASES=/etc/fairway/releases.json\n",
    "apiserver": "FAIRWAY_APPLY=/etc/fairway/objects.yaml\n",
    "operator": "",
    "gateway": "FAIRWAY_ADDRESSES=127.0.0.1\n",
}
ROUTES = """---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: fairway}
spec: {controllerName: fairway.dev/gateway}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: default}
spec:
  gatewayClassName: fairway
  listeners: [{name: http, port: 80, protocol: HTTP}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: away, namespace: default}
spec:
  parentRefs: [{name: web}]
  rules: [{filters: [{type: RequestRedirect, requestRedirect: {hostname: example.com, statusCode: 302}}]}]
"""


class Checks:
    """Counts checks, and prints each that fails with what there was."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def that(self, holds, name, found=""):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(f"failed: {name}: {found}")

    def skip(self, name, why):
        self.skipped += 1
        print(f"skipped: {name}: {why}")

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped")
        return 1 if self.failed else 0


class Unit:
    """One of the units on a machine."""

    def __init__(self, machine, name):
        self.machine, self.name, self.unit = machine, name, f"fairway-{name}.service"

    def get(self, key):
        return self.machine.show(self.unit, key).get(key, "")

    def systemctl(self, *words):
        return self.machine.run("systemctl", *words, self.unit)

    def pid(self):
        return int(self.get("MainPID") or 0)

    def log(self):
        return self.machine.read(f"/run/log/{self.unit}")

    def state(self):
        """Returns what a failed check shows: the state, what systemd said of the unit, and the end of its log."""
        last = " | ".join(self.said()[-4:] + self.log().splitlines()[-4:])
        return f"{self.get('ActiveState')}, {self.get('StatusText')!r}; {last}"

    def said(self):
        """Returns the lines that systemd has said of it."""
        return [line for line in self.machine.said.decode(errors="replace").splitlines() if self.unit in line]

    def processes(self):
        """Returns the texts of /proc/PID/status of its processes."""
        group = self.get("ControlGroup")
        pids = self.machine.read(f"/sys/fs/cgroup{group}/cgroup.procs").split()
        return [self.machine.read(f"/proc/{pid}/status") for pid in pids]

    def inside(self, command):
        """Runs a command as root in the root folder that the unit sees; returns whether it succeeds. The shell is not the unit's,
        which may run nothing but itself."""
        return self.machine.run("sh", "-c", f"cd /proc/{self.pid()}/root && {{ {command}; }}").returncode == 0


def field(status, name):
    """Returns a field of /proc/PID/status."""
    return re.search(rf"^{name}:\s*(.*)$", status, re.MULTILINE)[1]


def check_start(checks, unit):
    began = unit.systemctl("start")
    checks.that(began.returncode == 0, f"{unit.name} says that it is ready", began.stderr + unit.state())
    status = until(lambda: unit.get("StatusText"), f"{unit.name} has no status")
    checks.that(status == "ready", f"{unit.name} says how it is", status)
    health = unit.machine.run("curl", "-sfk", f"{STATUS[unit.name]}/readyz")
    checks.that(health.returncode == 0, f"{unit.name} answers", health.stdout + health.stderr)


def check_confinement(checks, unit):
    """Checks what the kernel says of each of its processes, and which files they see."""
    expected = f"{CAPABILITIES.get(unit.name, 0):016x}"
    for status in unit.processes():
        name = f"{unit.name}'s process {field(status, 'Name')}"
        for kind in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
            checks.that(field(status, kind) == expected, f"{name} has no more capabilities than it needs", f"{kind} {field(status, kind)}")
        checks.that(field(status, "NoNewPrivs") == "1", f"{name} gains none")
        checks.that(field(status, "Seccomp") == "2", f"{name} has a filter of system calls")
        checks.that("0" not in field(status, "Uid").split(), f"{name} is not root", field(status, "Uid"))
    for command, name in {
        "! touch usr/x": "cannot write to /usr", "! touch etc/x": "cannot write to /etc", "! touch var/x": "cannot write to /var",
        f"touch var/lib/private/fairway-{unit.name}/x && rm var/lib/private/fairway-{unit.name}/x": "writes to its state",
        "! touch root/x && ! ls root/.??* home/*": "sees no home", "test -d tmp && ! test -e tmp/of-others": "has its own /tmp",
        "test -e dev/null && ! ls dev/console": "sees no device of the machine",
    }.items():
        checks.that(unit.inside(command), f"{unit.name} {name}", command)


def check_watchdog(checks, unit):
    """Checks that signs of life come, and that a process without them is replaced."""
    seen = unit.get("WatchdogTimestampMonotonic")
    until(lambda: unit.get("WatchdogTimestampMonotonic") != seen, f"{unit.name} gives no sign of life")
    seen = unit.get("WatchdogTimestampMonotonic")
    until(lambda: unit.get("WatchdogTimestampMonotonic") != seen, f"{unit.name} gives no second sign of life")
    checks.that(unit.get("NRestarts") == "0", f"{unit.name} feeds the watchdog", unit.state())
    hung = unit.pid()
    unit.machine.run("kill", "-STOP", str(hung))
    until(lambda: unit.pid() not in (0, hung) and unit.get("ActiveState") == "active", f"{unit.name} is not replaced when it hangs")
    checks.that("Watchdog timeout" in " ".join(unit.said()), f"the watchdog ends {unit.name} when it hangs")


def check_reload(checks, unit):
    said = RELOADS.get(unit.name)
    if said is None:
        return
    before, pid = unit.log().count(said), unit.pid()
    done = unit.systemctl("reload")
    checks.that(done.returncode == 0, f"{unit.name} reloads", done.stderr)
    until(lambda: unit.log().count(said) > before, f"{unit.name} does not read its settings again")
    until(lambda: unit.get("ActiveState") == "active", f"{unit.name} does not end its reload")
    checks.that(unit.pid() == pid, f"{unit.name} goes on", unit.state())


def check_stop(checks, unit):
    before, log = unit.said(), unit.log()
    done = unit.systemctl("stop")
    shown = unit.machine.show(unit.unit, "Result", "ExecMainStatus", "ActiveState")
    checks.that(done.returncode == 0 and shown == {"Result": "success", "ExecMainStatus": "0", "ActiveState": "inactive"},
                f"{unit.name} stops by itself", f"{shown} {unit.state()}")
    said = unit.said()[len(before):]
    checks.that("kill" not in " ".join(said).lower(), f"{unit.name} is not killed", said)
    if unit.name == "gateway":
        drains = unit.log()[len(log):].split("caught ENVOY_SIGTERM")[0]
        checks.that("Envoy ends once its connections have" in drains, "Envoy is not ended before its connections are", unit.state())


def check_patience(checks, unit):
    """Checks that a unit whose sources are down is not killed at the end of TimeoutStartSec."""
    machine = unit.machine
    machine.run("mv", "/etc/fairway/releases.json", "/etc/fairway/later.json")
    machine.write(f"/run/units/{unit.unit}.d/patience.conf", "[Service]\nTimeoutStartSec=2s\n")
    machine.run("systemctl", "daemon-reload")
    unit.systemctl("start", "--no-block")
    until(lambda: unit.get("StatusText").startswith("not ready: no graph yet: "), f"{unit.name} does not say what it waits for")
    begun, restarts = time.monotonic(), unit.get("NRestarts")
    # Twice the limit, and more.
    until(lambda: time.monotonic() > begun + 5 or unit.get("ActiveState") != "activating", f"{unit.name} does not wait")
    checks.that(unit.get("ActiveState") == "activating" and unit.get("NRestarts") == restarts,
                f"{unit.name} has the time to wait for its sources", unit.state())
    machine.run("mv", "/etc/fairway/later.json", "/etc/fairway/releases.json")
    until(lambda: unit.get("ActiveState") == "active", f"{unit.name} is not ready when its sources are there")
    machine.run("rm", f"/run/units/{unit.unit}.d/patience.conf")
    machine.run("systemctl", "daemon-reload")
    unit.systemctl("stop")


def check_ports(checks, unit):
    """Checks that Envoy serves on a port below 1024."""
    until(lambda: unit.machine.run("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1/").stdout == "302",
          "Envoy does not redirect on port 80: " + unit.state())
    checks.that(True, "Envoy serves on port 80")
    names = [field(status, "Name") for status in unit.processes()]
    checks.that("envoy" in names, "Envoy is confined with its controller", names)


def run(checks, units, machine, everything):
    """Runs the units on a machine. `everything`: also what takes seconds."""
    for file in (ROOT / "examples/releases.json", *sorted((ROOT / "examples/graph-data").rglob("*"))):
        if file.is_file():
            machine.write(f"/etc/fairway/{file.relative_to(ROOT / 'examples')}", file.read_text())
    machine.run("touch", "/tmp/of-others")
    verified = machine.run("systemd-analyze", "verify", "--man=no", *[f"/run/units/fairway-{name}.service" for name in units])
    checks.that(verified.returncode == 0 and not verified.stderr, "systemd-analyze verify is content", verified.stderr)
    for name in units:
        machine.write(f"/etc/fairway/{name}.env", SETTINGS[name], "0600")
    for name in units:
        unit = Unit(machine, name)
        try:
            if everything and name == "serve":
                check_patience(checks, unit)
            check_start(checks, unit)
            if name == "gateway":
                check_ports(checks, unit)
            check_confinement(checks, unit)
            check_reload(checks, unit)
            if everything:
                check_watchdog(checks, unit)
        except RuntimeError as fault:
            checks.that(False, f"{name}: {fault}", unit.state())
    for name in reversed(units):
        check_stop(checks, Unit(machine, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="folder with fairway and fairway-gateway")
    parser.add_argument("--envoy", type=pathlib.Path, help="the program of Envoy; without it that of .cache/envoy")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))  # the machine ends, too
    checks = Checks()
    why = systemd.why_not()
    if why:
        checks.skip("all units", why)
        return checks.end()
    build = options.build.resolve()
    programs = {"/usr/bin/fairway": build / "fairway"}
    units = ["serve", "apiserver", "operator"]
    envoy = options.envoy or next(iter(sorted(ROOT.glob(".cache/envoy/**/envoy/_bin/envoy"))), None)
    if not envoy:
        checks.skip("gateway", "there is no Envoy: --envoy PATH")
    elif not (build / "fairway-gateway").exists():
        checks.skip("gateway", f"{build} has no fairway-gateway")
    else:
        units.append("gateway")
        programs |= {"/usr/libexec/fairway/fairway-gateway": build / "fairway-gateway", "/usr/bin/envoy": envoy}
    for strict in (False, True):
        print(f"units as they are installed{', where a refused system call ends a process' if strict else ''}")
        texts = {}
        for name in units:
            texts[f"fairway-{name}.service"] = (ROOT / f"deploy/systemd/fairway-{name}.service").read_text()
            drop_in = DROP_IN.format(unit=f"fairway-{name}.service")
            if name in ("operator", "gateway"):
                drop_in += OF_ONE_MACHINE
            if strict:
                drop_in += STRICT + (f"SystemCallFilter={REFUSED[name]}\n" if name in REFUSED else "")
            texts[f"fairway-{name}.service.d/test.conf"] = drop_in
        with systemd.Machine(texts, programs) as machine:
            machine.write("/etc/fairway/objects.yaml", (ROOT / "examples/cluster/gateway/definitions.yaml").read_text() + ROUTES)
            try:
                run(checks, units, machine, everything=not strict)
            except Exception:  # whatever it is, the counts are printed
                checks.that(False, "the run", traceback.format_exc())
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
