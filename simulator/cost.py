"""Cost of a run, in seconds and bytes of memory: an estimate from its plan, before it runs.

The counts of :mod:`simulator.plan.work` are multiplied by times measured on one machine of 2026:
within a factor of three of measurements there (docs/performance.md). A plan that costs more than
``MOST_S`` or ``MOST_BYTES`` is reported, with its cause and a remedy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from simulator.errors import RefusedError
from simulator.native import require_kernel
from simulator.plan.limits import check_reach
from simulator.plan.tiers import traits_of_tier
from simulator.plan.work import Work
from simulator.units import format_size

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.run import EngineName

MOST_S = 60.0
MOST_BYTES = 10**9
"""Memory above which a cost is reported before a run."""
OF_ENGINE = "the reference engine runs this, some 100 times slower: "
"""Begin of the sentence about a run that the native engine refuses."""
MOST_BLOCKS = 1 << 26
"""Maximum number of blocks in the native engine; see ``native/block.hpp``."""
SPAN_BYTES, SPAN_NS = 240.0, 4500.0
"""Cost of a service on the timeline, until it is written."""
SPANS_OF_CALL = 2
"""Cost of a recorded call, in spans."""
SPARE = 8
"""Number of actors above which it allocates more; see ``native/machine_state.hpp``."""


class Rates(NamedTuple):
    """Costs per item on an engine; ns, and bytes."""

    call: float
    visit: float
    """A request that reaches a tier."""
    use: float
    """A request that uses a resource, or waits for an event."""
    block: float
    """A lookup of a block in a store."""
    poll: float
    message: float
    step: float
    """An event of a resource, a step of a rebuild, or a record in a buffer."""
    held: float
    """Bytes of a resident block."""
    process: float
    """Bytes of a process."""


NATIVE = Rates(100, 40, 180, 150, 0, 0, 40, 130, 6e3)
REFERENCE = Rates(20e3, 20e3, 20e3, 20e3, 10e3, 20e3, 5e3, 800, 20e3)


@dataclass(frozen=True, slots=True)
class CostCause:
    """The largest cause of a cost."""

    what: str
    """Amount and place of the most expensive item: ``10,000,000 blocks of 1 B in pages``."""
    cure: str
    """Change that reduces the cost."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Estimated cost of a run."""

    seconds: float
    size: float
    """Bytes of memory in addition to the plan."""
    cause: CostCause

    @property
    def is_much(self) -> bool:
        """Return whether it is reported before the run."""
        return self.seconds > MOST_S or self.size > MOST_BYTES


