"""``timeout`` of file systems and ``on_error`` of jobs: what can be written, and mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.config import ConfigError
from simulator.config.identity import digest_of
from simulator.run import load_inputs
from tests.reference.runs import FREE, both, planned

if TYPE_CHECKING:
    from pathlib import Path

PARTS = f"""
nodes: {{node: 2}}
parts:
  cpu: {FREE}
  disk: {{kind: disk, rate: 1 GB/s}}
  lan: {{kind: shared, rate: 1 GB/s}}
"""
SYSTEM = "filesystems:\n  home: {tiers: [disk], timeout: 1 s}\n"
FAILS = "events: [{part: disk, at: 1 s, repair: 1 h}]\n"
FILES = "files: {a: {size: 4 GB, exists: true}}\n"
READ = "{do: read, file: a}"


def job(phases: str = READ, more: str = "") -> str:
    """Return a workload of one job that reads."""
    return FILES + f"jobs: [{{name: j, record: 1 GB, policy: posix, {more} phases: [{phases}]}}]\n"


def refused(machine_text: str, workload_text: str) -> list[str]:
    """Return what is said of a plan that cannot be made."""
    with pytest.raises(ConfigError) as error:
        planned(machine_text, workload_text)
    return [one.message for one in error.value.problems]


def test_the_time_is_that_of_its_paths() -> None:
    plan = planned(PARTS + SYSTEM + FAILS, job())
    assert [one.give_up_ns for one in plan.paths] == [10**9]
    assert [one.stops for one in plan.processes] == [True]
    result = both(plan)
    # The second GB would have ended at 2 s: it is given up at 2 s, and the process with it.
    assert result.elapsed_ns // 10**6 == 2000
    assert result.processes[0].read.bytes == 10**9


def test_a_job_may_go_on() -> None:
    plan = planned(PARTS + SYSTEM + FAILS, job(more="on_error: continue,"))
    assert both(plan).elapsed_ns // 10**6 == 4000


def test_without_it_calls_wait() -> None:
    plan = planned(PARTS + SYSTEM.replace(", timeout: 1 s", "") + FAILS, job())
    assert [one.give_up_ns for one in plan.paths] == [-1]


@pytest.mark.parametrize(
    ("phases", "more", "why"),
    [
        (f"{READ}, {{do: barrier}}", "processes: 2,", "wait for it for ever (barrier)"),
        (READ, "arrivals: {every: 1 s, count: 3},", "serves arrivals"),
        (
            f"{READ}, {{do: mpi-read, file: a, block: 1 GB}}",
            "processes: 2,",
            "a library makes several calls",
        ),
    ],
)
def test_who_is_waited_for_cannot_stop(phases: str, more: str, why: str) -> None:
    shared = FILES.replace("exists", "shared: true, exists")
    text = job(phases, more).replace(FILES, shared)
    (message,) = refused(PARTS + SYSTEM + FAILS, text)
    assert why in message
    assert message.endswith("write 'on_error: continue'")
    goes_on = text.replace("policy: posix,", "policy: posix, on_error: continue,")
    planned(PARTS + SYSTEM + FAILS, goes_on)  # So it may,
    planned(PARTS + SYSTEM, text)  # and where nothing fails


def test_transfers_that_share_a_part_cannot_give_up() -> None:
    system = SYSTEM.replace("[disk]", "[lan, disk]")
    events = "events: [{part: lan, at: 1 s, repair: 1 h}]\n"
    (message,) = refused(PARTS + system + events, job())
    assert "transfers under way at lan" in message
    planned(PARTS + system + FAILS, job())


def test_a_copy_after_the_process_is_not_for_it() -> None:
    text = """
parts:
  cpu: {kind: cpu}
  fast: {kind: disk, rate: 1 GB/s}
  disk: {kind: disk, rate: 1 GB/s}
filesystems:
  home: {paths: {a: {tiers: [fast], drain: [disk]}}, timeout: 1 s}
"""
    with pytest.raises(ConfigError, match="what has not been written cannot be copied"):
        planned(text, job())


def test_listed_calls_are_all_made() -> None:
    text = "jobs: [{name: j, calls: {file: calls.csv}, on_error: stop}]\n"
    with pytest.raises(ConfigError, match="on_error: listed calls are all made"):
        planned(PARTS + SYSTEM, text)


def test_what_is_not_said_changes_no_digest(tmp_path: Path) -> None:
    """Neither key counts where it is left out; the digest is that of before there were any."""

    def digest(system: str, more: str = "") -> str:
        heads = [
            f"format: {kind}\nname: test\ntitle: test\n" for kind in ("machine/2", "workload/2")
        ]
        files = tmp_path / "m.yaml", tmp_path / "w.yaml"
        files[0].write_text(heads[0] + PARTS + system)
        files[1].write_text(heads[1] + job(more=more))
        inputs = load_inputs(*map(str, files))
        return digest_of(inputs.machine, inputs.workload)

    plain = SYSTEM.replace(", timeout: 1 s", "")
    known = "37e5414062fe"
    assert digest(plain)[:12] == known
    assert len({digest(plain), digest(SYSTEM), digest(SYSTEM, "on_error: continue,")}) == 3
