"""What a release offers, and the workflows that make one."""

import datetime
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("BINARY", "target/release/backwater")
sys.path.insert(0, str(ROOT / "packaging"))

import ready  # noqa: E402

PATHS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEXTS = {path.name: path.read_text() for path in PATHS}
OUTSIDE = tomllib.loads((ROOT / "packaging/outside.toml").read_text())
MANIFEST = tomllib.loads((ROOT / "Cargo.toml").read_text())
CITED = ready.citation((ROOT / "CITATION.cff").read_text())
#: Crates that no registry gets: for tests, and what is published in another form.
INTERNAL = ["campaign", "oracle", "playground", "python"]
#: What jobs may do that publish.
RIGHTS = {
    "attest": {"id-token: write", "attestations: write"},
    "publish": {"contents: write"},
    "python": {"id-token: write"},
    "pages": {"pages: write", "id-token: write"},
}


def jobs_of(text: str) -> dict[str, str]:
    """The jobs of a workflow by name."""
    parts = re.split(r"^  ([a-z]+):$", text.split("\njobs:\n")[1], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def labels_of(text: str) -> set[str]:
    """The images that jobs run on."""
    found = re.findall(r"^ *runs-on: ([\w.-]+)$|\bos: ([\w.-]+)|\bos: \[(.*)\]", text, re.MULTILINE)
    return {label.strip() for row in found for cell in row for label in cell.split(",")} - {""}


WORKFLOWS = {name: jobs_of(text) for name, text in TEXTS.items()}


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
        for name, text in TEXTS.items():
            for path in re.findall(r"(?<![\w/])(?:packaging|tests|site)/[\w./-]+", text):
                self.assertTrue((ROOT / path).exists(), f"{name}: {path}")
            for target in re.findall(r"\bmake ([a-z-]+)$", text, re.MULTILINE):
                self.assertIn(target, targets, name)
            for package in re.findall(r"--package (\S+)", text):
                self.assertIn(package, packages, name)
            self.assertNotIn("\t", text)

    def test_what_one_job_needs_another_makes(self) -> None:
        """`needs` names jobs of the same file."""
        for name, jobs in WORKFLOWS.items():
            for job, text in jobs.items():
                for needed in re.findall(r"needs: \[(.*)\]", text):
                    self.assertLessEqual(set(needed.split(", ")), set(jobs), f"{name}: {job}")

    def test_actions_are_those_that_were_looked_up(self) -> None:
        """By the digest of a commit, since a tag can be moved to other code; its version beside."""
        pinned = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)+")
        for wrong in ["a/b@v4", "a/b@release/v1", "a/b@" + "0" * 40, "a/b@" + "0" * 39 + " # v1.0"]:
            self.assertFalse(pinned.fullmatch(wrong), wrong)
        known = {f"{one['name']}@{one['commit']} # {one['version']}" for one in OUTSIDE["actions"]}
        used = set()
        for name in WORKFLOWS:
            for action in re.findall(r"^ *(?:- )?uses: (.*)$", TEXTS[name], re.MULTILINE):
                self.assertTrue(pinned.fullmatch(action), f"{name}: {action}")
                used.add(action)
        self.assertEqual(used, known)
        gone = {"node12", "node16", "node20"}
        self.assertFalse(gone & {one["runs_on"] for one in OUTSIDE["actions"]})

    def test_images_of_runners_are_there(self) -> None:
        """Each label was looked up, and its image is kept until after the release."""
        released = datetime.date.fromisoformat(CITED["date-released"])
        self.assertLessEqual(abs((released - OUTSIDE["looked_up"]).days), ready.LOOKED_UP_DAYS)
        until = {one["label"]: one.get("until", datetime.date.max) for one in OUTSIDE["images"]}
        self.assertEqual(len(until), len(OUTSIDE["images"]), "a label twice")
        labels = {(name, label) for name in TEXTS for label in labels_of(TEXTS[name])}
        self.assertGreater(len(labels), 5)
        for name, label in labels:
            self.assertIn(label, until, name)
            left = (until[label] - released).days
            self.assertGreaterEqual(left, ready.IMAGE_DAYS, f"{name}: {label}")
        self.assertLess((until["macos-14"] - released).days, ready.IMAGE_DAYS)
        text = "runs-on: a-1\n  os: [b-2, c-3]\n - { os: d-4, target: x }\nruns-on: ${{ matrix.os }}\n"
        self.assertEqual(labels_of(text), {"a-1", "b-2", "c-3", "d-4"})

    def test_jobs_may_do_what_they_need(self) -> None:
        """No right by default; those that run what is built may read the sources alone."""
        for name, jobs in WORKFLOWS.items():
            self.assertIn("\npermissions: {}\n", TEXTS[name], name)
            for job, text in jobs.items():
                granted = set(re.findall(r"^      ([a-z-]+: (?:read|write))$", text, re.MULTILINE))
                meant = RIGHTS.get(job, {"contents: read"})
                self.assertEqual(granted, meant, f"{name}: {job}")
                self.assertRegex(text, r"\n    timeout-minutes: \d+\n", f"{name}: {job}")
                checks_out = text.count("actions/checkout@")
                self.assertEqual(checks_out, text.count("persist-credentials: false"), f"{name}: {job}")
                if job in RIGHTS:
                    self.assertEqual(checks_out, 0, f"{name}: {job} could run what it publishes")

    def test_what_is_published_is_attested(self) -> None:
        """Before it is published; the site from a job and an environment of its own."""
        jobs = WORKFLOWS["release.yml"]
        self.assertIn("actions/attest@", jobs["attest"])
        self.assertIn("if: github.ref_type == 'tag'", jobs["attest"])
        makers = {job for job, text in jobs.items() if "upload-artifact@" in text}
        needed = re.search(r"needs: \[(.*)\]", jobs["attest"])[1].split(", ")
        self.assertLessEqual(makers, set(needed))
        self.assertIn("needs: [attest]", jobs["publish"])
        for job, step in [
            ("publish", "gh release create"),
            ("python", "pypa/gh-action-pypi-publish@"),
            ("pages", "actions/deploy-pages@"),
        ]:
            self.assertIn(step, jobs[job])
            self.assertTrue(job == "publish" or "needs: [publish]" in jobs[job], job)
            environment = "name: github-pages" if job == "pages" else "environment: release"
            self.assertIn(environment, jobs[job])

    def test_actionlint(self) -> None:
        """Where it is installed."""
        actionlint = shutil.which("actionlint")
        if actionlint is None:
            self.skipTest("it needs 'go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12'")
        ran = subprocess.run([actionlint, *PATHS], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout)


