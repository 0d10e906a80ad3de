# SPDX-License-Identifier: Apache-2.0

"""What the programs in Python have in common: their namespace, the cut of their connections, and how checks are told."""

import os
import sys
import traceback
import urllib.request

SPACE = os.environ["SPACE"]
# Test runners of clients put another in its place.
OUTPUT = sys.stdout
LIMIT = 30  # seconds: only a server that hangs needs them


def cut(answered=False):
    """Cuts all connections of this program to the server, or those without a request that waits for its answer, and returns their
    number."""
    door = os.environ["CUT"] + ("answered" if answered else "")
    with urllib.request.urlopen(urllib.request.Request(door, method="POST")) as answer:
        return int(answer.read())


def run_checks(*checks, last=True):
    """Runs the checks in their order, prints a line for each, and ends the program, or returns the status that it is to end with."""
    failed = 0
    for check in checks:
        try:
            check()
            print(f"passed: {check.__name__}", flush=True, file=OUTPUT)
        except BaseException as error:  # whatever it is, the others go on
            failed += 1
            print(f"{traceback.format_exc()}failed: {check.__name__}: {error!r}", flush=True, file=OUTPUT)
    if last:
        # Threads of clients may wait for a server without end.
        os._exit(1 if failed else 0)
    return 1 if failed else 0
