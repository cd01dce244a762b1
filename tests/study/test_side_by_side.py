"""Studies in processes: the same results, one clear end for every mishap, nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from simulator.errors import InputError
from simulator.study import side_by_side
from simulator.study.side_by_side import seconds
from simulator.study.studies import STUDIES, reproduce_study


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The times of the native engine, also where it is not compiled."""
    monkeypatch.setattr(side_by_side, "has_kernel", lambda: True)


@pytest.mark.usefixtures("compiled")
def test_the_heaviest_begins_first() -> None:
    takes = seconds(list(STUDIES))
    assert list(takes.values()) == sorted(takes.values(), reverse=True)
    assert seconds(["ninf"], 6)["ninf"] > seconds(["ninf"])["ninf"]


@pytest.mark.slow
def test_processes_give_what_this_one_gives_and_tell_how_far_they_are() -> None:
    heard: dict[str, list[float]] = {"nwt": [], "sr8000": []}
    made = side_by_side.side_by_side(
        reproduce_study,
        [*heard],
        runs=1,
        seed=7,
        jobs=2,
        heard=lambda name, share: heard[name].append(share),
    )
    assert made[0].to_json() == reproduce_study("nwt", runs=1, seed=7).to_json()
    for shares in heard.values():
        assert shares == sorted(shares)
        assert len(shares) > 2
        assert (shares[0], shares[-1]) == (0.0, 1.0)


@pytest.mark.usefixtures("compiled")
def test_the_order_is_that_of_the_names_and_the_heaviest_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[str] = []

    def here(
        _work: object,
        tasks: Iterable[str],
        processes: int,
        *,
        ahead: int,
        heard: object,
    ) -> Iterator[tuple[str, str]]:
        assert (processes, ahead, callable(heard)) == (2, 1, True)
        for name in tasks:
            begun.append(name)
            yield name, f"made {name}"

    monkeypatch.setattr(side_by_side, "map_in_processes", here)
    names = ["nwt", "orion", "ninf", "sr8000"]
    assert side_by_side.side_by_side(reproduce_study, names, jobs=2) == [
        f"made {name}" for name in names
    ]
    assert begun == list(seconds(names))


def test_an_error_of_a_study_is_raised_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "seconds", lambda names, _runs: dict.fromkeys(names, 1.0))
    with pytest.raises(InputError, match="no study 'nosuch"):
        side_by_side.side_by_side(reproduce_study, ["nosuch", "nosuch2"], jobs=2)


def children(parent: int) -> list[int]:
    """The processes that a process has started (Linux)."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended since
            continue
        if int(fields[1]) == parent:
            found.append(int(path.parent.name))
    return found


def alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="looks for processes in /proc")
def test_an_interrupt_ends_with_one_line_and_no_process_stays() -> None:
    terminal, theirs = os.openpty()
    command = [sys.executable, "-m", "simulator", "reproduce", "nwt", "sr8000", "--jobs", "2"]
    with subprocess.Popen(
        [*command, "--runs", "100000"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        said = b""
        while b" %" not in said:  # a study has begun
            said += os.read(terminal, 1000)
        workers = children(process.pid)
        os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does: to all at once
        try:
            while more := os.read(terminal, 1000):
                said += more
        except OSError:  # Linux says that a terminal without a writer fails
            pass
        assert process.stdout is not None
        assert process.stdout.read() == b""
        assert process.wait() == 130
    os.close(terminal)
    assert len(workers) == 3  # With what multiprocessing has track resources.
    end = time.monotonic() + 10
    while any(alive(worker) for worker in workers):
        assert time.monotonic() < end
    lines = re.split(r"[\r\n]+", said.decode())
    assert lines[0].startswith("2 studies, 2 at a time: about ")
    assert [line for line in lines if line.strip()][-1] == (
        "interrupted; 0 of 2 studies done; nothing is kept, and the same command starts over"
    )
    assert "Traceback" not in said.decode()
