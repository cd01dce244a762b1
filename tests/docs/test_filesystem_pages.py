"""Pages of docs/filesystems: their files are written, and their commands print what they say.

``python -m tests.docs.test_filesystem_pages`` writes the pages anew, with what their commands
print now.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.docs.extending import ROOT, followed, unknown_lines, with_files

PAGES = [ROOT / "docs" / "filesystems" / f"{name}.md" for name in ("lustre", "burst-buffer", "nfs")]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_its_commands_print_what_it_says(page: Path, tmp_path: Path) -> None:
    text = page.read_text("utf-8")
    assert followed(text, with_files(tmp_path, page)) == text


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.stem)
def test_the_lines_that_it_shows_are_of_its_files(page: Path) -> None:
    assert unknown_lines(page) == []


if __name__ == "__main__":
    for one in PAGES:
        with tempfile.TemporaryDirectory() as name:
            one.write_text(
                followed(one.read_text("utf-8"), with_files(Path(name), one)), encoding="utf-8"
            )
