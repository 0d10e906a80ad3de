# SPDX-License-Identifier: Apache-2.0
"""Tests of the action apiserver, and of the download that the actions have in common."""

import base64
import hashlib
import io
import os
import re
import ssl
import tarfile
import tempfile
import unittest
import urllib.request

import fake_github
from lint_graph_data_test import MISSING, PROGRAM, ROOT

NAME = "fairway-1.2.3-linux-amd64"


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Inputs(unittest.TestCase):
    def test_version_is_that_of_the_tree(self):
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"^project\(fairway VERSION ([0-9.]+)", file.read(), re.MULTILINE).group(1)
        for action in ("apiserver", "lint-graph-data"):
            self.assertEqual(fake_github.Runner(action, "", "").action["inputs"]["version"]["default"], version, action)


@unittest.skipIf(MISSING, f"there is no {MISSING}")
class ApiServer(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name
        self.workspace = os.path.join(self.folder, "workspace")
        os.mkdir(self.workspace)
        self.runner = fake_github.Runner("apiserver", self.folder, self.workspace)

    def start(self, **inputs):
        done = self.runner.run("main", {"fairway": PROGRAM, **inputs})
        self.pid = self.runner.values("GITHUB_STATE").get("pid")
        return done

    def get(self, path):
        with open(self.runner.values("GITHUB_ENV")["KUBECONFIG"], encoding="utf-8") as file:
            kubeconfig = file.read()
        authority = kubeconfig.split("certificate-authority-data: ")[1].split()[0]
        context = ssl.create_default_context(cadata=base64.b64decode(authority).decode())
        with urllib.request.urlopen(self.runner.values("GITHUB_OUTPUT")["server"] + path, context=context, timeout=10) as reply:
            return reply.read()

    def test_is_ready_for_the_steps_that_follow_and_stopped_at_the_end(self):
        done = self.start()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.get("/readyz"), b"ok")
        self.assertEqual(self.runner.values("GITHUB_OUTPUT")["kubeconfig"], self.runner.values("GITHUB_ENV")["KUBECONFIG"])
        stopped = self.runner.run("post", {})
        self.assertEqual(stopped.returncode, 0, stopped.stdout)
        self.assertFalse(is_running(self.pid))
        self.assertIn("the API server is ready", stopped.stdout)

    def test_has_the_objects_that_are_asked_for(self):
        with open(os.path.join(self.workspace, "objects.yaml"), "w", encoding="utf-8") as file:
            file.write("apiVersion: v1\nkind: Namespace\nmetadata: {name: ours}\n")
        done = self.start(apply="objects.yaml", data="state", args="--audit-log=audit.log")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(os.path.exists(os.path.join(self.workspace, "state", "apiserver.db")))
        self.runner.run("post", {})
        self.assertTrue(os.path.exists(os.path.join(self.workspace, "audit.log")))

    def test_that_does_not_start_fails_the_step_with_its_log(self):
        done = self.start(args="--no-such-flag")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--no-such-flag", done.stdout)
        self.assertIn("::error::starting fairway apiserver: it ended with the exit code 2; its log is above", done.stdout)
        self.assertEqual(self.runner.run("post", {}).returncode, 0)

    def test_that_ended_early_is_said_at_the_end(self):
        self.assertEqual(self.start().returncode, 0)
        os.kill(int(self.pid), 9)
        stopped = self.runner.run("post", {})
        self.assertEqual(stopped.returncode, 0)
        self.assertIn("::notice::fairway apiserver had ended before the end of the job", stopped.stdout)

    def test_stop_leaves_a_process_that_is_no_server(self):
        done = self.runner.run("post", {}, STATE_pid=str(os.getpid()))
        self.assertEqual(done.returncode, 0)


@unittest.skipIf(MISSING, f"there is no {MISSING}")
class Download(ApiServer):
    """The program comes from a folder with the files of a release."""

    def setUp(self):
        super().setUp()
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w:gz") as tar:
            entry = tarfile.TarInfo(f"{NAME}/bin/fairway")
            script = f'#!/bin/sh\nexec {PROGRAM} "$@"\n'.encode()
            entry.size, entry.mode = len(script), 0o755
            tar.addfile(entry, io.BytesIO(script))
        self.files = {f"/v1.2.3/{NAME}.tar.gz": content.getvalue()}
        self.digest = hashlib.sha256(content.getvalue()).hexdigest()
        self.files["/v1.2.3/SHA256SUMS"] = f"{'0' * 64}  other.deb\n{self.digest}  {NAME}.tar.gz\n".encode()
        server = fake_github.Server(lambda method, path, body, headers:
                                    (200, self.files[path]) if path in self.files else (404, b""))
        self.addCleanup(server.close)
        self.url = f"{server.url}/v1.2.3/"

    def start(self, **inputs):
        return super().start(**{"fairway": "", "version": "1.2.3", "url": self.url, **inputs})

    def test_is_on_the_path_of_the_steps_that_follow(self):
        done = self.start(sha256=self.digest.upper())
        self.assertEqual(done.returncode, 0, done.stdout)
        self.runner.run("post", {})
        self.assertTrue(os.access(os.path.join(self.runner.text("GITHUB_PATH").strip(), "fairway"), os.X_OK))

    def refused(self, said, **inputs):
        done = self.start(**inputs)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, f"::error::.*{said}")
        self.assertEqual(self.runner.text("GITHUB_PATH"), "")

    def test_of_other_bytes_than_listed_is_refused(self):
        self.files[f"/v1.2.3/{NAME}.tar.gz"] += b"\0"
        self.refused("and SHA256SUMS says .*: it is damaged, or not the release")

    def test_of_other_bytes_than_pinned_is_refused(self):
        self.refused("it is not what you pinned", sha256="1" * 64)

    def test_that_is_not_listed_is_refused(self):
        self.files["/v1.2.3/SHA256SUMS"] = f"{self.digest}  other.tar.gz\n".encode()
        self.refused("SHA256SUMS does not list fairway-1.2.3-linux-amd64.tar.gz")

    def test_that_is_not_there_says_where_it_looked(self):
        self.refused("downloading .*/v1.2.4/[^ ]*: status 404; the input url names", url=self.url.replace("1.2.3", "1.2.4"))
        self.refused("where to download from is not known", url="")
        self.refused("the input version is 'latest'", version="latest")


if __name__ == "__main__":
    unittest.main()
