"""What a run will cost, in seconds and bytes of memory: an estimate from its plan, before it runs.

Counts of :mod:`simulator.plan.work` times what one of each took on one machine of 2026: within a
factor of three of what was measured there (docs/performance.md). A plan that costs more than
``MOST_S`` or ``MOST_BYTES`` is told, with what it comes from and what to write.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simulator.errors import RefusedError
from simulator.native import require_kernel
from simulator.plan.codes import REQUEST, STORE
from simulator.plan.limits import check_reach
from simulator.plan.work import Work
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.run import EngineName

MOST_S = 60.0
MOST_BYTES = 10**9
"""What is told before a run."""
OF_ENGINE = "the reference engine runs this, some 100 times slower: "
"""How the words begin of a run that the native engine does not take."""
MOST_BLOCKS = 1 << 26
"""Blocks that the native engine keeps; see ``native/block.hpp``."""
SPAN_BYTES, SPAN_NS = 240.0, 4500.0
"""Of a service on the timeline, until it is written."""
SPANS_OF_CALL = 2
"""What a call that is kept costs, in spans."""
SPARE = 8
"""Actors beyond which it makes more room; see ``native/flatten.py``."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What an engine takes for one of each; ns, and bytes."""

    call: float
    visit: float
    """A request that comes to a tier."""
    use: float
    """A request that uses a part, or waits for an event."""
    block: float
    """A block that is looked at in a store."""
    poll: float
    message: float
    step: float
    """Something that happens to a part, a step of a rebuild, or a record of a buffer."""
    held: float
    """Bytes of a block that is held."""
    process: float
    """Bytes of a process."""


NATIVE = Rates(
    call=100, visit=40, use=180, block=150, poll=0, message=0, step=40, held=130, process=6e3
)
REFERENCE = Rates(
    call=20e3,
    visit=20e3,
    use=20e3,
    block=20e3,
    poll=10e3,
    message=20e3,
    step=5e3,
    held=800,
    process=20e3,
)


