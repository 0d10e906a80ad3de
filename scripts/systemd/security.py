#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `systemd-analyze security` finds in the units of deploy/systemd, as a table in docs/systemd.md, each item with its reason.

  scripts/systemd/security.py            prints the table
  scripts/systemd/security.py --check    says where the page differs; an item without a reason is an error
  scripts/systemd/security.py --update   writes the table into the page
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/systemd.md"
UNITS = ("serve", "apiserver", "operator", "gateway")
BEGIN = "<!-- scripts/systemd/security.py --update writes this table -->"
END = "<!-- end of the table -->"
# Other releases know other items, and weigh them in another way.
RELEASE = 252

REASONS = {
    "PrivateNetwork=": "It serves, and asks others, over the machine's network",
    "RestrictAddressFamilies=~AF_(INET\\|INET6)": "It serves, and asks others",
    "IPAddressDeny=": "Your settings say whom it asks; [narrow it](#narrow-a-unit-to-your-network)",
    "RestrictAddressFamilies=~AF_UNIX": "The socket of the service manager, and names that a local resolver answers; "
                                        "the gateway's Envoy asks for its configuration over one",
    "RootDirectory=/RootImage=": "It links the machine's libraries, which get their security updates",
    "DeviceAllow=": "`ProtectClock=` lets it read the hardware's clock, and `PrivateDevices=` hides that device",
    "SystemCallFilter=~@resources": "`setpriority` and `sched_setattr` alone: threads that answer have short slices of time, and "
                                    "builds step behind them",
    "PrivateUsers=": "A capability within a user namespace does not open ports of the machine",
    "AmbientCapabilities=": "Envoy listens on 80 and 443",
    "CapabilityBoundingSet=~CAP_NET_(BIND_SERVICE\\|BROADCAST\\|RAW)": "`CAP_NET_BIND_SERVICE` alone, for these ports",
    "RestrictAddressFamilies=~AF_NETLINK": "It reads which addresses the machine has",
}


def release_of(text):
    """Returns the number of `systemd 252 (252.39-1~deb12u2)`; None of anything else."""
    found = re.match(r"systemd (\d+)", text)
    return int(found[1]) if found else None


def exposed_items(report):
    """Returns the items of systemd-analyze's JSON that add to the exposure: their name and number."""
    items = {}
    for item in report:
        exposure = item.get("exposure")
        if not item["set"] and exposure not in (None, "0", "0.0"):
            items[item["name"].replace("|", "\\|")] = exposure
    return items


def overall(text):
    """Returns the number at the end of systemd-analyze's text."""
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", text)
    if not found:
        raise SystemExit(f"error: systemd-analyze security prints no overall level: {text[-200:]!r}")
    return found[1]


def table(scores, items, reasons=None):
    """Returns the lines of the table. `scores`: the overall level by unit; `items`: the exposed ones by unit."""
    reasons = REASONS if reasons is None else reasons
    names = {name: max(float(of.get(name, 0)) for of in items.values()) for of in items.values() for name in of}
    faults = [f"{name} has no reason" for name in names if name not in reasons]
    faults += [f"{name} has a reason, and no unit is exposed by it" for name in reasons if name not in names]
    if faults:
        raise SystemExit("error: scripts/systemd/security.py: " + "; ".join(faults))
    lines = ["| item | " + " | ".join(scores) + " | reason |", "|---|" + "---|" * len(scores) + "---|",
             "| **overall** | " + " | ".join(f"**{score}**" for score in scores.values()) + " | |"]
    for name in sorted(names, key=lambda one: (-names[one], one)):
        numbers = " | ".join(items[unit].get(name, "") for unit in scores)
        lines.append(f"| `{name}` | {numbers} | {reasons[name]} |")
    return [re.sub(r" {2,}", " ", line) for line in lines]


def analyze(unit, *flags):
    file = ROOT / f"deploy/systemd/fairway-{unit}.service"
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", *flags, str(file)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def between(page, lines=None):
    """Returns the lines between the marks of a page, and the page with others there."""
    if page.count(BEGIN) != 1 or page.count(END) != 1:
        raise SystemExit(f"error: {PAGE.name} has not one mark '{BEGIN}' with '{END}' behind it")
    before, rest = page.split(BEGIN)
    inside, after = rest.split(END)
    if lines is not None:
        page = before + BEGIN + "\n\n" + "\n".join(lines) + "\n\n" + END + after
    return inside.strip().split("\n"), page


def main(arguments):
    if arguments not in ([], ["--check"], ["--update"]):
        raise SystemExit(__doc__)
    try:
        version = subprocess.run(["systemd-analyze", "--version"], check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        version = "no systemd-analyze"
    if release_of(version) != RELEASE:
        print(f"skipped: the table is that of systemd {RELEASE}, and here is {version.splitlines()[0]}")
        return 0
    scores = {unit: overall(analyze(unit)) for unit in UNITS}
    lines = table(scores, {unit: exposed_items(json.loads(analyze(unit, "--json=short"))) for unit in UNITS})
    if not arguments:
        print("\n".join(lines))
        return 0
    there, updated = between(PAGE.read_text(), lines)
    if arguments == ["--update"]:
        PAGE.write_text(updated)
        return 0
    if there == lines:
        return 0
    for line in there:
        if line not in lines:
            print(f"docs/systemd.md has:       {line}")
    for line in lines:
        if line not in there:
            print(f"systemd-analyze says now:  {line}")
    print("error: write the table anew: python3 scripts/systemd/security.py --update")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
