"""The tracer's own time in a trace: how much it is, and a program's gaps without it.

strace stops a program twice at each call. What that takes stands partly in the call's own time
(``inside``), partly in the time to the next call (``outside``). Where ``nwtsim trace record`` has
measured both, gaps lose them (:class:`TracerCosts`); in other logs it can only be guessed how much
there is (:class:`TracerGuess`). See docs/decisions/0059.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.plan.codes import READDIR, STAT
from simulator.replay.arrays import Numbers, grown, in_order, starts_of
from simulator.replay.computing import UNKNOWN, UNSURE, settled, usual_of
from simulator.replay.operations import OF_NAMES
from simulator.traces.columns import MOVES, OPENS, REQUESTS, SLEEPS
from simulator.traces.record import Cost
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.traces.record import Record

MAKES = frozenset(("fork", "vfork", "clone", "clone2", "clone3"))
_STRUCTS = frozenset(
    name
    for kind in (STAT, READDIR)
    for name, own in OF_NAMES.items()
    if own == kind and "access" not in name and "readlink" not in name
) | {"fstat", "fstat64", "fstatfs"}
_PATHS = frozenset((*OF_NAMES, *OPENS, "chdir"))

BUSY = 0.05
"""Part of the run without the tracer from which on it is said that the machine was busy."""
TICK_NS = 5_000_000
"""How far user and system time may be wrong: the kernel tells them apart by a clock of 1 to 10 ms;
their sum is exact."""
_UNLIKELY = 2
"""How often a call's price counts where a program hardly computes: more than that is no noise."""
_LITTLE = 0.1
"""Part of what is computed that the errors of few gaps may be."""
_FINE = 8
"""Bins of a histogram for each doubling of a time."""
_BINS = 64 * _FINE
_NOTHING = Cost(0.0, 0.0, 0.0)
"""Of what is no call."""
_QUICKEST = 100
"""One call of so many is taken for one that does nothing, and is not less quick;"""
ENOUGH = 100
"""Calls from which on the quickest say what the tracer adds to each."""
_FEWEST = 10
"""but so many at least."""


def kind_of(call: str) -> str:
    """Return which of the calls measured by ``trace record`` a call is like.

    >>> [kind_of(one) for one in ("pread64", "openat", "newfstatat", "lseek")]
    ['data', 'path', 'struct', 'plain']
    """
    if call in MOVES:
        return "data"
    if call in _STRUCTS:
        return "struct"
    return "path" if call in _PATHS else "plain"


@dataclass(frozen=True, slots=True)
class TracerTime:
    """The tracer's time in a log, and what was done about it."""

    calls: int
    between_ns: int
    """Time between modelled calls, of all processes, as the log has it."""
    own_ns: int
    """The tracer's part of it: about, or what was taken out."""
    each_ns: int
    """In and after a call, about."""
    computing_ns: int | None
    """What is left as the program's computing; None if nothing was taken out."""

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        computing = self.computing_ns
        known = self.own_ns > 0 or computing is not None
        return {
            "taken_out": computing is not None,
            "calls": self.calls,
            "each_s": self.each_ns / 1e9 if known else None,
            "own_s": self.own_ns / 1e9 if known else None,
            "between_s": self.between_ns / 1e9,
            "computing_s": None if computing is None else computing / 1e9,
        }

    def to_text(self, tracer: str, record: Record | None) -> str:
        """Return it in a sentence or two; ``tracer`` is the name of the program that traced."""
        calls = f"{format_time(self.each_ns)} for each of {counted(self.calls, 'call')}"
        if self.computing_ns is None:
            much = f"{format_time(self.own_ns)} of {format_time(self.between_ns)}"
            about = f"about {calls}, {much} between the modelled calls"
            how = "; or see --think"
            if tracer == "strace":
                how = f": 'nwtsim trace record -- COMMAND' measures it and takes it out{how}"
            return (
                f"{tracer}'s own time is in this log"
                f"{f': {about},' if self.own_ns else ', which does not say how much it is,'}"
                f" and is replayed as computing{how}."
            )
        left = format_time(self.between_ns - self.own_ns)
        told = (
            f"{tracer}'s own time is taken out, {calls}, which leaves {left} of"
            f" {format_time(self.between_ns)} between the modelled calls."
        )
        if record is None or record.untraced is None:
            return f"{told} How long the program takes without it was not measured (--once)."
        untraced, under = record.untraced, record.traced.elapsed_ns
        busy = ""
        if untraced.waiting_ns > BUSY * untraced.elapsed_ns:
            busy = (
                f", {format_time(untraced.waiting_ns)} of it ready, but without a processor on a"
                " busy machine, which no replay predicts"
            )
        return (
            f"Without {tracer} the program took {format_time(untraced.elapsed_ns)}{busy}; with it"
            f" {format_time(under)}. {told}"
        )


