"""``nwtsim advise TRACE --on MACHINE``, from a log to the commands that it prints."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.cli.main import main
from simulator.replay.advice import PATTERNS
from simulator.replay.tracejob import TraceJob
from tests.answers.programs import is_ranked
from tests.cli.commands import Capture, as_json, done, elapsed, refused
from tests.docs.elided import is_shown


class Log:
    """A log of strace, a call each 10 us."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, call: str, result: int, pid: int = 7) -> None:
        begun = 1_700_000_000 + len(self.lines) * 1e-5
        self.lines.append(f"{pid} {begun:.6f} {call} = {result} <0.000004>\n")

    def write(self, path: Path) -> Path:
        path.write_text("".join(self.lines))
        return path


def log_of_appends(path: Path, records: int = 24) -> Path:
    """A shell's loop: open, append, close; then the file is read twice in small pieces."""
    log = Log()
    for number in range(records):
        log.add('openat(AT_FDCWD, "/w/out", O_WRONLY|O_CREAT|O_APPEND, 0666)', 3)
        log.add(f'pwrite64(3, "x"..., 500, {number * 500})', 500)
        log.add("close(3)", 0)
    log.add('openat(AT_FDCWD, "/w/in", O_RDONLY)', 3)
    for _ in range(2):
        for number in range(records):
            log.add(f'pread64(3, "x"..., 1000, {number * 1000})', 1000)
    log.add("close(3)", 0)
    return log.write(path)


