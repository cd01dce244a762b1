"""Probes of a folder, what they leave behind, and the files that they make."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from simulator.cli.main import main
from simulator.host import cached, drop
from simulator.measure import folder as folders
from simulator.measure.calls import Files
from simulator.measure.derived import derive
from simulator.measure.facts import facts_of
from simulator.measure.folder import FolderError, own_folder
from simulator.measure.probe import MIB, Limits, probes_of
from simulator.measure.probing import measure, probed
from simulator.report.forms import written
from simulator.report.measurement import measurement_page
from simulator.study.measurement import Whole, checked, machine_text
from tests.measure.lab import FACTS
from tests.measure.test_measure import LIMITS, LINUX, TINY, SimulatedProber, known

# -- probes and files ---------------------------------------------------------------------------


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("processes", [1, 3])
def test_probes_stay_within_their_bytes(quick: bool, processes: int) -> None:
    limits = Limits(64 * MIB, 1.0, processes, quick)
    assert limits.file + 2 * limits.written <= limits.size
    for probe in probes_of(limits):
        moved = probe.size * probe.calls * probe.processes
        assert moved <= (limits.file if "read" in probe.kind else limits.written)
        assert probe.processes <= processes
    assert list(probes_of(limits)) == list(probes_of(limits))


def test_a_probe_is_made_once_when_there_is_no_time() -> None:
    limits = replace(LIMITS, seconds=1e-9)
    assert {len(one.samples) for one in probed(SimulatedProber(known()), FACTS, limits)} == {1}


@LINUX
@pytest.mark.slow
def test_a_folder_is_measured_and_left_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    heard: list[tuple[int, int]] = []
    (tmp_path / "mine").write_text("kept")
    measurement = measure(tmp_path, TINY, lambda _what, done, total: heard.append((done, total)))
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]
    assert heard[-1][0] + 1 == heard[-1][1] == 10 * len(measurement.measured)
    for one in measurement.measured:
        assert one.samples
        assert all(sample.calls > 0 and sample.seconds > 0 for sample in one.samples)
    machine = machine_text(measurement, derive(measurement), "real")
    whole = Whole(measurement, machine, checked(machine, measurement))
    table = written(measurement_page(whole), "table")
    assert all(one.probe.name in table for one in measurement.measured)
    record = json.loads(written(measurement_page(whole), "json"))
    assert len(record["probes"]) == len(measurement.measured)
    (tmp_path / "real.yaml").write_text(machine)
    assert main(["check", str(tmp_path / "real.yaml")]) == 0
    assert "assumed" in capsys.readouterr().out
    assert main(["run", str(tmp_path / "real.yaml"), "copy-file", "--set", "record=8 MiB"]) == 0
    assert main(["run", str(tmp_path / "real.yaml"), "read-cached"]) == 0


def marks_of(folder: Path) -> dict[Path, tuple[int, ...]]:
    """What is below a folder, with what a call on a file changes of it.

    Of a folder only that it is there: listing it is what moves its time of access.
    """
    found = {}
    for one in folder.rglob("*"):
        of = one.stat()
        times = (of.st_atime_ns, of.st_mtime_ns, of.st_ctime_ns)
        found[one] = () if one.is_dir() else (of.st_ino, of.st_size, *times)
    return found


@pytest.mark.slow
@LINUX
def test_the_interpreter_is_timed_by_calls_that_lead_to_no_file(tmp_path: Path) -> None:
    files = Files(tmp_path, TINY.file, facts_of(tmp_path).direct)
    files.fill()
    for probe in probes_of(TINY):
        loop = files.prepare(probe, 0, 0)
        before = marks_of(tmp_path)
        made = loop.idle(float("inf"))
        assert made == probe.calls or (probe.state == "many" and 0 < made < probe.calls)
        assert marks_of(tmp_path) == before, probe.name  # Nothing was read, written or renamed.
        made = loop.body(float("inf"))
        assert made == probe.calls or (probe.state == "many" and 0 < made < probe.calls)


@LINUX
def test_what_is_cached_is_seen_and_dropped_every_time(tmp_path: Path) -> None:
    """A page that Linux leaves, as it does now and then, is asked for again."""
    path = tmp_path / "file"
    for _ in range(50):
        path.write_bytes(bytes(MIB + 1))
        descriptor = os.open(path, os.O_RDONLY)
        try:
            assert cached(descriptor) in (None, 1.0)
            left = drop(descriptor)
            assert left in (None, 0.0) or facts_of(tmp_path).in_memory
            os.pread(descriptor, 1, MIB)
            assert cached(descriptor) is None or cached(descriptor) > 0
        finally:
            os.close(descriptor)
    assert facts_of(tmp_path).host
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


@LINUX
def test_what_may_not_be_asked_is_not_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        assert cached(file.fileno()) == 0.0  # It is empty.
        file.write(b"x")
        file.flush()
        monkeypatch.setattr(os, "access", lambda *_: False)
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
        assert cached(file.fileno()) is None


# -- the folder ---------------------------------------------------------------------------------


def test_what_cannot_be_measured_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(FolderError, match="is a file; name a folder"), own_folder(file, MIB):
        pass
    with pytest.raises(FolderError, match="no such folder"), own_folder(tmp_path / "no", MIB):
        pass
    free = SimpleNamespace(f_flag=0, f_bavail=100, f_frsize=MIB, f_blocks=1000)
    monkeypatch.setattr(folders.os, "statvfs", lambda _: free)
    short = pytest.raises(FolderError, match="write --size '36 MiB' or less")
    with short, own_folder(tmp_path, 64 * MIB):
        pass
    free.f_flag = os.ST_RDONLY
    with pytest.raises(FolderError, match="read-only"), own_folder(tmp_path, MIB):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_may_not_be_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders.os, "access", lambda *_: False)
    with pytest.raises(FolderError, match="you may not write here"), own_folder(tmp_path, MIB):
        pass


def test_the_folder_is_removed_after_an_error_and_handlers_are_back(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)

    def fails() -> None:
        with own_folder(tmp_path, MIB) as made:
            (made / "file").write_text("x")
            assert stat.S_IMODE(made.stat().st_mode) == 0o700
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert list(tmp_path.iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) == before
    with pytest.raises(FolderError, match="No space left"), own_folder(tmp_path, MIB):
        raise OSError(28, os.strerror(28))


ENDLESS = """
import os
import sys
from pathlib import Path
from simulator.measure import calls, probing
from simulator.cli.main import main

