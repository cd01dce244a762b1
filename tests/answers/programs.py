"""Traced programs made by hand, and what has to stay the same when their calls are rewritten."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from simulator.answers.advise import ALIKE, Ran
from simulator.answers.again import machine_variants
from simulator.answers.program import Program
from simulator.config.lowering.replayed import Placing
from simulator.inputfile import Text
from simulator.replay.replay import Placed, ReplayOptions
from simulator.replay.states import costs_in
from simulator.replay.tracejob import TraceJob
from simulator.run import run_plan
from simulator.runtime.listed import CallTable
from simulator.runtime.operations import PASS, PAUSE, READ, WAIT, WRITE
from simulator.workload.extents import Extents
from simulator.workload.traced import Traced, TracedClient, TracedFile, digest_of

Row = tuple[int, str, int, int]
"""Kind, file (empty: none), offset (or mark), size."""
GAP = 1_000


def traced(clients: Mapping[str, Sequence[Row]], *, marks: int = 0, gap: int = GAP) -> Traced:
    """Return a program; what a client reads without anybody having written it was there before."""
    table = CallTable(marks=marks)
    names: dict[str, int] = {}
    extents = Extents()
    made = []
    for place, (name, rows) in enumerate(clients.items()):
        first = len(table)
        for kind, file, offset, size in rows:
            number = names.setdefault(file, len(names)) if file else -1
            extents.grow(len(names))
            if kind & 31 in (READ, WRITE):
                extents.add_one(kind & 31, number, offset, size)
            table.add(kind, number, offset, size, gap=gap)
        made.append(TracedClient(name, 0, -1, first, len(table) - first, place))
    files = [
        TracedFile(name, extents.length[number], extents.reach[number])
        for name, number in names.items()
    ]
    return Traced("made", table, tuple(made), tuple(files), digest_of(table))


def program(made: Traced, machine: str | Text, filesystem: str = "") -> Program:
    """Return it as patterns see it."""
    loaded = machine_variants(machine, ()).load(())
    name = filesystem or next(iter(loaded.filesystems))
    return Program(
        made,
        loaded,
        filesystem=name,
        path=next(iter(loaded.filesystems[name].ways())),
        costs=frozenset(costs_in(loaded, None, {"simulated": True})),
    )


def job(made: Traced, machine: str | Text, filesystem: str | None = None) -> TraceJob:
    """Return it as it can be run with changes."""

    def placed(where: str) -> Placed:
        return Placed(made, ReplayOptions(Placing(where or filesystem)), {})

    variants = machine_variants(machine, ())
    result = run_plan(placed("").plan(variants.load(())))
    return TraceJob(variants, placed, Ran.of(result, result.elapsed_ns))


def is_ranked(record: Mapping[str, Any]) -> bool:
    """Whether advice saves less and less, but for what saves alike and is easier to change."""
    levels = ("program", "setting", "hardware")
    return all(
        after["saves_ns"] <= before["saves_ns"]
        or (
            levels.index(before["level"]) <= levels.index(after["level"])
            and (
                before["saves_ns"] >= ALIKE * after["saves_ns"]
                or after["saves_ns"] - before["saves_ns"] < 0.01 * record["predicted_ns"]
            )
        )
        for before, after in itertools.pairwise(record["advice"])
    )


# -- what has to stay the same ------------------------------------------------------------------


def written(made: Traced) -> dict[str, list[tuple[int, int]]]:
    """Return the extents of each file that are written in the end, joined where they touch."""
    table = made.table
    found: dict[str, list[tuple[int, int]]] = {}
    for kind, file, offset, size in zip(
        table.kind, table.file, table.offset, table.size, strict=True
    ):
        if kind & 31 == WRITE and size:
            found.setdefault(made.files[file].name, []).append((offset, offset + size))
    return {name: joined(extents) for name, extents in found.items()}


def joined(extents: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return extents in order, joined where they touch."""
    made: list[tuple[int, int]] = []
    for begin, end in sorted(extents):
        if made and begin <= made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((begin, end))
    return made


def computing(made: Traced) -> dict[str, int]:
    """Return how long each client computes."""
    return {
        one.name: sum(made.table.gap[one.first : one.first + one.calls]) for one in made.clients
    }


def order(made: Traced) -> dict[str, list[tuple[int, int]]]:
    """Return which marks each client passes or waits for, in order."""
    table = made.table
    return {
        one.name: [
            (table.kind[row], table.offset[row])
            for row in range(one.first, one.first + one.calls)
            if table.kind[row] in (PASS, WAIT)
        ]
        for one in made.clients
    }


END: Row = (PAUSE, "", 0, 0)
