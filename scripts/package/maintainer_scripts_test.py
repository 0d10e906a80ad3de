# SPDX-License-Identifier: Apache-2.0
"""Tests of the Debian packages' maintainer scripts, with a systemctl that fails, or that waits for what it is asked for."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "debian" / "scripts"
UNITS = "fairway-serve.service fairway-operator.service"
# Like systemctl it comes back when the job has ended, and a job may have no end: a unit that asks for more time again and again.
STUB = """#!/bin/sh
echo "$@" >>"$CALLS"
case "$STATE $*" in
  waits*try-restart*) case "$*" in *--no-block*) ;; *) exec sleep 600 ;; esac ;;
  fails*) echo "Job failed. See \\"journalctl -xe\\"" >&2 && exit 1 ;;
esac
"""
# What dpkg calls them with.
CALLS = (("postinst", "configure", ""), ("postinst", "configure", "0.1.0"), ("postinst", "abort-upgrade", "0.1.0"),
         ("prerm", "remove"), ("prerm", "upgrade", "0.3.0"), ("postrm", "remove"), ("postrm", "purge"))


class MaintainerScripts(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "systemd").mkdir()
        (self.folder / "systemctl").write_text(STUB, encoding="utf-8")
        (self.folder / "systemctl").chmod(0o755)

    def run_script(self, state, script, *arguments):
        """Returns what the script, installed for two units, did: its exit code, its errors, and the calls of systemctl."""
        text = (SCRIPTS / f"{script}.in").read_text(encoding="utf-8")
        text = text.replace("@units@", UNITS).replace("/run/systemd/system", str(self.folder / "systemd"))
        (self.folder / script).write_text(text, encoding="utf-8")
        calls = self.folder / "calls"
        calls.write_text("", encoding="utf-8")
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "CALLS": str(calls), "STATE": state}
        done = subprocess.run(["sh", self.folder / script, *arguments], env=environment, capture_output=True, text=True, check=False,
                              timeout=20)
        return done.returncode, done.stderr, calls.read_text(encoding="utf-8").splitlines()

    def test_never_fail_because_a_unit_does(self):
        for call in CALLS:
            with self.subTest(call):
                self.assertEqual(self.run_script("fails", *call)[0], 0)

    def test_never_wait_for_a_unit_to_start(self):
        for call in CALLS:
            with self.subTest(call):
                self.assertEqual(self.run_script("waits", *call)[0], 0)

    def test_restart_what_runs_after_an_upgrade_alone(self):
        self.assertIn(f"--system --no-block try-restart {UNITS}", self.run_script("works", "postinst", "configure", "0.1.0")[2])
        for call in CALLS:
            if call != ("postinst", "configure", "0.1.0"):
                with self.subTest(call):
                    self.assertNotIn("restart", " ".join(self.run_script("works", *call)[2]))

    def test_say_what_was_not_done(self):
        self.assertIn(f"systemctl restart {UNITS}", self.run_script("fails", "postinst", "configure", "0.1.0")[1])
        self.assertIn(f"systemctl disable --now {UNITS}", self.run_script("fails", "prerm", "remove")[1])

    def test_stop_what_is_removed(self):
        self.assertEqual(self.run_script("works", "prerm", "remove")[2], [f"--system disable --now {UNITS}"])
        self.assertEqual(self.run_script("works", "prerm", "upgrade", "0.3.0")[2], [])


if __name__ == "__main__":
    unittest.main()
