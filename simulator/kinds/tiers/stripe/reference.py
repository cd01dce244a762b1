"""A stripe deals out a file's units to the members of a group, each with offsets of its own."""

from __future__ import annotations

from collections.abc import Callable

from simulator.reference.actor import Actor, Steps
from simulator.reference.places import Places
from simulator.reference.tier import PassThroughTier, Request, TierLatencySum, fork


class Stripe(PassThroughTier):
    """Divides requests into one for each member concerned, all under way at once."""

    decides = True

    def read(self, request: Request) -> Steps:
        """Read from all members concerned."""
        yield from self._spread(self._shares(request), request.actor, self.below.read)

    def write(self, request: Request) -> Steps:
        """Write to all members concerned."""
        yield from self._spread(self._shares(request), request.actor, self.below.write)

    def sync(self, request: Request) -> Steps:
        """Sync all members."""
        yield from self._spread(self._all(request), request.actor, self.below.sync)

    def metadata(self, request: Request) -> Steps:
        """Ask the member that has the byte concerned, which counts its own bytes."""
        members = self._members(request.places)
        member = members[request.low // self.plan.size % self.plan.width]
        low = self._local(request.low, members, member)
        yield from self.below.metadata(request.part(low, low).at(self.plan.slot, member))

    def _spread(
        self, shares: list[Request], actor: Actor, below: Callable[[Request], Steps]
    ) -> Steps:
        if len(shares) == 1:
            yield from below(shares[0])
            return

        def branch(share: Request) -> Callable[[Actor], Steps]:
            return lambda actor: below(share.by(actor))

        numbered = [(share.places.members[self.plan.slot], branch(share)) for share in shares]
        yield from fork(self.machine, actor, numbered)

    def _all(self, request: Request) -> list[Request]:
        """Return a request to each member that has a part of the file."""
        members = sorted(set(self._members(request.places)))
        return [request.at(self.plan.slot, member) for member in members]

    def _members(self, places: Places) -> list[int]:
        """Return the member that each of ``width`` units in a row is on."""
        return [places.in_turn(self.plan.slot, unit) for unit in range(self.plan.width)]

    def _shares(self, request: Request) -> list[Request]:
        """Return the requests of the members, in the order of their numbers."""
        members = self._members(request.places)
        shares = []
        for member in sorted(set(members)):
            low = self._local(request.low, members, member)
            high = self._local(request.high, members, member)
            if low < high:
                shares.append(request.part(low, high).at(self.plan.slot, member))
        return shares

    def _local(self, offset: int, members: list[int], member: int) -> int:
        """Return how many of the bytes before an offset are on a member."""
        size = self.plan.size
        rows, rest = divmod(offset, size * len(members))
        columns = [unit for unit, one in enumerate(members) if one == member]
        return sum(rows * size + min(max(0, rest - unit * size), size) for unit in columns)

    def longest(self, length: int) -> int:
        """Return the most bytes that a member has of so many: that of the first unit."""
        return self._local(length, list(range(self.plan.width)), 0)

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
