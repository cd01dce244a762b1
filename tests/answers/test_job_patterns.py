"""Patterns of jobs: each is found where it is, its cure is run, and its command gives its time."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from simulator.answers.advise import Change
from simulator.answers.again import InputsAgain
from simulator.answers.jobs import JobRun, advise_job, findings
from simulator.cli.main import main
from simulator.run import load_inputs, run_plan
from simulator.units import format_time
from tests.answers.jobcases import (
    CASES,
    Case,
    case_of,
    inputs_of,
    job_of,
    texts,
)
from tests.answers.machines import drawn
from tests.answers.programs import is_ranked
from tests.cli.commands import Capture, elapsed
from tests.docs.elided import is_shown
from tests.examples import examples

pytestmark = pytest.mark.compiled


# -- each pattern, through the command ------------------------------------------------------------


@pytest.mark.few(3)
@pytest.mark.parametrize("case", CASES, ids=lambda one: f"{one.pattern}-{one.name}".strip("-"))
def test_a_pattern_is_found_and_its_command_gives_its_time(
    case: Case, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in zip(("machine.yaml", "job.yaml"), texts(case), strict=True):
        Path(name).write_text(text)
    assert main(["advise", "machine.yaml", "job.yaml", "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    found = [one for one in record["advice"] if one["pattern"] == case.pattern]
    wanted = [one for one in found if case.sets in " ".join(map("=".join, one["set"]))]
    assert wanted, [record["advice"], record["tried"]]
    assert wanted[0]["calls"] > 0
    for one in wanted[:1]:
        assert elapsed(capsys, one["command"]) == one["predicted_ns"]
        assert one["saves_ns"] == record["predicted_ns"] - one["predicted_ns"]
    saved = [one["saves_ns"] for one in record["advice"]]
    assert is_ranked(record)
    assert all(one >= 0.01 * record["predicted_ns"] for one in saved)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [("nwt", "test-write"), ("burst-node", "copy-file"), ("beegfs-like", "mpi-array")],
    ids="-".join,
)
def test_every_command_of_an_answer_gives_its_time(words: tuple[str, str], capsys: Capture) -> None:
    assert main(["advise", *words, "--seed", "3", "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["advice"]
    instead = [other for one in record["advice"] for other in one["instead"]]
    assert all(one["saves_s"] >= 0.01 * record["predicted_s"] for one in instead)
    for one in record["advice"] + instead:
        assert elapsed(capsys, one["command"]) == one["predicted_ns"]
    first, second = record["advice"][:2]
    both = [*first["command"], *settings_of(second)]
    if record["first_two_together_s"] is not None:
        assert elapsed(capsys, both) == pytest.approx(record["first_two_together_s"] * 1e9, abs=1)


def settings_of(advice: dict[str, Any]) -> list[str]:
    return [word for path, to in advice["set"] for word in ("--set", f"{path}={to}")]


@pytest.mark.slow
def test_savings_on_drawn_machines_equal_reruns_to_the_nanosecond() -> None:
    patterns = set()
    for seed in range(examples(40)):
        machine, job = drawn(seed)
        noise = 7 if seed % 3 == 0 else None
        inputs = load_inputs(machine, job, noisy=noise is not None)
        base = run_plan(inputs.plan(seed=noise))
        advised = advise_job(JobRun(InputsAgain(inputs, seed=noise), base), None)
        for one in advised.advice:
            patterns.add(one.finding.pattern)
            changed = load_inputs(machine, job, one.cure.change.settings, noisy=noise is not None)
            again = run_plan(changed.plan(seed=noise)).elapsed_ns
            assert (again, base.elapsed_ns - again) == (one.elapsed_ns, one.saves_ns), seed
    assert len(patterns) >= 4


# -- what is no cure ------------------------------------------------------------------------------


def test_less_work_is_no_cure() -> None:
    job = job_of(inputs_of(case_of("small-io")))
    assert job.run(Change((("workload.files.a.size", "9 MB"),))) is None
    assert job.run(Change((("workload.jobs.0.record", "2 kB"),))) is not None
    assert job.run(Change((("machine.parts.disk.rate", "no rate"),))) is None


def test_reads_that_are_kept_are_no_less_work() -> None:
    job = job_of(inputs_of(case_of("re-read", "kept")))
    (kept,) = [
        cure.change
        for finding in findings(job.facts)
        for cure in finding.cures
        if cure.change.settings[0][0].endswith("phases")
    ]
    once = run_plan(inputs_of(case_of("re-read", "kept")).plan()).elapsed_ns
    ran = job.run(kept)
    assert ran is not None
    assert ran.elapsed_ns < 0.6 * once
    fewer = "[{do: read, file: a, size: 1 MB}, {do: compute, time: 1 ms}]"
    assert job.run(Change((("workload.jobs.0.phases", fewer),))) is None


def test_a_buffer_that_a_node_cannot_hold_is_no_cure() -> None:
    """A PE of the NWT has 256 MB: no buffer of 614.4 MB, which four of them could hold."""
    job = job_of(load_inputs("nwt", "test-write", noisy=False))
    settings = [
        one for each in findings(job.facts) for cure in each.cures for one in cure.change.settings
    ]
    buffers = {value for path, value in settings if path.endswith(".buffer")}
    assert "153.6 MB" in buffers
    assert "614.4 MB" not in buffers


def test_a_file_that_is_written_between_is_read_again() -> None:
    case = case_of("re-read", "kept")
    write = "{do: write, file: a}"
    phases = f"[{{do: read, file: a}}, {write}, {{do: read, file: a}}, {write}]"
    changed = Case(case.pattern, case.machine, case.files, case.job, phases, "")
    job = job_of(inputs_of(changed))
    assert not [one for one in findings(job.facts) if one.pattern == "re-read"]


def test_a_page_cache_is_no_place_to_bring_files_to() -> None:
    """Unlike a store that all nodes share, or one behind a network."""
    staged = case_of("no-prestage")
    one = staged.machine.replace("client: 4", "client: 1").replace("[[lan], ssu", "[ssu")
    for machine, found in ((staged.machine, True), (one, False)):
        changed = Case(staged.pattern, machine, staged.files, staged.job, staged.phases, "")
        patterns = {one.pattern for one in findings(job_of(inputs_of(changed)).facts)}
        assert ("no-prestage" in patterns) is found


def test_a_job_that_computes_has_nothing_worth_doing(tmp_path: Path, capsys: Capture) -> None:
    job = tmp_path / "job.yaml"
    phases = "[{do: compute, time: 100 s}, {do: write, file: a}]"
    job.write_text(
        "format: workload/2\nname: computing\nfiles: {a: {size: 1 MB}}\n"
        f"jobs: [{{name: job, record: 100 kB, phases: {phases}}}]\n"
    )
    assert main(["advise", "workstation", str(job)]) == 0
    text = capsys.readouterr().out
    flat = " ".join(text.split())
    assert "What limits is computing: 100.0 % of the time is between calls." in flat
    assert "Nothing is worth doing" in flat
    assert "nwtsim run" not in text
    assert main(["run", "workstation", str(job)]) == 0
    assert "What helps" not in capsys.readouterr().out


def test_other_kinds_of_cures_are_told_beside_the_best() -> None:
    """Of buffers only the best, of runtimes each."""
    advised = advise_job(job_of(load_inputs("nwt", "test-write", noisy=False)), None)
    (one,) = [one for one in advised.advice if one.finding.pattern == "record-length-rewrite"]
    told = [cure.change.settings[0] for cure in (one.cure, *(other.cure for other in one.others))]
    assert [path for path, _ in told].count("workload.jobs.0.buffer") == 1
    assert [to for path, to in told if path.endswith("policy")] == ["posix", "nwt-predicted"]


def test_the_smallest_change_that_helps_as_much_is_taken() -> None:
    """Records of 4 kB have a quarter of the calls of 1 kB: past some size calls cost nothing."""
    job = job_of(inputs_of(case_of("small-io")))
    advised = advise_job(job, None)
    (small,) = [one for one in advised.advice if one.finding.pattern == "small-io"]
    tried = {cure.change: job.run(cure.change) for cure in small.finding.cures}
    best = min(ran.elapsed_ns for ran in tried.values() if ran is not None)
    sizes = list(tried)
    assert small.elapsed_ns - best < 0.01 * advised.elapsed_ns
    for smaller in sizes[: sizes.index(small.cure.change)]:
        ran = tried[smaller]
        assert ran is not None
        assert ran.elapsed_ns - small.elapsed_ns >= 0.01 * advised.elapsed_ns


# -- the text of a run ----------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES[:1] + CASES[10:12], ids=lambda one: one.pattern)
def test_a_run_prints_the_first_two_with_commands_that_give_their_time(
    case: Case, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in zip(("machine.yaml", "job.yaml"), texts(case), strict=True):
        Path(name).write_text(text)
    assert main(["run", "machine.yaml", "job.yaml", "--full"]) == 0
    told = capsys.readouterr().out
    told = told[told.index("What helps most") : told.index("busiest resource")]
    lines = [line.strip() for line in told.splitlines() if ": nwtsim run" in line]
    assert len(lines) == 2
    for line in lines:
        time, _, command = line.partition(": ")
        assert format_time(elapsed(capsys, shlex.split(command))) == time
    assert main(["run", "machine.yaml", "job.yaml", "--no-limits"]) == 0
    assert "What helps" not in capsys.readouterr().out


def test_a_replay_prints_the_first_two_as_advice_on_the_trace_has_them(capsys: Capture) -> None:
    log = ["notebooks/data/job.strace.gz", "--on", "nwt"]
    assert main(["advise", *log, "--format", "json"]) == 0
    first, *rest = json.loads(capsys.readouterr().out)["advice"]
    assert main(["replay", *log, "--full"]) == 0
    told = capsys.readouterr().out
    told = told[told.index("What helps most") : told.index("busiest resource")]
    assert f"  {first['pattern']}: " in told
    assert f"  {format_time(first['predicted_ns'])}: the calls of the log changed so" in told
    machine = next(one for one in rest if one["pattern"] == "machine")
    assert f"  {format_time(machine['predicted_ns'])}: nwtsim replay {' '.join(log)} --set" in told
    (line,) = (one for one in told.splitlines() if "To try more" in one)
    assert shlex.split(line.partition("): ")[2]) == ["nwtsim", "advise", *log]


# -- long jobs, and the page ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("limits", [[], ["--no-limits"]], ids=["levers", "no-levers"])
def test_a_long_job_is_shortened_and_says_so(limits: list[str], capsys: Capture) -> None:
    assert main(["advise", "workstation", "copy-file", "--full", *limits]) == 0
    text = capsys.readouterr().out
    assert text.startswith("The run takes")
    assert "hosen by runs shortened to 1/" in text
    assert ("disk.rate" in text) is (not limits)
    commands = re.findall(r"^   (.+): (nwtsim run .*)$", text, re.MULTILINE)
    assert commands or limits
    for time, command in commands:
        assert format_time(elapsed(capsys, shlex.split(command))) == time


def test_the_page_shows_what_the_command_prints(capsys: Capture) -> None:
    page = (Path(__file__).parents[2] / "docs" / "advise.md").read_text("utf-8")
    shown = page.split("$ nwtsim advise nwt test-write --full\n")[1].split("```")[0]
    assert main(["advise", "nwt", "test-write", "--full"]) == 0
    assert is_shown(shown, capsys.readouterr().out)
