#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Watches the statuses of all objects of Gateway API until it is ended by SIGTERM, and judges them by rules.py.

usage: watch.py KUBECTL

Prints what is wrong, then a line of counts. Exit 1: something is wrong, or no status was seen.
"""

import json
import queue
import signal
import subprocess
import sys
import threading
import time

import rules


# Times that the watch of a kind may begin again: an API server ends it where the kind's definition was written a moment ago.
MOST_RESTARTS = 3


class Watch(threading.Thread):
    """Puts what kubectl says of a kind into a queue, with the time."""

    def __init__(self, kubectl, kind, events):
        super().__init__()
        self.kind = kind
        self._command = [kubectl, "get", kind, "--all-namespaces", "--watch", "--output-watch-events", "-o", "json"]
        self._events = events
        self._lock = threading.Lock()
        self._ending = False
        self._lost = False
        self._begin()
        self.start()

    def _begin(self) -> None:
        self._child = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)

    def run(self) -> None:
        for restarts in range(MOST_RESTARTS + 1):
            why = self._read()
            with self._lock:
                if self._ending:
                    return
                # Its first events are all objects as they are by then.
                if restarts < MOST_RESTARTS:
                    self._begin()
            print(f"the watch of {self.kind} ended: {why}", flush=True)
        self._lost = True

    def _read(self) -> str:
        """Reads until the watch ends, and says why."""
        for line in self._child.stdout:
            event = json.loads(line)
            if event["type"] == "ERROR":
                self._child.terminate()
                self._child.wait()
                return event["object"].get("message", "no reason given")
            self._events.put((time.time(), event))
        return f"kubectl ended with {self._child.wait()}"

    def end(self) -> bool:
        """Ends it. False: it had ended before, and has missed what came since."""
        with self._lock:
            self._ending = True
            self._child.terminate()
        self.join()
        return not self._lost


def main() -> int:
    events, ended = queue.Queue(), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    watches = [Watch(sys.argv[1], kind, events) for kind in rules.KINDS]
    ended.wait()
    judge = rules.Judge()
    for watch in watches:
        if not watch.end():
            judge.findings.append(f"the watch of {watch.kind} ended too early")
    while not events.empty():
        judge.see(*reversed(events.get()))
    judge.end(time.time())
    for finding in judge.findings:
        print(f"wrong: {finding}")
    print(f"{judge.judged} statuses of {len(judge.objects)} objects, {len(judge.findings)} findings", flush=True)
    return 1 if judge.findings or judge.judged == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
