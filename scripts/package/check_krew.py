# SPDX-License-Identifier: Apache-2.0
"""Has krew install what was packaged for it, and kubectl run it.

usage: check_krew.py DIST --krew PROGRAM --kubectl PROGRAM [--validate PROGRAM]

DIST has fairway.yaml and its archive. PROGRAM of --validate is krew's validate-krew-manifest. The last line counts the checks as tests.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile


class Check:
    """Runs commands in a home of their own, and counts those that went well."""

    def __init__(self, home, kubectl):
        os.makedirs(f"{home}/programs")
        os.symlink(os.path.abspath(kubectl), f"{home}/programs/kubectl")
        self.environment = {**os.environ, "HOME": home, "KREW_ROOT": f"{home}/krew", "KREW_NO_UPGRADE_CHECK": "1",
                            "PATH": f"{home}/krew/bin:{home}/programs:{os.environ['PATH']}"}
        self.passed = self.failed = 0

    def run(self, what, command, wanted=""):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        if done.returncode == 0 and wanted in done.stdout:
            self.passed += 1
            print(f"  {what}")
        else:
            self.failed += 1
            print(f"failed: {what}: `{' '.join(command)}` ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done


def make_index(home, manifest):
    """Makes an index of plugins, a Git repository with the manifest. Returns its folder."""
    index = os.path.join(home, "index")
    os.makedirs(os.path.join(index, "plugins"))
    shutil.copy(manifest, os.path.join(index, "plugins"))
    git = ["git", "-C", index, "-c", "user.name=Fairway", "-c", "user.email=maintainers@fairway.dev"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "A plugin"], check=True)
    return index


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist")
    parser.add_argument("--krew", required=True)
    parser.add_argument("--kubectl", required=True)
    parser.add_argument("--validate")
    options = parser.parse_args()
    manifest = os.path.join(options.dist, "fairway.yaml")
    found = glob.glob(os.path.join(glob.escape(options.dist), "kubectl-fairway-*.tar.gz"))
    if len(found) != 1:
        raise SystemExit(f"error: {options.dist} has {len(found)} archives for krew, and needs one: ./dev package makes it")
    archive = found[0]
    version = os.path.basename(archive).split("-")[2]
    with tempfile.TemporaryDirectory() as home:
        check = Check(home, options.kubectl)
        if options.validate:
            # Not installed from where the manifest says: that is not there yet.
            check.run("krew's validator takes the manifest", [options.validate, "-manifest", manifest, "-skip-install"])
        check.run("krew installs it", [options.krew, "install", f"--manifest={manifest}", f"--archive={archive}"])
        check.run("kubectl finds it", ["kubectl", "plugin", "list"], "kubectl-fairway")
        check.run("kubectl runs it", ["kubectl", "fairway", "--version"], version)
        check.environment["FAIRWAY_LIBC"] = "bundled"
        check.run("kubectl runs it with the C library that came with it", ["kubectl", "fairway", "--version"], version)
        check.run("it has the client's commands", ["kubectl", "fairway", "why", "--help"], "why")
        del check.environment["FAIRWAY_LIBC"]
        index = make_index(home, manifest)
        check.run("krew takes an index with it", [options.krew, "index", "add", "default", f"file://{index}"])
        check.run("krew finds it there", [options.krew, "search", "fairway"], "See and request the updates of a cluster")
        check.run("krew lists it", [options.krew, "list"], "fairway")
        check.run("krew removes it", [options.krew, "uninstall", "fairway"])
    print(f"{check.passed} passed, {check.failed} failed, 0 skipped")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
