"""Bytes through the parts of a plan: which of them are known from what processes and stores count.

A *flow* is the bytes that go up and down at a point of a path. At the top of a path they are those
of the calls; below a store they are what the store asks for. A part serves the sum of the flows of
the stages in which it stands. Where a flow is not known (messages with headers behind cuts, stages
left out between neighbours that a stripe decides, a store whose paths go different ways below it)
the part is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.plan.askedfaults import buffers_of
from simulator.plan.codes import END, FORWARD, HOLD, REQUEST, STAGE, STORE, STRIPE, WORK
from simulator.result.planned import Flow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simulator.plan.paths import Hold, TierPlan
    from simulator.plan.plan import Plan
    from simulator.result.planned import Work
    from simulator.result.result import Result

Place = tuple[int, str]
"""A tier, and the way of the data or messages."""


@dataclass(frozen=True, slots=True)
class Way:
    """What is known of the data and messages at a point of a path."""

    flow: Flow | None
    far: Flow | None
    """Those that go to another node than they come from."""
    whole: bool = True
    """Requests are those of the calls, neither cut nor made by a store."""


class Flows:
    """Bytes that each part should have served, and that each store should have taken in."""

    def __init__(self, plan: Plan, work: Work, result: Result) -> None:
        self.plan = plan
        self.parts: dict[int, int] = {}
        """Row of a part -> bytes."""
        self.stores: dict[int, Flow] = {}
        """Row of a store -> bytes that programs or the stores above read and write there."""
        self.unknown: set[int] = set()
        """Rows of parts that serve more than is known."""
        self._unknown_stores: set[int] = set()
        self._tails: dict[int, dict[tuple[TierPlan, ...], int]] = {}
        tops = {path.top for path in plan.paths} | {one.top for one in plan.channels}
        tops |= {path.metadata for path in plan.paths} | {path.drain for path in plan.paths}
        tops |= {process.exchange for process in plan.processes}
        tops |= {one.top for one in plan.services.messages}
        behind = [path for path in plan.paths if buffers_of(plan, path.top) is not None]
        tops |= {plan.asked_top(path) for path in behind}
        for top in sorted(tops - {-1}):
            known = top not in work.unknown
            if known and top not in work.flows and any(top == path.top for path in behind):
                continue  # all that comes enters below
            flow = work.flows.get(top, Flow()) if known else None
            far = work.far.get(top, Flow()) if known and top not in work.anywhere else None
            self._walk(top, Way(flow, far))
        self._below_stores(totals_of_stores(plan, result))

    def known(self) -> Mapping[int, int]:
        """Return the bytes of the parts of which all flows are known."""
        return {row: size for row, size in self.parts.items() if row not in self.unknown}

    def known_stores(self) -> Mapping[int, Flow]:
        """Return what was read and written at the stores of which all flows are known."""
        return {row: one for row, one in self.stores.items() if row not in self._unknown_stores}

    def _walk(self, place: int, way: Way) -> None:
        """Follow a flow down to the next store or the end."""
        first = place
        while (tier := self.plan.tiers[place]).kind != END:
            if tier.kind == STORE:
                self._entry_above(first, place)
                self._arrive(tier.row, place + 1, way.flow)
                return
            if tier.kind in (REQUEST, STRIPE, FORWARD) or self._is_entry(place):
                way = Way(way.flow, None, whole=False)
            self._pass(tier, way)
            place += 1

    def _is_entry(self, place: int) -> bool:
        """Whether the data pass a stage by extents of the store below."""
        while self.plan.tiers[place].kind == STAGE:
            place += 1
        return self.plan.tiers[place].kind == STORE

    def _entry_above(self, first: int, store: int) -> None:
        """Leave out stages of a store's entry that stand above the top of the path."""
        above = store - 1
        while above >= 0 and self.plan.tiers[above].kind == STAGE:
            if above < first:
                self._pass(self.plan.tiers[above], Way(None, None))
            above -= 1

    def _pass(self, tier: TierPlan, way: Way) -> None:
        flow = way.flow
        if tier.kind == STAGE:
            down, up = self._taking(tier, tier.down, way), self._taking(tier, tier.up, way)
            for hold in tier.down:
                self._serve(hold.part, None if down is None else _downwards(tier, down))
            for hold in tier.up:
                self._serve(hold.part, None if up is None else up.read + tier.header * up.requests)
        elif tier.kind in (WORK, HOLD):
            self._serve(tier.down[0].part, None if flow is None else flow.read + flow.write)

    def _taking(self, tier: TierPlan, holds: Sequence[Hold], way: Way) -> Flow | None:
        """Return what takes a stage, as far as that is known."""
        if not holds or (tier.header and not way.whole):
            return None
        first, last = holds[0], holds[-1]
        group = self.plan.parts[first.part].group
        if not tier.remote_only or group != self.plan.parts[last.part].group:
            return way.flow
        if first.slot == last.slot:
            return Flow()
        return way.far if {first.slot, last.slot} == {0, 1} else None

    def _serve(self, part: int, size: int | None) -> None:
        if size is None:
            self.unknown.add(part)
        else:
            self.parts[part] = self.parts.get(part, 0) + size

    def _arrive(self, row: int, below: int, flow: Flow | None) -> None:
        into = self.stores.setdefault(row, Flow())
        self._tails.setdefault(row, {}).setdefault(self._tail(below), below)
        if flow is None:
            self._unknown_stores.add(row)
        else:
            into.read += flow.read
            into.write += flow.write

    def _tail(self, place: int) -> tuple[TierPlan, ...]:
        """Return the tiers from a place down to the end."""
        last = place
        while self.plan.tiers[last].kind != END:
            last += 1
        return self.plan.tiers[place : last + 1]

    def _below_stores(self, totals: list[dict[str, int]]) -> None:
        """Go on below each store, from the top down."""
        done: set[int] = set()
        while waiting := [row for row in self._tails if row not in done]:
            row = self._highest(waiting)
            done.add(row)
            counts = totals[row]
            down = counts["written_back_bytes"]
            if not self.plan.stores[row].back:
                down = counts["accepted_bytes"]
            flow = Flow(counts["fetched_bytes"] + counts["read_back_bytes"], down)
            tails = self._tails[row]
            for place in tails.values():
                self._walk(place, Way(flow if len(tails) == 1 else None, None, whole=False))

    def _highest(self, rows: list[int]) -> int:
        """Return a store that has none of the others above it."""
        tiers = self.plan.tiers
        below = set()
        for row in rows:
            for place in self._tails[row].values():
                last = place
                while tiers[last].kind != END:
                    if tiers[last].kind == STORE:
                        below.add(tiers[last].row)
                    last += 1
        return next((row for row in rows if row not in below), rows[0])


