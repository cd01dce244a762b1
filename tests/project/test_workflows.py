"""Workflows, action, hook and container: all is pinned, and they call what there is."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.cli.main import main

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
ACTION = ROOT / "action.yml"
CALLED = [*WORKFLOWS, ACTION]
YAML = [*CALLED, ROOT / ".pre-commit-hooks.yaml", *(ROOT / ".github").rglob("*.yml")]
MISTAKE = "format: machine/2\nname: wrong\nparts:\n  d: {kind: disk, rat: 1}\n"
each_called = pytest.mark.parametrize("path", CALLED, ids=lambda path: path.name)


def steps_of(text: str) -> Iterator[dict[str, Any]]:
    """Yield the steps of a workflow's jobs, or of an action."""
    page = yaml.safe_load(text)
    for job in page.get("jobs", {"action": page.get("runs")}).values():
        yield from job["steps"]


def commands_of(text: str) -> Iterator[str]:
    """Yield the lines that a workflow or action gives to a shell."""
    for step in steps_of(text):
        yield from step.get("run", "").splitlines()


def unpinned(text: str) -> list[str]:
    """List the actions without a digest and a version, and the installs without hashes."""
    wrong = re.findall(r"uses: +(?!\./|\S+@[0-9a-f]{40}  # v\d)(\S.*)", text)
    return wrong + [line for line in commands_of(text) if not installs_what_is_pinned(line)]


def installs_what_is_pinned(line: str) -> bool:
    """Return whether a line installs nothing, or the project itself, or a lock."""
    if not re.search(r"\bpipx?3? +(install|run)|\buvx?\b", line):
        return True
    own = "--no-deps" in line and ("--no-build-isolation" in line or "--no-index" in line)
    return own or re.search(r"--require-hashes .*-r \S*requirements/", line) is not None


@each_called
def test_everything_is_pinned(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert unpinned(text) == []
    for lock in re.findall(r"requirements/\w+\.lock", text):
        assert "--hash=sha256:" in (ROOT / lock).read_text(encoding="utf-8")


def test_what_is_not_pinned_is_seen() -> None:
    text = "jobs: {a: {steps: [{run: pip install twine}]}}\n#  uses: actions/checkout@v4\n"
    assert unpinned(text) == ["actions/checkout@v4", "pip install twine"]


@pytest.mark.parametrize("path", YAML, ids=lambda path: path.name)
def test_files_of_the_repository_are_yaml(path: Path) -> None:
    assert yaml.safe_load(path.read_text(encoding="utf-8"))


def targets() -> set[str]:
    """Return the targets of the Makefile."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z][a-z-]*):(?!=)", text, re.MULTILINE))


@pytest.mark.parametrize("name", [*(one.name for one in WORKFLOWS), "run", "CONTRIBUTING.md"])
def test_targets_and_scripts_exist(name: str) -> None:
    """Those of a workflow (also of its matrix), of ``.ci/run`` and of the guide."""
    (path,) = [one for one in (*WORKFLOWS, ROOT / ".ci/run", ROOT / name) if one.name == name][:1]
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"(?:^|[`:] *)make (?:--[\w-]+ )*([a-z-]+)", text, re.MULTILINE)
    if path.suffix == ".yml":
        named = [word for line in commands_of(text) for word in re.findall(r"make ([a-z-]+)", line)]
        for job in yaml.safe_load(text)["jobs"].values():
            matrix = job.get("strategy", {}).get("matrix", {})
            named += [one.split()[0] for one in matrix.get("what", [])]
    assert set(named) <= targets()
    assert named or path.name == "wheels.yml"
    scripts = re.findall(r"(?<![\w/])(\.(?:ci|github/scripts)/\w+)", text)
    assert all(os.access(ROOT / one, os.X_OK) for one in scripts)


def test_only_the_job_that_publishes_has_a_right_and_it_has_no_token() -> None:
    text = (ROOT / ".github/workflows/wheels.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert set(jobs["publish"]["needs"]) == jobs.keys() - {"publish"}
    for path in CALLED:
        assert "secrets." not in path.read_text(encoding="utf-8")


# -- what other repositories use ------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a machine that is right, one that is wrong, and YAML of others."""
    made = tmp_path / "repository"
    (made / "a folder").mkdir(parents=True)
    shutil.copy(ROOT / "configs" / "machines" / "workstation.yaml", made / "right.yaml")
    (made / "a folder" / "wrong.yml").write_text(MISTAKE, encoding="utf-8")
    (made / "other.yaml").write_text("x: 1\n", encoding="utf-8")
    for words in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", *words], cwd=made, check=True)
    return made


def checked(folder: Path, files: str) -> subprocess.CompletedProcess[str]:
    """Run the last step of the action in a repository."""
    (line,) = list(steps_of(ACTION.read_text(encoding="utf-8")))[-1]["run"].splitlines()
    program = folder.parent / "nwtsim"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m simulator "$@"\n')
    program.chmod(0o755)
    own = {"FILES": files, "NWTSIM": str(program), "GITHUB_ACTION_PATH": str(ROOT)}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", line],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "GITHUB_OUTPUT": "../out", **own},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(os.name != "posix", reason="a script for bash")
@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("files", "code", "count"),
    [("", 2, 2), ("right.yaml\n", 0, 1), ("*/*.yml\nright.*\n", 2, 2), ("no.yaml", 2, 1)],
)
def test_the_action_checks_a_repository(
    files: str, code: int, count: int, repository: Path
) -> None:
    done = checked(repository, files)
    assert done.returncode == code, done.stderr
    assert (repository.parent / "out").read_text("utf-8") == f"files={count}\n"
    if "yml" in files or not files:
        mark = "::error file=a folder/wrong.yml,line=4,col=19::parts.d.rat: unknown key"
        assert mark in done.stdout
        assert "right.yaml: ok" in done.stdout
    assert {one.name for one in repository.glob("*.*")} == {".git", "other.yaml", "right.yaml"}


