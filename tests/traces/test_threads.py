"""Threads of one process are counted as that, where the log says which they are."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.cli.main import main
from tests.traces.logs import rows_in, trace_of
from tests.traces.stores import printed

THREAD = "CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD"


def program(*born: tuple[int, int, str]) -> str:
    """Return a log of a process 900 and those that were born: parent, child, how."""
    lines = ['900 openat(AT_FDCWD, "/a", O_RDWR) = 3']
    lines += [f"{parent} {call}) = {child}" for parent, child, call in born]
    lines += [f'{pid} pread64(3, "a"..., 4096, 0) = 4096' for _, pid, _ in born for _ in range(9)]
    times = (
        f"{line[:3]} 1700000000.{100 * n:06}{line[3:]} <0.000009>" for n, line in enumerate(lines)
    )
    return "".join(f"{line}\n" for line in times)


CLONE = f"clone(child_stack=0x7f, flags={THREAD}|CLONE_SYSVSEM, child_tidptr=0x7f"
CLONE3 = f"clone3({{flags={THREAD}, child_tid=0x7f, stack=0x7f}}, 88"
FORK, VFORK = "clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD", "vfork("


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("born", "groups", "text"),
    [
        ((), 1, "1 process"),
        (((900, 901, CLONE), (900, 902, CLONE3)), 1, "3 threads of 1 process"),
        (((900, 901, CLONE), (901, 902, CLONE3)), 1, "3 threads of 1 process"),
        (((900, 901, FORK), (901, 902, CLONE)), 2, "3 threads of 2 processes"),
        (((900, 901, FORK), (900, 902, VFORK)), 3, "3 processes"),
    ],
)
def test_threads_are_told_from_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], born: tuple[tuple[int, int, str], ...],
    groups: int, text: str,
) -> None:  # fmt: skip
    trace = trace_of(tmp_path, program(*born))
    rows_in(trace)
    assert (trace.about["processes"], trace.about["groups"]) == (1 + len(born), groups)
    log = tmp_path / "log"
    log.write_text(program(*born))
    assert main(["trace", "import", str(log), "-o", str(tmp_path / "s.parquet")]) == 0
    assert f"durations, {text}\n" in capsys.readouterr().out
    if born:
        assert f"last call of each of {text}, added up" in printed(capsys, "check", log)
        assert f" of {text} " in printed(capsys, "summary", tmp_path / "s.parquet")


def test_of_a_program_that_ran_before_it_is_not_known(tmp_path: Path) -> None:
    log = program((900, 901, CLONE)) + "902 1700000001.000000 getpid() = 902 <0.000001>\n"
    trace = trace_of(tmp_path, log)
    rows_in(trace)
    assert (trace.about["processes"], trace.about["groups"]) == (3, None)


def test_threads_of_truss_are_of_their_process(tmp_path: Path) -> None:
    log = "".join(
        f"{pid}/{lwp}:\t 0.000{n} 0.0001\tread(3, 0x08047A10, 10)\t= 10\n"
        for n, (pid, lwp) in enumerate(((7, 1), (7, 2), (7, 3)))
    )
    trace = trace_of(tmp_path, log)
    rows_in(trace)
    assert (trace.about["processes"], trace.about["groups"]) == (3, 1)


MACHINE = """
format: machine/2
name: lab
parts: {disk: {kind: disk, rate: 100 MB/s}}
filesystems: {home: [disk]}
"""


def test_a_replay_says_which_of_its_processes_are_threads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, machine = tmp_path / "log", tmp_path / "lab.yaml"
    machine.write_text(MACHINE)
    for how, told in ((CLONE, True), (FORK, False)):
        log.write_text(program((900, 901, how), (900, 902, how)))
        assert main(["replay", str(log), "--on", str(machine), "--full"]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert ("3 threads of 1 process: each is a process of the replay" in said) == told
