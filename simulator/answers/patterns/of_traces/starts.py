"""Programs that are started again and again, where one could do the work of all.

What starting one takes is in its log: from its parent's fork to its first call on a file of its
own, with the libraries that it loads, and its end.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Cure, Finding, rewriting
from simulator.answers.calls import OPENS, Columns, Numbers, remade
from simulator.answers.explained import LEAST_STARTS
from simulator.answers.patterns.of_traces.files import CODE
from simulator.answers.patterns.of_traces.places import of_system
from simulator.answers.patterns.of_traces.successors import (
    as_one,
    is_worked,
    repeated,
    succession,
)
from simulator.answers.repeats import estimate
from simulator.answers.words import how_to
from simulator.plan.codes import CLOSE, LOOKUP, PASS, PAUSE, SEEK, STAT, WAIT
from simulator.units import format_time
from simulator.wording import brief_size, counted

SUBSHELL = "subshell"

if TYPE_CHECKING:
    from simulator.answers.program import Program
    from simulator.workload.traced import Traced


def started(program: Program) -> list[Finding]:
    """The same program started for each file, line or step, where one start would do.

    Found: programs that processes of the log start many times. Cured by one process for all, or by
    as many as run at a time: of each further one goes what its start and its end take.
    """
    names = _named(program)
    starts = Counter(one for one in names if one)
    many = {one for one, count in starts.items() if count > LEAST_STARTS}
    seen: set[str] = set()
    clients = []
    for client, one in enumerate(names):
        if one in many and one in seen and program.traced.clients[client].born >= 0:
            clients.append(client)
        seen.add(one)
    if not clients:
        return []
    columns = program.columns
    further = np.array(clients, np.int64)
    kinds = sorted(many)
    group = np.array([kinds.index(one) if one in many else -1 for one in names], np.int64)
    them = succession(program, group, _own(program.traced))
    again = repeated(columns, them)
    made = is_worked(program, again, np.flatnonzero(np.isin(columns.client, further)))
    change = rewriting(start_once, further) + rewriting(as_one, them, made=made)
    mine, once = np.isin(columns.client, further), Columns(start_once(program.traced, further))
    saved = int(columns.gap[mine].sum() - once.gap[np.isin(once.client, further)].sum())
    listed = ", ".join(
        f"{one.rpartition('/')[2]} ({count:,} times)" for one, count in starts.most_common(3)
        if one in many
    )  # fmt: skip
    rows = np.flatnonzero(mine & (columns.file >= 0))
    told = (
        f"{counted(len(clients), 'program')} started after the first of their kind: {listed};"
        f" {format_time(saved // len(clients))} each from the fork to the first call on a file of"
        " its own, and for its end."
    )
    if again.reads:
        told += f" {counted(again.reads, 'read')} of them ({brief_size(again.bytes)}) are of what"
        told += " one of them had read, or written, before."
    presumes = (
        "one process does what all of them do. What it computes for each stays; of what is computed"
        " before the first file at most as much counts as start as the libraries take to load."
        f"{estimate(again.computing_ns if made else 0)}"
    )
    parents = np.array([one for one in range(len(names)) if one not in clients])
    language = program.language(np.flatnonzero(np.isin(columns.client, parents)))
    cure = Cure(how_to("start once", language), change, presumes)
    example = program.example(int(rows[len(rows) // 2])) if len(rows) else ""
    return [Finding("started", told, (cure,), program.files(rows), len(rows), example=example)]


def _named(program: Program) -> list[str]:
    """Return the program of each client; copies of shells, $(...) and (...), are of one kind."""
    if not program.languages:
        return [*program.programs]
    each = zip(program.programs, program.languages, program.traced.clients, strict=False)
    return [
        one or (SUBSHELL if language == "shell" and client.born >= 0 else "")
        for one, language, client in each
    ]


def start_once(traced: Traced, clients: Numbers) -> Traced:
    """Leave out what it takes to start some of the clients, and to end them."""
    columns = Columns(traced)
    named = columns.file >= 0
    system = named & ~(_own(traced)[columns.file] & ~np.isin(columns.kind, (STAT, LOOKUP)))
    calls = named & ~system
    works = calls & ~np.isin(columns.kind, (*OPENS, CLOSE, SEEK))
    keep, gap, size = np.ones(len(columns), bool), columns.gap.copy(), columns.size.copy()
    born = {}
    for number in clients.tolist():
        one = traced.clients[number]
        part = slice(one.first, one.first + one.calls)
        born[one.born] = number
        mine, loads = np.flatnonzero(calls[part]), np.flatnonzero(system[part])
        opened = np.flatnonzero(calls[part] & np.isin(columns.kind[part], OPENS))
        begun = (*np.flatnonzero(works[part])[:1].tolist(), *opened[-1:].tolist(), one.calls)[0]
        before = loads[loads < begun]
        loaded = int(before[-1]) + 1 if len(before) else 1
        # What is opened or closed before its parent's copy becomes a program are redirections.
        own = mine[mine >= (loaded if len(before) else 0)]
        first = int(own[0]) if begun < one.calls and len(own) else begun
        last = int(mine[-1]) if begun < one.calls else -1
        aside = np.ones(one.calls, bool)
        aside[first : last + 1] = False
        took, until = gap[part], int(gap[part][:loaded].sum())
        took[:loaded] = 0
        rest = aside.copy()
        rest[first : first + 1] = True  # What is computed before the first call of its own.
        rest[:loaded] = False
        for some in (rest & (np.arange(one.calls) <= first), rest & (np.arange(one.calls) > first)):
            _shorten(took, some, until)
        keep[part] &= ~(aside & system[part])
        size[part][aside & (columns.kind[part] == PAUSE)] = 0
    forks = np.flatnonzero((columns.kind == PASS) & np.isin(columns.offset, list(born)))
    after = forks[forks + 1 < len(columns)] + 1
    after = after[np.isin(columns.kind[after], (PASS, WAIT, PAUSE))]
    gap[after[columns.client[after] == columns.client[after - 1]]] = 0
    columns.gap = gap
    return remade(columns, keep, size=size)


def _own(traced: Traced) -> Numbers:
    """Return which files, and at the end none, are neither the system's nor code."""
    files = traced.files
    own = [not of_system(one.name) and not CODE.search(one.name) for one in files]
    return np.array([*own, False], bool)


def _shorten(gaps: Numbers, which: Numbers, most: int) -> None:
    """Take so much of some gaps, from the first one on."""
    some = np.flatnonzero(which)
    before = np.cumsum(gaps[some]) - gaps[some]
    gaps[some] -= np.minimum(gaps[some], np.maximum(most - before, 0))
