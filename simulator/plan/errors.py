"""Errors of a run, and the limits on its time and bytes."""

from __future__ import annotations

from collections.abc import Mapping

MOST = (1 << 62) - 1
"""Maximum nanoseconds, and maximum bytes, of a run; docs/model.md."""


class SimulationError(Exception):
    """A run that cannot end, for instance with processes that wait for each other.

    ``blocked``: the reason for which each blocked process waits, by process name.
    """

    def __init__(self, text: str, blocked: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.blocked = dict(blocked or {})


class LostError(SimulationError):
    """Runs lost because their executor failed, such as a cluster."""


class LimitError(SimulationError):
    """A run that exceeds a limit on time, bytes or number of events."""

    def __init__(self, where: str, *, size: bool = False, times: int = 0) -> None:
        """``where``: the resource, process, file, cache or event.

        ``size``: the value is bytes, not nanoseconds; ``times``: it is a number of events.
        """
        most = "2**62 bytes (4.6 EB)" if size else "2**62 ns (146 years)"
        most = f"{times:,} times" if times else most
        super().__init__(f"{where} exceeds {most}, the limit of a run")


def within(value: int, where: str, *, size: bool = False) -> int:
    """Return a time or size; raise LimitError if it exceeds the limit of a run."""
    if value > MOST:
        raise LimitError(where, size=size)
    return value
