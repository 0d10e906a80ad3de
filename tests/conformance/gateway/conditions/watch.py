#!/usr/bin/env python3
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


class Watch(threading.Thread):
    """Puts what kubectl says of a kind into a queue, with the time."""

    def __init__(self, kubectl, kind, events):
        super().__init__()
        self.kind = kind
        self._events = events
        self._child = subprocess.Popen([kubectl, "get", kind, "--all-namespaces", "--watch", "--output-watch-events",
                                        "-o", "json"], stdout=subprocess.PIPE, text=True)
        self.start()

    def run(self) -> None:
        for line in self._child.stdout:
            self._events.put((time.time(), json.loads(line)))

    def end(self) -> bool:
        """Ends it. False: it had ended before, and has missed what came since."""
        was_there = self._child.poll() is None
        self._child.terminate()
        self.join()
        return was_there


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