def told_of(taken: TracerTime | None, about: Mapping[str, Any], record: Record | None) -> str:
    """State a tracer's own time, if it is one that takes some."""
    tracer = about.get("format")
    return taken.to_text(tracer, record) if taken and tracer in ("strace", "truss") else ""


class _Running:
    """Sums over the calls of each process, from batch to batch."""

    def __init__(self) -> None:
        self.total = np.zeros(0, np.float64)
        """Of all calls of a process so far, and of the last one of them."""
        self.last = np.zeros(0, np.float64)

    def before(self, process: Numbers, place: Numbers, values: Numbers) -> Numbers:
        """Return the sum before each call; ``place`` puts calls in the order of processes."""
        many = int(process.max()) + 1
        self.total, self.last = grown(self.total, many, 0), grown(self.last, many, 0)
        ordered, own = process[place], values[place].astype(np.float64)
        sums = np.cumsum(own)
        first = starts_of(ordered)
        long = np.diff(first, append=len(ordered))
        start = sums[first] - own[first]
        end = first + long - 1
        found = np.empty(len(process), np.float64)
        found[place] = sums - own - np.repeat(start, long) + self.total[ordered]
        self.total[ordered[first]] += sums[end] - start
        self.last[ordered[first]] = own[end]
        return found


class TracerCosts:
    """The tracer's measured time up to each call of a process, and how gaps are without it."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._lost = _Running()
        self.calls = 0
        self._untraced = 0.0
        """What all calls would take if they did nothing, without a tracer;"""
        self._own = 0.0
        """and what the tracer adds to all of them."""
        untraced = record.untraced
        self._sooner = 1.0
        if untraced is not None and record.traced.elapsed_ns:
            running = max(untraced.elapsed_ns - untraced.waiting_ns, 0)
            self._sooner = min(1.0, running / record.traced.elapsed_ns)

    @property
    def memory_ns(self) -> tuple[int, int]:
        """What a page of memory takes that is touched first, and one that no cache has."""
        return round(self._record.fault_ns), round(self._record.far_ns)

    @property
    def more_ns(self) -> float:
        """How much more of the processors the run without the tracer took than the other one.

        Of that the tracer's own time is taken off; 0 where one of them is not known.
        """
        plain, traced = self._record.untraced, self._record.traced
        under = traced.user_ns + traced.system_ns
        if plain is None or not under:
            return 0.0
        return plain.user_ns + plain.system_ns - max(under - self._own, 0.0)

    def inside(self, names: Sequence[str]) -> Numbers:
        """Return what the tracer adds inside of calls of these names."""
        record = self._record
        return np.array(
            [record.child_ns if name in MAKES else self._cost(name).inside for name in names]
        )

    def _cost(self, name: str) -> Cost:
        """Return what the tracer adds to a call of this name; nothing if it is a request."""
        return _NOTHING if name in REQUESTS else self._record.costs[kind_of(name)]

    def outside(self, names: Sequence[str]) -> Numbers:
        """Return what the tracer adds after calls of these names."""
        return np.array([self._cost(name).outside for name in names])

    def untraced(self, names: Sequence[str]) -> Numbers:
        """Return what calls of these names take that do nothing, without a tracer."""
        return np.array([self._cost(name).untraced for name in names])

    def take(self, process: Numbers, names: Numbers, texts: Sequence[str]) -> dict[str, Numbers]:
        """Return, for each call, the tracer's time that its process's calls before it have."""
        own = (self.inside(texts) + self.outside(texts))[names]
        self.calls += int(np.array([one not in REQUESTS for one in texts])[names].sum())
        self._untraced += float(self.untraced(texts)[names].sum())
        self._own += float(own.sum())
        return {"lost": self._lost.before(process, in_order(process), own)}

    def ends(self, process: Numbers) -> dict[str, Numbers]:
        """Return the same for the ends of processes, where their last calls begin."""
        return {"lost": (self._lost.total - self._lost.last)[process]}

    def idle_ns(self, names: Numbers, texts: Sequence[str], took: Numbers) -> Numbers:
        """Return how long waits and sleeps would take without the tracer.

        A sleep is as long as it is; others would have done sooner what is waited for.
        """
        alone = np.maximum(took - self.inside(texts)[names], 0.0)
        sleeps = np.array([text in SLEEPS for text in texts], bool)[names]
        left = np.where(sleeps, alone, alone * self._sooner)
        return np.asarray(np.rint(left).astype(np.int64))

    def settle(
        self,
        gap: Numbers,
        lost: Numbers,
        least: Numbers,
        likely: Numbers,
        alike: Numbers,
        modelled_ns: float,
    ) -> tuple[Numbers, TracerTime]:
        """Return gaps without the tracer's time, and what was done.

        ``lost``: what of each gap is the tracer's by the price of a call; ``least``: what the
        program's libraries compute in it, which it keeps. The price is then made higher or lower,
        for all calls alike, until the sum of what is left is what the program computes. In gaps
        that are not ``likely`` to have computing it then counts twice, where many are ``alike``.
        Of few gaps, as when a program starts, errors do not add up: if they are little of what it
        computes, they keep what the price as it was measured leaves of each.
        ``alike``: numbers of gaps between the same calls, whose spread tells what is the host's.
        ``modelled_ns``: what the calls that a model has a cost for would take if they did nothing.
        """
        whole = float(gap.sum())
        computing = round(min(self._computing(whole - float(lost.sum()), modelled_ns), whole))
        left = gap
        if computing < whole:
            least = np.minimum(least, gap)
            sure = float(least.sum())
            least = least * min(1.0, computing / sure if sure else 0.0)
            known = self._record.untraced is not None
            low, high = usual_of(gap, alike)
            price = np.minimum(lost, low)
            few = low == UNKNOWN
            price = np.where(likely | few, price, _UNLIKELY * price) if known else price
            doubt = UNSURE * float(lost[few].sum())
            if known and doubt < _LITTLE * computing and not few.all():
                left = np.where(few, np.maximum(gap - lost, least), gap)
                price[few] = 0.0
            usual = np.maximum(np.minimum(left, high) - least, 0)
            left = least + settled(left - least, usual, price, computing - float(least.sum()))
        made: Numbers = np.diff(np.rint(np.cumsum(left)).astype(np.int64), prepend=0)
        own = max(int(gap.sum() - made.sum()), 0)
        each = round(self._own / self.calls) if self.calls else 0
        return made, TracerTime(self.calls, int(gap.sum()), own, each, computing)

    def _computing(self, left: float, modelled_ns: float) -> float:
        """Return what all processes compute, of which the gaps without the tracer say ``left``.

        At least the user time and what calls without a model take; at most all processor time but
        for what the modelled calls take. Expected are the user time, those calls, and the pages
        that the program touches first: what else the system did, it did in the modelled calls. What
        the system counts as user time of each call is in what calls take. The gaps say otherwise
        where they are surer: as sure as the price of a call is, times the number of calls; and
        where they leave the bounds, they are wrong by that much and again.
        """
        untraced = self._record.untraced
        if untraced is None:
            return max(left, 0.0)
        whole = untraced.user_ns + untraced.system_ns
        alone = max(self._untraced - modelled_ns, 0.0)
        user = max(untraced.user_ns - self._record.counted_ns * self.calls, 0.0)
        wrong = TICK_NS / sqrt(self._record.runs)
        least = min(max(user - wrong, 0.0) + alone, whole)
        most = max(whole - modelled_ns, least)
        expected = user + alone + untraced.faults * self._record.fault_ns
        doubt = max(UNSURE * self._own, 2 * (left - most), 2 * (least - left))
        wanted = min(max(expected, left - doubt), left + doubt)
        return min(max(wanted, least), most)


class TracerGuess:
    """An estimate of the tracer's time in a log, by its quickest calls."""

    def __init__(self) -> None:
        self._gaps = np.zeros(_BINS, np.int64)
        self._took = np.zeros(_BINS, np.int64)
        self._ended = np.zeros(0, np.int64)
        """When the last call of each process ended; below 0: it has made none."""
        self.calls = 0

    def take(self, process: Numbers, begin: Numbers, took: Numbers) -> None:
        """Look at some calls; ``took`` is below 0 where the log does not say how long."""
        self._ended = grown(self._ended, int(process.max()) + 1, -1)
        self.calls += len(process)
        place = in_order(process)
        ordered = process[place]
        end = (begin + np.maximum(took, 0))[place]
        first = starts_of(ordered)
        before = np.roll(end, 1)
        before[first] = self._ended[ordered[first]]
        self._ended[ordered[first]] = end[np.append(first[1:], len(end)) - 1]
        self._gaps += _histogram((begin[place] - before)[before >= 0])
        self._took += _histogram(took[took >= 0])

    def taken(self, between_ns: int, inside: int) -> TracerTime:
        """Return about how much it is; ``inside`` calls have their own time in gaps, too."""
        if self.calls < ENOUGH:
            return TracerTime(self.calls, between_ns, 0, 0, None)
        gap, took = _quickest(self._gaps), _quickest(self._took)
        own = min(round(gap * self.calls + took * inside), between_ns)
        return TracerTime(self.calls, between_ns, own, round(gap + took), None)


def _histogram(times: Numbers) -> Numbers:
    bins = (np.log2(np.maximum(times, 0) + 1.0) * _FINE).astype(np.int64)
    return np.bincount(bins, minlength=_BINS)[:_BINS]


def _quickest(histogram: Numbers) -> float:
    """Return about the time of the quickest, in ns; 0 without any."""
    total = int(histogram.sum())
    if not total:
        return 0.0
    rank = min(max(total // _QUICKEST, _FEWEST), total)
    return float(2 ** ((int(np.searchsorted(np.cumsum(histogram), rank)) + 0.5) / _FINE) - 1)
