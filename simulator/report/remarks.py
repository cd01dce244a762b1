"""What a reader should know of a run: free operations, and calls cut in two for nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.plan.codes import CLOSE, END, LISTED, METADATA, OPEN, OPERATIONS, READ, WRITE
from simulator.plan.jobs import passes_of
from simulator.units import format_size
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.plan.plan import Plan
    from simulator.result.result import Result


@dataclass(frozen=True, slots=True)
class FreeOperations:
    """How often each kind of operation was free, and on which file systems."""

    counts: dict[str, int]
    """By kind, in the order of the alphabet."""
    filesystems: tuple[str, ...]

    def sentence(self) -> str:
        """Say it for people."""
        one = len(self.filesystems) == 1
        which = f"{' and '.join(self.filesystems)} {'has' if one else 'have'} no 'metadata'"
        many = sum(self.counts.values())
        cost = "costs" if many == 1 else "cost"
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in self.counts.items())
        return f"{counted(many, 'metadata operation')} {cost} nothing, since {which}: {kinds}."


def free_operations(plan: Plan, result: Result) -> FreeOperations | None:
    """Return the listed metadata operations that cost nothing; None if a reader need not know.

    That is so if there are opens and closes only, and no more of them than of reads and writes.
    """
    free = [path.metadata < 0 for path in plan.paths]
    if not any(free):
        return None
    kinds: Counter[int] = Counter()
    paths: set[int] = set()
    table, files = plan.operations, plan.files
    path_of = [file.path for file in files]
    rounds = result.rounds()
    for process in plan.processes:
        for phase, passes in passes_of(process, rounds.get(process.name, 0)):
            if phase.kind != LISTED:
                continue
            rows = slice(phase.first, phase.first + phase.count)
            if all(free):
                own = Counter(memoryview(table.kind)[rows])
                paths.update(path_of[one] for one in {*memoryview(table.file)[rows]} if one >= 0)
            else:
                pairs = zip(table.kind[rows], table.file[rows], strict=True)
                known = [(kind, path_of[file]) for kind, file in pairs if file >= 0]
                own = Counter(kind for kind, path in known if free[path])
                paths.update(path for _, path in known if free[path])
            for kind, count in own.items():
                kinds[kind] += passes * count
    metadata = {kind: kinds[kind] for kind in METADATA if kinds[kind]}
    usual = sum(metadata.get(kind, 0) for kind in (OPEN, CLOSE))
    if sum(metadata.values()) == usual and usual <= 2 * (kinds[READ] + kinds[WRITE]):
        return None
    names = sorted({plan.paths[path].name.partition(".")[0] for path in paths})
    return FreeOperations(
        dict(sorted((OPERATIONS[kind], count) for kind, count in metadata.items())), tuple(names)
    )


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
