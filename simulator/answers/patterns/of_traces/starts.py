"""Programs that are started again and again, where one could do the work of all.

What starting one takes is in its log: from its parent's fork to its first call on a file of its
own, with the libraries that it loads, and its end.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import NEVER, Cure, Finding, rewriting
from simulator.answers.calls import OPENS, WRITES, Columns, Numbers, remade
from simulator.answers.explained import LEAST_STARTS
from simulator.answers.patterns.of_traces.files import CODE
from simulator.answers.patterns.of_traces.places import of_system
from simulator.answers.patterns.of_traces.successors import (
    as_one,
    is_worked,
    repeated,
    succession,
)
from simulator.answers.repeats import is_alike
from simulator.answers.words import how_to
from simulator.plan.codes import CLOSE, LOOKUP, OPEN, PASS, PAUSE, SEEK, STAT, WAIT
from simulator.units import format_time
from simulator.wording import brief_size, counted

SUBSHELL = "subshell"

if TYPE_CHECKING:
    from simulator.answers.patterns.of_traces.successors import Repeated
    from simulator.answers.program import Program
    from simulator.workload.traced import Traced, TracedClient

    _Begin = tuple[TracedClient, int, int, int]


def started(program: Program) -> list[Finding]:
    """The same program started for each file, line or step, where one start would do.

    Found: programs that processes of the log start many times. Cured by one process for all, or by
    as many as run at a time: of each further one goes what its start and its end take. Those whose
    shell puts their output into a file of each stay, with that shell, unless one program writes all
    of these files.
    """
    names = _named(program)
    starts = Counter(one for one in names if one)
    many = {one for one, count in starts.items() if count > LEAST_STARTS}
    seen: set[str] = set()
    every: list[int] = []
    for client, one in enumerate(names):
        if one in many and one in seen and program.traced.clients[client].born >= 0:
            every.append(client)
        seen.add(one)
    stay = _redirected(program, every)
    clients = [one for one in every if one not in stay] or every
    if not clients:
        return []
    columns = program.columns
    kinds = sorted(many)
    group = np.array([kinds.index(one) if one in many else -1 for one in names], np.int64)
    cure, again = _one_for_all(program, group, clients, _how(program, names, clients))
    cures = [cure]
    stay = stay if len(clients) < len(every) else set()
    if stay:
        how = "Do it within one program that writes the file of each (awk: print > NAME; close)."
        other, _ = _one_for_all(program, group, every, how)
        cures.append(replace(other, kind="every", beside=NEVER))
    mine = np.isin(columns.client, clients)
    once = Columns(start_once(program.traced, np.array(clients), group))
    saved = int(columns.gap[mine].sum() - once.gap[np.isin(once.client, clients)].sum())
    rows = np.flatnonzero(mine & (columns.file >= 0))
    told = (
        f"{counted(len(clients), 'program')} started after the first of their kind:"
        f" {_listed(names, clients, 1)}; {format_time(saved // len(clients))} each from the"
        " fork to the first call on a file of its own, and for its end."
    )
    if stay:
        told += f" {_listed(names, [*stay])} stay: the output of each goes into a file of its own."
    if again.reads:
        told += f" {counted(again.reads, 'read')} of them ({brief_size(again.bytes)}) are of what"
        told += " one of them had read, or written, before."
    example = program.example(int(rows[len(rows) // 2])) if len(rows) else ""
    return [Finding("started", told, tuple(cures), program.files(rows), len(rows), example=example)]


def _one_for_all(
    program: Program, group: Numbers, clients: list[int], how: str
) -> tuple[Cure, Repeated]:
    """Return the cure by which the first of each group does the work of some clients as well."""
    columns, further = program.columns, np.array(clients, np.int64)
    with_first = np.isin(np.arange(len(group)), further)
    _, first = np.unique(group, return_index=True)
    with_first[first] = True
    them = succession(program, np.where(with_first, group, -1), _own(program.traced))
    again = repeated(columns, them)
    made = is_worked(program, again, np.flatnonzero(np.isin(columns.client, further)))
    change = rewriting(start_once, further, group) + rewriting(as_one, them, made=made)
    presumes = (
        "one process does what all of them do. What it computes for each stays; of what is computed"
        " before the first file as much counts as start as the libraries take to load, or what all"
        " of them compute alike before they open one."
    )
    doubt_ns = again.computing_ns if made else 0
    return Cure(how, change, presumes, doubt_ns=doubt_ns), again


def _listed(names: list[str], clients: list[int], more: int = 0) -> str:
    """Return the programs that some clients are, most of them first, and how many of them."""
    most = Counter(names[one].rpartition("/")[2] for one in clients).most_common(3)
    return ", ".join(f"{name} ({count + more:,} times)" for name, count in most)


def _how(program: Program, names: list[str], clients: list[int]) -> str:
    """Return what to do: by options of the programs that are started, and of those who start them.

    Most have none that is known, but words of the language that starts them.
    """
    short = [one.rpartition("/")[2] for one in names]
    by = np.setdiff1d(np.arange(len(names)), clients)
    used = {name for name, _ in Counter(short[one] for one in clients).most_common(2)}
    used |= {"find", "make"} & {short[one] for one in by}
    told = [text for name, text in _OPTIONS.items() if name in used]
    language = program.language(np.flatnonzero(np.isin(program.columns.client, by)))
    return " ".join([*told, how_to("start once", language)])


_OPTIONS = {
    "find": "find ... -exec COMMAND {} + instead of -exec COMMAND {} \\;.",
    "make": "VALUE := $(shell ...) with := instead of =, so that make runs it once.",
    "grep": "grep -f LIST (-F: no patterns), with all that is looked for in one list.",
    "sed": "One sed with an -e for each command, or with -f SCRIPT.",
    "git": "One git -C FOLDER with a list: cat-file --batch, hash-object --stdin-paths.",
    "tar": "One tar with a list: -T LIST.",
    "jq": "jq ... FILE FILE ..., and input_filename where the names matter.",
    "subshell": "No $(...) or (...) in the loop: read, printf -v NAME, ${name%.*}.",
}


def _redirected(program: Program, clients: list[int]) -> set[int]:
    """Return which of some clients write to a file of each that their shell has opened, and it.

    A client that makes one of those is none of the others': it has to be started for it.
    """
    columns, which = program.columns, np.isin(program.columns.client, clients)
    named = columns.file >= 0
    loads = np.full(len(program.traced.clients), -1)
    rows = np.flatnonzero(named & ~_own(program.traced)[columns.file])[::-1]
    loads[columns.client[rows]] = rows  # The first of each: what it opens before is a redirection.
    opens = np.isin(columns.kind, OPENS) & named
    opened = np.unique(columns.pair[opens & (np.arange(len(columns)) > loads[columns.client])])
    wrote = np.unique(columns.pair[named & columns.moving(WRITES)])
    writers = np.bincount(wrote & 0xFFFFFFFF, minlength=len(program.traced.files))
    mine = wrote[np.isin(wrote, columns.pair[which]) & ~np.isin(wrote, opened)]
    mine = mine[writers[mine & 0xFFFFFFFF] == 1]
    mine = mine[np.isin(mine & 0xFFFFFFFF, columns.file[opens])]
    stay = set((mine >> 32).tolist())
    made = np.flatnonzero(columns.kind == PASS)
    by = dict(zip(columns.offset[made].tolist(), columns.client[made].tolist(), strict=True))
    some, every = [*stay], set(clients)
    while some:
        parent = by.get(program.traced.clients[some.pop()].born, -1)
        if parent in every - stay:
            stay.add(parent)
            some.append(parent)
    return stay


def _named(program: Program) -> list[str]:
    """Return the program of each client; copies of shells, $(...) and (...), are of one kind."""
    if not program.languages:
        return [*program.programs]
    each = zip(program.programs, program.languages, program.traced.clients, strict=False)
    return [
        one or (SUBSHELL if language == "shell" and client.born >= 0 else "")
        for one, language, client in each
    ]


def start_once(traced: Traced, clients: Numbers, group: Numbers) -> Traced:
    """Leave out what it takes to start some of the clients, and to end them.

    ``group``: of each client. What all of one compute alike before they open a file is start.
    """
    columns = Columns(traced)
    named = columns.file >= 0
    system = named & ~(_own(traced)[columns.file] & ~np.isin(columns.kind, (STAT, LOOKUP)))
    keep, gap, size = np.ones(len(columns), bool), columns.gap.copy(), columns.size.copy()
    begins = [_begin(columns, traced.clients[number], system) for number in clients.tolist()]
    alike = _alike(columns, begins, group[clients])
    for (one, loaded, first, last), most in zip(begins, alike, strict=True):
        part = slice(one.first, one.first + one.calls)
        aside = np.ones(one.calls, bool)
        aside[first : last + 1] = False
        took, until = gap[part], int(gap[part][:loaded].sum())
        took[:loaded] = 0
        rest = aside.copy()
        rest[first : first + 1] = True  # What is computed before the first call of its own.
        rest[:loaded] = False
        _shorten(took, rest & (np.arange(one.calls) <= first), max(until, most))
        _shorten(took, rest & (np.arange(one.calls) > first), until)
        keep[part] &= ~(aside & system[part])
        size[part][aside & (columns.kind[part] == PAUSE)] = 0
    born = [traced.clients[number].born for number in clients.tolist()]
    forks = np.flatnonzero((columns.kind == PASS) & np.isin(columns.offset, born))
    after = forks[forks + 1 < len(columns)] + 1
    after = after[np.isin(columns.kind[after], (PASS, WAIT, PAUSE))]
    gap[after[columns.client[after] == columns.client[after - 1]]] = 0
    columns.gap = gap
    return remade(columns, keep, size=size)


def _begin(columns: Columns, one: TracedClient, system: Numbers) -> _Begin:
    """Return a client with its rows after loading, and of its first and last call on own files.

    Rows are counted from its first one; -1: no call. ``system``: which load, or look for names.
    """
    part = slice(one.first, one.first + one.calls)
    calls = (columns.file[part] >= 0) & ~system[part]
    kind, mine = columns.kind[part], np.flatnonzero(calls)
    opened = mine[np.isin(kind[mine], OPENS)]
    works = mine[~np.isin(kind[mine], (*OPENS, CLOSE, SEEK))]
    begun = (*works[:1].tolist(), *opened[-1:].tolist(), one.calls)[0]
    loads = np.flatnonzero(system[part])
    before = loads[loads < begun]
    loaded = int(before[-1]) + 1 if len(before) else 1
    # What is opened or closed before its parent's copy becomes a program are redirections.
    own = mine[mine >= (loaded if len(before) else 0)]
    first = int(own[0]) if begun < one.calls and len(own) else begun
    return one, loaded, first, int(mine[-1]) if begun < one.calls else -1


def _alike(columns: Columns, begins: list[_Begin], group: Numbers) -> list[int]:
    """Return how long each program may have computed what its group computes alike; ns.

    That is before it opens a file that is there: it does not know it yet. What comes before a write
    is its work.
    """
    took, opens = np.zeros(len(begins), np.int64), np.zeros(len(begins), bool)
    for place, (one, loaded, first, _) in enumerate(begins):
        if loaded <= first < one.calls:
            took[place] = columns.gap[one.first + loaded : one.first + first + 1].sum()
            opens[place] = columns.kind[one.first + first] == OPEN
    most = np.zeros(len(begins), np.int64)
    for one in np.unique(group).tolist():
        mine = (group == one) & opens
        if mine.sum() > LEAST_STARTS // 2 and is_alike(took[mine]):
            most[mine] = 2 * np.percentile(took[mine], 25)
    return most.tolist()


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
