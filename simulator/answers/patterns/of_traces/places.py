"""Places of the files of a traced program: on one server, behind slow devices, or elsewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from simulator.answers.advise import Change, Cure, Finding, rewriting
from simulator.answers.calls import MOVES, READS, Numbers, Streams
from simulator.answers.filerewrites import EVERY, own_files, restriped
from simulator.answers.levers import levers_of
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from simulator.answers.program import Program

_LEAST_CALLS = 8
_LEAST_CLIENTS = 4
_FEW = 0.2
"""Part of the calls that may be on files of the system where the others are to be moved."""
_SYSTEM = re.compile(r"/(bin|boot|dev|etc|lib(32|64|x32)?|nix|proc|run|sbin|snap|sys|usr)(/|$)")


def shared_hotspot(program: Program) -> list[Finding]:
    """Many processes on one file at a time, which is on one server, or behind one lock.

    Found: files that several processes write to or read from. Cured by files of their own, where
    they only write, or by more stripes, where the machine stripes files over some of its servers.
    """
    columns = program.columns
    used = columns.streams(MOVES, moving=True)
    many = len(program.traced.files)
    clients = np.bincount(used.files, minlength=many)
    calls = np.bincount(used.files, used.counts, many)
    hot = np.flatnonzero((clients >= _LEAST_CLIENTS) & (calls >= _LEAST_CALLS))
    hot = _at_once(program, used, hot)
    if not len(hot):
        return []
    rows = used.rows[np.isin(used.of & 0xFFFFFFFF, hot)]
    read = np.unique(columns.file[rows][np.isin(columns.kind[rows], READS)])
    own, stripes = np.setdiff1d(hot, read), _stripes(program, hot)
    if not stripes:
        hot, rows = own, rows[np.isin(columns.file[rows], own)]
    cures = []
    if len(own) and not program.placed:
        cures.append(
            Cure(
                how=f"Let each process write a file of its own ({counted(len(own), 'file')}), for"
                " example with its rank in the name, and join them afterwards if need be.",
                change=rewriting(own_files, own),
                presumes="what reads the file later can read several.",
                wider=True,
            )
        )
    cures += stripes
    if not cures:
        return []
    moved = int(columns.size[rows].sum())
    told = f"{counted(len(hot), 'file')} used by up to {int(clients[hot].max()):,} processes"
    told += f" each: {counted(len(rows), 'call')}, {brief_size(moved)}."
    return [program.finding("shared-hotspot", told, rows, cures)]


def _at_once(program: Program, used: Streams, files: Numbers) -> Numbers:
    """Return those of some files that enough processes use which live at the same time.

    Without times all of them: processes that follow each other are not known from others.
    """
    if program.began is None:
        return files
    ends = [
        (int(program.began[one.first]), int(program.began[one.first + one.calls - 1]))
        if one.calls
        else (0, 0)
        for one in program.traced.clients
    ]
    lives = np.array(ends, np.int64).reshape(-1, 2)
    kept = []
    for file in files.tolist():
        mine = lives[used.pairs[used.files == file] >> 32]
        change = np.repeat((1, -1), len(mine))
        order = np.lexsort((-change, np.concatenate([mine[:, 0], mine[:, 1]])))
        if int(np.cumsum(change[order]).max()) >= _LEAST_CLIENTS:
            kept.append(file)
    return np.array(kept, np.int64)


def _stripes(program: Program, hot: Numbers) -> list[Cure]:
    """Return cures by which files are striped over more servers than by the log, or by default."""
    cures: list[Cure] = []
    most = max(program.traced.files[one].stripes[0] for one in hot.tolist())
    if most:
        for many, words in ((2 * most, f"{2 * most:,}"), (EVERY, "all")):
            how = f"Stripe the file over more servers: {words} instead of {most:,}, as in the log"
            how += f" (lfs setstripe -c {-1 if many == EVERY else many}, before it is made)."
            cures.append(Cure(how, rewriting(restriped, hot, many), level="setting"))
        return cures
    for lever in levers_of(program.machine):
        if lever.where == "tier" and lever.what.startswith("over"):
            if lever.owner != program.filesystem:
                continue
            for over in (lever.settings("twice"), ((lever.values[0].path, "all"),)):
                if over:
                    how = f"Stripe the file over more servers: {over[0][1]} instead of"
                    how += f" {lever.values[0].text} (Lustre: lfs setstripe -c, before it is made)."
                    cures.append(Cure(how, Change(settings=over), level="setting"))
    return cures


def _apart(program: Program) -> Numbers:
    """Return for each file whether it is the operating system's: nobody moves it for a job."""
    return np.array([of_system(one.name) for one in program.traced.files], bool)


def of_system(name: str) -> bool:
    """Return whether a file is the operating system's."""
    return _SYSTEM.match(name) is not None


def no_prestage(program: Program) -> list[Finding]:
    """Files read from slow devices that a fast store could have held when the job started.

    Found: files that existed before, and are not the operating system's, on a path with a store
    that is not the page cache of a process's own node. Cured by prestaging. The time that it takes
    is before the job, and is not counted.
    """
    store = program.path.stages
    if not store or program.prestaged or program.placed:
        return []
    columns = program.columns
    there = np.array([one.length > 0 for one in program.traced.files], bool)
    old = np.flatnonzero(there & ~_apart(program))
    rows = np.flatnonzero(columns.moving(READS) & np.isin(columns.file, old))
    if not len(rows):
        return []
    used = np.unique(columns.file[rows])
    length = sum(program.traced.files[one].length for one in used.tolist())
    files = program.files(rows)
    return [
        Finding(
            pattern="no-prestage",
            found=f"{counted(len(files), 'file')} ({brief_size(length)}) that existed before the"
            f" job are read from behind {store}.",
            cures=(
                Cure(
                    how=f"Bring the files into {store} before the job starts (stage in).",
                    change=Change(prestage=True),
                    presumes="the time that it takes is not the job's; it is not counted here.",
                    level="setting",
                ),
            ),
            files=files,
            calls=len(rows),
            example=program.example(int(rows[0])),
        )
    ]


def other_filesystem(program: Program) -> list[Finding]:
    """Files on one file system of a machine that has others.

    Found: machines with several, and few calls on files of the operating system, which stay where
    they are. Cured by having all files on another one; what has to be brought there first takes
    time that is not counted.
    """
    others = [name for name in program.machine.filesystems if name != program.filesystem]
    files = program.traced.files
    system = _apart(program)
    used = np.flatnonzero(program.columns.file >= 0)
    rows = used[~system[program.columns.file[used]]]
    of_system = len(used) - len(rows)
    if not others or program.placed or not len(rows) or of_system > _FEW * len(used):
        return []
    old = sum(one.length for one, away in zip(files, system, strict=True) if not away)
    presumes = "it has room for them"
    if old:
        presumes += f"; bringing {brief_size(old)} there is not counted"
    if of_system:
        presumes += (
            f"; {counted(of_system, 'call')} of files of the system are simulated there as well"
        )
    cures = [
        Cure(
            f"Have the files on {name} instead of {program.filesystem}.",
            Change(filesystem=name),
            f"{presumes}.",
            f"files on {name} may have no backup, or be removed after a while.",
            level="setting",
            kind=name,
        )
        for name in others
    ]
    told = f"{counted(len(program.files(rows)), 'file')} on {program.filesystem}; the machine has"
    told += f" {' and '.join(others)} as well."
    return [program.finding("other-filesystem", told, rows, cures)]
