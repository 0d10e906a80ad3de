# SPDX-License-Identifier: Apache-2.0

"""A proxy of TCP between clients and a server, whose connections can be cut: `POST /` at its door cuts all that are open, `POST
/answered` those on which no request waits for the first byte of its answer, and it answers how many these were. What comes later
connects as before."""

import http.server
import socket
import struct
import threading


class Cutter:
    """The proxy of a server's port, and its door. It listens from its making until `close`."""

    def __init__(self, target):
        self._target = target
        self._open = set()
        self._asking = set()  # the pairs whose client spoke last
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        cutter = self

        class Door(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                text = str(cutter.cut(answered=self.path == "/answered")).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self._door = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
        self.door = f"http://127.0.0.1:{self._door.server_address[1]}/"
        for work in (self._accept, self._door.serve_forever):
            threading.Thread(target=work, daemon=True).start()

    def cut(self, answered=False):
        """Resets the open connections on both sides, or those whose server spoke last, and returns their number."""
        # What is in the set under the lock is not closed yet.
        with self._lock:
            pairs = self._open - self._asking if answered else self._open
            self._open = self._open - pairs
            for side in (side for pair in pairs for side in pair):
                # Without lingering, closing is a reset; the threads that read wake by the shutdown.
                side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                _shut(side)
        return len(pairs)

    def close(self):
        """Ends the proxy, with all its connections."""
        self._door.shutdown()
        self._door.server_close()
        # A thread that waits in accept() is not woken by close().
        _shut(self._listener)
        self._listener.close()
        self.cut()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            # Under the lock, so that a cut does not miss what the server has accepted already.
            with self._lock:
                try:
                    server = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    client.close()
                    continue
                pair = (client, server)
                self._open.add(pair)
            ended = []
            for source, sink in (pair, pair[::-1]):
                threading.Thread(target=self._carry, args=(pair, source, sink, ended), daemon=True).start()

    def _carry(self, pair, source, sink, ended):
        try:
            while piece := source.recv(65536):
                with self._lock:
                    (self._asking.add if source is pair[0] else self._asking.discard)(pair)
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            for side in pair:
                _shut(side)
        with self._lock:
            ended.append(source)
            if len(ended) < 2:
                return
            self._open.discard(pair)
            self._asking.discard(pair)
        for side in pair:
            side.close()


def _shut(side):
    try:
        side.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it has ended already
