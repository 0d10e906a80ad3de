# SPDX-License-Identifier: Apache-2.0

"""The counts of the programs, and the proxy that cuts their connections."""

import socket
import threading
import unittest
import urllib.request

import cutter
import run


class Judge(unittest.TestCase):
    def test_lines_of_checks_are_counted_and_failures_named(self):
        output = "noise\npassed: one\npassed: two\nfailed: three: why\nnot failed: x\n"
        self.assertEqual(run.judge("java", output, 1), (2, 1, ["failed: java: three: why"]))

    def test_a_program_that_says_nothing_or_ends_badly_has_failed(self):
        for output, status in (("", 0), ("passed: one\n", 1), ("Traceback\n", 1)):
            with self.subTest(output=output, status=status):
                self.assertEqual(run.judge("node", output, status)[1], 1)
        self.assertEqual(run.judge("node", "passed: one\n", 0), (1, 0, []))

    def test_commands_are_words_between_tabs(self):
        self.assertEqual(run.read_commands("a\tb\tc d\n\ne\tf\n"), {"a": ["b", "c d"], "e": ["f"]})


class Cutter(unittest.TestCase):
    def setUp(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)
        self.proxy = cutter.Cutter(self.listener.getsockname()[1])
        self.addCleanup(self.proxy.close)

    def connect(self):
        """A connection through the proxy, as both of its ends."""
        client = socket.create_connection(("127.0.0.1", self.proxy.port), timeout=20)
        server, _ = self.listener.accept()
        server.settimeout(20)
        self.addCleanup(client.close)
        self.addCleanup(server.close)
        return client, server

    def cut(self, path=""):
        with urllib.request.urlopen(urllib.request.Request(self.proxy.door + path, method="POST")) as answer:
            return int(answer.read())

    def test_carries_both_ways_and_the_end_of_one(self):
        client, server = self.connect()
        client.sendall(b"question")
        client.shutdown(socket.SHUT_WR)
        self.assertEqual(server.makefile("rb").read(), b"question")
        server.sendall(b"answer")
        server.close()
        self.assertEqual(client.makefile("rb").read(), b"answer")

    def test_cuts_what_is_open_and_takes_what_comes_later(self):
        pairs = [self.connect(), self.connect()]
        self.assertEqual(self.cut(), 2)
        for side in (side for pair in pairs for side in pair):
            try:
                self.assertEqual(side.recv(1), b"")
            except ConnectionResetError:
                pass
        self.assertEqual(self.cut(), 0)
        client, server = self.connect()
        client.sendall(b"again")
        self.assertEqual(server.recv(5), b"again")

    def test_leaves_what_waits_for_an_answer_where_that_is_asked(self):
        (asking, asked), (told, telling) = self.connect(), self.connect()
        for client, server in ((asking, asked), (told, telling)):
            client.sendall(b"question")
            self.assertEqual(server.recv(8), b"question")
        telling.sendall(b"answer")
        self.assertEqual(told.recv(6), b"answer")
        self.assertEqual(self.cut("answered"), 1)
        asked.sendall(b"late")
        self.assertEqual(asking.recv(4), b"late")
        self.assertEqual(self.cut("answered"), 1)

    def test_ends_with_its_threads(self):
        before = threading.active_count()
        self.connect()
        self.proxy.close()
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and thread.daemon:
                thread.join(20)
        self.assertLessEqual(threading.active_count(), before)


if __name__ == "__main__":
    unittest.main()
