"""The end of a path at the buffer cache of an I/O node."""

from __future__ import annotations

from simulator.reference.actor import Actor, Steps
from simulator.reference.buffers import Buffers
from simulator.reference.tier import Request, Tier


class BuffersTier(Tier):
    """The end of a path: what is behind the cache is known to the cache."""

    def read(self, request: Request) -> Steps:
        """Have a read carried out."""
        yield from self._serve(request, write=False)

    def write(self, request: Request) -> Steps:
        """Have a write carried out."""
        yield from self._serve(request, write=True)

    def sync(self, request: Request) -> Steps:
        """Wait until what was written of a file is safe."""
        file = self.machine.plan.files[request.file]
        processor = self.part_of(self.plan.down[0], request)
        own = (file.base, file.base + file.room)
        yield from self._buffers(request).sync(request.actor, processor, own)

    def _serve(self, request: Request, *, write: bool) -> Steps:
        processor = self.part_of(self.plan.down[0], request)
        buffers, actor, asked = self._buffers(request), request.actor, request.asked
        if asked is not None:
            yield from buffers.serve(actor, processor, asked.row, asked.asker, write=write)
            return
        base = self.machine.plan.files[request.file].base
        span = (base + request.low, base + request.high)
        yield from buffers.call(actor, processor, span, self._process(actor), write=write)

    def _buffers(self, request: Request) -> Buffers:
        return self.machine.buffers(self.plan.row, request.places.member(self.plan.slot))

    def _process(self, actor: Actor) -> int:
        """Return the process whose request it is; branches are numbered by their parent."""
        number, first = actor.number, self.machine.plan.first_branch
        while number >= first:
            number = (number - first) // self.machine.width
        return number