@dataclass(frozen=True, slots=True)
class Cause:
    """What most of a cost comes from."""

    what: str
    """How much of it there is, and where: ``10,000,000 blocks of 1 B in pages``."""
    cure: str
    """What to write."""


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate of a run."""

    seconds: float
    size: float
    """Bytes of memory beside those of the plan."""
    cause: Cause

    @property
    def is_much(self) -> bool:
        """Whether it is told before the run."""
        return self.seconds > MOST_S or self.size > MOST_BYTES


class Estimate:
    """The cost of a plan, piece by piece, on the engine that will run it."""

    def __init__(
        self, plan: Plan, engine: EngineName, *, timeline: bool = False, record: bool = False
    ) -> None:
        """Count what the run keeps: each service (``timeline``), each call (``record``).

        Raise RefusedError if the plan goes further than any run may.
        """
        check_reach(plan)
        self.plan = plan
        self.work = Work(plan)
        self.why = self._refusal() if engine == "auto" else ""
        """Why the native engine will not run it, if nobody chose another."""
        self.rates = REFERENCE if engine == "reference" or self.why else NATIVE
        self.windows = self._windows() if self.rates is NATIVE else 0.0
        """Bytes for branches: the native engine has room for all that one request may have."""
        self.held = sum(self.work.held)
        self.spans = sum(self.work.passes) + self.work.calls if timeline else 0.0
        self.kept = self.spans + (SPANS_OF_CALL * self.work.calls if record else 0.0)
        """What is written down of the run, in spans of the timeline."""

    def cost(self) -> Cost:
        """Return all of it, and what most comes from."""
        size = self.windows + self.held * self.rates.held
        size += len(self.plan.processes) * self.rates.process + self.kept * SPAN_BYTES
        seconds = (sum(self._times()) + self._services() + self.windows) / 1e9
        seconds += self.kept * SPAN_NS / 1e9
        return Cost(seconds, size, self._cause(seconds, size))

    def _refusal(self) -> str:
        """Return why the native engine cannot carry the plan out; as ``run_plan`` finds it."""
        try:
            require_kernel()
            from simulator.native.run import refuse

            refuse(self.plan)
        except RefusedError as error:
            return str(error)
        if sum(self.work.held) > MOST_BLOCKS:
            return "the native engine keeps at most 2**26 blocks; write larger ones"
        return ""

    def _times(self) -> Iterator[float]:
        """Yield the times of calls, of each tier and of each store; ns."""
        work, rates = self.work, self.rates
        yield work.calls * rates.call
        yield (work.happenings + work.records) * rates.step
        for requests, uses in zip(work.requests, work.passes, strict=True):
            yield requests * rates.visit + uses * rates.use
        for blocks in work.blocks:
            yield blocks * rates.block

    def _services(self) -> float:
        return self.work.polls * self.rates.poll + self.work.messages * self.rates.message

    def _windows(self) -> float:
        """Return bytes of actors and their requests: for as many as one request may fork into.

        Four times as many once more than a few do.
        """
        plan, depth = self.plan, 2 + max(map(len, self.work.ways.values()), default=0)
        most, many = max(
            ((tier.window, self.work.pieces[row]) for row, tier in enumerate(plan.tiers)),
            default=(1, 1.0),
        )
        slots = most * (4 if many > SPARE else 1)
        return slots * 8 * (13.0 + 32 * depth + 2 * len(plan.columns)) if most > 1 else 0.0

    # -- causes ---------------------------------------------------------------------------------

    def _cause(self, seconds: float, size: float) -> Cause:
        """Return what to change: what makes many of one, else the calls themselves."""
        less = 2 ** math.ceil(math.log2(max(2.0, seconds / MOST_S, size / MOST_BYTES)))
        if size > MOST_BYTES and self.windows > size / 2:
            return self._window(less)
        if self.kept * SPAN_BYTES > size / 2 and (size > MOST_BYTES or seconds > MOST_S):
            return self._keeping()
        blocks = self.work.blocks
        row = max(range(len(blocks)), key=lambda one: blocks[one], default=-1)
        if row >= 0 and self._is_by_blocks(row, seconds, size):
            store = self.plan.stores[row]
            what = f"{_number(blocks[row])} blocks of {format_size(store.block)} in {store.name}"
            block = format_size(store.block * min(less, store.slots))
            return Cause(what, f"write 'block: {block}' or more in it")
        made = self.work.made
        row = max(made, key=lambda one: made[one], default=-1)
        if row >= 0 and made[row] > 2 * self.work.requests[row] and made[row] > self.work.calls:
            return self._cut(row, less)
        return self._calls(seconds)

    def _is_by_blocks(self, row: int, seconds: float, size: float) -> bool:
        """Whether a store's blocks are most of the time, or of the memory that is too much."""
        if size > MOST_BYTES and seconds < MOST_S:
            return True
        looked_at = self.work.blocks[row]
        come = max(
            (
                self.work.requests[number]
                for number, tier in enumerate(self.plan.tiers)
                if tier.kind == STORE and tier.row == row
            ),
            default=0.0,
        )
        return looked_at > 4 * come and looked_at * self.rates.block / 1e9 > seconds / 2

    def _window(self, less: int) -> Cause:
        most = max(tier.window for tier in self.plan.tiers)
        row = next(row for row, tier in enumerate(self.plan.tiers) if tier.window == most)
        cure = f"write 'window: {max(1, most // less)}' or less"
        return Cause(f"a window of {most:,} requests on the path {self._path_of(row)}", cure)

    def _keeping(self) -> Cause:
        if self.spans:
            what = f"{_number(self.spans)} services on the timeline"
            return Cause(what, "omit it, or write larger records or fewer repetitions")
        what = f"{_number(self.work.calls)} calls that are kept"
        return Cause(what, "do not store them, or write larger records or fewer repetitions")

    def _cut(self, row: int, less: int) -> Cause:
        tier = self.plan.tiers[row]
        key, noun = ("request", "requests") if tier.kind == REQUEST else ("stripe", "stripes")
        size, path = format_size(tier.size), self._path_of(row)
        what = f"{_number(self.work.made[row])} {noun} of {size} on the path {path}"
        return Cause(what, f"write '{key}: {format_size(tier.size * less)}' or more")

    def _calls(self, seconds: float) -> Cause:
        calls = self.work.job_calls
        job = max(calls, key=lambda one: calls[one], default="")
        if self._services() > sum(self._times()):
            what = f"{_number(self.work.polls + self.work.messages)} polls and messages"
            return Cause(what, "write fewer loops or processes")
        if self.work.records * self.rates.step > seconds * 5e8:
            what = f"{_number(self.work.records)} records of different lengths in buffers"
            return Cause(what, "write records of one length, larger ones or fewer bytes")
        steps, all_calls = self.work.happenings, self.work.calls * self.rates.call
        if steps * self.rates.step > max(all_calls, seconds * 5e8):
            what = f"{_number(steps)} failures and steps of rebuilds beside a slow disk"
            return Cause(what, "write a larger 'rebuild_step', or fewer events")
        what = f"{_number(calls[job])} calls and steps of the job {job}" if job else "no calls"
        return Cause(what, "write larger records, or fewer processes or repetitions")

    def _path_of(self, row: int) -> str:
        """Return the name of the path whose calls come to a tier."""
        tops = {path.top: path.name for path in self.plan.paths}
        ways = self.work.ways.items()
        return next((tops[top] for top, way in ways if top in tops and row in way), "messages")


