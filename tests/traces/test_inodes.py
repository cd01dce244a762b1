"""A file is an inode: names that are made, renamed, linked and removed lead to different ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.cli.main import main
from simulator.replay.replay import ReplayOptions, replay
from tests.replay.test_replay import MACHINE
from tests.traces.stores import reported

SIZE = 100_000
FILES = 40


def log_of(path: Path, *rounds: list[str]) -> Path:
    """Write a log of strace, a call each 100 us."""
    lines = [call for one in rounds for call in one]
    path.write_text(
        "".join(
            f"500 {1_700_000_000 + number * 1e-4:.6f} {call} <0.000050>\n"
            for number, call in enumerate(lines)
        )
    )
    return path


def made(name: str, *after: str, flags: str = "O_WRONLY|O_CREAT|O_EXCL") -> list[str]:
    """Return the calls that make a file, write and sync it; and what is done then."""
    return [
        f'openat(AT_FDCWD, "{name}", {flags}, 0600) = 3',
        f'write(3, "m"..., {SIZE}) = {SIZE}',
        "fsync(3) = 0",
        "close(3) = 0",
        *after,
    ]


def renamed(number: int) -> list[str]:
    return made("/q/.tmp", f'rename("/q/.tmp", "/q/{number}") = 0')


def linked(number: int) -> list[str]:
    return made("/q/.tmp", f'link("/q/.tmp", "/q/{number}") = 0', 'unlink("/q/.tmp") = 0')


def removed(_: int) -> list[str]:
    return made("/q/.tmp", 'unlink("/q/.tmp") = 0')


def removed_early(_: int) -> list[str]:
    """Remove the name while the file is open, as for temporary files."""
    opened, *rest = made("/q/.tmp", flags="O_RDWR|O_CREAT")
    return [opened, 'unlink("/q/.tmp") = 0', *rest]


def in_place(_: int) -> list[str]:
    return made("/q/.tmp", 'rename("/q/.tmp", "/q/state") = 0')


def unnamed(number: int) -> list[str]:
    opened, *rest, closed = made("/q", flags="O_WRONLY|O_TMPFILE")
    return [opened, *rest, f'linkat(3, "", AT_FDCWD, "/q/{number}", AT_EMPTY_PATH) = 0', closed]


KINDS = (renamed, linked, removed, removed_early, in_place, unnamed)


@pytest.mark.few(2)
@pytest.mark.parametrize("one", KINDS)
def test_each_file_is_written_once(tmp_path: Path, one, capsys: pytest.CaptureFixture[str]) -> None:
    log = log_of(tmp_path / "log", *map(one, range(FILES)))
    found = reported(capsys, "check", log)
    assert found["write_factor"] == 1.0
    assert found["written_size_bytes"] == FILES * SIZE
    assert found["files"] == []


def test_writing_a_file_again_is_still_found(tmp_path: Path, capsys) -> None:
    again = made("/q/a", flags="O_WRONLY|O_CREAT")
    log = log_of(tmp_path / "log", *[again] * FILES, renamed(1))
    found = reported(capsys, "check", log)
    assert [(row["file"], row["write_factor"]) for row in found["files"]] == [("/q/a", FILES)]


@pytest.mark.parametrize("one", [renamed, linked])
def test_a_replay_has_each_file_under_its_last_name(tmp_path: Path, one) -> None:
    read = ['openat(AT_FDCWD, "/q/7", O_RDONLY) = 3', f'read(3, "m"..., {SIZE}) = {SIZE}']
    log = log_of(tmp_path / "log", *map(one, range(FILES)), [*read, "close(3) = 0"])
    files = {
        file.name: file for file in replay([log], MACHINE, ReplayOptions()).observed.traced.files
    }
    assert {f"/q/{number}" for number in range(FILES)} <= set(files)
    assert {files[f"/q/{number}"].size for number in range(FILES)} == {SIZE}
    assert files["/q/7"].length == 0  # What is read of it was written before.


@pytest.mark.few(2)
@pytest.mark.parametrize("one", KINDS)
def test_many_files_of_one_name_are_not_synced_once(tmp_path: Path, one, capsys) -> None:
    log = log_of(tmp_path / "log", *map(one, range(FILES)))
    main(["advise", str(log), "--on", "workstation", "--format", "json"])
    advice = json.loads(capsys.readouterr().out)["advice"]
    patterns = {found["pattern"] for found in advice}
    assert not patterns & {"sync-write", "rewritten", "open-storm"}
    if one is not in_place:
        assert "sync-per-file" in patterns
        (found,) = [found for found in advice if found["pattern"] == "sync-per-file"]
        assert f"{FILES} files" in found["found"]


def test_files_of_names_of_their_own_cost_the_same(tmp_path: Path) -> None:
    own = [made(f"/q/.tmp{n}", f'rename("/q/.tmp{n}", "/q/{n}") = 0') for n in range(FILES)]
    one = [renamed(n) for n in range(FILES)]
    times = []
    for name, rounds in (("own", own), ("one", one)):
        log = log_of(tmp_path / name, *rounds)
        times.append(replay([log], MACHINE, ReplayOptions()).result.elapsed_ns)
    assert times[0] == times[1]