def test_a_repository_without_files_of_nwtsim_passes(repository: Path) -> None:
    subprocess.run(["git", "rm", "-q", "--cached", "-r", "."], cwd=repository, check=True)
    done = checked(repository, "")
    assert (done.returncode, done.stdout) == (0, "There are no files of nwtsim here.\n")


def test_the_hook_is_a_command_of_ours(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, *words = shlex.split(hook["entry"])
    monkeypatch.chdir(repository)
    assert (program, hook["language"], hook["types"]) == ("nwtsim", "python", ["yaml"])
    assert main([*words, "right.yaml"]) == 0
    assert main([*words, "right.yaml", "a folder/wrong.yml"]) == 2
    assert "did you mean 'rate'" in capsys.readouterr().err
    assert hook["id"] in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_container_copies_and_installs_what_is_there_and_pinned() -> None:
    """No container is built here; a workflow does."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
    assert re.findall(r"^FROM (\S+)", text, re.MULTILINE) == ["python:3.13-slim-bookworm"] * 2
    assert [line for line in re.split(r"&&|\n", text) if not installs_what_is_pinned(line)] == []
    for names in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE):
        assert all((ROOT / name).exists() for name in names.split())
    assert text.index("\nUSER nwtsim\n") < text.index("\nENTRYPOINT")
    assert {".git", ".venv", "build"} <= set((ROOT / ".dockerignore").read_text("utf-8").split())


def test_the_first_change_of_the_guide_works(tmp_path: Path) -> None:
    """Its file in a folder of kinds; its command; its doctest."""
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (path,) = re.findall(r"`simulator/kinds/(\w+/\w+/reference\.py)`:", guide)
    (text,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    (command,) = re.findall(r"^\.venv/bin/nwtsim (.*?) +#", guide, re.MULTILINE)
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(text, encoding="utf-8")
    environment = {**os.environ, "NWTSIM_PLUGINS": str(tmp_path), "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-m", "simulator", *shlex.split(command), "--no-limits", "--full"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Engine: reference (auto: the native engine has no policy 'mru'" in done.stdout
    doctest = [sys.executable, "-m", "doctest", str(tmp_path / path)]
    subprocess.run(doctest, env=environment, check=True)
