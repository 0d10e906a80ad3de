# SPDX-License-Identifier: Apache-2.0
"""Tests of the action lint-graph-data, with the program that FAIRWAY names (build/fairway), before a GitHub of their own."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import fake_github

ROOT = os.path.dirname(os.path.dirname(fake_github.HERE))
PROGRAM = os.environ.get("FAIRWAY", os.path.join(ROOT, "build", "fairway"))
MISSING = next((what for what, there in (("node", shutil.which("node")), (PROGRAM, os.path.exists(PROGRAM))) if not there), None)
MARKER = "<!-- fairway: lint-graph-data -->"
WIDENED = "The risk `AuthOAuthProxyLeakedConnections` of updates into `4.7.8` is lifted"
BROKEN = "to: 4.7.9\nfrom: ^4[.]7[.]8$\nname: X\n"


if MISSING and os.environ.get("FAIRWAY_MUST_RUN"):
    raise SystemExit(f"error: there is no {MISSING}, which these tests run")


@unittest.skipIf(MISSING, f"there is no {MISSING}")
class LintGraphData(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name
        self.workspace = os.path.join(self.folder, "workspace")
        self.data = os.path.join(self.workspace, "data")
        shutil.copytree(os.path.join(ROOT, "examples", "graph-data"), self.data)
        shutil.copy(os.path.join(ROOT, "examples", "releases.json"), self.workspace)
        self.git("init", "--quiet", "--initial-branch=main")
        self.base = self.commit()
        self.api = None

    def git(self, *words, cwd=None):
        done = subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.com", *words], cwd=cwd or self.workspace, check=True,
                              capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "--quiet", "-m", "A change", "--allow-empty")
        return self.git("rev-parse", "HEAD")

    def remove_risk(self):
        os.remove(os.path.join(self.data, "blocked-edges", "4.7.8-auth-connection-leak.yaml"))

    def write(self, name, text):
        with open(os.path.join(self.data, name), "w", encoding="utf-8") as file:
            file.write(text)

    def serve(self, *comments, may_write=True):
        self.api = fake_github.Comments(comments, may_write)
        self.addCleanup(self.api.server.close)

    def act(self, pull_request=True, workspace=None, ref="", **inputs):
        """Runs the action for the change of the workspace."""
        event = os.path.join(self.folder, "event.json")
        with open(event, "w", encoding="utf-8") as file:
            json.dump({"pull_request": {"number": 7, "base": {"sha": self.base}}} if pull_request else {}, file)
        for name in fake_github.Runner.FILES.values():
            if os.path.exists(os.path.join(self.folder, name)):
                os.remove(os.path.join(self.folder, name))
        self.runner = fake_github.Runner("lint-graph-data", self.folder, workspace or self.workspace)
        return self.runner.run("main", {"directory": "data", "releases": "releases.json", "fairway": PROGRAM,
                                        **{name.replace("_", "-"): value for name, value in inputs.items()}},
                               GITHUB_EVENT_PATH=event, GITHUB_REF=ref, GITHUB_REPOSITORY="data/graph",
                               GITHUB_API_URL=self.api.server.url if self.api else "http://127.0.0.1:1")

    def test_marks_lines_and_writes_one_comment_that_later_runs_write_anew(self):
        self.serve({"user": {"login": "somebody"}, "body": "Looks good."})
        self.remove_risk()
        self.write("blocked-edges/4.7.9-X.yaml", BROKEN)
        self.commit()
        done = self.act()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("::error file=data/blocked-edges/4.7.9-X.yaml,line=2,col=7,title=from-matches-nothing::", done.stdout)
        self.assertEqual(self.runner.values("GITHUB_OUTPUT")["errors"], "2")
        summary = self.runner.text("GITHUB_STEP_SUMMARY")
        self.assertTrue(summary.startswith("### Graph data: 2 errors and "), summary)
        self.assertIn(WIDENED, summary)
        self.assertEqual([one["body"] for one in self.api.comments], ["Looks good.", f"{MARKER}\n{summary}"])

        os.remove(os.path.join(self.data, "blocked-edges", "4.7.9-X.yaml"))
        self.commit()
        self.assertEqual(self.act().returncode, 0)
        self.assertEqual(len(self.api.comments), 2)
        self.assertIn("### Graph data: 0 errors and ", self.api.comments[1]["body"])
        self.assertIn(WIDENED, self.api.comments[1]["body"])

    def test_finds_its_comment_behind_a_hundred_others(self):
        self.serve(*[{"user": {"login": "somebody"}, "body": "More."}] * 100,
                   {"user": {"login": "github-actions[bot]"}, "body": MARKER + "\nold"})
        self.remove_risk()
        self.assertEqual(self.act().returncode, 0)
        self.assertEqual(len(self.api.comments), 101)
        self.assertIn(WIDENED, self.api.comments[100]["body"])

    def test_leaves_what_others_wrote_in_its_form(self):
        self.serve({"user": {"login": "somebody"}, "body": MARKER + "\nAll is well."})
        self.remove_risk()
        self.assertEqual(self.act().returncode, 0)
        self.assertEqual(self.api.comments[0]["body"], MARKER + "\nAll is well.")
        self.assertEqual(len(self.api.comments), 2)

    def test_has_a_summary_alone_where_the_token_may_not_write(self):
        self.serve(may_write=False)
        self.remove_risk()
        done = self.act()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("::notice::the token may not comment on this pull request", done.stdout)
        self.assertIn(WIDENED, self.runner.text("GITHUB_STEP_SUMMARY"))

    def test_fails_by_what_is_asked_for(self):
        self.remove_risk()
        self.assertEqual(self.act(comment="false").returncode, 0)
        done = self.act(comment="false", fail_on="widened\nstranded")
        self.assertEqual(done.returncode, 1)
        self.assertIn("::error::the graph data has errors, or changes what the input fail-on names", done.stdout)

    def test_writes_no_comment_on_a_change_of_other_files(self):
        self.serve()
        with open(os.path.join(self.workspace, "README.md"), "w", encoding="utf-8") as file:
            file.write("New.\n")
        self.commit()
        self.assertEqual(self.act().returncode, 0)
        self.assertEqual(self.api.comments, [])
        self.assertEqual([method for method, _ in self.api.requests], ["GET"])

    def test_compares_with_nothing_where_there_is_no_pull_request(self):
        self.serve()
        self.remove_risk()
        self.assertEqual(self.act(pull_request=False).returncode, 0)
        self.assertNotIn("What this changes", self.runner.text("GITHUB_STEP_SUMMARY"))
        self.assertEqual(self.api.requests, [])
        self.assertEqual(self.act(pull_request=False, base="HEAD").returncode, 0)
        self.assertIn(WIDENED, self.runner.text("GITHUB_STEP_SUMMARY"))

    def test_fetches_the_base_into_a_shallow_clone(self):
        self.remove_risk()
        self.commit()
        self.git("config", "uploadpack.allowAnySHA1InWant", "true")
        clone = os.path.join(self.folder, "clone")
        self.git("clone", "--quiet", "--depth=1", f"file://{self.workspace}", clone)
        done = self.act(workspace=clone, comment="false")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(WIDENED, self.runner.text("GITHUB_STEP_SUMMARY"))

    def test_does_not_count_what_others_have_changed_meanwhile(self):
        self.git("checkout", "--quiet", "-b", "change")
        self.write("blocked-edges/README.md", "A note.\n")
        self.commit()
        self.git("checkout", "--quiet", "main")
        self.remove_risk()
        self.commit()
        # GitHub's trial of the merge; the event still names the base that the request was opened on.
        self.git("merge", "--quiet", "--no-ff", "-m", "A merge", "change")
        done = self.act(ref="refs/pull/7/merge", comment="false", fail_on="widened")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn(WIDENED, self.runner.text("GITHUB_STEP_SUMMARY"))
        # Of another event the commit is taken as it is.
        self.assertEqual(self.act(ref="refs/heads/main", comment="false", fail_on="widened").returncode, 1)

    def test_lets_a_change_pass_that_repairs_the_base(self):
        self.write("blocked-edges/4.7.9-Z.yaml", "to: [\n")
        self.base = self.commit()
        os.remove(os.path.join(self.data, "blocked-edges", "4.7.9-Z.yaml"))
        self.commit()
        done = self.act(comment="false", fail_on="widened")
        self.assertEqual(done.returncode, 0, done.stdout)
        summary = self.runner.text("GITHUB_STEP_SUMMARY")
        self.assertIn("It is not known", summary)
        self.assertNotIn("graph-data-", summary)

    def test_takes_graph_data_at_the_root(self):
        root = os.path.join(self.folder, "root")
        shutil.copytree(self.data, root)
        for words in (("init", "--quiet"), ("add", "-A"), ("commit", "--quiet", "-m", "Data")):
            self.git(*words, cwd=root)
        os.remove(os.path.join(root, "blocked-edges", "4.7.8-auth-connection-leak.yaml"))
        done = self.act(workspace=root, comment="false", directory=".", releases=f"{self.workspace}/releases.json", base="HEAD")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(WIDENED, self.runner.text("GITHUB_STEP_SUMMARY"))

    def test_takes_a_repository_below_the_workspace(self):
        self.remove_risk()
        done = self.act(workspace=self.folder, comment="false", directory="workspace/data", releases="workspace/releases.json")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(WIDENED, self.runner.text("GITHUB_STEP_SUMMARY"))

    def test_says_what_is_wrong_with_its_inputs(self):
        for inputs, said in (({"directory": "../data"}, "name a folder below the repository"),
                             ({"comment": "yes"}, "the input comment is 'yes': write true or false"),
                             ({"base": "--output=x"}, "the input base is '--output=x': name a commit"),
                             ({"base": "0" * 40}, "give actions/checkout fetch-depth: 0"),
                             ({"directory": "nowhere"}, "there is no such folder: has actions/checkout run before"),
                             ({"releases": "nothing.json"}, "nothing.json")):
            done = self.act(**inputs)
            self.assertEqual(done.returncode, 1, inputs)
            self.assertRegex(done.stdout, f"::error::.*{said}", inputs)

    def test_shows_texts_of_the_data_as_they_are(self):
        self.serve()
        self.write("blocked-edges/4.7.9-Y.yaml", "to: '@somebody [a](https://example.com) <b>| ::error::x'\nfrom: .*\nname: Y\n")
        done = self.act()
        self.assertEqual(len(self.api.comments), 1, done.stdout + done.stderr)
        body = self.api.comments[0]["body"]
        for mark in ("@somebody", "](https", "<b>", "https://"):
            self.assertNotIn(mark, body)
        # GitHub looks for mentions in what it has decoded, but not in code.
        self.assertRegex(body, "<code>[^<]*&#64;somebody")
        self.assertNotRegex(re.sub("<code>[^<]*</code>", "", body), "&#|somebody")
        self.assertIn("### What this changes for clusters\n\nIt is not known", body)


if __name__ == "__main__":
    unittest.main()
