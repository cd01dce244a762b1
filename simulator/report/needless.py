"""Calls that were cut in two only because they do not begin at a multiple of the request size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.plan.codes import END
from simulator.units import format_size
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


@dataclass(frozen=True, slots=True)
class NeedlessCuts:
    """Calls, or their parts on one member of a stripe, of at most one request that became two."""

    path: str
    """The file system, and its path if it has several."""
    request: int
    """Bytes of a request at most."""
    calls: int

    def sentence(self) -> str:
        """Say it for people, with what to do."""
        size = format_size(self.request)
        was = "was" if self.calls == 1 else "were"
        return (
            f"{counted(self.calls, 'call')} of at most {size} {was} cut in two, since requests of"
            f" {self.path} begin at multiples of {size}: align the calls, or write 'aligned: false'"
            " in the request."
        )

    def to_record(self) -> dict[str, Any]:
        """Return the record for programs."""
        return {"path": self.path, "request_bytes": self.request, "calls": self.calls}


def needless_cuts(plan: Plan, result: Result) -> list[NeedlessCuts]:
    """Return what each tier cut in two without need, in the order of the plan."""
    found = []
    for row, calls in sorted(result.needless.items()):
        names = [path.name for path in plan.paths if _reaches(plan, path.top, row)]
        found.append(NeedlessCuts(" and ".join(names), plan.tiers[row].size, calls))
    return found


def _reaches(plan: Plan, top: int, row: int) -> bool:
    """Whether a tier is on the way from another to its end."""
    return top <= row and all(plan.tiers[one].kind != END for one in range(top, row))
