"""A time that each request takes, however many there are."""

from __future__ import annotations

from simulator.reference.part import Load, Station


class Delay(Station):
    """Nothing queues."""

    def free_ns(self) -> int:
        """Return 0: it always is free."""
        return 0

    def serve(self, load: Load, start_ns: int) -> int:
        """Pass a request."""
        return self.book(load, start_ns, self.stretched(self.service_ns(load)))
