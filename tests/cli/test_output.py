"""Files are written whole or not at all, and nothing that is no file is ever replaced."""

import os
import stat
from pathlib import Path

import pytest

from simulator.cli.main import main
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


class TestApart:
    """What a command reads it does not write."""

    MACHINE = "configs/machines/workstation.yaml"
    WORKLOAD = "configs/workloads/copy-file.yaml"

    @pytest.fixture
    def files(self, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        for name, of in (("m.yaml", self.MACHINE), ("w.yaml", self.WORKLOAD)):
            (tmp_path / name).write_bytes((root / of).read_bytes())
        (tmp_path / "link.yaml").symlink_to("w.yaml")
        (tmp_path / "hard.yaml").hardlink_to(tmp_path / "m.yaml")
        (tmp_path / "b").touch()
        (tmp_path / "c").hardlink_to(tmp_path / "b")
        (tmp_path / "log").write_text(
            '1 1790000000.000001 openat(AT_FDCWD, "/f", O_RDONLY) = 3 <0.000010>\n'
            '1 1790000000.000100 read(3, "x"..., 4096) = 4096 <0.000020>\n'
        )
        monkeypatch.chdir(tmp_path)
        return tmp_path

    @pytest.mark.parametrize(
        ("command", "told"),
        [
            ("run m.yaml w.yaml --out m.yaml", "m.yaml: this file is read; name another one"),
            ("run m.yaml w.yaml --out ./link.yaml", "link.yaml: this file is read, as w.yaml"),
            ("run m.yaml w.yaml --html hard.yaml", "hard.yaml: this file is read, as m.yaml"),
            ("run m.yaml w.yaml --timeline w.yaml", "w.yaml: this file is read"),
            ("run m.yaml w.yaml --store w.yaml", "w.yaml: this file is read"),
            ("run m.yaml w.yaml --out a --html a", "a: --out and --html each need a file"),
            (
                "sweep m.yaml w.yaml --vary disk.rate=1MB/s,2MB/s --out s --html m.yaml",
                "m.yaml: th",
            ),
            ("advise m.yaml w.yaml --out w.yaml", "w.yaml: this file is read"),
            ("calibrate m.yaml --fit w.yaml -o w.yaml", "w.yaml"),
            ("trace import log -o log", "log is a log itself"),
            ("trace summary log --html log", "log: this file is read"),
            ("replay log --on m.yaml --out m.yaml", "m.yaml: this file is read"),
            ("run m.yaml w.yaml --out b --html ./c", "c: this file is written as b already"),
        ],
    )
    def test_nothing_that_is_read_is_written(
        self, files: Path, command: str, told: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        before = {path.name: path.read_bytes() for path in files.iterdir()}
        assert main(command.split()) == 2
        said = capsys.readouterr().err
        assert told in said
        assert "Traceback" not in said
        assert {
            path.name: path.read_bytes() for path in files.iterdir() if path.is_file()
        } == before

    @pytest.mark.slow
    def test_the_next_command_may(self, files: Path) -> None:
        assert main(["run", "m.yaml", "w.yaml", "--out", "a.txt"]) == 0
        assert main(["run", "m.yaml", "w.yaml", "--out", "a.txt"]) == 0


def test_permissions_of_the_old_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch(mode=0o600)
    write_text(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_beside_is_never_one_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody knows the name, and has made a link of it."""
    monkeypatch.setattr(os, "urandom", bytes)
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    (tmp_path / f".a.{os.getpid()}.{bytes(8).hex()}.part").symlink_to(victim)
    with pytest.raises(OutputError):
        write_text(tmp_path / "a", "ours")
    assert victim.read_text() == "theirs"
    assert not (tmp_path / "a").exists()


def test_no_two_files_beside_have_one_name(tmp_path: Path) -> None:
    with placing(tmp_path / "a") as one, placing(tmp_path / "a") as other:
        assert one != other
