"""No backfill: no job passes one that does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.reference.schedule import Backfill

if TYPE_CHECKING:
    from simulator.reference.schedule import Look


# "None" is a word of the language.
class NoBackfill(Backfill):
    """Jobs start in their order."""

    def start(self, look: Look) -> None:
        """Start jobs up to the first that does not fit."""
        for job in look.candidates():
            if not look.fits(job):
                return
            look.start(job)