ON = {
    "nfs-lab": ("close-flush", ("--think", "scale=0.5")),
    "lustre-scratch": ("open-storm", ("--seed", "5")),
}
"""What is advised first, and with which options."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "machine", ["nfs-lab", pytest.param("lustre-scratch", marks=pytest.mark.slow)]
)
def test_every_printed_command_takes_what_is_printed(
    machine: str, tmp_path: Path, capsys: Capture
) -> None:
    log, folder = log_of_appends(tmp_path / "job.log"), tmp_path / "cured"
    first, options = ON[machine]
    words = ("advise", str(log), "--on", machine, "-o", str(folder), "--format=json", *options)
    record = json.loads(done(capsys, *words))
    patterns = [one["pattern"] for one in record["advice"]]
    assert patterns[0] == first
    assert "machine" in patterns
    assert is_ranked(record)
    commands = [one["command"] for one in record["advice"] if one["command"]]
    assert commands
    for one in record["advice"]:
        assert one["saves_ns"] == record["predicted_ns"] - one["predicted_ns"]
        if one["command"]:
            assert elapsed(capsys, one["command"]) == one["predicted_ns"]
    lines = (folder / "commands.txt").read_text().splitlines()
    wanted = [record["predicted_ns"], *(one["predicted_ns"] for one in record["advice"])]
    assert len(lines) == len(wanted)
    for line, elapsed_ns in zip(lines, wanted, strict=True):
        command, _, about = line.partition("  # ")
        assert about.endswith(f": {elapsed_ns} ns")
        assert elapsed(capsys, shlex.split(command)) == elapsed_ns


class Calls:
    """Logs of programs that have the patterns of files as wholes."""

    def __init__(self) -> None:
        self.log = Log()

    def opened(self, name: str, flags: str) -> None:
        self.log.add(f'openat(AT_FDCWD, "{name}", {flags}, 0644)', 3)

    def synced_files(self) -> None:
        for number in range(10):
            self.opened(f"/w/d/{number}", "O_WRONLY|O_CREAT|O_EXCL")
            self.log.add('write(3, "x"..., 5000)', 5000)
            self.log.add("fsync(3)", 0)
            self.log.add("close(3)", 0)

    def small_files(self) -> None:
        for number in range(40):
            self.opened(f"/w/d/{number}", "O_WRONLY|O_CREAT|O_EXCL")
            self.log.add('write(3, "x"..., 500)', 500)
            self.log.add("close(3)", 0)

    def polled(self) -> None:
        for _ in range(20):
            self.log.add('stat("/w/in", {st_mode=S_IFREG|0644, st_size=900, ...})', 0)
            self.opened("/w/in", "O_RDONLY")
            self.log.add('read(3, "x"..., 4096)', 900)
            self.log.add("close(3)", 0)

    def direct(self) -> None:
        self.opened("/w/out", "O_WRONLY|O_CREAT|O_DIRECT")
        for _ in range(100):
            self.log.add('write(3, "x"..., 4096)', 4096)

    def records(self) -> None:
        self.opened("/w/in", "O_RDONLY")
        for number in range(64):
            place = number * 7_919_000 % 40_000_000
            self.log.add(f'pread64(3, "x"..., 131072, {place})', 131072)

    def rows(self) -> None:
        self.log.add('openat(AT_FDCWD, "/w/a.db", O_RDWR, 0644)', 4)
        for _ in range(12):
            self.opened("/w/a.db-journal", "O_RDWR|O_CREAT")
            self.log.add('pwrite64(3, "x"..., 4616, 0)', 4616)
            self.log.add("fdatasync(3)", 0)
            self.log.add('pwrite64(4, "x"..., 4096, 0)', 4096)
            self.log.add("fdatasync(4)", 0)
            self.log.add("close(3)", 0)
            self.log.add('unlink("/w/a.db-journal")', 0)


PROGRAMS = {
    "synced_files": ("sync-per-file", "workstation"),
    "small_files": ("many-files", "nfs-lab"),
    "polled": ("poll", "nfs-lab"),
    "direct": ("direct-io", "nfs-lab"),
    "records": ("oversized-read", "workstation"),
    "rows": ("transaction-per-row", "workstation"),
}
"""What is found in a program, and on which machine."""


@pytest.mark.few(3)
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_pattern_of_a_log_has_commands_that_give_their_time(
    program: str, tmp_path: Path, capsys: Capture
) -> None:
    pattern, machine = PROGRAMS[program]
    calls = Calls()
    getattr(calls, program)()
    log, folder = calls.log.write(tmp_path / "job.log"), tmp_path / "cured"
    on = ("advise", str(log), "--on", machine, "--no-limits", "-o", str(folder))
    record = json.loads(done(capsys, *on, "--format=json"))
    assert pattern in {one["pattern"] for one in record["advice"]}
    wanted = [record["predicted_ns"], *(one["predicted_ns"] for one in record["advice"])]
    lines = (folder / "commands.txt").read_text().splitlines()
    for line, elapsed_ns in zip(lines, wanted, strict=True):
        assert elapsed(capsys, shlex.split(line.partition("  # ")[0])) == elapsed_ns
    for one in record["advice"]:
        if one["command"]:
            assert elapsed(capsys, one["command"]) == one["predicted_ns"]
        assert one["level"] in ("program", "setting", "hardware")


def test_another_file_system_is_a_command(tmp_path: Path, capsys: Capture) -> None:
    """Where a file system has costs of its own, the log is read again for it."""
    machine = tmp_path / "m.yaml"
    machine.write_text(
        "format: machine/2\nname: m\n"
        "parts: {slow: {kind: queue, at: node, overhead: 5 ms, rate: 10 MB/s},"
        " fast: {kind: queue, at: node, overhead: 1 us, rate: 1 GB/s}}\n"
        "filesystems:\n  home: [[slow]]\n"
        "  scratch: {tiers: [[fast]], metadata: [{work: fast}]}\n"
    )
    calls = Calls()
    calls.polled()
    log = calls.log.write(tmp_path / "job.log")
    record = json.loads(done(capsys, "advise", str(log), "--on", str(machine), "--format=json"))
    (one,) = [one for one in record["advice"] if one["pattern"] == "other-filesystem"]
    assert (one["filesystem"], one["level"]) == ("scratch", "setting")
    assert one["command"][-2:] == ["--filesystem", "scratch"]
    assert elapsed(capsys, one["command"]) == one["predicted_ns"]
    assert "no backup" in one["risk"]
    there = ("advise", str(log), "--on", str(machine), "--filesystem", "scratch", "--format=json")
    back = json.loads(done(capsys, *there))
    assert "other-filesystem" not in {one["pattern"] for one in back["advice"]}


TWO_SYSTEMS = """format: machine/2
name: m
parts: {slow: {kind: queue, at: node, overhead: 5 ms, rate: 10 MB/s},
  fast: {kind: queue, at: node, overhead: 1 us, rate: 1 GB/s}}
filesystems: {home: [[slow]], scratch: [[fast]]}
"""


def test_files_of_the_system_are_not_moved(tmp_path: Path, capsys: Capture) -> None:
    """42 calls are the program's; 10 of a library are told of; 11 are more than a fifth of all."""
    machine = tmp_path / "m.yaml"
    machine.write_text(TWO_SYSTEMS)

    def moved(others: int) -> list[dict[str, Any]]:
        log = Log()
        for name, count in (("/usr/lib/x/data", others), ("/usrdata/in", 40)):
            log.add(f'openat(AT_FDCWD, "{name}", O_RDONLY)', 3)
            for _ in range(count):
                log.add('read(3, "x"..., 4096)', 4096)
            log.add("close(3)", 0)
        words = ("advise", str(log.write(tmp_path / "job.log")), "--on", str(machine))
        record = json.loads(done(capsys, *words, "--format=json"))
        return [one for one in record["advice"] if one["pattern"] == "other-filesystem"]

    (one,) = moved(8)
    assert [file["name"] for file in one["files"]] == ["/usrdata/in"]
    assert "of files of the system are simulated there as well" in one["presumes"]
    assert moved(9) == []


