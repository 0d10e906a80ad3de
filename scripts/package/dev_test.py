# SPDX-License-Identifier: Apache-2.0
"""Tests of `./dev package` and `./dev release`, in a repository of their own, where all that takes long does nothing."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import versions_test

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What builds is replaced: a package is a file that says which commit it was labelled with.
SHELL = """
set -eu
. "$FAIRWAY_ROOT/scripts/dev/caller.sh"
. "$FAIRWAY_ROOT/scripts/dev/package.sh"
. "$FAIRWAY_ROOT/scripts/dev/release.sh"
need() { :; }
build_installed() { :; }
made() { for name in "$@"; do echo "$revision" >"${package_made:-$package_out}/$name"; done; }
package_debian() { [ -z "${FAILS:-}" ] && made "fairway_${version}_amd64.deb" "fairway_${version}_amd64.deb.spdx.json"; }
package_tarball() { made "fairway-$version-linux-amd64.tar.gz"; }
package_krew() { made "kubectl-fairway-$version-linux-amd64.tar.gz" fairway.yaml; }
check_packages() { ls -L "$package_ours"; }
package_images() { made "fairway-$version.oci.tar"; }
command="$1"
shift
"dev_$command" "$@"
"""
VERIFY_BUILDS = """
mkdir -p "$3/dist-one"
package_out="$3/dist-one"
for name in "fairway_@_amd64.deb" "fairway-@.oci.tar" fairway.yaml "fairway_@_amd64.deb.spdx.json"; do echo "$2" >"$package_out/$name"; done
cd "$package_out" && sha256sum * >../sums && mv ../sums SHA256SUMS
"""


class Dev(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.root = self.folder / "checkout"
        self.environment = {**os.environ, "FAIRWAY_ROOT": str(self.root), "HOME": str(self.folder), "GIT_CONFIG_COUNT": "4",
                            "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "A", "GIT_CONFIG_KEY_1": "user.email",
                            "GIT_CONFIG_VALUE_1": "a@example.com", "GIT_CONFIG_KEY_2": "safe.directory", "GIT_CONFIG_VALUE_2": "*",
                            "GIT_CONFIG_KEY_3": "core.fsync", "GIT_CONFIG_VALUE_3": "none"}
        # ./dev lint runs these tests: what it says of its own caller is not for the checkout of a test.
        for name in ("SOURCE_DATE_EPOCH", "FAIRWAY_CALLER"):
            self.environment.pop(name, None)
        for folder in ("scripts/dev", "scripts/package"):
            shutil.copytree(ROOT / folder, self.root / folder, ignore=shutil.ignore_patterns("__pycache__"))
        provenance = "import sys; open(sys.argv[sys.argv.index('--out') + 1], 'w').close()"
        for name, text in {"complete.py": "", "provenance.py": provenance}.items():
            (self.root / "scripts" / "package" / name).write_text(text, encoding="utf-8")
        shutil.copy(ROOT / ".gitignore", self.root)
        self.git("init", "-q")
        self.set_version("0.2.0")

    def git(self, *arguments):
        done = subprocess.run(["git", "-C", self.root, *arguments], env=self.environment, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def set_version(self, version):
        """Commits and tags a version."""
        versions_test.fill(self.root, version)
        (self.root / "CHANGELOG.md").write_text(f"## [{version}] - 2026-12-01\n", encoding="utf-8")
        (self.root / "scripts" / "package" / "verify_builds.sh").write_text(VERIFY_BUILDS.replace("@", version), encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-qm", version)
        self.git("tag", f"v{version}")
        self.head = self.git("rev-parse", "HEAD")

    def dev(self, *arguments, **environment):
        """Returns the exit code of a command of ./dev, and all that it printed."""
        done = subprocess.run(["sh", "-c", SHELL, "dev", *map(str, arguments)], cwd=self.root, env={**self.environment, **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60)
        return done.returncode, done.stdout

    def made(self, *arguments):
        code, said = self.dev(*arguments)
        self.assertEqual(code, 0, said)

    def test_packages_leave_the_files_of_others(self):
        out = self.folder / "downloads"
        out.mkdir()
        others = {name: f"mine: {name}" for name in ("photos.tar.gz", "editor_1_amd64.deb", "a.oci.tar", "notes.spdx.json")}
        for name, text in others.items():
            (out / name).write_text(text, encoding="utf-8")
        self.made("package", "--out", out)
        self.made("package", "--out", out)
        for name, text in others.items():
            self.assertEqual((out / name).read_text(encoding="utf-8"), text)
            self.assertNotIn(name, (out / "SHA256SUMS").read_text(encoding="utf-8"))

    def test_packages_are_tried_without_the_files_of_others(self):
        out = self.folder / "downloads"
        (out / "folder").mkdir(parents=True)
        (out / "editor_1_amd64.deb").write_text("mine", encoding="utf-8")
        code, said = self.dev("package", "--out", out, "--check")
        self.assertEqual(code, 0, said)
        self.assertEqual(sorted(said.split()[-7:]), sorted(path.name for path in out.iterdir() if path.name not in
                                                           ("folder", "editor_1_amd64.deb")))

    def test_paths_are_those_of_the_caller(self):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / "my.key"], check=True)
        public = (self.folder / "my.key.pub").read_text(encoding="utf-8")
        (self.root / "packaging" / "release-signers").write_text(f'fairway namespaces="file" {public}', encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-qm", "a key")
        self.git("tag", "-f", "v0.2.0")
        caller = {"FAIRWAY_CALLER": str(self.folder)}
        for command in (["package", "--out", "one"], ["release", "0.2.0", "--out", "two", "--no-verify", "--key", "my.key"]):
            code, said = self.dev(*command, **caller)
            self.assertEqual(code, 0, said)
        self.assertTrue((self.folder / "one" / "SHA256SUMS").exists())
        self.assertTrue((self.folder / "two" / "SHA256SUMS.sig").exists())

    def test_packages_that_fail_leave_those_that_were_there(self):
        self.made("package")
        before = sorted(path.name for path in (self.root / "dist").iterdir())
        self.assertNotEqual(self.dev("package", FAILS="yes")[0], 0)
        self.assertEqual(sorted(path.name for path in (self.root / "dist").iterdir()), before)

    def test_packages_of_a_folder_in_the_checkout_are_the_same_twice(self):
        image = self.root / "my out" / "fairway-0.2.0.oci.tar"
        self.made("package", "--out", image.parent)
        self.assertEqual(image.read_text(encoding="utf-8"), self.head + "\n")
        # What Python leaves beside the modules that the first run loaded.
        (self.root / "scripts" / "package" / "__pycache__").mkdir()
        (self.root / "scripts" / "package" / "__pycache__" / "copyrights.pyc").write_text("", encoding="utf-8")
        self.made("package", "--out", "my out")
        self.assertEqual(image.read_text(encoding="utf-8"), self.head + "\n")

    def test_packages_of_changes_have_no_commit(self):
        image = self.root / "docs" / "fairway-0.2.0.oci.tar"
        (self.root / "new").write_text("", encoding="utf-8")
        self.made("package", "--out", image.parent)
        self.assertEqual(image.read_text(encoding="utf-8"), "\n")
        (self.root / "new").unlink()
        # A page that differs, in the folder of the packages.
        (self.root / "docs" / "install.md").write_text("changed fairway-0.2.0.oci.tar", encoding="utf-8")
        self.made("package", "--out", image.parent)
        self.assertEqual(image.read_text(encoding="utf-8"), "\n")

    def test_a_release_leaves_an_earlier_one(self):
        out = self.folder / "releases"
        self.made("release", "0.2.0", "--out", out, "--no-verify")
        before = sorted(path.name for path in out.iterdir())
        self.assertIn("fairway-0.2.0.provenance.json", before)
        self.set_version("0.3.0")
        code, said = self.dev("release", "0.3.0", "--out", out, "--no-verify")
        self.assertEqual((code, "packages of another version, 0.2.0" in said), (1, True), said)
        self.assertEqual(sorted(path.name for path in out.iterdir()), before)
        self.made("release", "0.3.0", "--out", self.folder / "another", "--no-verify")

    def test_a_release_in_the_checkout_can_be_made_twice(self):
        self.made("release", "0.2.0", "--out", "out", "--no-verify")
        self.made("release", "0.2.0", "--out", "out", "--no-verify")

    def test_a_release_has_one_version(self):
        code, said = self.dev("release", "0.9.0", "0.2.0", "--no-verify")
        self.assertEqual((code, "one version, not 0.9.0 and 0.2.0" in said), (2, True), said)

    def test_a_release_is_refused_while_a_file_has_another_version(self):
        chart = self.root / "deploy" / "charts" / "fairway-operator" / "Chart.yaml"
        chart.write_text(chart.read_text(encoding="utf-8").replace("appVersion: 0.2.0", "appVersion: 0.1.0"), encoding="utf-8")
        self.git("commit", "-qam", "an old chart")
        self.git("tag", "-f", "v0.2.0")
        code, said = self.dev("release", "0.2.0", "--no-verify")
        self.assertEqual(code, 1, said)
        self.assertIn("deploy/charts/fairway-operator/Chart.yaml", said)
        self.assertFalse((self.root / "dist").exists())

    def signed(self, key, public, text, verify):
        """Checks that a key signs once its public half is in the repository, and that what users run then finds it good."""
        out = self.folder / "releases"
        code, said = self.dev("release", "0.2.0", "--out", out, "--no-verify", "--key", key)
        self.assertEqual((code, f"{public}, by which users check signatures" in said), (1, True), said)
        self.assertFalse(out.exists())
        (self.root / public).write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-qm", "a key")
        self.git("tag", "-f", "v0.2.0")
        self.made("release", "0.2.0", "--out", out, "--no-verify", "--key", key)
        for tampered in (False, True):
            if tampered:
                with open(out / "SHA256SUMS", "a", encoding="utf-8") as file:
                    file.write("more\n")
            done = subprocess.run(["sh", "-c", verify], cwd=out, env=self.environment, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode == 0, not tampered, done.stderr)

    def test_a_release_is_signed_by_a_key_of_openssh(self):
        key = self.folder / "release.key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        public = key.with_suffix(".key.pub").read_text(encoding="utf-8")
        self.signed(key, "packaging/release-signers", f'fairway namespaces="file" {public}',
                    f"ssh-keygen -Y verify -f {self.root}/packaging/release-signers -I fairway -n file -s SHA256SUMS.sig <SHA256SUMS")

    def test_a_release_is_signed_by_a_key_of_openpgp(self):
        home = self.folder / "gnupg"
        home.mkdir(mode=0o700)
        gpg = ["gpg", "--homedir", home, "--batch", "--quiet"]
        self.addCleanup(subprocess.run, ["gpgconf", "--homedir", home, "--kill", "all"], check=False)
        subprocess.run([*gpg, "--passphrase", "", "--quick-generate-key", "Releases <releases@example.com>", "ed25519", "sign"],
                       check=True, capture_output=True)
        for what, name in (("--export", "public"), ("--export-secret-keys", "secret")):
            (self.folder / name).write_bytes(subprocess.run([*gpg, "--armor", what], check=True, capture_output=True).stdout)
        self.signed(self.folder / "secret", "packaging/release-key.asc", (self.folder / "public").read_text(encoding="utf-8"),
                    f"gpg --quiet --import {self.root}/packaging/release-key.asc && gpg --verify SHA256SUMS.asc SHA256SUMS;"
                    " status=$?; gpgconf --kill all; exit $status")


if __name__ == "__main__":
    unittest.main()
