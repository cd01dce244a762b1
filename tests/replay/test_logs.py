"""Logs replayed: of real programs, and by the command."""

from __future__ import annotations

import json
import subprocess
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.cli.main import main
from simulator.replay.replay import ReplayOptions, replay
from simulator.runtime.listed import DURABLE, KINDS
from simulator.runtime.operations import READ, SEEK, WRITE
from simulator.traces.reader import read
from tests.replay.test_replay import MACHINE, PLAIN, counts
from tests.traces.logs import SHARED

# -- real logs ----------------------------------------------------------------------------------


def real_logs() -> list[Path]:
    return sorted(SHARED.glob("*.gz"))


@pytest.mark.few(3)
@pytest.mark.parametrize("log", real_logs(), ids=lambda path: path.name)
@pytest.mark.parametrize("think", [Fraction(1), Fraction(0)])
def test_calls_bytes_and_files_are_conserved(log: Path, think: Fraction) -> None:
    moved: Counter[tuple[str, str]] = Counter()
    made: Counter[str] = Counter()
    renamed: dict[str, set[str]] = defaultdict(set)
    for batch in read([log]).batches():
        for row in batch.to_pylist():
            if row["call"].startswith("rename") and row["error"] is None:
                renamed[row["file"]].add(row["to_file"])
            stored = row["kind"] == "file" and not row["file"].startswith(
                ("/proc/", "/sys/", "/dev/")
            )
            kind = {"read": "read", "pread64": "read", "write": "write", "pwrite64": "write"}.get(
                row["call"]
            )
            if stored and kind is not None:
                moved[kind, row["file"]] += max(row["returned"] or 0, 0)
                made[row["call"]] += 1
    done = replay([log], MACHINE, ReplayOptions(think=think, debug=True))
    table, files = done.observed.traced.table, done.observed.traced.files
    replayed: Counter[tuple[str, str]] = Counter()
    for i, kind in enumerate(table.kind):
        if kind in (READ, WRITE) and done.observed.counts[i]:
            name = done.observed.names[done.observed.name[i]]
            if name in made:
                replayed[KINDS[kind], files[table.file[i]].name] += table.size[i]
    for kind, name in set(moved) - set(replayed):  # Each file has the last name that it got.
        new = [one for one in renamed[name] if (kind, one) in replayed]
        assert moved.pop((kind, name)) == sum(replayed.pop((kind, one)) for one in new)
    assert +replayed == +moved
    calls = {one.name: one.calls for one in done.calls}
    assert {name: calls[name] for name in made} == made
    read_bytes = sum(one.read.bytes for one in done.result.processes)
    assert read_bytes == sum(
        size for kind, size in zip(table.kind, table.size, strict=True) if kind == READ
    )
    assert set(table.kind) <= {*KINDS, *DURABLE}


def test_both_engines_replay_alike(shared_dir: Path) -> None:
    log = shared_dir / "data" / "strace" / "findgrep.strace.gz"
    both = [
        replay([log], MACHINE, ReplayOptions(engine=engine)).result  # type: ignore[arg-type]
        for engine in ("native", "reference")
    ]
    assert [one.to_json() for one in both[0].processes] == [
        one.to_json() for one in both[1].processes
    ]
    assert counts(both[0]) == counts(both[1])


