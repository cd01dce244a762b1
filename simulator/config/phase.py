"""What all kinds of phases share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from simulator.config.section import Section

if TYPE_CHECKING:
    from simulator.config.lowering.process import ProcessBuilder


class Phase(Section, ABC):
    """One thing that each process of a job does."""

    do: str
    """What it does."""

    @abstractmethod
    def lower(self, process: ProcessBuilder) -> None:
        """Add it to a process."""

    @property
    def uses(self) -> str | None:
        """The file that it uses."""
        return None
