"""Periods of a run that went by arithmetic, because its state repeated; decisions/0054."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Repeats:
    """The part of a run that was not carried out event by event. Its result is the same."""

    periods: int = 0
    """How often something was repeated that had been carried out before,"""
    events: int = 0
    """the events of that,"""
    ns: int = 0
    """and its simulated time."""
    why: str = ""
    """Why nothing could be repeated, although the workload repeats something; in words."""
    differed: str = ""
    """The difference of the two states that were compared last."""

    def sentence(self, events: int) -> str:
        """Return what a report says of a run of so many events; nothing if nothing repeated."""
        if not self.periods:
            return ""
        many = f"{self.periods:,} periods repeated" if self.periods > 1 else "1 period repeated"
        return (
            f"{many} to the nanosecond and went by arithmetic: {self.events:,} of"
            f" {events:,} events (--no-fast-forward carries them out, with the same result)."
        )

    def reason(self) -> str:
        """Return why nothing went by arithmetic, if something might have; in words."""
        if self.periods or not (self.why or self.differed):
            return ""
        return self.why or f"no state came again so far; the last two differed in {self.differed}"

    def to_json(self) -> dict[str, int]:
        """Return its numbers."""
        return {"periods": self.periods, "events": self.events, "time_ns": self.ns}