class Ready(unittest.TestCase):
    """What must agree before a release, and what hinders one."""

    def copy(self) -> Path:
        """The files it reads, to be changed."""
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        shutil.copytree(ROOT / ".github", folder / ".github")
        for name in [*ready.TELL_THE_ADDRESS, "CHANGELOG.md", "packaging/outside.toml"]:
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
        return folder

    def change(self, root: Path, name: str, old: str, new: str) -> None:
        """One text for another."""
        text = (root / name).read_text()
        self.assertIn(old, text)
        (root / name).write_text(text.replace(old, new))

    def test_the_tree_agrees(self) -> None:
        """With itself, and with what its program says."""
        self.assertEqual(ready.disagreements(), [])
        said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said.split()[1], CITED["version"])

    def test_the_address_is_told_where_it_is_looked_for(self) -> None:
        """A document that tells it too would keep the placeholder."""
        told = subprocess.run(
            ["grep", "-rlF", ready.PLACEHOLDER, "--include=*.md", "--include=*.toml", "--include=*.cff",
             "--exclude-dir=target", "--exclude-dir=runs", "."],
            cwd=ROOT, capture_output=True, text=True,
        )  # fmt: skip
        found = {line.removeprefix("./") for line in told.stdout.split()}
        self.assertEqual(found - {"docs/dev/release.md"}, set(ready.TELL_THE_ADDRESS))

    def test_disagreements_are_found(self) -> None:
        """In each place."""
        for name, old, new in [
            ("Cargo.toml", '\nversion = "', '\nversion = "9'),
            ("Cargo.toml", 'crates/net", version = "=', 'crates/net", version = "'),
            ("CITATION.cff", "\nversion: ", "\nversion: 9"),
            ("CITATION.cff", "\nrepository-code: ", "\nx: "),
            ("CITATION.cff", "\ndate-released: 2", "\ndate-released: 3"),
            ("CHANGELOG.md", "## [", "## [9"),
        ]:
            root = self.copy()
            self.change(root, name, old, new)
            self.assertTrue(ready.disagreements(root), f"{name}: {new}")

    def test_hindrances_are_found(self) -> None:
        """A tree with an address is ready; without one, or with another tag, it is not."""
        root, address, tag = self.copy(), "https://example.net/backwater", f"v{CITED['version']}"
        for name in ready.TELL_THE_ADDRESS:
            text = (root / name).read_text().replace(f"{ready.PLACEHOLDER}/source", address)
            (root / name).write_text(text.replace(ready.PLACEHOLDER, "https://example.com/site"))
        self.assertEqual(ready.disagreements(root) + ready.hindrances(tag, address, root), [])
        self.assertTrue(ready.hindrances(tag, address + "2", root))
        self.assertTrue(ready.hindrances("v0.0.1", address, root))
        self.change(root, ".github/workflows/test.yml", "macos-15,", "macos-14,")
        self.assertIn("macos-14", ready.hindrances(tag, address, root)[0])
        root = self.copy()
        self.change(root, "packaging/outside.toml", "looked_up = 2026", "looked_up = 2025")
        self.assertIn("look again", "".join(ready.hindrances(tag, address, root)))


