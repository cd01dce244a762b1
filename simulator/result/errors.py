"""What can go wrong while an engine carries out a plan."""

from __future__ import annotations

from collections.abc import Mapping


class SimulationError(Exception):
    """A run that cannot end, for instance with processes that wait for each other.

    ``blocked`` says what each process that waits for ever waits for, by the names of processes.
    """

    def __init__(self, text: str, blocked: Mapping[str, str] | None = None) -> None:
        super().__init__(text)
        self.blocked = dict(blocked or {})