def test_the_replay_is_that_of_nwtsim_replay(tmp_path: Path, capsys: Capture) -> None:
    log = str(log_of_appends(tmp_path / "job.log"))
    options = ("--on", "nfs-lab", "--think", "scale=3", "--format", "json", "--seed", "3")
    advised = json.loads(done(capsys, "advise", log, *options, "--no-limits"))
    replayed = json.loads(done(capsys, "replay", log, *options))
    assert advised["predicted_ns"] == replayed["elapsed_ns"]
    assert advised["observed_s"] == replayed["replay"]["observed_elapsed_s"]
    assert advised["unknown"] == replayed["replay"]["unknown"]


def test_the_text_has_files_an_example_and_what_to_do(tmp_path: Path, capsys: Capture) -> None:
    log = log_of_appends(tmp_path / "job.log")
    text = done(capsys, "advise", str(log), "--on", "nfs-lab", "--no-limits")
    flat = " ".join(text.split())
    assert "The best change, close-flush, makes it" in flat
    assert "24 opens and 24 closes of 1 file" in flat
    assert "/w/out (48 calls)" in flat
    assert "For example: close of /w/out by pid7" in flat or "open of /w/out by pid7" in flat
    assert "Open the file once before the loop, and close it after the loop" in flat
    assert "1. close-flush" in text


def test_opens_that_are_free_are_told(tmp_path: Path, capsys: Capture) -> None:
    log = log_of_appends(tmp_path / "job.log")
    text = done(capsys, "advise", str(log), "--on", "workstation", "--no-limits", "--full")
    assert "Free on this machine: 24 opens, 1 create, 25 closes" in " ".join(text.split())


def test_a_folder_that_exists_is_not_written_into(tmp_path: Path, capsys: Capture) -> None:
    log = log_of_appends(tmp_path / "job.log")
    about = refused(capsys, "advise", str(log), "--on", "nfs-lab", "-o", str(tmp_path))
    assert "exists already" in about


def test_words_that_are_neither_form(tmp_path: Path, capsys: Capture) -> None:
    log = str(log_of_appends(tmp_path / "job.log"))
    assert "no --on" in refused(capsys, "advise", log)
    job = ("advise", "nwt", "test-write")
    assert "--path is for a trace" in refused(capsys, *job, "--path", "p")
    assert "--exclude-dir is for a trace" in refused(capsys, *job, "--exclude-dir", "/usr")
    assert "--think is for a trace" in refused(capsys, *job, "--think", "none")
    assert "nwtt" in refused(capsys, "advise", log, "--on", "nwtt")
    refused(capsys, "advise", str(tmp_path / "none.log"), "--on", "nwt")


