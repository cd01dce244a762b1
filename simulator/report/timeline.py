"""A run as a Chrome trace, which https://ui.perfetto.dev draws: one track for each server.

Every service is a complete event. A part with several servers has a track for each, as many as
were ever busy at once; so has a link that its transfers share. Each disk of an array has a track,
and so have the disks and the bus of a RAID unit. Times are in microseconds, with the nanoseconds
behind the point. Behind them, a track for each part to which something happened shows when it had
failed, or another speed.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.result.result import Result, Span

_PROCESS = 1


def write_timeline(result: Result, path: Path) -> None:
    """Write the services of a run, which it must have kept, as one JSON document."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write('{"displayTimeUnit": "ns", "traceEvents": [')
        separator = "\n"
        for event in timeline_events(result):
            file.write(separator + json.dumps(event))
            separator = ",\n"
        file.write("\n]}\n")


def timeline_events(result: Result) -> Iterator[dict[str, Any]]:
    """Yield the events of the trace: the names of the tracks, then what happened on each."""
    by_part: dict[str, list[Span]] = {part: [] for part in result.parts}
    for span in sorted(result.spans, key=_queue):
        by_part.setdefault(_track(span), []).append(span)
    name = f"{result.workload} on {result.machine}"
    yield _name("process_name", 0, {"name": name})
    track = 0
    for part, spans in by_part.items():
        lanes = list(into_lanes(spans))
        for number, lane in enumerate(lanes):
            track += 1
            several = f" #{number + 1}" if len(lanes) > 1 else ""
            yield _name("thread_name", track, {"name": f"{part}{several}"})
            yield _name("thread_sort_index", track, {"sort_index": track})
            for span in lane:
                yield _service(span, track)
    for part, changes in result.changes.items():
        if changes:
            track += 1
            yield _name("thread_name", track, {"name": f"{part}: state"})
            yield _name("thread_sort_index", track, {"sort_index": track})
            for begin_ns, length_ns, speed in changes:
                label = f"at {100 * speed:g} % of its speed" if speed else "failed"
                yield _complete(label, track, begin_ns, length_ns, {"speed": speed})


def into_lanes(spans: Iterable[Span]) -> list[list[Span]]:
    """Deal spans out so that none overlaps another in its lane; the lowest free lane first.

    >>> from simulator.result.result import Span
    >>> lanes = into_lanes([Span("a", 0, 9, 1), Span("a", 5, 9, 1), Span("a", 9, 1, 1)])
    >>> [[span.start_ns for span in lane] for lane in lanes]
    [[0, 9], [5]]
    """
    lanes: list[list[Span]] = []
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    for span in sorted(spans, key=lambda one: (one.start_ns, one.service_ns)):
        while busy and busy[0][0] <= span.start_ns:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if not free:
            free.append(len(lanes))
            lanes.append([])
        lane = heapq.heappop(free)
        lanes[lane].append(span)
        heapq.heappush(busy, (span.start_ns + span.service_ns, lane))
    return lanes


def _queue(span: Span) -> tuple[int, str]:
    """Return where the track of a service stands among those of its part: disk 9, then disk 10."""
    return len(span.queue), span.queue


def _track(span: Span) -> str:
    return f"{span.part}: {span.queue}" if span.queue else span.part


def _name(kind: str, track: int, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "M", "pid": _PROCESS, "tid": track, "name": kind, "args": arguments}


def _service(span: Span, track: int) -> dict[str, Any]:
    return _complete(span.part, track, span.start_ns, span.service_ns, {"bytes": span.bytes})


def _complete(
    name: str, track: int, start_ns: int, length_ns: int, arguments: dict[str, Any]
) -> dict[str, Any]:
    return {
        "ph": "X",
        "pid": _PROCESS,
        "tid": track,
        "name": name,
        "ts": start_ns / 1000,
        "dur": length_ns / 1000,
        "args": arguments,
    }
