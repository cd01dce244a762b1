"""Errors of a run, and the limits on its time and bytes."""

from __future__ import annotations

from collections.abc import Mapping

MOST = (1 << 62) - 1
"""Maximum nanoseconds, and maximum bytes, of a run; docs/model.md."""


class SimulationError(Exception):
    """A run that cannot end, or cannot be completed."""


class BlockedError(SimulationError):
    """Processes that are blocked at the end of a run, for instance by each other."""

    def __init__(self, blocked: Mapping[str, str]) -> None:
        """``blocked``: the reason for which each process waits, by process name."""
        super().__init__(dict(blocked))
        self.blocked = dict(blocked)

    def __str__(self) -> str:
        reasons = "; ".join(f"{name} waits for {why}" for name, why in self.blocked.items())
        return f"processes are blocked: {reasons}"


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