def test_an_interrupt_leaves_nothing(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(TraceJob, "run", stop)
    log, folder = log_of_appends(tmp_path / "job.log"), tmp_path / "cured"
    out = tmp_path / "report.txt"
    words = ["advise", str(log), "--on", "nfs-lab", "-o", str(folder), "--out", str(out)]
    assert main([*words, "--no-limits"]) == 130
    assert not folder.exists()
    assert not out.exists()
    assert capsys.readouterr().err.startswith("interrupted; nothing is kept, ")


def test_a_simulated_run_can_be_advised_but_not_written(tmp_path: Path, capsys: Capture) -> None:
    store = str(tmp_path / "calls.parquet")
    done(capsys, "run", "nwt", "test-write", "--output.size", "8 MB", "--store", store)
    on = ("advise", store, "--on", "nwt")
    record = as_json(capsys, *on, "--no-limits")
    assert {"observed_s", "predicted_s", "advice", "unknown"} <= set(record)
    assert record["observed_s"] == record["predicted_s"]
    about = refused(capsys, *on, "--no-limits", "-o", str(tmp_path / "cured"))
    assert "is of a simulated run" in about


def test_trace_check_points_to_advise(tmp_path: Path, capsys: Capture) -> None:
    log = log_of_appends(tmp_path / "job.log")
    assert "nwtsim advise LOG --on MACHINE" in done(capsys, "trace", "check", str(log))


def test_the_example_of_the_page(
    root: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    page = (root / "docs/advise.md").read_text(encoding="utf-8")
    command, _, shown = page.partition("```console\n$ nwtsim ")[2].partition("\n")
    assert is_shown(shown.partition("```")[0], done(capsys, *shlex.split(command)))


@pytest.mark.slow
def test_a_darshan_log_without_calls_is_replayed_by_samples(
    shared_dir: Path, capsys: Capture
) -> None:
    pytest.importorskip("darshan")
    log = str(shared_dir / "data/darshan/example.darshan")
    on = ("--on", "lustre-scratch", "--samples", "2", "--no-limits")
    assert "2 samples of calls that have its counters" in " ".join(
        done(capsys, "replay", log, *on).split()
    )


@pytest.mark.slow
def test_what_the_counters_of_a_darshan_log_show_is_told(shared_dir: Path, capsys: Capture) -> None:
    pytest.importorskip("darshan")
    log = str(next((shared_dir / "data/darshan/aiio").glob("dbin_ior_id66184525-37845*")))
    on = ("--on", "lustre-scratch", "--samples", "1", "--no-limits")
    text = " ".join(done(capsys, "advise", log, *on).split())
    assert "What the counters of the log show, not simulated: one-stripe: 256 ranks share" in text
    assert "lfs setstripe -c 4 -S 1M /global/cscratch1/sd/dbin" in text
    (found,) = json.loads(done(capsys, "advise", log, *on, "--format", "json"))["counted"]
    assert (found["pattern"], found["calls"]) == ("one-stripe", 256)
    assert found["presumes"].startswith("the file is made anew")


@pytest.mark.long
@pytest.mark.parametrize(
    ("log", "pattern", "measured_s"),
    [("dbin_ior_id66184525-37486", "sync-write", 1.59), ("dbin_write_3d", "strided-write", 0.33)],
)
def test_the_cure_that_was_made_is_the_first_advice(
    shared_dir: Path, capsys: Capture, log: str, pattern: str, measured_s: float
) -> None:
    """What Cori took before and after the cure is within the intervals (AIIO, HPDC 2023).

    IOR by 1 MiB in place of 1 KiB with fsync each; netCDF in chunks in place of pieces of rows.
    """
    pytest.importorskip("darshan")
    path = min((shared_dir / "data/darshan/aiio").glob(f"{log}*"))
    on = ("--on", "lustre-scratch", "--samples", "6", "--no-limits", "--format", "json")
    record = json.loads(done(capsys, "advise", str(path), *on))
    replayed = json.loads(done(capsys, "replay", str(path), *on))["replay"]
    least, most = replayed["samples"]["on_real_s"]
    assert least < record["observed_s"] < most
    first = record["advice"][0]
    assert first["pattern"] == pattern
    assert first["samples"]["helped"] == 6
    assert first["samples"]["least_ns"] < measured_s * 1e9 < first["samples"]["most_ns"]


@pytest.mark.slow
def test_a_darshan_log_with_dxt_is_replayed(shared_dir: Path, capsys: Capture) -> None:
    pytest.importorskip("darshan")
    log = str(shared_dir / "data/darshan/dxt.darshan")
    on = ("--on", "lustre-scratch", "--format", "json", "--no-limits")
    record = json.loads(done(capsys, "advise", log, *on))
    assert {"seek-storm", "small-io"} <= {one["pattern"] for one in record["tried"]}


def test_a_log_without_times_has_no_observed_time(tmp_path: Path, capsys: Capture) -> None:
    calls = [f'pread64(3, "x"..., 100, {at}) = 100\n' for at in range(0, 4000, 100)]
    log = tmp_path / "job.log"
    log.write_text('openat(AT_FDCWD, "/w/in", O_RDONLY) = 3\n' + "".join(calls))
    on = ("advise", str(log), "--on", "nfs-lab", "--no-limits", "--format")
    record = json.loads(done(capsys, *on, "json"))
    assert record["observed_s"] is None
    (one,) = record["advice"]
    assert (one["pattern"], one["example"]) == (
        "small-io", "read of 100 B at byte 2,000 of /w/in by process")  # fmt: skip
    assert done(capsys, *on, "table").startswith("The run takes")


def test_the_help_names_all_patterns(capsys: Capture) -> None:
    text = done(capsys, "advise", "--help")
    assert all(pattern.__name__.replace("_", "-") in text for pattern in PATTERNS)