def _downwards(tier: TierPlan, flow: Flow) -> int:
    """Return the bytes that pass a stage on their way down."""
    asking = flow.asking if tier.header else 0
    return flow.write + tier.header * flow.requests + asking


def totals_of_stores(plan: Plan, result: Result) -> list[dict[str, int]]:
    """Add up the counters of the instances of each store, in the order of the plan's stores."""
    names = ("written_back_bytes", "fetched_bytes", "read_back_bytes", "accepted_bytes")
    totals = [dict.fromkeys(names, 0) for _ in plan.stores]
    rows = {store.name: row for row, store in enumerate(plan.stores)}
    for one in result.stores.values():
        if one.store not in rows:
            continue
        total = totals[rows[one.store]]
        for name in names:
            total[name] += one.counts.get(name, 0)
    return totals


def places_of(plan: Plan) -> dict[int, tuple[Place, ...]]:
    """Return at which tiers and on which ways each part stands; rows of parts as keys.

    Two parts that always stand together serve the same requests.
    """
    places: dict[int, list[Place]] = {}
    for number, tier in enumerate(plan.tiers):
        for way, holds in (("down", tier.down), ("up", tier.up)):
            for hold in holds:
                places.setdefault(hold.part, []).append((number, f"{tier.kind}.{way}"))
    return {part: tuple(there) for part, there in places.items()}
