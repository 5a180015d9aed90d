"""The archive that a release offers, and what its workflows name."""

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("BINARY", "target/release/backwater")
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def archive(program: Path, platform: str = "here") -> Path:
    """What the script writes for this program."""
    folder = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, folder)
    script = ROOT / "packaging/archive.sh"
    ran = subprocess.run([script, program, platform, folder], capture_output=True, text=True, check=True)
    return Path(ran.stdout.strip())


class Archive(unittest.TestCase):
    """Whole, the same each time, and it runs from where it is unpacked."""

    def test_it_is_whole_and_runs(self) -> None:
        """Program, pages, completions, licences; the sum beside it is its own."""
        made = archive(PROGRAM)
        sum_, name = made.with_name(made.name + ".sha256").read_text().split()
        self.assertEqual(name, made.name)
        self.assertEqual(sum_, hashlib.sha256(made.read_bytes()).hexdigest())
        self.assertEqual(made.read_bytes(), archive(PROGRAM).read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(made) as packed:
                packed.extractall(folder, filter="data")
            root = Path(folder) / made.name.removesuffix(".tar.gz")
            for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "man/backwater-run.1"]:
                self.assertTrue((root / file).is_file(), file)
            self.assertIn("_backwater", (root / "completions/backwater.bash").read_text())
            shown = subprocess.run([root / "backwater", "example", "fig17-two-switches"], capture_output=True)
            self.assertEqual(shown.returncode, 0)
            self.assertIn(b"[flow_control]", shown.stdout)

    def test_windows_gets_a_zip(self) -> None:
        """By the name of the program."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "backwater.exe"
            program.write_text(f'#!/bin/sh\nexec "{PROGRAM}" "$@"\n')
            program.chmod(0o755)
            made = archive(program, "x86_64-pc-windows-msvc")
        self.assertTrue(made.name.endswith("-x86_64-pc-windows-msvc.zip"))
        with zipfile.ZipFile(made) as packed:
            names = packed.namelist()
        self.assertIn(f"{made.stem}/backwater.exe", names)
        self.assertIn(f"{made.stem}/completions/backwater.powershell", names)

    def test_a_wrong_call(self) -> None:
        """Says how to call it."""
        script = ROOT / "packaging/archive.sh"
        ran = subprocess.run([script, "nosuch", "here", "/tmp"], capture_output=True, text=True)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("usage", ran.stderr)


class Workflows(unittest.TestCase):
    """They name what is there."""

    def test_files_targets_and_packages(self) -> None:
        """Scripts, folders, targets of make, packages of cargo."""
        targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        manifests = [path.read_text() for path in ROOT.glob("crates/*/Cargo.toml")]
        packages = {name for text in manifests for name in re.findall(r'^name = "(.*)"', text, re.MULTILINE)}
        self.assertTrue(WORKFLOWS and {"test", "site"} <= targets and "backwater" in packages)
        for workflow in WORKFLOWS:
            text = workflow.read_text()
            for path in re.findall(r"(?<![\w/])(?:packaging|tests|site)/[\w./-]+", text):
                self.assertTrue((ROOT / path).exists(), f"{workflow.name}: {path}")
            for target in re.findall(r"\bmake ([a-z-]+)$", text, re.MULTILINE):
                self.assertIn(target, targets, workflow.name)
            for package in re.findall(r"--package (\S+)", text):
                self.assertIn(package, packages, workflow.name)
            self.assertNotIn("\t", text)

    def test_what_one_job_needs_another_makes(self) -> None:
        """`needs` names jobs of the same file."""
        for workflow in WORKFLOWS:
            text = workflow.read_text().split("\njobs:\n")[1]
            jobs = set(re.findall(r"^  ([a-z]+):$", text, re.MULTILINE))
            needed = re.findall(r"needs: \[(.*)\]", text)
            self.assertLessEqual({one.strip() for line in needed for one in line.split(",")}, jobs)

    def test_actions_are_named_by_their_digest(self) -> None:
        """A tag or a branch can be moved to other code; beside the digest stands its version."""
        pinned = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*")
        known: dict[str, str] = {}
        for workflow in WORKFLOWS:
            used = re.findall(r"^ *(?:- )?uses: (.*)$", workflow.read_text(), re.MULTILINE)
            self.assertTrue(used, workflow.name)
            for action in used:
                self.assertTrue(pinned.fullmatch(action), f"{workflow.name}: {action}")
                self.assertEqual(known.setdefault(action.split("@")[0], action), action, workflow.name)
        for wrong in ["actions/checkout@v4", "a/b@release/v1", "a/b@" + "0" * 40, "a/b@" + "0" * 39 + " # v1"]:
            self.assertFalse(pinned.fullmatch(wrong), wrong)

    def test_what_is_published_is_attested(self) -> None:
        """Before it is published, and with the right to do so."""
        release = next(one.read_text() for one in WORKFLOWS if one.name == "release.yml")
        publish = release.split("\n  publish:\n")[1]
        self.assertIn("attestations: write", publish)
        attested = publish.index("actions/attest-build-provenance@")
        for step in ["gh release create", "pypa/gh-action-pypi-publish@"]:
            self.assertLess(attested, publish.index(step))


if __name__ == "__main__":
    unittest.main()
