"""The timeline holds every service once, and draws none over another."""

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.report.timeline import into_lanes, timeline_events, write_timeline
from simulator.result.result import Result, Span
from simulator.run import load_plan, run_plan
from tests.draws.plans.draw import plan_of
from tests.engines.test_firstcome import IDLE_BUS, IDLE_DISK
from tests.reference.runs import planned


def tracks(events: list[dict[str, Any]]) -> dict[str, list[tuple[int, int, int]]]:
    """Track -> its services in ns, in order."""
    names = {one["tid"]: one["args"]["name"] for one in events if one["name"] == "thread_name"}
    found: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for one in events:
        if one["ph"] == "X" and "bytes" in one["args"]:
            times = (round(one["ts"] * 1000), round(one["dur"] * 1000))
            found[names[one["tid"]]].append((*times, one["args"]["bytes"]))
    return found


@pytest.mark.parametrize("number", range(20, 30))
def test_every_service_is_there_once_and_none_overlaps(number: int) -> None:
    result = run_plan(plan_of(number), timeline=True)
    drawn = tracks(list(timeline_events(result)))
    for services in drawn.values():
        for (start, length, _), (after, _, _) in pairwise(services):
            assert start + length <= after
    flat = sorted(one for services in drawn.values() for one in services)
    assert flat == sorted((one.start_ns, one.service_ns, one.bytes) for one in result.spans)


def test_a_part_that_fails_has_a_track_of_its_states() -> None:
    result = Result("m", "w", "reference", 0, 0, "", 90, 90, [], {}, {}, {}, 0, 0)
    result.changes = {"disk0": [(10, 30, 0.0), (50, 20, 0.25)], "disk1": []}
    drawn = [one for one in timeline_events(result) if one["ph"] == "X"]
    assert [(one["name"], one["ts"], one["dur"]) for one in drawn] == [
        ("failed", 0.01, 0.03),
        ("at 25 % of its speed", 0.05, 0.02),
    ]


def test_a_station_has_as_many_tracks_as_servers_were_busy() -> None:
    busy = [Span("paths", start, 10, 1) for start in (0, 3, 5, 10, 13)]
    lanes = into_lanes(busy)
    assert [[one.start_ns for one in lane] for lane in lanes] == [[0, 10], [3, 13], [5]]


def test_disks_of_an_array_and_the_bus_of_a_raid_unit_have_tracks() -> None:
    """What they do, one thing at a time; not how long requests wait for it."""
    drawn = tracks(list(timeline_events(run_plan(planned(*IDLE_DISK), timeline=True))))
    assert [len(drawn.get(f"raid: disk {number}", ())) for number in range(3)] == [3, 0, 3]
    assert sum(length for _, length, _ in drawn["raid: disk 0"]) == 30 * 10**6
    drawn = tracks(list(timeline_events(run_plan(planned(*IDLE_BUS), timeline=True))))
    disks, bus = drawn["ion.raid: disks"], drawn["ion.raid: bus"]
    assert [length for _, length, _ in disks] == [100 * 10**6] * 4
    assert [length for _, length, _ in bus] == [10**6] * 5
    assert not any(name in drawn for name in ("raid", "ion.raid"))


def test_no_more_tracks_than_servers() -> None:
    result = run_plan(load_plan("nwt", "test-write-120MB"), timeline=True)
    used: dict[str, int] = defaultdict(int)
    for name in tracks(list(timeline_events(result))):
        used[name.partition(" #")[0]] += 1
    assert used
    for part, count in used.items():
        assert count <= result.parts[part].servers


def test_a_nanosecond_is_not_lost_after_a_month(tmp_path: Path) -> None:
    month = 30 * 24 * 3600 * 10**9 + 1
    result = Result("m", "w", "reference", 0, 0, "", month, month, [], {}, {}, {}, 0, 0)
    result.spans = [Span("disk0", month, 1, 4)]
    path = tmp_path / "trace.json"
    write_timeline(result, path)
    text = path.read_text(encoding="utf-8")
    assert '"ts": 2592000000000.001, "dur": 0.001' in text
    (service,) = tracks(json.loads(text)["traceEvents"])["disk0"]
    assert service == (month, 1, 4)


def test_the_command_writes_the_same_trace_twice(tmp_path: Path) -> None:
    paths = [tmp_path / "a.json", tmp_path / "b.json"]
    for path in paths:
        words = ["run", "nwt", "test-write", "--output.size", "16 MB", "--timeline", str(path)]
        assert main([*words, "--out", str(tmp_path / "report")]) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    trace = json.loads(paths[0].read_bytes())
    assert trace["displayTimeUnit"] == "ns"
    names = {one["args"]["name"] for one in trace["traceEvents"] if one["name"] == "thread_name"}
    assert {"ssu.crossbar.in", "ssu.channel.write", "array"} <= names
    assert list(tmp_path.glob(".*")) == []
