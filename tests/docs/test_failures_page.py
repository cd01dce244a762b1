"""docs/failures.md: its files, its table by hand, and what its commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.elided import is_shown
from tests.docs.extending import ROOT, ran

PAGE = (ROOT / "docs" / "failures.md").read_text(encoding="utf-8")
FILES = re.findall(r"`([\w-]+\.yaml)`:\n\n```yaml\n(.*?)```", PAGE, re.DOTALL)
SCREENS = [
    screen.split("\n", 1) for screen in re.findall(r"```console\n\$ (.*?)```", PAGE, re.DOTALL)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files of the page."""
    for name, text in FILES:
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("command", "shown"), SCREENS)
def test_a_command_prints_what_the_page_shows(command: str, shown: str, folder: Path) -> None:
    assert is_shown(shown, ran(command, folder))


def test_the_page_has_files_and_screens() -> None:
    assert FILES
    assert SCREENS
