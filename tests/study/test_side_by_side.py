"""Studies in processes: the same results, one clear end for every mishap, nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from queue import SimpleQueue

import pytest

from simulator.errors import InputError
from simulator.plan.errors import SimulationError
from simulator.study import side_by_side
from simulator.study.side_by_side import REPRODUCE, _in_processes, _Worker, seconds
from simulator.study.studies import STUDIES, reproduce_study

OPTIONS = {"runs": 1, "seed": 7, "engine": "auto"}


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
def test_a_process_gives_what_this_one_gives_and_tells_how_far_it_is() -> None:
    heard: list[float] = []
    made = _in_processes(
        REPRODUCE.function, ["nwt"], OPTIONS, 1, lambda _name, share: heard.append(share)
    )
    assert made["nwt"].to_json() == reproduce_study("nwt", runs=1, seed=7).to_json()
    assert heard == sorted(heard)
    assert len(heard) > 1
    assert heard[-1] == 1.0


@pytest.mark.usefixtures("compiled")
def test_the_order_is_that_of_the_names_and_every_process_takes_another(monkeypatch) -> None:
    begun: list[tuple[int, str]] = []

    class Worker:
        def __init__(self, task, options, news):
            self.news, self.number, self.ended = news, len(workers), False
            assert (task, options["runs"]) == (REPRODUCE.function, None)
            workers.append(self)

        def begin(self, name):
            begun.append((self.number, name))
            self.news.put((self, name, f"made {name}"))

        def end(self):
            self.ended = True

    workers: list[Worker] = []
    monkeypatch.setattr(side_by_side, "_Worker", Worker)
    names = ["nwt", "orion", "ninf", "sr8000"]
    assert side_by_side.side_by_side(REPRODUCE, names, jobs=2) == [f"made {name}" for name in names]
    assert [number for number, _ in begun[:2]] == [0, 1]
    assert [name for _, name in begun] == list(seconds(names))
    assert [worker.ended for worker in workers] == [True, True]


def test_an_error_of_a_study_is_raised_here() -> None:
    with pytest.raises(InputError, match="no study 'nosuch'"):
        _in_processes(REPRODUCE.function, ["nosuch"], OPTIONS, 1, lambda *_: None)


def test_a_killed_process_is_told() -> None:
    news: SimpleQueue[tuple[_Worker, str, object]] = SimpleQueue()
    worker = _Worker(REPRODUCE.function, {**OPTIONS, "runs": 5_000}, news)
    worker.begin("nwt")
    _, name, share = news.get()  # it has begun
    assert (name, type(share)) == ("nwt", float)
    worker.end()
    while not isinstance(what := news.get()[2], SimulationError):
        assert isinstance(what, float)
    assert "was killed" in str(what)


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
    assert len(workers) == 2
    assert not any(alive(worker) for worker in workers)
    lines = re.split(r"[\r\n]+", said.decode())
    assert lines[0].startswith("2 studies, 2 at a time: about ")
    assert [line for line in lines if line.strip()][-1] == (
        "interrupted; 0 of 2 studies done; nothing is kept, and the same command begins anew"
    )
    assert "Traceback" not in said.decode()
