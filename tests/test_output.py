"""Files are written whole or not at all, and nothing that is no file is ever replaced."""

import os
import stat
from pathlib import Path

import pytest

from simulator.output import OutputError, placing, placing_if, write_bytes, write_text


def test_a_file_is_there_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "result.txt"
    with placing(path) as part:
        part.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "result.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), placing(path) as part:
        part.write_text(f"half {1 // 0}")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_pipe_or_device_is_written_in_place() -> None:
    write_bytes(Path(os.devnull), b"gone")
    assert not Path(os.devnull).is_file()
    assert not list(Path(os.devnull).parent.glob(".null.*"))


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    usual, ours = tmp_path / "usual", tmp_path / "ours"
    usual.touch()
    write_text(ours, "")
    assert stat.S_IMODE(ours.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nowhere/x", "there is no such folder"),
        (".", "this is a folder"),
        ("file/x", "a part of this path is a file"),
        ("x" * 300, "too long"),
        ("loop", "link to itself"),
        ("a\0b", "null"),
    ],
)
def test_what_cannot_be_written_is_said(name: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OutputError, match=reason), placing(tmp_path / name):
        pytest.fail("too late")


def test_no_path_is_no_file() -> None:
    with placing_if(None) as nothing:
        assert nothing is None


def test_lines_end_alike_everywhere(tmp_path: Path) -> None:
    write_text(tmp_path / "x", "a\nü\n")
    assert (tmp_path / "x").read_bytes() == b"a\n\xc3\xbc\n"