class Packages(unittest.TestCase):
    """What the registries get."""

    def test_crates_stand_alone(self) -> None:
        """Everything they are compiled from is in the package; licences and README too."""
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run(
                ["cargo", "package", "--workspace", "--no-verify", "--allow-dirty", "--locked", "--offline",
                 *[f"--exclude=backwater-{name}" for name in INTERNAL], "--target-dir", folder],
                cwd=ROOT, capture_output=True, text=True,
            )  # fmt: skip
            self.assertEqual(ran.returncode, 0, ran.stderr)
            made = {path.name.removesuffix(f"-{CITED['version']}.crate"): path
                    for path in Path(folder, "package").glob("*.crate")}  # fmt: skip
            needed = {name for name in MANIFEST["workspace"]["dependencies"] if "backwater" in name}
            self.assertEqual(set(made), needed)
            for name, path in made.items():
                with tarfile.open(path) as packed:
                    files = {one.name.split("/", 1)[1]: one for one in packed.getmembers()}
                    self.assertLessEqual({"README.md", "LICENSE-MIT", "LICENSE-APACHE"}, set(files))
                    self.assertFalse(any(not one.isfile() for one in files.values()), name)
                    for file in files:
                        if not file.endswith(".rs"):
                            continue
                        text = packed.extractfile(files[file]).read().decode()
                        for other in re.findall(r'include(?:_str|_bytes)?!\("(.*?)"\)', text):
                            beside = os.path.normpath(os.path.join(os.path.dirname(file), other))
                            self.assertIn(beside, files, f"{name}: {file} includes {other}")
                    read = packed.extractfile(files["Cargo.toml"]).read().decode()
                manifest = tomllib.loads(read)["package"]
                for field in ["description", "repository", "homepage", "documentation", "readme",
                              "license", "keywords", "categories", "authors", "rust-version"]:  # fmt: skip
                    self.assertTrue(manifest.get(field), f"{name}: {field}")

    def test_the_shipped_files_are_links(self) -> None:
        """Which git keeps as such: a copy could differ from what it is a copy of."""
        for name, leads in [("scenarios", "../../scenarios"), ("claims", "../../claims"),
                            ("diagnostics", "../scenario/tests/diagnostics")]:  # fmt: skip
            link = ROOT / "crates/shipped" / name
            self.assertEqual(os.readlink(link), leads)

    def test_citation_and_python(self) -> None:
        """The same people, licence and words as the crates."""
        package = MANIFEST["workspace"]["package"]
        python = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        self.assertEqual([one["name"] for one in python["authors"]], package["authors"])
        self.assertEqual(python["license"], package["license"])
        self.assertLessEqual({"version", "urls"}, set(python["dynamic"]))
        self.assertIn(f"- name: {package['authors'][0]}", (ROOT / "CITATION.cff").read_text())


if __name__ == "__main__":
    unittest.main()