class Estimate:
    """Cost of a plan, item by item, on the engine that will run it."""

    def __init__(
        self, plan: Plan, engine: EngineName, *, timeline: bool = False, record: bool = False
    ) -> None:
        """Count recorded items: each service (``timeline``), each call (``record``).

        Raise RefusedError if the plan exceeds the limits of a run.
        """
        check_reach(plan)
        self.plan = plan
        self.work = Work(plan)
        self.why = self._refusal() if engine == "auto" else ""
        """Reason for which the native engine refuses it, if the engine was chosen automatically."""
        self.rates = REFERENCE if engine == "reference" or self.why else NATIVE
        self.windows = self._windows() if self.rates is NATIVE else 0.0
        """Bytes for branches: the native engine allocates the maximum of one request."""
        self.held = sum(self.work.held)
        self.spans = sum(self.work.passes) + self.work.calls if timeline else 0.0
        self.kept = self.spans + (SPANS_OF_CALL * self.work.calls if record else 0.0)
        """Recorded items of the run, in spans of the timeline."""

    def cost(self) -> Cost:
        """Return the whole cost with its main cause."""
        size = self.windows + self.held * self.rates.held
        size += len(self.plan.processes) * self.rates.process + self.kept * SPAN_BYTES
        seconds = (self._times() + self._services() + self.windows) / 1e9
        seconds += self.kept * SPAN_NS / 1e9
        return Cost(seconds, size, next(self._causes(seconds, size)))

    def _refusal(self) -> str:
        """Return the reason for which the native engine refuses the plan, as in ``run_plan``."""
        try:
            require_kernel()
            from simulator.native.run import refuse

            refuse(self.plan)
        except RefusedError as error:
            return str(error)
        if sum(self.work.held) > MOST_BLOCKS:
            return "the native engine keeps at most 2**26 blocks; write larger ones"
        return ""

    def _times(self) -> float:
        """Return the time of calls, of requests at tiers and of blocks of stores; ns."""
        work, rates = self.work, self.rates
        steps = (work.event_steps + work.records) * rates.step
        visits = sum(work.requests) * rates.visit + sum(work.passes) * rates.use
        return work.calls * rates.call + steps + visits + sum(work.blocks) * rates.block

    def _services(self) -> float:
        return self.work.polls * self.rates.poll + self.work.messages * self.rates.message

    def _windows(self) -> float:
        """Return bytes of actors and requests, for the maximum number of branches of a request.

        It is four times as much for more than a few actors.
        """
        plan = self.plan
        depth = 2 + max((len([*plan.chain(top)]) for top in self.work.tops), default=0)
        most, many = max(
            ((tier.window, self.work.pieces[row]) for row, tier in enumerate(plan.tiers)),
            default=(1, 1.0),
        )
        slots = most * (4 if many > SPARE else 1)
        return slots * 8 * (13.0 + 32 * depth + 2 * len(plan.columns)) if most > 1 else 0.0

    # -- causes ---------------------------------------------------------------------------------

    def _causes(self, seconds: float, size: float) -> Iterator[CostCause]:
        """Yield remedies: for items that multiply requests, then for the calls themselves."""
        plan, work = self.plan, self.work
        less = 2 ** math.ceil(math.log2(max(2.0, seconds / MOST_S, size / MOST_BYTES)))
        if size > MOST_BYTES and self.windows > size / 2:
            most, row = max((tier.window, -row) for row, tier in enumerate(plan.tiers))
            what = f"a window of {most:,} requests on the path {self._path_of(-row)}"
            yield CostCause(what, f"write 'window: {max(1, most // less)}' or less")
        if self.kept * SPAN_BYTES > size / 2 and (size > MOST_BYTES or seconds > MOST_S):
            what, instead = f"{_number(work.calls)} recorded calls", "do not store them"
            if self.spans:
                what, instead = f"{_number(self.spans)} services on the timeline", "omit it"
            yield CostCause(what, f"{instead}, or write larger records or fewer repetitions")
        row = max(range(len(work.blocks)), key=work.blocks.__getitem__, default=-1)
        if row >= 0 and self._is_by_blocks(row, seconds, size):
            store = plan.stores[row]
            blocks = f"{_number(work.blocks[row])} blocks of {format_size(store.block)}"
            larger = format_size(store.block * min(less, store.slots))
            yield CostCause(f"{blocks} in {store.name}", f"write 'block: {larger}' or more in it")
        row = max(work.made, key=work.made.__getitem__, default=-1)
        if row >= 0 and work.made[row] > max(2 * work.requests[row], work.calls):
            tier = plan.tiers[row]
            key = traits_of_tier(tier.kind).cuts
            made = f"{_number(work.made[row])} {key}s of {format_size(tier.size)}"
            larger = format_size(tier.size * less)
            yield CostCause(
                f"{made} on the path {self._path_of(row)}", f"write '{key}: {larger}' or more"
            )
        yield from self._by_calls(seconds)

    def _is_by_blocks(self, row: int, seconds: float, size: float) -> bool:
        """Return whether blocks of a store dominate the time, or memory beyond the limit."""
        if size > MOST_BYTES and seconds < MOST_S:
            return True
        looked_at = self.work.blocks[row]
        tiers = zip(self.plan.tiers, self.work.requests, strict=True)
        come = (
            count for tier, count in tiers if tier.row == row and traits_of_tier(tier.kind).stores
        )
        most = looked_at * self.rates.block / 1e9 > seconds / 2
        return most and looked_at > 4 * max(come, default=0.0)

    def _by_calls(self, seconds: float) -> Iterator[CostCause]:
        """Yield the calls and spontaneous events that take most of the time."""
        work, half = self.work, seconds * 5e8
        if self._services() > self._times():
            what = f"{_number(work.polls + work.messages)} polls and messages"
            yield CostCause(what, "write fewer loops or processes")
        if work.records * self.rates.step > half:
            what = f"{_number(work.records)} records of different lengths in buffers"
            yield CostCause(what, "write records of one length, larger ones or fewer bytes")
        if work.event_steps * self.rates.step > max(work.calls * self.rates.call, half):
            what = f"{_number(work.event_steps)} failures and steps of rebuilds beside a slow disk"
            yield CostCause(what, "write a larger 'rebuild_step', or fewer events")
        job = max(work.job_calls, key=work.job_calls.__getitem__, default="")
        calls = f"{_number(work.job_calls[job])} calls and steps of the job {job}"
        yield CostCause(
            calls if job else "no calls", "write larger records, or fewer processes or repetitions"
        )

    def _path_of(self, row: int) -> str:
        """Return the name of the path whose calls reach a tier."""
        used = (path for path in self.plan.paths if path.top in self.work.tops)
        found = (path.name for path in used if row in dict(self.plan.chain(path.top)))
        return next(found, "messages")


def message_before_run(
    plan: Plan,
    engine: EngineName,
    more: int = 0,
    *,
    timeline: bool = False,
    record: bool = False,
) -> list[str]:
    """Return the message before a run: another engine, and a high cost.

    ``more``: similar runs that follow, which record neither services nor calls.
    """
    estimate = Estimate(plan, engine, timeline=timeline, record=record)
    cost = estimate.cost()
    again = (cost.seconds - estimate.kept * SPAN_NS / 1e9) * more
    cost = replace(cost, seconds=cost.seconds + again)
    told = [engine_message(estimate.why)] if estimate.why else []
    if cost.is_much:
        what = f"this run and some {more} more" if more else "this run"
        take = "take" if more else "takes"
        told.append(f"{what} {take} about {_cost(cost)}: {cost.cause.what}; {cost.cause.cure}")
    return told


def engine_message(why: str) -> str:
    """Return the sentence about a plan that the native engine refuses, with the reason."""
    return OF_ENGINE + why


def message_before_runs(costs: Sequence[Cost], points: int, processes: int) -> list[str]:
    """Return the message before ``points`` runs, some of which have these costs."""
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
    """Return a time and a size in words.

    >>> _cost(Cost(170, 2e9, CostCause("", ""))), _cost(Cost(7_300, 1e6, CostCause("", "")))
    ('3 min and 2 GB of memory', '2 h')
    """
    time_s = cost.seconds
    time = f"{time_s:.0f} s" if time_s < 100 else f"{time_s / 60:.0f} min"
    if time_s >= 6_000:
        time = f"{time_s / 3600:.0f} h" if time_s < 200_000 else f"{time_s / 86_400:,.0f} days"
    size = f" and {cost.size / 1e9:,.0f} GB of memory" if cost.size > MOST_BYTES else ""
    return time + size


def _number(count: float) -> str:
    """Return an estimated count with two digits.

    >>> _number(12_345_678)
    '12,000,000'
    """
    digits = max(0, int(math.log10(max(count, 1))) - 1)
    return f"{round(count / 10**digits) * 10**digits:,.0f}"
