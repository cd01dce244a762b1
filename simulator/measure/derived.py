"""From samples to the numbers of a machine: which closed form gives which value.

    cached read, write      call + size / rate                       processor and memory
    random read             latency + size / rate                    device, one request at a time
    several processes       peak of calls, peak of bytes             what the device's queue serves
    write and fsync         latency of a small one, rate of a large  device, writing

Time that no other request has to wait for is a delay (``latency``), the rest is service of a queue.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from simulator.measure.fitting import Line, Point, Saturation, line, saturation
from simulator.measure.probe import KIB, METADATA, MIB, Kind, Measured
from simulator.measure.probing import Measurement

EXTENT = 16 * MIB
"""What a write-back moves at one time: so much that its latency counts little."""
SMALL = 4 * KIB
FREE = 1e12
"""Bytes per second that stand for none."""
_LEAST_SHARE = 0.02
"""A smaller part of a time per byte is noise."""


@dataclass(frozen=True, slots=True)
class Number:
    """One number that was found: in seconds, bytes per second, or a count."""

    value: float
    note: str
    """How it was measured, with its spread; or why it could not be."""
    known: bool = True
    """Measured; else assumed."""


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
    metadata: Number
    """Of an operation without a cost of its own."""
    metadata_servers: Number
    costs: Mapping[str, Number]
    """Of operations with names, by kind."""


def derive(measurement: Measurement) -> Derived:
    """Return the numbers of the machine on which the probes were made."""
    found = _Found(measurement.measured)
    read, write = found.line("cached-read"), found.line("cached-write")
    call = min(read.latency, write.latency, found.one("close").median)
    device = not measurement.facts.in_memory
    writing = _writing(found, write) if device else None
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
        metadata=Number(metadata, f"mean of open, close and stat; {found.spread('stat', 0)}"),
        metadata_servers=Number(servers, f"open and close; {seen}"),
        costs=costs,
    )


def _costs(found: _Found, call: float) -> dict[str, Number]:
    """Return what calls with names take beside ``call``, by kind of operation."""
    closing = found.one("close").median

    def cost(kind: Kind, beside: float = 0.0) -> Number:
        whole = found.one(kind).median
        return Number(max(whole - beside - call, 0.0), found.spread(kind, 0))

    plain = {kind: cost(kind) for kind in METADATA if kind not in ("create", "open-close")}
    first = {"open": cost("open-close", closing), "create": cost("create", closing)}
    return {**first, **{str(kind): number for kind, number in plain.items()}}


class _Found:
    """The samples by kind."""

    def __init__(self, measured: Sequence[Measured]) -> None:
        self._measured = measured

    def has(self, kind: Kind) -> bool:
        return any(one.probe.kind == kind for one in self._measured)

    def one(self, kind: Kind, size: int = 0) -> Measured:
        """Return a probe of one process that was used in the fit."""
        return next(
            one
            for one in self._measured
            if (one.probe.kind, one.probe.size, one.probe.processes) == (kind, size, 1)
        )

    def line(
        self, kind: Kind, known: Callable[[int], float] = lambda _: 0.0, *, flat: bool = False
    ) -> Line:
        """Fit the medians of one process, beside what is ``known`` of a call of some bytes."""
        points = [
            Point(one.probe.size, one.median, known(one.probe.size))
            for one in self._measured
            if one.probe.kind == kind and one.probe.processes == 1 and not one.probe.held_out
        ]
        return line(points, flat=flat)

    def saturated(self, kind: Kind, size: int) -> Saturation:
        return saturation(
            {
                one.probe.processes: 1 / one.median
                for one in self._measured
                if (one.probe.kind, one.probe.size) == (kind, size)
            }
        )

    def spread(self, kind: Kind, size: int) -> str:
        """Return the median and quartiles of a probe in words."""
        one = self.one(kind, size)
        low, high = (f"{seconds * 1e6:.4g}" for seconds in one.quartiles)
        about = f"{one.probe.name} took {one.median * 1e6:.4g} us (quartiles {low} to {high} us"
        return f"{about}; {len(one.samples)} x {one.samples[0].calls} calls)"


def _reading(found: _Found, call: float, copied: float, ahead: int) -> Way:
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


def _writing(found: _Found, cached: Line) -> Way:
    whole, records = found.one("write-sync", MIB), found.one("write-sync", MIB).samples[0].calls
    cached_call = 2 * cached.latency
    alone = found.line("sync-write", lambda size: cached_call + size * cached.per_byte)
    small = found.saturated("sync-write", SMALL)
    extents = -(-records * MIB // EXTENT)
    # Write-backs wait for the latency at the same time, and for the rest one after the other.
    once = (alone.latency + (extents - 1) / small.peak) / records
    per_byte = max((whole.median - once - cached.at(MIB)) / MIB, whole.median / MIB / 10)
    rate = Number(1 / per_byte, f"the device's part of it; {found.spread('write-sync', MIB)}")
    alone = Line(
        found.line(
            "sync-write",
            lambda size: cached_call + size * (cached.per_byte + per_byte),
            flat=True,
        ).latency,
        per_byte,
    )
    return _way(alone, small, rate, (found.spread("sync-write", SMALL), ""))


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
