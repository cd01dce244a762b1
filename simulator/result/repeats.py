"""Periods of a run skipped by arithmetic because its state repeated; decisions/0054."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Repeats:
    """The part of a run that was not simulated event by event. The result is unaffected."""

    periods: int = 0
    """Number of skipped periods."""
    events: int = 0
    """Events of these periods."""
    ns: int = 0
    """Simulated time of these periods."""
    why: str = ""
    """Reason for which nothing was skipped although the workload repeats, in words."""
    differed: str = ""
    """Difference of the last two states compared."""

    def sentence(self, events: int) -> str:
        """Return the sentence of a report on a run with these events; empty if none was skipped."""
        if not self.periods:
            return ""
        many = f"{self.periods:,} periods repeated" if self.periods > 1 else "1 period repeated"
        return (
            f"{many} to the nanosecond and were skipped by arithmetic: {self.events:,} of"
            f" {events:,} events (--no-fast-forward simulates them, with the same result)."
        )

    def reason(self) -> str:
        """Return the reason for which nothing was skipped, in words."""
        if self.periods or not (self.why or self.differed):
            return ""
        return self.why or f"no state has repeated so far; the last two differed in {self.differed}"

    def to_json(self) -> dict[str, int]:
        """Return the JSON record."""
        return {"periods": self.periods, "events": self.events, "time_ns": self.ns}
