"""Requests of a limited size: one call becomes several, one after the other or some at once."""

from __future__ import annotations

from collections.abc import Callable, Generator

from simulator.reference.actor import Actor, Steps
from simulator.reference.part import RequestTimeoutError
from simulator.reference.tier import PassThroughTier, Request, TierLatencySum, fork


class Cut(PassThroughTier):
    """Cuts at multiples of a size, or every so many bytes; at most ``window`` are under way."""

    def read(self, request: Request) -> Steps:
        """Read piece by piece."""
        yield from self._divided(request, self.below.read)

    def write(self, request: Request) -> Steps:
        """Write piece by piece."""
        yield from self._divided(request, self.below.write)

    def _divided(self, request: Request, below: Callable[[Request], Steps]) -> Steps:
        if request.of_call and 0 < request.size <= self.plan.size:
            self.needless += request.high > self._origin(request) + self.plan.size
        pieces = self._pieces(request)
        window = min(self.plan.window, -(-(request.high - self._origin(request)) // self.plan.size))
        if window <= 1:
            for piece in pieces:
                yield from below(piece)
            return

        def branch(own: Request) -> Callable[[Actor], Steps]:
            def work(actor: Actor) -> Steps:
                try:
                    yield from below(own.by(actor))
                    for piece in pieces:  # all branches take from the same
                        yield from below(piece.by(actor))
                except RequestTimeoutError:
                    pieces.close()  # The call has failed: no other branch takes one more.
                    raise

            return work

        branches = [(number, branch(next(pieces))) for number in range(window)]
        yield from fork(self.machine, request.actor, branches)

    def _origin(self, request: Request) -> int:
        """Return where the first piece begins, or would begin."""
        return request.low // self.plan.size * self.plan.size if self.plan.aligned else request.low

    def _pieces(self, request: Request) -> Generator[Request, None, None]:
        size = self.plan.size
        for start in range(self._origin(request), request.high, size):
            yield request.part(max(start, request.low), min(start + size, request.high))

    def alone_ns(self, request: Request, alone: TierLatencySum) -> int:
        """Return the time of all pieces, one after the other."""
        return sum(self.below.alone_ns(piece, alone) for piece in self._pieces(request))
