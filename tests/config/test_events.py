"""``events`` of machines and workloads: what can be written, and what is said of mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from simulator.config import ConfigError
from simulator.config.identity import digest_of
from simulator.prepared import Prepared
from simulator.run import load_inputs
from tests.config.machine_texts import CLUSTER, JOB, machine, problems_of, workload
from tests.reference.runs import both, planned

if TYPE_CHECKING:
    from pathlib import Path

    from simulator.plan.events import EventPlan

SYSTEM = "  home: [nic, {hold: threads}, disk]\n"
PHASES = "    phases: [{do: write, file: a}]\n"
BODY = CLUSTER.partition("name: cluster\n")[2] + SYSTEM
JOBS = JOB.partition("name: job\n")[2] + PHASES


def with_events(*events: str) -> str:
    """Return the cluster with events."""
    return CLUSTER + SYSTEM + "events:\n" + "".join(f"  - {{{one}}}\n" for one in events)


def events(*lines: str, seed: int = 0) -> tuple[EventPlan, ...]:
    """Return what happens to instances of the cluster."""
    body = BODY + "events:\n" + "".join(f"  - {{{one}}}\n" for one in lines)
    return planned(body, JOBS, seed=seed).events


# -- what can be written ------------------------------------------------------------------------


def test_a_disk_fails_at_a_time() -> None:
    (one,) = events("part: disk, member: 4, at: 3 s, repair: 2 min")
    assert (one.member, one.at_ns, one.lasts_ns, one.speed) == (4, 3 * 10**9, 120 * 10**9, 0)


def test_each_has_a_stream_of_its_own() -> None:
    found = events("part: disk, mtbf: 1000 h, repair: 1 h")
    assert [one.member for one in found] == [*range(6)]
    assert len({one.stream for one in found}) == 6


def test_both_directions_of_a_port_fail_together() -> None:
    found = events("part: nic, group: server, mtbf: 1000 h, repair: 1 h")
    assert [(one.member, one.stream) for one in found] == [
        *((member, f"server{member}.nic fails 1") for member in (0, 0, 1, 1)),
    ]
    assert len({one.part for one in found}) == 2


def test_other_events_do_not_change_what_is_drawn() -> None:
    disk = "part: disk, member: 1, mtbf: 1000 h, repair: 1 h"
    (alone,), (_, _, second) = events(disk), events("part: link, at: 1 s, repair: 1 s", disk, disk)
    (_, also, _) = events("part: link, at: 1 s, repair: 1 s", disk, disk)
    assert alone == also != second


@pytest.mark.parametrize(
    ("what", "speed"),
    [("factor: 25 %", 0.25), ("rate: 50 MB/s", 0.5), ("rate: 200 MB/s", 2), ("factor: 75 %", 0.75)],
)
def test_a_speed_is_a_share_or_a_rate(what: str, speed: float) -> None:
    (one, *_) = events(f"part: disk, at: 1 s, {what}, lasts: 1 s")
    assert one.speed == speed * 2**20


def test_a_workload_has_events_too() -> None:
    jobs = JOBS + "events: [{part: link, at: 1 s, repair: 5 s}]\n"
    assert [one.lasts_ns for one in planned(BODY, jobs).events] == [5 * 10**9]


def test_a_failure_delays_a_job_by_as_long_as_it_lasts() -> None:
    """10 MB in records of 1 MB at 100 MB/s: at 55 ms a disk is at work, or one waits for it."""
    alone, late = (
        both(planned(BODY + more, JOBS))
        for more in ("", "events: [{part: disk, at: 55 ms, repair: 3 s}]\n")
    )
    assert late.elapsed_ns - alone.elapsed_ns == 3 * 10**9
    assert {one.failures for one in late.states.values()} == {1}
    assert not alone.states


def test_without_events_a_digest_is_what_it_was() -> None:
    plain = machine(CLUSTER + SYSTEM)
    assert digest_of(plain) == digest_of(machine(CLUSTER + SYSTEM + "events: []\n"))
    assert digest_of(plain) != digest_of(machine(with_events("part: disk, at: 1 s, repair: 1 s")))


def test_a_sweep_compares_a_rate_with_that_of_each_point(tmp_path: Path) -> None:
    path, jobs = tmp_path / "m.yaml", tmp_path / "w.yaml"
    path.write_text(CLUSTER + SYSTEM, encoding="utf-8")
    event = "events: [{part: disk, at: 1 s, rate: 50 MB/s, lasts: 1 s}]\n"
    jobs.write_text(JOB + PHASES + event, encoding="utf-8")
    prepared = Prepared(path, jobs)
    speeds = [
        prepared.plan([("machine.parts.disk.rate", rate)]).events[0].speed / 2**20
        for rate in ("100 MB/s", "200 MB/s")
    ]
    assert speeds == [0.5, 0.25]


# -- what is said of mistakes -------------------------------------------------------------------

ALONE = {
    "part: dsik, at: 1 s, repair: 1 s": "part: 'dsik' is not a part; did you mean 'disk'?",
    "part: disk, membr: 1, at: 1 s, repair: 1 s": "membr: unknown key; did you mean 'member'?",
    "part: disk, mttr: 1 h, at: 1 s": "mttr: unknown key; write 'repair'",
    "part: disk, member: some, at: 1 s, repair: 1 s": "is no member; write a number from 0 on",
    "part: disk, at: 1 s, repair: 5": "repair: '5' has no unit",
    "part: disk, at: 1 s, mtbf: 1 h, repair: 1 s": "has both at and mtbf; write when",
    "part: disk, repair: 1 s": "has neither at nor mtbf; write when",
    "part: disk, at: 1 s": "does not say what happens; write 'repair: 1 h' if it fails",
    "part: disk, mtbf: 10 ms, repair: 1 s": "mtbf: 10.0 ms is less than a second",
    "part: disk, at: 1 s, repair: 1 s, factor: 10 %": "factor: has no effect beside repair",
    "part: disk, at: 1 s, factor: 10 %, rate: 1 MB/s, lasts: 1 s": "no effect beside factor",
    "part: disk, at: 1 s, factor: 10 %": "lasts is missing though factor is there",
    "part: disk, at: 1 s, repair: 1 s, lasts: 1 s": "lasts: has no effect beside repair",
    "part: disk, at: 1 s, factor: 0 %, lasts: 1 s": "factor: 0 % is a failure; write 'repair",
    "part: disk, at: 1 s, repair: 0 s": "repair: 0 s is no time",
}
OF_A_MACHINE = {
    "part: disk, member: 6, at: 1 s, repair: 1 s": "member: there is no disk 6; write a number fr",
    "part: link, member: 1, at: 1 s, repair: 1 s": "member: there is no link 1; write 0, or 'all'",
    "part: nic, group: server, member: 2, at: 1 s, repair: 1 s": "a number from 0 to 1, or 'all'",
    "part: disk, group: client, at: 1 s, repair: 1 s": "'client' has no disk; it is at server",
    "part: threads, at: 1 s, repair: 1 s": "threads is a pool, to which no event can happen",
    "part: cpu, at: 1 s, repair: 1 s": "cpu is a cpu, to which no event can happen; write a part",
    "part: rpc, at: 1 s, rate: 1 MB/s, lasts: 1 s": "rate: rpc has no rate; write 'factor: 50 %'",
    "part: disk, at: 1 s, rate: 1 TB/s, lasts: 1 s": "more than 4096 times the rate of disk",
}


@pytest.mark.parametrize(("event", "about"), [*ALONE.items(), *OF_A_MACHINE.items()])
def test_a_mistake_is_one_line_with_its_place(event: str, about: str) -> None:
    (line,) = problems_of(with_events(event))
    assert line.startswith("16:")
    assert about in line


@pytest.mark.parametrize(("event", "about"), OF_A_MACHINE.items())
def test_a_workload_is_told_where_its_event_stands(event: str, about: str, tmp_path: Path) -> None:
    path, jobs = tmp_path / "m.yaml", tmp_path / "w.yaml"
    path.write_text(CLUSTER + SYSTEM, encoding="utf-8")
    jobs.write_text(f"{JOB}{PHASES}events:\n  - {{{event}}}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_inputs(path, jobs)
    (line,) = str(caught.value).splitlines()
    assert line.startswith(f"{jobs}:11:")
    assert about in line


def test_a_workload_alone_is_checked_too() -> None:
    with pytest.raises(ConfigError, match="has neither at nor mtbf"):
        workload(JOB + PHASES + "events: [{part: disk, repair: 1 s}]\n")
