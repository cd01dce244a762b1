"""The tracer's own time in logs: guessed where nobody has measured it, and recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")


from simulator.cli.main import main
from simulator.config.formats import load_machine
from simulator.replay.replay import ReplayOptions, replay
from simulator.replay.tracer import (
    TracerGuess,
)
from simulator.traces.record import Record, beside
from tests.replay.test_tracer import LOG, US, ended, gaps, observed, record

# -- logs that nobody has measured ----------------------------------------------------------------


def quick(calls: int) -> str:
    lines = ['7 1700000100.000000 openat(AT_FDCWD, "/d/a", O_RDONLY) = 3 <0.000005>']
    at = 1_700_000_100_000_015
    for _ in range(calls):
        lines.append(f'7 {at // 10**6}.{at % 10**6:06} read(3, ""..., 9) = 9 <0.000005>')
        at += 15
    return "\n".join(lines) + "\n"


def test_the_quickest_calls_say_about_how_much_it_is(tmp_path):
    guess = TracerGuess()
    found = observed(tmp_path, quick(400), guess)
    taken = found.tracer
    assert taken is not None
    assert taken.computing_ns is None
    assert taken.each_ns == pytest.approx(15 * US, rel=0.1)
    assert taken.own_ns == pytest.approx(401 * 10 * US, rel=0.1)
    assert gaps(found) == gaps(observed(tmp_path, quick(400), None))


def test_computing_between_most_calls_is_not_taken_for_the_tracer(tmp_path):
    lines = quick(2000).splitlines()
    log = "\n".join([*lines[:21], *lines[21::20]]) + "\n"  # 300 us between most calls
    taken = observed(tmp_path, log, TracerGuess()).tracer
    assert taken is not None
    assert taken.each_ns == pytest.approx(15 * US, rel=0.1)


def test_of_less_than_a_hundred_calls_nothing_is_told(tmp_path):
    taken = observed(tmp_path, quick(98), TracerGuess()).tracer  # One more executes the program.
    assert (taken.own_ns, taken.each_ns) == (0, 0)
    assert "which does not say how much it is" in taken.to_text("strace", None)
    assert (taken.to_record()["own_s"], taken.to_record()["each_s"]) == (None, None)
    assert observed(tmp_path, quick(99), TracerGuess()).tracer.own_ns > 0


@pytest.mark.parametrize("command", ["replay", "advise"])
def test_every_answer_on_a_log_without_a_record_is_followed_by_it(tmp_path, capsys, command):
    log = tmp_path / "job.log"
    log.write_text(quick(400))
    words = [command, str(log), "--on", "workstation", "--no-limits"]
    assert main(words) == 0
    told = " ".join(capsys.readouterr().out.split())
    begin = told.index("strace's own time is in this log: about 1")
    answer = {"replay": "predicted here", "advise": "the replay predicts"}[command]
    assert told.index(answer) < begin < told.index({"replay": "elapsed", "advise": "1."}[command])
    assert "'nwtsim trace record -- COMMAND' measures it and takes it out" in told
    assert main([*words, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    tracer = (answer.get("replay") or answer)["tracer"]
    assert tracer["taken_out"] is False
    assert tracer["own_s"] == pytest.approx(401 * 10e-6, rel=0.1)
    assert main([*words, "--think", "keep"]) == 0
    assert "own time" not in capsys.readouterr().out


# -- logs that were recorded ----------------------------------------------------------------------


def recorded(tmp_path: Path, made: Record, log: str = LOG) -> Path:
    path = tmp_path / "job.strace"
    path.write_text(log)
    beside(path).write_text(made.to_json())
    return path


def test_replay_takes_it_out_by_itself_and_import_keeps_it(tmp_path, capsys):
    log = recorded(tmp_path, record(ended(350, 100, 50)))
    store = tmp_path / "job.parquet"
    assert main(["trace", "import", str(log), "-o", str(store)]) == 0
    beside(log).unlink()
    capsys.readouterr()
    words = ["replay", "--on", "workstation", "--no-limits", "--format", "json"]
    assert main([*words, str(store)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["replay"]["computing_s"] == 100e-6
    assert answer["replay"]["observed_elapsed_s"] == 350e-6
    assert answer["replay"]["traced_elapsed_s"] == 400e-6
    assert answer["replay"]["think"] is None
    assert answer["replay"]["tracer"]["taken_out"] is True
    assert main([*words, str(store), "--think", "keep"]) == 0
    kept = json.loads(capsys.readouterr().out)["replay"]
    assert (kept["computing_s"], kept["think"]) == (375e-6, 1.0)
    assert kept["observed_elapsed_s"] == 350e-6


def test_the_answer_says_what_the_program_took_without(tmp_path, capsys):
    log = recorded(tmp_path, record(ended(350, 100, 50)))
    assert main(["advise", str(log), "--on", "workstation", "--no-limits"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert told.startswith(
        "Of 350 us 57.1 % none of these, 28.6 % computing"
    )  # What it is is first.
    assert (
        ". Without strace the program took 350 us; with it 400 us. strace's own time is taken out, "
    ) in told
    assert "The program took 350 us; the replay predicts" in told


def test_a_workload_of_it_runs_as_its_replay(tmp_path, capsys):
    log = recorded(tmp_path, record(ended(350, 100, 50, read_bytes=4096)))
    job = tmp_path / "job.yaml"
    assert main(["trace", "workload", str(log), "-o", str(job), "--on", "workstation"]) == 0
    assert "strace's own time is taken out" in job.read_text()
    capsys.readouterr()
    assert main(["run", "workstation", str(job), "--format", "json", "--no-limits"]) == 0
    run = json.loads(capsys.readouterr().out)["elapsed_ns"]
    assert main(["replay", str(log), "--on", "workstation", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["elapsed_ns"] == run


@pytest.mark.parametrize(("read_bytes", "cached"), [(0, True), (4096, False)])
def test_a_little_of_a_large_file_was_cached_if_it_was_not_fetched(tmp_path, read_bytes, cached):
    """100 bytes behind a gigabyte: a page fetched for them is much, though little of the file."""
    far = LOG.replace('read(3, ""..., 100)', 'pread64(3, ""..., 100, 1000000000)')
    log = recorded(tmp_path, record(ended(350, 100, 50, read_bytes=read_bytes)), far)
    done = replay([log], load_machine("workstation"), ReplayOptions())
    assert bool(done.cached) == cached


def test_files_are_in_the_page_cache_as_they_were(tmp_path, capsys):
    words = ["--on", "workstation", "--no-limits", "--format", "json"]
    times = {}
    for name, read_bytes in (("cached", 0), ("cold", 200)):
        log = recorded(tmp_path, record(ended(350, 100, 50, read_bytes=read_bytes)))
        for option in ((), ("--prestage",), ("--no-prestage",)):
            assert main(["replay", str(log), *words, *option]) == 0
            times[name, option] = json.loads(capsys.readouterr().out)["elapsed_ns"]
    cached, cold = times["cached", ()], times["cold", ()]
    assert cached < cold
    assert cached == times["cold", ("--prestage",)] == times["cached", ("--prestage",)]
    assert cold == times["cached", ("--no-prestage",)] == times["cold", ("--no-prestage",)]
    log = recorded(tmp_path, record(ended(350, 100, 50)))
    assert main(["replay", str(log), "--on", "workstation", "--no-limits", "--full"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "are in the page cache, as they were for the recorded run" in told


def test_a_machine_of_the_same_host_is_contradicted_by_the_run_without_strace(tmp_path):
    """What is computed, and reads of 100 bytes of some microseconds: 350 us are in neither."""
    host = load_machine("workstation")
    key, source = next(iter(host.origin.sources.items()))
    runs = {"alike": (110, 100, 50), "other": (350, 200, 100), "busy": (900, 200, 100)}
    told = {}
    for name, times in runs.items():
        log = recorded(tmp_path, record(ended(*times)))
        for at in ("lab", "elsewhere"):
            measured = replace(source, text=f"measured by nwtsim measure on {at}, 2026-01-02")
            host.origin.sources[key] = measured
            done = replay([log], host, ReplayOptions())
            assert done.here == (at == "lab")
            told[name, at] = done.contradicted, done.result.elapsed_ns
    assert [one for one, (text, _) in told.items() if text] == [("other", "lab")]
    text, predicted = told["other", "lab"]
    assert 200_000 < predicted < 350_000 / 1.25
    part = round(100 * (1 - predicted / 350_000))
    assert f"{part} % less is predicted than the program took there" in text