def first_words(
    plan: Plan,
    engine: EngineName,
    more: int = 0,
    *,
    timeline: bool = False,
    record: bool = False,
) -> list[str]:
    """Return what is to be said before a run: another engine, and a cost that is much.

    ``more`` runs like it follow, which keep neither services nor calls.
    """
    estimate = Estimate(plan, engine, timeline=timeline, record=record)
    cost = estimate.cost()
    again = (cost.seconds - estimate.kept * SPAN_NS / 1e9) * more
    cost = replace(cost, seconds=cost.seconds + again)
    told = [words_of_engine(estimate.why)] if estimate.why else []
    if cost.is_much:
        what = f"this run and some {more} more" if more else "this run"
        take = "take" if more else "takes"
        told.append(f"{what} {take} about {_cost(cost)}: {cost.cause.what}; {cost.cause.cure}")
    return told


def words_of_engine(why: str) -> str:
    """Say that the native engine does not run a plan, and why."""
    return OF_ENGINE + why


def words_of_all(costs: Sequence[Cost], points: int, processes: int) -> list[str]:
    """Return what is to be said before ``points`` runs, of which some have these costs."""
    if not costs:
        return []
    most = max(costs, key=lambda one: (one.seconds, one.size))
    mean = sum(one.seconds for one in costs) / len(costs)
    at_once = min(points, processes)
    whole = Cost(
        max(most.seconds, mean * points / at_once),
        max(one.size for one in costs) * at_once,
        most.cause,
    )
    if not whole.is_much:
        return []
    what = "vary fewer values, or run parts of it by --shard"
    if most.is_much:
        what = f"{most.cause.what} at one of its points; {most.cause.cure}"
    return [f"{points:,} runs, {at_once} at a time, take about {_cost(whole)}: {what}"]


def _cost(cost: Cost) -> str:
    """Say how long and how much.

    >>> _cost(Cost(170, 2e9, Cause("", ""))), _cost(Cost(7_300, 1e6, Cause("", "")))
    ('3 min and 2 GB of memory', '2 h')
    """
    time_s = cost.seconds
    time = f"{time_s:.0f} s" if time_s < 100 else f"{time_s / 60:.0f} min"
    if time_s >= 6_000:
        time = f"{time_s / 3600:.0f} h" if time_s < 200_000 else f"{time_s / 86_400:,.0f} days"
    size = f" and {cost.size / 1e9:,.0f} GB of memory" if cost.size > MOST_BYTES else ""
    return time + size


def _number(count: float) -> str:
    """Say a count that is an estimate.

    >>> _number(12_345_678)
    '12,000,000'
    """
    digits = max(0, int(math.log10(max(count, 1))) - 1)
    return f"{round(count / 10**digits) * 10**digits:,.0f}"
