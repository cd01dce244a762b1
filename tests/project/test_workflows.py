"""Workflows use what is pinned: actions by the digest of a commit, packages by their hashes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))


def unpinned(text: str) -> list[str]:
    """List the actions without a digest and a version, and the installs without hashes."""
    wrong = re.findall(r"uses: +(?!\S+@[0-9a-f]{40}  # v\d)(\S.*)", text)
    for job in yaml.safe_load(text)["jobs"].values():
        for step in job["steps"]:
            for line in step.get("run", "").splitlines():
                if re.search(r"\bpipx?3? +(install|run)|\buvx?\b", line):
                    own = "--no-deps" in line and "--no-build-isolation" in line
                    wrong += [] if own or "--require-hashes -r requirements/" in line else [line]
    return wrong


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_everything_is_pinned(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert unpinned(text) == []
    for lock in re.findall(r"requirements/\S+", text):
        assert "--hash=sha256:" in (ROOT / lock).read_text(encoding="utf-8")


def test_what_is_not_pinned_is_seen() -> None:
    text = "jobs: {a: {steps: [{run: pip install twine}]}}\n#  uses: actions/checkout@v4\n"
    assert unpinned(text) == ["actions/checkout@v4", "pip install twine"]
