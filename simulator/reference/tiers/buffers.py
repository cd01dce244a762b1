"""A buffer cache on the path of asked requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.tiers.tier import Request, Tier

if TYPE_CHECKING:
    from simulator.reference.actor import Steps


class BuffersTier(Tier):
    """The end of a path: what is behind the cache is known to the cache."""

    def read(self, request: Request) -> Steps:
        """Have an asked read carried out."""
        yield from self._serve(request, write=False)

    def write(self, request: Request) -> Steps:
        """Have an asked write carried out."""
        yield from self._serve(request, write=True)

    def _serve(self, request: Request, *, write: bool) -> Steps:
        assert request.asked is not None
        buffers = self.machine.buffers(self.plan.row, request.places.member(self.plan.slot))
        processor = self.part_of(self.plan.down[0], request)
        asked = request.asked
        yield from buffers.serve(request.actor, processor, asked.row, asked.asker, write=write)
