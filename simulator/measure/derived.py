"""From samples to the numbers of a machine: which closed form gives which value.

    cached read, write      call + size / rate                       processor and memory
    random read             latency + size / rate                    device, one request at a time
    several processes       peak of calls, peak of bytes             what the device's queue serves
    write and fsync         latency of a small one, rate of a large  device, writing

Time that no other request has to wait for is a delay (``latency``), the rest is service of a queue.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.measure.fitting import FREE, SMALL, Found, Line, Number, Saturation
from simulator.measure.probe import METADATA, MIB, Kind
from simulator.measure.probing import Measurement

if TYPE_CHECKING:
    from simulator.measure.fitting import Line


EXTENT = 16 * MIB
"""What a write-back moves at one time: so much that its latency counts little."""
DIRECT: Kind = "direct-write"
SYNCED: Kind = "sync-write"
_LEAST_SHARE = 0.02
"""A smaller part of a time per byte is noise."""


@dataclass(frozen=True, slots=True)
class Way:
    """A device in one direction."""

    latency: Number
    """Seconds of a request in which others are served."""
    overhead: Number
    """Seconds of a request in which no other is served."""
    rate: Number
    """Of all requests together."""
    alone: Number
    """Rate of the bytes of one request, in which others are served."""


@dataclass(frozen=True, slots=True)
class Derived:
    """The numbers of a machine."""

    call: Number
    read_call: Number
    """Beside ``call``."""
    write_call: Number
    read_copy: Number
    write_copy: Number
    read: Way | None
    """None without a device."""
    write: Way | None
    commit: Number | None
    """Seconds that a sync takes beside its data; None where that could not be told apart."""
    commit_kind: str
    """The kind of part that several processes share commits like: journal, queue or delay."""
    metadata: Number
    """Of an operation without a cost of its own."""
    metadata_servers: Number
    costs: Mapping[str, Number]
    """Of operations with names, by kind."""


def derive(measurement: Measurement) -> Derived:
    """Return the numbers of the machine on which the probes were made."""
    found = Found(measurement.measured)
    read, write = found.line("cached-read"), found.line("cached-write")
    call = min(read.latency, write.latency, found.one("close").median)
    device = not measurement.facts.in_memory
    commit, kind = committing(found, write) if device else (None, "")
    writing = _writing(found, write, commit) if device else None
    reading = None
    if writing is not None:
        ahead = measurement.facts.read_ahead or 0
        copied = read.per_byte
        known = found.has("random-read")
        reading = _reading(found, call, copied, ahead) if known else _unread(writing)
    costs = _costs(found, call)
    metadata = statistics.mean(costs[kind].value for kind in ("open", "close", "stat"))
    many = found.saturated("open-close", 0)
    servers = many.servers if many.reached else max(many.servers, many.processes)
    seen = f"{many.gain:.2f} times the rate of one process with {_processes(many)}"
    return Derived(
        call=Number(
            call, f"least of close and the intercepts of cached calls; {found.spread('close', 0)}"
        ),
        read_call=Number(
            read.latency - call, f"cached reads; {found.spread('cached-read', SMALL)}"
        ),
        write_call=Number(
            write.latency - call, f"cached writes; {found.spread('cached-write', SMALL)}"
        ),
        read_copy=Number(_rate(read), f"slope; {found.spread('cached-read', MIB)}"),
        write_copy=Number(_rate(write), f"slope; {found.spread('cached-write', MIB)}"),
        read=reading,
        write=writing,
        commit=commit,
        commit_kind=kind,
        metadata=Number(metadata, f"mean of open, close and stat; {found.spread('stat', 0)}"),
        metadata_servers=Number(servers, f"open and close; {seen}"),
        costs=costs,
    )


def _costs(found: Found, call: float) -> dict[str, Number]:
    """Return what calls with names take beside ``call``, by kind of operation."""
    closing = found.one("close").median

    def cost(kind: Kind, beside: float = 0.0) -> Number:
        whole = found.one(kind).median
        return Number(max(whole - beside - call, 0.0), found.spread(kind, 0))

    plain = {kind: cost(kind) for kind in METADATA if kind not in ("create", "open-close")}
    first = {"open": cost("open-close", closing), "create": cost("create", closing)}
    return {**first, **{str(kind): number for kind, number in plain.items()}}


def _reading(found: Found, call: float, copied: float, ahead: int) -> Way:
    """Return the device as it is read; bytes copied take ``copied`` seconds each beside."""
    small, large = found.saturated("random-read", SMALL), found.saturated("random-read", MIB)
    spread = found.spread("random-read", SMALL), found.spread("random-read", MIB)
    if not found.has("read"):
        alone = found.line("random-read", lambda _: call)
        slope = 1 / alone.per_byte if alone.per_byte else 0.0
        rate = Number(max(large.peak * MIB, slope), f"most of random reads; {spread[1]}")
        return _way(alone, small, rate, spread)
    # What a sequential reader gets; a large random read may get less, as a note says.
    cold = found.one("read", MIB)
    latency = found.line("random-read", lambda _: call).latency
    spent = call / MIB + copied + latency / max(ahead, MIB)
    per_byte = max(cold.median / MIB - spent, cold.median / MIB / 10)
    flat = found.line("random-read", lambda size: call + size * per_byte, flat=True)
    alone = Line(flat.latency, per_byte)
    random = f"random reads get {large.peak * MIB / 1e6:.4g} MB/s at most"
    about = f"sequential reads through an empty page cache; {found.spread('read', MIB)}; {random}"
    return _way(alone, small, Number(1 / per_byte, about), spread)


def _writing(found: Found, cached: Line, commit: Number | None) -> Way:
    """Return the device as it is written; a sync takes ``commit`` beside, if that is known."""
    if commit is None:
        kind, call, copied, more = SYNCED, 2 * cached.latency, cached.per_byte, 0.0
    else:  # A direct write does not copy.
        kind, call, copied, more = DIRECT, cached.latency, 0.0, commit.value
    whole, records = found.one("write-sync", MIB), found.one("write-sync", MIB).samples[0].calls
    alone = found.line(kind, lambda size: call + size * copied)
    small = found.saturated(kind, SMALL)
    extents = -(-records * MIB // EXTENT)
    # Write-backs wait for the latency at the same time, and for the rest one after the other.
    once = (more + alone.latency + (extents - 1) / small.peak) / records
    per_byte = max((whole.median - once - cached.at(MIB)) / MIB, whole.median / MIB / 10)
    rate = Number(1 / per_byte, f"the device's part of it; {found.spread('write-sync', MIB)}")
    flat = found.line(kind, lambda size: call + size * (copied + per_byte), flat=True)
    return _way(Line(flat.latency, per_byte), small, rate, (found.spread(kind, SMALL), ""))


def _way(alone: Line, small: Saturation, rate: Number, spread: tuple[str, str]) -> Way:
    """Split what a request takes into what others have to wait for and what they do not."""
    moved = SMALL / rate.value
    overhead = min(max(1 / small.peak - moved, 0.0), alone.latency)
    beside = max(alone.per_byte - 1 / rate.value, 0.0)
    own = 1 / beside if beside > _LEAST_SHARE * alone.per_byte else FREE
    if small.reached:
        about = f"{small.peak:.4g} calls/s at most, with {_processes(small)}"
    else:
        about = f"{small.peak:.4g} calls/s with {_processes(small)}, which did not reach the most"
    note = "intercept, less what others have to wait for"
    slope = f"slope; {spread[1]}" if own < FREE else "one request gets the rate of all"
    return Way(
        latency=Number(alone.latency - overhead, f"{note}; {spread[0]}"),
        overhead=Number(overhead, about),
        rate=rate,
        alone=Number(own, slope),
    )


def _unread(writing: Way) -> Way:
    """Return a device that could not be read past the page cache."""
    why = "as of writes, since reads could not be made to pass the page cache here"
    return Way(
        latency=Number(writing.latency.value, why, known=False),
        overhead=Number(writing.overhead.value, why, known=False),
        rate=Number(writing.rate.value, why, known=False),
        alone=Number(writing.alone.value, why, known=False),
    )


def _rate(fitted: Line) -> float:
    return 1 / fitted.per_byte if fitted.per_byte else FREE


def _processes(many: Saturation) -> str:
    return f"{many.processes} process{'es' * (many.processes > 1)}"


# -- what a sync takes beside its data -------------------------------------------------------------
#
# A write past the page cache waits for its data alone; a write and fsync for its data and a commit
# of the file system with a flush of the device. The difference is the commit. Of the parts that
# nwtsim has, the one is taken whose closed form is nearest to the syncs of several processes:
#
#     queue      one commit after the other             1 / commit
#     journal    two groups of processes in turn        n / (2 commit), where writing takes less
#     delay      as if each process were alone          n / (writing + commit)

LEAST_SHARE = 0.05
"""A commit that takes less of a sync than this cannot be told apart from noise."""
KINDS = ("journal", "queue", "delay")


def committing(found: Found, cached: Line) -> tuple[Number | None, str]:
    """Return the seconds of a commit and the kind of part; None where it takes no time."""
    if not found.has("direct-write"):
        return None, ""
    synced, direct = found.one("sync-write", SMALL).median, found.one("direct-write", SMALL).median
    # Beside the direct write's call there are the fsync's, and a copy.
    writing = direct + cached.at(SMALL)
    commit = synced - writing
    if commit < LEAST_SHARE * synced:
        return None, ""
    rates = found.rates("sync-write", SMALL)
    kind = kind_of(rates, commit)
    most = max(rates)
    about = (
        f"write and fsync, less a write past the page cache; {found.spread('sync-write', SMALL)}"
    )
    if most > 1:
        gain = rates[most] / rates[1]
        about += f"; {most} processes make {gain:.3g} times the syncs of one"
    return Number(commit, about), kind


def kind_of(rates: dict[int, float], commit: float) -> str:
    """Return the kind of part whose syncs per second of n processes are nearest to ``rates``.

    >>> kind_of({1: 99.0, 8: 400.0}, 0.01), kind_of({1: 99.0, 8: 101.0}, 0.01)
    ('journal', 'queue')
    >>> kind_of({1: 99.0, 2: 195.0}, 0.01), kind_of({1: 99.0}, 0.01)
    ('delay', 'journal')
    """
    several = {many: rate for many, rate in rates.items() if many > 1}
    return min(KINDS, key=lambda kind: _error(kind, several, 1 / rates[1], commit))


def _error(kind: str, several: dict[int, float], alone: float, commit: float) -> float:
    """Return how far the closed form is from what was seen."""
    total = 0.0
    for many, rate in several.items():
        cycle = max(2 * commit, alone + commit / 2)
        expected = {
            "queue": min(many / alone, 1 / commit),
            "journal": max(1 / alone, many / cycle) if many > 1 else 1 / alone,
            "delay": many / alone,
        }[kind]
        total += math.log(expected / rate) ** 2
    return total
