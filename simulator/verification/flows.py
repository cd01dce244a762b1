"""Bytes through the resources of a plan, as far as they follow from counts of processes and stores.

A *flow* is the bytes that pass a point of a path upwards and downwards. At the top of a path they
are those of the calls; below a store they are its requests. A resource serves the sum of the flows
of its stages. The number of messages below a cut is unknown without a run, but each is a request of
the resources that it passes: the bytes that these served besides data are a header for each
(:class:`HeaderTraffic`). Resources with unknown flows (stages skipped between neighbours chosen by
a stripe, headers of several sizes, a store whose paths diverge below it, requests for locks, a
user's own kind of tier) are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.plan.codes import BUFFERS, LOCKS, STAGE, STORE
from simulator.plan.plan import buffers_of
from simulator.plan.tiers import READS, WRITES, knows_bytes, traits_of_tier

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from simulator.plan.demand import Amount, Demand, Entry
    from simulator.plan.paths import Hold, TierPlan
    from simulator.plan.plan import Plan
    from simulator.result.result import Result

Place = tuple[int, str]
"""A tier, and the direction of the data or messages."""


@dataclass(slots=True)
class Flow:
    """Traffic at a point of a path: bytes upwards and downwards, and the messages about them."""

    read: int = 0
    write: int = 0
    requests: int = 0
    """Reads, writes, syncs and metadata requests."""
    asking: int = 0
    """Bytes of request messages besides header and data."""

    @classmethod
    def of(cls, entries: Iterable[tuple[Entry, Amount]]) -> Flow:
        """Add up the requests that enter a path."""
        sizes, flow = [0, 0, 0], cls()
        for entry, amount in entries:
            sizes[entry.way] += amount.bytes
            flow.requests += amount.count
            flow.asking += amount.asking
        flow.read, flow.write = sizes[READS], sizes[WRITES]
        return flow


NOTHING = Flow()
"""Traffic of a stage that is always skipped."""


@dataclass(frozen=True, slots=True)
class FlowPoint:
    """Known data and messages at a point of a path."""

    flow: Flow | None
    far: Flow | None
    """Traffic to other nodes than the requester's."""
    whole: bool = True
    """True if requests are those of the calls, neither cut nor made by a store."""


@dataclass(slots=True)
class HeaderTraffic:
    """Traffic of a resource with messages of which only the headers are known."""

    data: int = 0
    """Bytes of data below cuts, and all bytes of counted messages."""
    messages: int = 0
    """Number of counted messages."""
    headers: set[int] = field(default_factory=set)
    """Sizes of headers below cuts."""
    others: bool = False
    """True if some requests are not messages."""

    def bytes_of(self, requests: int) -> int | None:
        """Return the bytes served with a number of requests; None if unknown."""
        if self.others or len(self.headers) != 1:
            return None
        (header,) = self.headers
        return self.data + header * (requests - self.messages)


