# SPDX-License-Identifier: Apache-2.0
"""A stand-in for GitHub in the tests of the actions: a runner with its files, its API of comments, and a server of releases."""

import http.server
import json
import os
import re
import subprocess
import threading

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))


class Server:
    """A server on loopback; `answer(method, path, body)` gives the status and the bytes of a reply."""

    def __init__(self, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            def reply(self):
                length = int(self.headers.get("Content-Length") or 0)
                status, content = answer(self.command, self.path, self.rfile.read(length), self.headers)
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = reply

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Comments:
    """GitHub's API of the comments on pull request 7 of the repository data/graph."""

    def __init__(self, comments=(), may_write=True):
        self.comments = [{"id": number, **one} for number, one in enumerate(comments, 1)]
        self.may_write = may_write
        self.requests = []
        self.server = Server(self.answer)

    def answer(self, method, path, body, headers):
        self.requests.append((method, path))
        if headers.get("Authorization") != "Bearer a-token":
            return 401, b"{}"
        listed = re.fullmatch(r"/repos/data/graph/issues/7/comments\?per_page=100&page=(\d+)", path)
        if method == "GET" and listed:
            first = 100 * (int(listed.group(1)) - 1)
            return 200, json.dumps(self.comments[first:first + 100]).encode()
        if not self.may_write:
            return 403, b'{"message": "Resource not accessible by integration"}'
        text = json.loads(body)["body"]
        if method == "POST" and path == "/repos/data/graph/issues/7/comments":
            self.comments.append({"id": len(self.comments) + 1, "user": {"login": "github-actions[bot]"}, "body": text})
            return 201, json.dumps(self.comments[-1]).encode()
        one = re.fullmatch(r"/repos/data/graph/issues/comments/(\d+)", path)
        if method == "PATCH" and one:
            self.comments[int(one.group(1)) - 1]["body"] = text
            return 200, json.dumps(self.comments[int(one.group(1)) - 1]).encode()
        return 404, b"{}"


def values_of(text):
    """The values that a step has written to a file of the runner: NAME<<END, the lines, END."""
    return {name: value for name, _, value in re.findall(r"^(\w+)<<(\S+)\n(.*?)\n\2$", text, re.MULTILINE | re.DOTALL)}


class Runner:
    """Runs scripts of an action as a runner does, in a workspace, with the defaults of its inputs."""

    FILES = {"GITHUB_OUTPUT": "output", "GITHUB_ENV": "env", "GITHUB_STATE": "state", "GITHUB_PATH": "path",
             "GITHUB_STEP_SUMMARY": "summary"}

    def __init__(self, action, folder, workspace):
        self.folder, self.workspace = folder, workspace
        self.home = os.path.join(HERE, action)
        with open(os.path.join(self.home, "action.yml"), encoding="utf-8") as file:
            self.action = yaml.safe_load(file)

    def run(self, key, inputs, **environment):
        """Runs the script of `main` or `post`."""
        known = {"PATH": os.environ["PATH"], "HOME": self.folder, "GITHUB_WORKSPACE": self.workspace, "RUNNER_TEMP": self.folder,
                 **{variable: os.path.join(self.folder, name) for variable, name in self.FILES.items()}, **environment}
        unknown = set(inputs) - set(self.action["inputs"])
        if unknown:
            raise ValueError(f"action.yml has no inputs {unknown}")
        for name, described in self.action["inputs"].items():
            value = inputs.get(name, described["default"])
            known[f"INPUT_{name.upper()}"] = "a-token" if value == "${{ github.token }}" else value
        if key == "post":
            known.update({f"STATE_{name}": value for name, value in values_of(self.text("GITHUB_STATE")).items()})
        return subprocess.run(["node", os.path.join(self.home, self.action["runs"][key])], cwd=self.workspace, env=known,
                              capture_output=True, text=True, timeout=120)

    def text(self, variable):
        path = os.path.join(self.folder, self.FILES[variable])
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()

    def values(self, variable):
        return values_of(self.text(variable))
