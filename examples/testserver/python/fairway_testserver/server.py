# SPDX-License-Identifier: Apache-2.0
"""A server as a child process, whatever the tests are written with."""

import os
import pathlib
import re
import select
import shlex
import shutil
import subprocess
import tempfile
import time

from .faults import Faults

# The command that the server runs once it is ready, and that it ends with. It tells where the kubeconfig is, and ends with its standard
# input: that is a pipe whose other end is here, and which the kernel closes even when this process is killed.
_COMPANION = ("sh", "-c", 'echo "$KUBECONFIG"; exec cat')
# Seconds that a server has to stop before it is killed: only one that hangs needs them.
_STOP_LIMIT = 30
# The longest end of a log that an error shows.
_SHOWN_LOG = 4000


class ServerError(RuntimeError):
    """A server that could not be started, or that ended while tests used it. The text has what it wrote."""


class Server:
    """A running API server with its objects in memory, on a free port of 127.0.0.1. It is ready once it is constructed.

    apply: files whose objects are created before it is ready; definitions among them are served.
    args: further flags of `fairway apiserver`.
    clock: the time at which its clock stands still, such as "2026-01-01T00:00:00Z", until `faults.advance_clock`.
    program: the program to run; else that of $FAIRWAY, else `fairway` on the PATH.
    timeout: seconds that it has to become ready.

    It ends with `stop`, with its `with` block, and with this process, also if that is killed.
    """

    def __init__(self, *, apply=(), args=(), clock=None, program=None, timeout=60.0):
        command = [_find(program), "apiserver", "--memory", "--listen=127.0.0.1:0", "--admin-key=ec", "--test-faults"]
        command += [f"--test-clock={clock}"] if clock else []
        command += [f"--apply={os.fspath(file)}" for file in apply]
        command += [os.fspath(argument) for argument in args]
        self._shown = shlex.join(command)
        self._faults = None
        self._log, self._last_log = tempfile.TemporaryFile(), ""
        # A session of its own: Ctrl-C is for the tests, which still need the server to clean up.
        self._process = subprocess.Popen([*command, "--", *_COMPANION], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
                                         start_new_session=True)
        try:
            #: The path of the kubeconfig of an administrator (system:masters).
            self.kubeconfig = pathlib.Path(self._read_line(timeout))
            #: The URL of the server: "https://127.0.0.1:43211".
            self.url = re.search(r"^\s*server: (\S+)$", self.kubeconfig.read_text(), re.MULTILINE).group(1)
        except BaseException:
            self._end()
            raise

    @property
    def pid(self):
        """The process of the server."""
        return self._process.pid

    @property
    def faults(self):
        """Faults that the server makes on request (`Faults`)."""
        if self._faults is None:
            self._faults = Faults(self.url, self.kubeconfig)
        return self._faults

    def log(self):
        """Returns what the server has written: warnings and errors."""
        if self._log.closed:
            return self._last_log
        return os.pread(self._log.fileno(), os.fstat(self._log.fileno()).st_size, 0).decode(errors="replace")

    def environment(self, **more):
        """Returns the environment for a program that is to use the server: that of this process, KUBECONFIG, and `more`."""
        return {**os.environ, "KUBECONFIG": str(self.kubeconfig), **more}

    def kubernetes_configuration(self):
        """Returns a new `kubernetes.client.Configuration` for the server's administrator. It needs the package `kubernetes`."""
        kubernetes = _import_kubernetes()
        configuration = kubernetes.client.Configuration()
        kubernetes.config.load_kube_config(config_file=str(self.kubeconfig), client_configuration=configuration)
        return configuration

    def kubernetes_client(self):
        """Returns a new `kubernetes.client.ApiClient` of the server's administrator. It needs the package `kubernetes`."""
        return _import_kubernetes().client.ApiClient(self.kubernetes_configuration())

    def stop(self):
        """Stops the server and waits for its end; again it does nothing. It raises ServerError if the server had ended by itself."""
        if self._log.closed:
            return
        status = self._process.poll()
        self._end()
        if status is not None:
            raise ServerError(f"{self._shown}: it ended{_status(status)} while tests used it{_wrote(self._last_log)}")

    def __repr__(self):
        return f"<Server {self.url}>"

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        try:
            self.stop()
        except ServerError as ended:
            if error is None:
                raise
            # The test's own failure, which may be due to this one, is not hidden by it.
            if hasattr(error, "add_note"):
                error.add_note(str(ended))

    def _read_line(self, timeout):
        """Returns the first line that the companion writes, without its end. The server's log tells why there is none."""
        limit = time.monotonic() + timeout
        fd, text = self._process.stdout.fileno(), b""
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([fd], [], [], max(0.0, limit - time.monotonic()))
            if not ready:
                raise ServerError(f"{self._shown}: it is not ready after {timeout:g} s{_wrote(self.log())}")
            part = os.read(fd, 4096)
            if not part:
                status = self._process.wait()
                raise ServerError(f"{self._shown}: it ended{_status(status)} before it was ready{_wrote(self.log())}")
            text += part
        return os.fsdecode(text[:-1])

    def _end(self):
        """Ends the process and closes its files. The signal ends it even where a fork of this process has the pipe open as well."""
        self._process.terminate()
        self._process.stdin.close()
        try:
            self._process.wait(_STOP_LIMIT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._last_log = self.log()
        self._log.close()


def _find(program):
    """Returns the path of the program to run."""
    named = program or os.environ.get("FAIRWAY") or "fairway"
    found = shutil.which(os.fspath(named))
    if found is None:
        raise ServerError(f"starting an API server: there is no program `{named}`"
                          + (" on the PATH" if os.sep not in os.fspath(named) else "")
                          + "; install Fairway, or name its program by $FAIRWAY, by `program`, or by fairway_program in pytest.ini")
    return found


def _status(status):
    """Returns how a process ended, as a part of a sentence."""
    return f" by signal {-status}" if status < 0 else f" with status {status}"


def _wrote(log):
    """Returns the end of a log, as a part of a sentence."""
    return f"; it wrote\n{log[-_SHOWN_LOG:].rstrip()}" if log.strip() else "; it wrote nothing"


def _import_kubernetes():
    """Returns the package `kubernetes`."""
    try:
        import kubernetes.client
        import kubernetes.config
    except ImportError as missing:
        raise ImportError("a client of the package `kubernetes` was asked for, which is not installed: `pip install kubernetes`, or use "
                          "the server's kubeconfig and URL") from missing
    return kubernetes
