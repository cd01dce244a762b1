"""A stripe deals out a file's units to the members of a group, each with offsets of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from simulator.plan.coding import Coding, Spans, bytes_in
from simulator.reference.actor import Actor, Steps
from simulator.reference.part import take
from simulator.reference.places import Places
from simulator.reference.tier import PassThroughTier, Request, Tier, TierLatencySum, fork


class Stripe(PassThroughTier):
    """Divides requests into one for each member concerned, all under way at once.

    With an erasure code it writes parity too, and reads what that needs, or what is away.
    """

    decides = True

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.coding = Coding.of(self.plan)
        if self.plan.parity:
            *_, self._end = self._all_below()
            self._end.is_parity = self._is_parity

    def read(self, request: Request) -> Steps:
        """Read from all members concerned; decode what is away."""
        lost = self._lost(request)
        if not lost:
            yield from self._spread(self._shares(request), request.actor, self.below.read)
            return
        end = self.machine.ends[request.file]
        spans, decoded = self.coding.reads(request.low, request.high, end, lost)
        shares = self._at(request, spans)
        if not decoded:
            yield from self._spread(shares, request.actor, self.below.read)
            return
        if shares:
            yield from self._fork(shares, request.actor, self.below.read)
        yield from self._compute(request, decoded)

    def write(self, request: Request) -> Steps:
        """Write to all members concerned; with a code read first what its parity needs."""
        if not self.plan.parity:
            yield from self._spread(self._shares(request), request.actor, self.below.write)
            return
        low, high, ends = request.low, request.high, self.machine.ends
        before = self.coding.before(low, high, ends[request.file], self._lost(request))
        ends[request.file] = max(high, ends[request.file])
        read = sum(map(bytes_in, before))
        if read:
            shares = [share for spans in before for share in self._at(request, spans)]
            turns = [turn for turn, spans in enumerate(before) for _ in spans]
            yield from self._fork(shares, request.actor, self.below.read, turns)
        yield from self._compute(request, high - low + read)
        lost = self._lost(request)
        spans = self.coding.writes(low, high, lost)
        yield from self._fork(self._at(request, spans), request.actor, self.below.write)
        data = self.coding.spans(low, high)
        if size := bytes_in({one: data[one] for one in data.keys() & lost}):  # The others hold it.
            self.machine.stable.reach(self._end.plan, request.part(low, low + size))

    def sync(self, request: Request) -> Steps:
        """Sync all members."""
        lost = self._lost(request)
        pass_on = self._fork if lost else self._spread
        yield from pass_on(self._all(request, lost), request.actor, self.below.sync)

    def metadata(self, request: Request) -> Steps:
        """Ask the member that has the byte concerned, which counts its own bytes."""
        column = request.low // self.plan.size % self.coding.columns
        position = self.coding.position(column)
        low = self.coding.holds(request.low, position)
        member = request.places.in_turn(self.plan.slot, position)
        yield from self.below.metadata(request.part(low, low).at(self.plan.slot, member))

    def _compute(self, request: Request, size: int) -> Steps:
        """Compute the code of so many bytes."""
        if self.plan.down:
            yield from take(request.actor, [[self.use(self.plan.down[0], request, size)]])

    def _spread(
        self, shares: list[Request], actor: Actor, below: Callable[[Request], Steps]
    ) -> Steps:
        if len(shares) == 1:
            yield from below(shares[0])
        else:
            yield from self._fork(shares, actor, below)

    def _fork(
        self,
        shares: list[Request],
        actor: Actor,
        below: Callable[[Request], Steps],
        turns: Sequence[int] = (),
    ) -> Steps:
        """Begin a branch for each share; ``turns``: 1 for those of a second row of a code."""

        def branch(share: Request) -> Callable[[Actor], Steps]:
            return lambda actor: below(share.by(actor))

        slot = self.plan.slot
        numbered = [
            (share.places.members[slot] + turn * share.places.groups[slot].count, branch(share))
            for share, turn in zip(shares, turns or [0] * len(shares), strict=True)
        ]
        yield from fork(self.machine, actor, numbered)

    def _all(self, request: Request, lost: frozenset[int] = frozenset()) -> list[Request]:
        """Return a request to each member that has a part of the file."""
        places, slot = request.places, self.plan.slot
        positions = [one for one in range(self.plan.width) if one not in lost]
        return [request.at(slot, one) for one in sorted(places.in_turn(slot, i) for i in positions)]

    def _shares(self, request: Request) -> list[Request]:
        """Return the requests of the members, in the order of their numbers."""
        return self._at(request, self.coding.spans(request.low, request.high))

    def _at(self, request: Request, spans: Spans) -> list[Request]:
        """Return requests for bytes of members, in the order of their numbers."""
        slot = self.plan.slot
        members = {request.places.in_turn(slot, one): span for one, span in spans.items()}
        return [request.part(*span).at(slot, one) for one, span in sorted(members.items())]

    # -- erasure codes ----------------------------------------------------------------------------

    def _lost(self, request: Request) -> frozenset[int]:
        """Return the positions that are away and can be done without."""
        if not self.plan.parity or not self.machine.plan.events:
            return frozenset()
        places, slot = request.places, self.plan.slot
        return self.coding.lost(lambda one: self._is_away(places, places.in_turn(slot, one)))

    def _is_away(self, places: Places, member: int) -> bool:
        """Return whether a resource that data of a member pass below has failed there."""
        machine = self.machine
        group = places.rows[self.plan.slot]
        while group >= 0:
            if any(machine.is_down(part, member) for part in self._passed(group)):
                return True
            member //= machine.plan.groups[group].each
            group = machine.plan.groups[group].parent
        return False

    def _passed(self, group: int) -> Iterator[int]:
        """Yield the resources of a group that requests use below."""
        for tier in self._all_below():
            for hold in (*tier.plan.down, *tier.plan.up):
                if self.machine.plan.parts[hold.part].group == group:
                    yield hold.part

    def _all_below(self) -> Iterator[Tier]:
        """Yield the tiers below, down to the end."""
        tier: Tier | None = self._below
        while tier is not None:
            yield tier
            tier = tier._below

    def _is_parity(self, places: Places) -> bool:
        """Return whether a request below is at a member that holds parity of its file."""
        slot, width = self.plan.slot, self.plan.width
        at, parent = places.member(slot), places.parents[slot]
        later = {one.plan.slot for one in self._all_below() if one.decides}
        if parent in later and places.groups[parent].count > 1:
            places = places.having(parent, -1).deciding(frozenset((parent,)))  # As it was here.
        return any(
            places.in_turn(slot, one) == at
            for one in range(width)
            if one % self.coding.members >= self.coding.data
        )

    # -- outside the clock ------------------------------------------------------------------------

    def longest(self, length: int) -> int:
        """Return the most bytes that a member has of so many: that of the first unit."""
        return self.coding.holds(length, 0)

    def alone_ns(self, request: Request, alone: TierLatencySum) -> int:
        """Return the time of the member that takes longest."""
        shares = self._shares(request)
        return max((self.below.alone_ns(share, alone) for share in shares), default=0)

    def prestage(self, request: Request) -> int:
        """Have each member load its part; return the time of the one that takes longest."""
        return max((self.below.prestage(share) for share in self._shares(request)), default=0)

    def close(self, request: Request) -> None:
        """Pass it to all members."""
        for one in self._all(request):
            self.below.close(one)

    def forget(self, request: Request) -> None:
        """Pass it to all members."""
        for one in self._all(request):
            self.below.forget(one)