def waits(files, probe, worker, repetition):
    def body(until):
        os.write(1, b"begun\\n")  # whole, beside another process
        while True:
            calls.time.sleep(60)
    return calls.Loop(body, lambda until: 1)

real = calls.Files.prepare
def prepare(files, probe, worker, repetition):
    if probe.processes == int(sys.argv[2]):
        return waits(files, probe, worker, repetition)
    return real(files, probe, worker, repetition)

calls.Files.prepare = prepare
sys.exit(main(["measure", sys.argv[1], "-o", sys.argv[3], "--size", "16 MiB", "--time", "100 ms",
               "--processes", "2", "--quick"]))
"""


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize(
    ("number", "processes"), [(signal.SIGINT, 1), (signal.SIGTERM, 2), (signal.SIGHUP, 2)]
)
def test_nothing_is_left_after_a_signal(
    tmp_path: Path, number: signal.Signals, processes: int
) -> None:
    folder, out = tmp_path / "folder", tmp_path / "machine.yaml"
    folder.mkdir()
    words = [sys.executable, "-c", ENDLESS, str(folder), str(processes), str(out)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        assert list(folder.iterdir())
        child.send_signal(number)
        _, said = child.communicate()
    assert child.returncode == 130
    assert f"interrupted by {number.name}; all files of the probes are removed" in said
    assert [one.name for one in tmp_path.iterdir()] == ["folder"]
    assert list(folder.iterdir()) == []
