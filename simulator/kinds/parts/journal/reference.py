"""A journal: group commit. Requests that come before a commit begins share it."""

from __future__ import annotations

from typing import Any

from simulator.plan.errors import within
from simulator.reference.part import Load, Station


class Journal(Station):
    """One commit at a time; requests are served with the first that begins after they come."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._commits = 0
        self._begin_ns = -1
        """When the last commit begins, which may be still to come,"""
        self._end_ns = 0
        """and when it ends."""

    def free_ns(self) -> int:
        """Return when the commit begins that a request shares which comes now."""
        if self._is_joined():
            return self._begin_ns
        return max(self._end_ns, within(self.clock.now + self.plan.spec.wait_ns, self.plan.label))

    def serve(self, load: Load, start_ns: int) -> int:
        """Have a request committed; ``start_ns`` is ``free_ns()``, or now if that is past."""
        self.requests += 1
        if not self._is_joined():
            self._commits += 1
            service = self.noise.stretch(self.plan.service.service_ns(0), self._commits)
            self._begin_ns = start_ns
            self._end_ns = within(start_ns + service, self.plan.label)
            self.busy_ns += service
            self.note(start_ns, service, 0)
        return self._end_ns

    def _is_joined(self) -> bool:
        """Return whether the last commit is still to begin."""
        return self.clock.now < self._begin_ns
