"""Numbers of a machine from samples, by closed forms.

    cached read, write      call + size / rate                       processor and memory
    random read             latency + size / rate                    device, one request at a time
    cached, several         bytes of all by their number             memory that they share
    several processes       peak of calls, peak of bytes             what the device's queue serves
    write and fsync         latency of a small one, rate of a large  device, writing

Time that no other request has to wait for is a delay (``latency``), the rest is service of a queue.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, replace

from simulator.measure.facts import Facts
from simulator.measure.fitting import (
    FREE,
    SMALL,
    Line,
    Number,
    Samples,
    Saturation,
    joined,
    locking,
)
from simulator.measure.notes import LEAST_FACTOR, told
from simulator.measure.probe import KIB, METADATA, MIB, TINY, Kind, State
from simulator.measure.probing import Measurement

EXTENT = 16 * MIB
"""What a write-back moves at one time: so much that its latency counts little."""
COPIES: dict[str, Kind] = {"read": "cached-read", "write": "cached-write"}
DIRECT: Kind = "direct-write"
SYNCED: Kind = "sync-write"
_LEAST_SHARE = 0.02
"""A smaller part of a time per byte is noise."""


@dataclass(frozen=True, slots=True)
class Direction:
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
    first_page: Number | None
    """Of a cached write that begins a page, beside; None: nothing that was seen."""
    shared_copy: Mapping[str, Mapping[int, float]]
    """Bytes per second of all copies together by their number, if copies slow each other down: for
    reading and for writing. Empty where each has a core, and the rate of one."""
    read: Direction | None
    """None without a device."""
    write: Direction | None
    commit: Number | None
    """Seconds that a sync takes beside its data; None where that could not be told apart."""
    commit_kind: str
    """The kind of part that several processes share commits like: journal, queue or delay."""
    metadata: Number
    """Of an operation without a cost of its own."""
    metadata_servers: Number
    costs: Mapping[str, Number]
    """Of operations with names, by kind."""
    others: Mapping[str, Number]
    """Of those that take clearly more, or less, in their other state."""
    write_lock: Number | None = None
    """Of a write beside, whose bytes follow those of another process; None: they take no turns."""


def derive(measurement: Measurement) -> Derived:
    """Return the numbers of the machine on which the probes were made."""
    found = Samples(measurement.measured)
    read, write = found.line("cached-read"), written(found)
    least = min(read.latency, write.latency, found.one("close").median)
    sought = found.has("seek") and found.one("seek").median < least
    call = found.one("seek").median if sought else least
    of_call: Kind = "seek" if sought else "close"
    device = not measurement.facts.in_memory
    commit, kind = committing(found, write) if device else (None, "")
    writing = _writing(found, write, commit) if device else None
    reading = None
    if writing is not None:
        ahead = measurement.facts.read_ahead or 0
        copied = read.per_byte
        known = found.has("random-read")
        reading = _reading(found, call, copied, ahead) if known else _unread(writing)
    costs = _costs(found, call, measurement.facts)
    metadata = statistics.mean(costs[kind].value for kind in ("open", "close", "stat"))
    many = found.saturated("open-close", 0)
    servers = many.servers if many.reached else max(many.servers, many.processes)
    seen = f"{many.gain:.2f} times the rate of one process with {_processes(many)}"
    seen = joined("open and close", seen, found.together("open-close"))
    return Derived(
        call=Number(
            call,
            f"least of seek, close and the intercepts of cached calls; {found.spread(of_call, 0)}",
        ),
        read_call=Number(
            read.latency - call, f"cached reads; {found.spread('cached-read', SMALL)}"
        ),
        write_call=Number(
            write.latency - call, f"cached writes; {found.spread('cached-write', SMALL)}"
        ),
        read_copy=Number(_rate(read), joined("slope", found.noted("cached-read", MIB))),
        write_copy=Number(_rate(write), joined("slope", found.noted("cached-write", MIB))),
        first_page=Number(write.page, _FIRST_PAGE) if write.page else None,
        shared_copy=shared_copy(found, measurement.facts.cores or 1),
        read=reading,
        write=writing,
        commit=commit,
        commit_kind=kind,
        metadata=Number(metadata, f"mean of open, close and stat; {found.spread('stat', 0)}"),
        metadata_servers=Number(servers, seen),
        costs=costs,
        others=_others(found, call),
        write_lock=locking(found),
    )


_FIRST_PAGE = (
    "cached writes of 4 KiB, less those of 256 B and what more bytes take: a page (or a folio of"
    " several) is found, locked and made dirty once for each write into new ones"
)
_BEYOND = 0.05
"""A smaller part of a write of a page is noise."""


def written(found: Samples) -> Line:
    """Return what cached writes take: their call, their bytes, and the first page of each.

    Writes of 256 B begin a page in 16 calls. What bytes take is the slope of the largest ones.
    """
    tiny, small, large, most = (
        found.one("cached-write", size).median for size in (TINY, SMALL, 64 * KIB, MIB)
    )
    each = (most - large) / (MIB - 64 * KIB)
    page = (small - tiny - (SMALL - TINY) * each) / (1 - TINY / SMALL)
    page = page if page > _BEYOND * small else 0.0
    known = Line(0.0, 0.0, page)
    return replace(found.line("cached-write", known.at), page=page)


CROWDED = 0.9
"""Copies that get less than this part of what each alone would get slow each other down."""


def shared_copy(found: Samples, cores: int) -> dict[str, dict[int, float]]:
    """Return what copies get together by their number, for each direction; empty: n times one.

    Only of as many as there are cores: of more than that some wait for one.
    """
    curves = {
        way: {
            many: rate * MIB
            for many, rate in found.rates(kind, MIB).items()
            if many == 1 or many <= cores
        }
        for way, kind in COPIES.items()
    }
    crowded = any(
        rate < CROWDED * many * curve[1]
        for curve in curves.values()
        for many, rate in curve.items()
    )
    return curves if crowded else {}


NO_JOURNAL = (
    "ext4 without a journal, as here, passes by each inode that was freed in the last one to six"
    " minutes before it takes another"
)


def _costs(found: Samples, call: float, facts: Facts) -> dict[str, Number]:
    """Return what calls with names take beside ``call``, by kind of operation."""
    closing = found.one("close").median

    def cost(kind: Kind, beside: float = 0.0) -> Number:
        whole = found.one(kind).median
        passed = NO_JOURNAL if kind == "create" and facts.journal is False else ""
        return Number(max(whole - beside - call, 0.0), joined(found.noted(kind), passed))

    plain = {kind: cost(kind) for kind in METADATA if kind not in ("create", "open-close")}
    length = found.other("setattr", "length")
    if length is not None and length.samples:
        both = statistics.mean((plain["setattr"].value + call, length.median)) - call
        plain["setattr"] = Number(both, f"mean of a mode and a length; {plain['setattr'].note}")
    first = {"open": cost("open-close", closing), "create": cost("create", closing)}
    return {**first, **{str(kind): number for kind, number in plain.items()}}


OTHER_STATES: Mapping[str, tuple[Kind, State]] = {
    "open": ("open-close", "many"),
    "create": ("create", "after unlinks"),
    "stat": ("stat", "many"),
    "lookup": ("lookup", "again"),
    "setattr": ("setattr", "stored"),
    "rename": ("rename", "stored"),
    "unlink": ("unlink", "stored"),
}
"""The probes of operations in their other state."""


def _others(found: Samples, call: float) -> dict[str, Number]:
    """Return what operations take beside ``call`` in their other state, where that is clear.

    It is not where a probe has no samples, or where they differ by less than what is noise.
    """
    closing, others = found.one("close").median, {}
    for operation, (kind, state) in OTHER_STATES.items():
        seen = found.other(kind, state)
        if seen is None or not seen.samples:
            continue
        factor = seen.median / found.one(kind).median
        if max(factor, 1 / factor) >= LEAST_FACTOR:
            beside = call + closing * (kind in ("open-close", "create"))
            others[operation] = Number(max(seen.median - beside, 0.0), told(seen))
    return others


def _reading(found: Samples, call: float, copied: float, ahead: int) -> Direction:
    """Return the device as it is read; bytes copied take ``copied`` seconds each beside."""
    small, large = found.saturated("random-read", SMALL), found.saturated("random-read", MIB)
    spread = found.spread("random-read", SMALL), found.spread("random-read", MIB)
    several = found.together("random-read", SMALL)
    if not found.has("read"):
        alone = found.line("random-read", lambda _: call)
        slope = 1 / alone.per_byte if alone.per_byte else 0.0
        rate = Number(max(large.peak * MIB, slope), f"most of random reads; {spread[1]}")
        return _way(alone, small, rate, spread, several)
    # What a sequential reader gets; a large random read may get less, as a note says.
    cold = found.one("read", MIB)
    latency = found.line("random-read", lambda _: call).latency
    spent = call / MIB + copied + latency / max(ahead, MIB)
    per_byte = max(cold.median / MIB - spent, cold.median / MIB / 10)
    flat = found.line("random-read", lambda size: call + size * per_byte, flat=True)
    alone = Line(flat.latency, per_byte)
    # Several readers may get more than one, who waits for what is read ahead.
    many = found.saturated("read", MIB)
    most = max(1 / per_byte, many.peak * MIB if many.gain > 1 else 0.0)
    note = joined(
        "sequential reads through an empty page cache",
        found.noted("read", MIB),
        f"random reads get {large.peak * MIB / 1e6:.4g} MB/s at most",
    )
    return _way(alone, small, Number(most, note), spread, several)


def _writing(found: Samples, cached: Line, commit: Number | None) -> Direction:
    """Return the device as it is written; a sync takes ``commit`` beside, if that is known."""
    if commit is None:
        kind, more = SYNCED, 0.0
        called = replace(cached, latency=2 * cached.latency)
    else:  # A direct write does not copy.
        kind, more, called = DIRECT, commit.value, Line(cached.latency, 0.0)
    whole, records = found.one("write-sync", MIB), found.one("write-sync", MIB).samples[0].calls
    alone = found.line(kind, called.at)
    small = found.saturated(kind, SMALL)
    extents = -(-records * MIB // EXTENT)
    # Write-backs wait for the latency at the same time, and for the rest one after the other.
    once = (more + alone.latency + (extents - 1) / small.peak) / records
    per_byte = max((whole.median - once - cached.at(MIB)) / MIB, whole.median / MIB / 10)
    rate = Number(1 / per_byte, joined("the device's part of it", found.noted("write-sync", MIB)))
    flat = found.line(kind, lambda size: called.at(size) + size * per_byte, flat=True)
    notes = (found.spread(kind, SMALL), "")
    if kind == DIRECT:
        rate = Number(rate.value, f"{rate.note}; {found.spread(DIRECT, 64 * KIB)}")
    return _way(Line(flat.latency, per_byte), small, rate, notes, found.together(kind, SMALL))


def _way(
    alone: Line, small: Saturation, rate: Number, spread: tuple[str, str], together: str
) -> Direction:
    """Split what a request takes into what others have to wait for and what they do not.

    ``spread`` and ``together`` are notes: of small and large requests, and of several processes.
    """
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
    return Direction(
        latency=Number(alone.latency - overhead, f"{note}; {spread[0]}"),
        overhead=Number(overhead, joined(about, together)),
        rate=rate,
        alone=Number(own, slope),
    )


def _unread(writing: Direction) -> Direction:
    """Return a device that could not be read past the page cache."""
    why = "as of writes, since reads could not be made to pass the page cache here"
    numbers = (writing.latency, writing.overhead, writing.rate, writing.alone)
    return Direction(*(Number(one.value, why, known=False) for one in numbers))


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


def committing(found: Samples, cached: Line) -> tuple[Number | None, str]:
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
        about += f"; {found.together('sync-write', SMALL)}"
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
