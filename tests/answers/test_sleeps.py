"""Processes that sleep until another one has made a file: found and cured with the other's call."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

import json

from simulator.cli.main import main

ABSENT = "-1 ENOENT (No such file or directory)"
TAKEN = "-1 EEXIST (File exists)"


class Two:
    """A log of two processes, by the time in ms at which each call begins."""

    def __init__(self) -> None:
        self.lines: list[tuple[float, str]] = []
        self.add(0, 7, 'execve("/bin/p", ["p"], 0x7ff0 /* 9 vars */)', 0)
        self.add(0.1, 7, "clone(child_stack=NULL, flags=SIGCHLD)", 8)

    def add(self, at: float, pid: int, call: str, result: object, took: float = 0.01) -> None:
        begin = 1_700_000_000 + at / 1e3
        self.lines.append((at, f"{pid} {begin:.6f} {call} = {result} <{took / 1e3:.6f}>\n"))

    def sleep(self, at: float, pid: int, ms: float) -> None:
        self.add(at, pid, f"nanosleep({{tv_sec=0, tv_nsec={ms * 1e6:.0f}}}, NULL)", 0, ms)


ROUND = 20.4


def made(*, here: bool = True, between: str = "") -> Two:
    """A parent asks by a file and looks each 20 ms for the answer; its child looks each 5 ms.

    ``here``: the child answers. ``between``: what the parent calls beside, before it sleeps.
    """
    log = Two()
    for number in range(10):
        at, asked, answer = 1 + ROUND * number, f"/w/q{number}", f"/w/a{number}"
        log.add(at, 7, f'openat(AT_FDCWD, "{asked}", O_WRONLY|O_CREAT|O_EXCL, 0644)', 3)
        log.add(at + 0.02, 7, "close(3)", 0)
        log.add(at + 0.1, 7, f'stat("{answer}", 0x7ff0)', ABSENT)
        if between:
            log.add(at + 0.12, 7, between, 0)
        log.sleep(at + 0.2, 7, 20)
        log.add(at + 20.3, 7, f'stat("{answer}", {{st_mode=S_IFREG|0644, st_size=0, ...}})', 0)
        for look in (-15.25, -10.19, -5.13, -0.07) if number else (-0.07,):
            log.add(at + look, 8, f'stat("{asked}", 0x7ff0)', ABSENT)
            log.sleep(at + look + 0.03, 8, 5)
        log.add(at + 5.05, 8, f'stat("{asked}", {{st_mode=S_IFREG|0644, st_size=0, ...}})', 0)
        if here:
            call = f'openat(AT_FDCWD, "{answer}", O_WRONLY|O_CREAT|O_EXCL, 0644)'
            log.add(at + 5.1, 8, call, 3)
            log.add(at + 5.12, 8, "close(3)", 0)
    log.add(190, 8, "exit_group(0)", "?")
    log.add(206, 7, "wait4(-1, NULL, 0, NULL)", 8)
    return log


def locked(*, removes: bool = True) -> Two:
    """A lock file that the child holds for 2 ms, and its parent looks for each 20 ms."""
    log = Two()
    log.add(0.5, 7, 'openat(AT_FDCWD, "/w/lock", O_WRONLY|O_CREAT|O_EXCL, 0600)', TAKEN)
    log.sleep(0.6, 7, 20)
    log.sleep(0.5, 8, 2)
    if removes:
        log.add(2.6, 8, 'unlink("/w/lock")', 0)
    log.add(2.7, 8, "exit_group(0)", "?")
    log.add(20.7, 7, 'openat(AT_FDCWD, "/w/lock", O_WRONLY|O_CREAT|O_EXCL, 0600)', 3)
    log.add(20.8, 7, "close(3)", 0)
    return log


def advised(log: Two, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    path = folder / "log"
    path.write_text("".join(line for _, line in sorted(log.lines)))
    main(["advise", str(path), "--on", "workstation", "--no-limits", "--format", "json"])
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(("log", "looks", "left_ms"), [(made, 10 + 37, 10), (locked, 1, 3)])
def test_who_sleeps_until_another_has_made_a_file_waits_for_it(
    log, looks, left_ms, tmp_path, capsys
) -> None:
    found = advised(log(), tmp_path, capsys)
    (first,) = [one for one in found["advice"] if one["pattern"] == "sleeping-poll"]
    assert first["calls"] == looks
    assert found["predicted_s"] > 0.02
    assert first["predicted_s"] < left_ms / 1e3
    assert first["predicted_s"] + first["saves_s"] == pytest.approx(found["predicted_s"])


def seen_at_once() -> Two:
    """A child that works for 200 ms, and a parent that looks each 5 ms: 2 ms are slept too long."""
    log = Two()
    for number in range(40):
        log.add(1 + 5.06 * number, 7, 'stat("/w/done", 0x7ff0)', ABSENT)
        log.sleep(1.03 + 5.06 * number, 7, 5)
    log.sleep(0.5, 8, 200)
    log.add(201, 8, 'openat(AT_FDCWD, "/w/done", O_WRONLY|O_CREAT|O_EXCL, 0644)', 3)
    log.add(201.02, 8, "close(3)", 0)
    log.add(201.1, 8, "exit_group(0)", "?")
    log.add(203.5, 7, 'stat("/w/done", {st_mode=S_IFREG|0644, st_size=0, ...})', 0)
    return log


def test_waiting_for_long_work_is_no_saving(tmp_path, capsys) -> None:
    """Each sleep but the last waits for what takes as long: at most 5 ms of 200 can go."""
    found = advised(seen_at_once(), tmp_path, capsys)
    assert not [one for one in found["advice"] if one["pattern"] == "sleeping-poll"]
    (told,) = [one for one in found["time"]["seen"] if "It saves at most about" in one]
    assert "39 calls failed as the one before the sleep had" in told
    assert float(told.rpartition("It saves at most about ")[2].split(" ")[0]) < 11


def calls_beside() -> Two:
    return made(between='unlink("/w/x")')


def made_elsewhere() -> Two:
    return made(here=False)


def removed_elsewhere() -> Two:
    return locked(removes=False)


@pytest.mark.parametrize("log", [made_elsewhere, calls_beside, removed_elsewhere])
def test_what_nobody_of_the_log_does_is_waited_for_by_sleeps(log, tmp_path, capsys) -> None:
    """The looks of the parent stay, for what is not in the log; those of the child may go."""
    found = advised(log(), tmp_path, capsys)
    polls = [one for one in found["advice"] if one["pattern"] == "sleeping-poll"]
    assert all(one["predicted_s"] > 0.9 * found["predicted_s"] for one in polls)
    assert not found["time"]["known"]
