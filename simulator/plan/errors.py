"""Errors of a run, and the limits of its time and bytes."""

from __future__ import annotations

from collections.abc import Mapping

MOST = (1 << 62) - 1
"""The most nanoseconds, and the most bytes, of a run; docs/model.md."""


class SimulationError(Exception):
    """A run that cannot end, for instance with processes that wait for each other.

    ``blocked`` says what each process that waits for ever waits for, by the names of processes.
    """

    def __init__(self, text: str, blocked: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.blocked = dict(blocked or {})


class LostError(SimulationError):
    """Runs that were lost with what carried them out, such as a cluster."""


class LimitError(SimulationError):
    """A run that goes further than a run may: in time, in bytes or in events."""

    def __init__(self, where: str, *, size: bool = False, times: int = 0) -> None:
        """``where``: the part, process, file, cache or event.

        ``size``: it is bytes, not nanoseconds; ``times``: it is an event that happens so often.
        """
        most = "2**62 bytes (4.6 EB)" if size else "2**62 ns (146 years)"
        most = f"{times:,} times" if times else most
        super().__init__(f"{where} goes past {most}, which is as far as a run may go")


def within(value: int, where: str, *, size: bool = False) -> int:
    """Return a time, or a size; LimitError if no run may go as far."""
    if value > MOST:
        raise LimitError(where, size=size)
    return value