@pytest.mark.parametrize("name", ["findgrep", "ddappend"])
def test_a_workload_file_gives_what_a_replay_gives(
    shared_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    log = str(shared_dir / "data" / "strace" / f"{name}.strace.gz")
    workload = str(tmp_path / "job.yaml")
    assert main(["trace", "workload", log, "-o", workload]) == 0
    capsys.readouterr()
    answers = []
    for words in (["run", "nwt", workload], ["replay", log, "--on", "nwt"]):
        assert main([*words, "--format", "json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        answers.append({key: answer[key] for key in ("elapsed_ns", "end_ns", "parts", "stores")})
    assert answers[0] == answers[1]


@pytest.mark.slow
def test_darshan_segments_are_replayed(shared_dir: Path) -> None:
    pytest.importorskip("darshan", reason="needs PyDarshan")
    log = shared_dir / "data" / "darshan" / "dxt.darshan"
    done = replay([log], MACHINE, ReplayOptions())
    assert done.result.elapsed_ns > 0
    assert sum(one.calls for one in done.calls) > 0


@pytest.mark.parametrize("buffer", [0, 4096, 10**6])
def test_every_predicted_nanosecond_is_some_calls_and_some_files(
    shared_dir: Path, buffer: int
) -> None:
    """Also what a close took, since it emptied a buffer."""
    done = replay(
        [shared_dir / "data" / "strace" / "tar.strace.gz"], MACHINE, ReplayOptions(buffer=buffer)
    )
    log = done.result.calls
    assert log is not None
    rows = zip(log.kind, log.begin, log.end, strict=True)
    took = sum(end - begin for kind, begin, end in rows if kind in (SEEK, READ, WRITE))
    assert took > 0
    for table in (done.calls, done.files):
        assert sum(one.predicted_ns or 0 for one in table) == took
    closed = next(one for one in done.calls if one.name == "close")
    assert (closed.predicted_ns is None) == (buffer < 10**6)  # tar writes 10 kB at a time


# -- the command --------------------------------------------------------------------------------


def test_the_report_says_what_was_observed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "job.log"
    path.write_text(PLAIN)
    assert main(["replay", str(path), "--on", "nwt", "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    told = record["replay"]
    assert told["observed_elapsed_s"] == 0.009
    assert told["unmodelled"] == {"calls": 2, "observed_s": 0.0001}
    assert told["unknown"]["inherited"] == {"calls": 1, "bytes": 1}
    calls = {one["call"]: one for one in told["calls"]}
    assert calls["read"]["count"] == 2
    assert calls["read"]["observed_s"] == 0.00021
    assert calls["read"]["predicted_s"] == record["processes"][0]["read"]["calls_ns"] / 1e9
    assert calls["openat"]["predicted_s"] is None
    assert main(["replay", str(path), "--on", "nwt", "--full"]) == 0
    printed = capsys.readouterr().out
    assert "Observed and predicted" in printed
    assert "inherited 1 call, 1 B" in printed


@pytest.mark.parametrize(
    ("words", "about"),
    [
        (["--think", "some"], "write keep, none, or a factor, like scale=0.5"),
        (["--think", "scale=-1"], "write keep, none"),
        (["--buffer", "8"], "8"),
        (["--buffer", "0 B"], "no buffer size"),
        (["--filesystem", "vlf"], "did you mean 'vfl'"),
        (["--path", "nfs", "--prestage"], "--prestage: path nfs of ufs has no store to hold files"),
        (["--set", "machine.stores.ssu.block=3"], "machine.stores.ssu.block"),
        (["--path", "svoi"], "did you mean 'svio'"),
    ],
)
def test_bad_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], about: str
) -> None:
    path = tmp_path / "job.log"
    path.write_text(PLAIN)
    assert main(["replay", str(path), "--on", "nwt", *words]) == 2
    assert about in capsys.readouterr().err


def test_files_that_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "job.log"
    path.write_text(
        PLAIN.replace("= 100 <", "= 9000000000000 <").replace("close(3) = 0", 'read(3, "", 9) = 9')
    )
    assert main(["replay", str(path), "--on", "nwt"]) == 2
    assert "need 9" in (said := capsys.readouterr().err)
    assert "name another file system" in said


FORTRAN = """\
program records
  real(8) :: field(20000)
  integer :: i
  field = 1.0d0
  open(10, file='out.dat', form='unformatted')
  do i = 1, 40
    write(10) field
  end do
  close(10)
end program
"""


@pytest.mark.real("gfortran", "strace")
def test_a_fortran_program_shows_its_length_rewrites(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Records above the buffer: gfortran goes back to rewrite a length behind each of them."""
    (tmp_path / "records.f90").write_text(FORTRAN)
    for words in (
        ["gfortran", "-o", "records", "records.f90"],
        ["strace", "-f", "-ttt", "-T", "-o", "job.log", "./records"],
    ):
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    log = str(tmp_path / "job.log")
    assert main(["replay", log, "--on", "nwt", "--cwd", str(tmp_path), "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    (process,) = record["processes"]
    assert record["stores"]["ssu"]["rewrites_waited"] >= 39
    waits = process["where"]["columns"]["ssu.writeback"]["wait_ns"]
    assert waits > process["elapsed_ns"] / 2
    assert main(["replay", log, "--on", "nwt", "--full"]) == 0
    assert (
        "the program waits to rewrite bytes in ssu that are still on their way to disk"
        in " ".join(capsys.readouterr().out.split())
    )
    assert main(["replay", log, "--on", "nwt", "--buffer", "1 MB", "--format", "json"]) == 0
    better = json.loads(capsys.readouterr().out)
    assert (
        better["stores"]["ssu"]["rewrites_waited"] < record["stores"]["ssu"]["rewrites_waited"] / 3
    )
    assert better["elapsed_ns"] < record["elapsed_ns"]