class Flows:
    """Bytes that each resource should have served, and that each store should have received."""

    def __init__(self, plan: Plan, work: Demand, result: Result) -> None:
        self.plan = plan
        self.parts: dict[int, int] = {}
        """Row of a resource -> bytes."""
        self._headed: dict[int, HeaderTraffic] = {}
        self.stores: dict[int, Flow] = {}
        """Row of a store -> bytes that programs or the stores above read and write there."""
        self.unknown: set[int] = set()
        """Rows of resources that serve more than is known."""
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
            entries = [one for one in work.entries.items() if one[0].top == top]
            if known and not entries and any(top == path.top for path in behind):
                continue  # all requests enter below
            direct = [one for one in entries if one[0].direct]
            others = [one for one in entries if not one[0].direct]
            flow = Flow.of(others) if known else None
            sure = known and all(entry.far is not None for entry, _ in entries)
            far = Flow.of(one for one in others if one[0].far) if sure else None
            self._walk(top, FlowPoint(flow, far))
            if direct:
                self._walk(top, FlowPoint(Flow.of(direct) if known else None, None), past=True)
        for row, tier in enumerate(plan.tiers):
            if tier.kind == LOCKS:
                self._walk(row + tier.ask, FlowPoint(None, None))
        self._fails = result.given_up > 0
        """True if a request of a store may have been served in part before it failed."""
        self._below_stores(totals_of_stores(plan, result))

    def known(self) -> Mapping[int, int]:
        """Return the bytes of the resources of which all flows are known."""
        header_traffic = {row for row, one in self._headed.items() if one.headers}
        return {row: self.parts[row] for row in self.parts.keys() - self.unknown - header_traffic}

    def header_traffic(self) -> Mapping[int, HeaderTraffic]:
        """Return the resources whose bytes follow from the number of their requests."""
        return {
            row: one
            for row, one in self._headed.items()
            if one.headers and not one.others and row not in self.unknown
        }

    def known_stores(self) -> Mapping[int, Flow]:
        """Return the bytes read and written at the stores of which all flows are known."""
        return {row: one for row, one in self.stores.items() if row not in self._unknown_stores}

    def _walk(self, top: int, way: FlowPoint, *, past: bool = False) -> None:
        """Follow a flow down to the next store or the end; ``past`` the node's own stores."""
        for row, tier in self.plan.chain(top):
            entered = self._store_at(row)
            if past and entered is not None and entered.slot == 0:
                continue
            if tier.kind == STORE:
                self._entry_above(top, row)
                self._arrive(tier.row, row + 1, way.flow)
                return
            known = knows_bytes(tier)
            if not (traits_of_tier(tier.kind).keeps and known) or entered is not None:
                way = FlowPoint(way.flow if known else None, None, whole=False)
            self._pass(tier, way)

    def _store_at(self, row: int) -> TierPlan | None:
        """Return the store of a tier, or the one whose extents pass it; None if none."""
        below = next((tier for _, tier in self.plan.chain(row) if tier.kind != STAGE), None)
        return below if below is not None and below.kind == STORE else None

    def _entry_above(self, first: int, store: int) -> None:
        """Skip stages of a store's entry that are above the top of the path."""
        above = store - 1
        while above >= 0 and self.plan.tiers[above].kind == STAGE:
            if above < first:
                self._pass(self.plan.tiers[above], FlowPoint(None, None))
            above -= 1

    def _pass(self, tier: TierPlan, way: FlowPoint) -> None:
        if tier.kind == STAGE:
            for holds, downwards in ((tier.down, True), (tier.up, False)):
                flow = self._stage_traffic(tier, holds, way)
                if tier.header and flow is not None:
                    self._messages(tier, holds, flow, downwards=downwards, whole=way.whole)
                    continue
                for hold in holds:
                    size = None if flow is None else flow.write if downwards else flow.read
                    self._serve(hold.part, size)
                    self._of(hold.part).others |= size != 0
        elif tier.kind != BUFFERS:  # Requests to caches of I/O nodes are checked elsewhere.
            traits = traits_of_tier(tier.kind)
            for hold in (*tier.down, *tier.up):
                reads, writes = (hold in traits.uses(tier, one) for one in (READS, WRITES))
                if way.flow is not None:
                    self._serve(hold.part, reads * way.flow.read + writes * way.flow.write)
                else:
                    self._serve(hold.part, None if reads or writes else 0)
                self._of(hold.part).others = True

    def _messages(
        self, tier: TierPlan, holds: Sequence[Hold], flow: Flow, *, downwards: bool, whole: bool
    ) -> None:
        """Count messages with headers, or their data alone where they are not those of calls."""
        data = flow.write + flow.asking if downwards else flow.read
        known = whole or flow is NOTHING
        for hold in holds:
            if not known and (tier.pieces or flow.asking):
                self.unknown.add(hold.part)
                continue
            size = data + tier.header * flow.requests if known else data
            self._serve(hold.part, size)
            header_traffic = self._of(hold.part)
            header_traffic.others |= tier.pieces > 0  # One message is several requests.
            header_traffic.data += size
            header_traffic.messages += flow.requests if known else 0
            header_traffic.headers |= set() if known else {tier.header}

    def _of(self, part: int) -> HeaderTraffic:
        return self._headed.setdefault(part, HeaderTraffic())

    def _stage_traffic(self, tier: TierPlan, holds: Sequence[Hold], way: FlowPoint) -> Flow | None:
        """Return the traffic that uses a stage, as far as it is known."""
        if not holds:
            return None
        first, last = holds[0], holds[-1]
        group = self.plan.parts[first.part].group
        if not tier.remote_only or group != self.plan.parts[last.part].group:
            return way.flow
        if first.slot == last.slot:
            return NOTHING
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
        """Return the tiers from a position down to the end."""
        return tuple(tier for _, tier in self.plan.chain(place))

    def _below_stores(self, totals: list[dict[str, int]]) -> None:
        """Continue below each store, from the top down."""
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
                known = len(tails) == 1 and not self._fails
                self._walk(place, FlowPoint(flow if known else None, None, whole=False))

    def _highest(self, rows: list[int]) -> int:
        """Return a store without others above it."""
        tails = (tail for row in rows for tail in self._tails[row])
        below = {tier.row for tail in tails for tier in tail if tier.kind == STORE}
        return next((row for row in rows if row not in below), rows[0])


def totals_of_stores(plan: Plan, result: Result) -> list[dict[str, int]]:
    """Add up the counters of the instances of each store, in the order of the plan's stores."""
    names = ("written_back_bytes", "fetched_bytes", "read_back_bytes", "accepted_bytes")
    totals = [dict.fromkeys(names, 0) for _ in plan.stores]
    rows = {
        plan.store_name(store, member): row
        for row, store in enumerate(plan.stores)
        for member in range(store.count)
    }
    for instance, one in result.stores.items():
        if instance not in rows:
            continue
        total = totals[rows[instance]]
        for name in names:
            total[name] += one.counts.get(name, 0)
    return totals


def places_of(plan: Plan) -> dict[int, tuple[Place, ...]]:
    """Return the tiers and directions of each resource, by its row.

    Two resources with the same tiers serve the same requests.
    """
    places: dict[int, list[Place]] = {}
    for number, tier in enumerate(plan.tiers):
        for way, holds in (("down", tier.down), ("up", tier.up)):
            for hold in holds:
                where = way if knows_bytes(tier) else str(hold.part)
                places.setdefault(hold.part, []).append((number, where))
    return {part: tuple(there) for part, there in places.items()}
