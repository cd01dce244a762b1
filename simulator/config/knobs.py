"""Short names for the values of a machine and a workload: ``disks``, ``nic.rate``, ``buffer``.

They follow the files: every value that can have a source has one. ``disk`` (or ``disks``) is how
many disks there are, ``client`` how many nodes are in that group, ``pages.capacity`` a value of the
store. Of a workload, ``buffer``, ``record``, ``policy``, ``path`` and ``processes`` are those of
all jobs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from simulator.config.document import Document
from simulator.config.errors import ConfigError, Problem, did_you_mean
from simulator.config.machine_file import Machine
from simulator.config.nodes import Place
from simulator.config.settings import Setting, full_path
from simulator.config.sources import provenance
from simulator.config.workload_file import Workload

_OF_JOBS = ("processes", "record", "buffer", "policy", "path", "nodes", "repeat", "start")
_OTHER_WORDS = {"clients": "processes"}
_NAMED = ("parts", "stores", "buffer_caches", "nodes", "filesystems", "services", "sites", "files")
"""Sections whose entries have names; a short name begins with that name."""


@dataclass(frozen=True, slots=True)
class Knob:
    """A short name for a value."""

    path: str
    """The full path, which begins with ``machine.`` or ``workload.``."""
    value: str
    """What it is without a setting; empty if nothing is there."""


def knobs_of(machine: Machine | None, workload: Workload | None = None) -> dict[str, Knob]:
    """Return the short names of a machine's values, and those of a workload; the first of a name.

    A count has the name of what it counts, also with an *s* at its end.
    """
    found: dict[str, Knob] = {}
    for name, knob in _all(machine, workload):
        found.setdefault(name, knob)
    for name, knob in list(found.items()):
        if knob.path.endswith(".count") and f"{name}s" not in _OTHER_WORDS:
            found.setdefault(f"{name}s", replace(knob))
    return found


def resolved(
    settings: Iterable[Setting], machine: Machine | None, workload: Workload | None = None
) -> list[Setting]:
    """Return settings with full paths for short names.

    ConfigError lists the names that neither the machine nor the workload has.
    """
    knobs: dict[str, Knob] | None = None
    full: list[Setting] = []
    problems: list[Problem] = []
    for name, value in settings:
        if full_path(name):
            full.append((name, value))
            continue
        if knobs is None:
            knobs = knobs_of(machine, workload)
        knob = knobs.get(_OTHER_WORDS.get(name, name))
        if knob is None:
            about = unknown(name, machine or workload, knobs)
            problems.append(Place(f"--set {name}={value}").problem("", about))
        else:
            full.append((knob.path, value))
    if problems:
        raise ConfigError(problems)
    return full


def are_full(settings: Iterable[Setting]) -> bool:
    """Return whether all settings have full paths, so that no short name has to be looked up."""
    return all(full_path(name) for name, _ in settings)


def unknown(name: str, file: Document | None, knobs: Iterable[str]) -> str:
    """Say that a machine, or a workload, has no such short name, and which it has."""
    names = list(knobs)
    there = did_you_mean(name, names)
    if not there.startswith("did"):
        there = f"there are {', '.join(one for one in names if '.' not in one)}"
    if file is None:
        return f"there is no {name!r}; {there}"
    if not isinstance(file, Machine):
        return f"{file.name} has no {name!r}; {there}"
    return (
        f"{file.name} has no {name!r}; {there}"
        f" (nwtsim show {file.origin.file} --knobs lists what can be set)"
    )


def _all(machine: Machine | None, workload: Workload | None) -> Iterator[tuple[str, Knob]]:
    for key in _OF_JOBS if workload is not None else ():
        yield key, Knob(f"workload.jobs.*.{key}", _of_jobs(workload, key))
    for head, section in (("machine", machine), ("workload", workload)):
        if section is None:
            continue
        for one in provenance(section):
            first, *rest = one.path.split(".")
            if first in _NAMED and rest:
                yield _short(rest), Knob(f"{head}.{one.path}", one.value)
            elif first != "jobs":
                yield one.path, Knob(f"{head}.{one.path}", one.value)


def _short(steps: list[str]) -> str:
    """Return ``disk`` for the count of disks, ``home.request`` for that of a tier of ``home``."""
    if steps[-1] == "count" and len(steps) == 2:
        return steps[0]
    return ".".join(step for step in steps if step != "tiers" and not step.isdecimal())


def _of_jobs(workload: Workload | None, key: str) -> str:
    """Return the value of a key of all jobs, if they agree and say it."""
    if workload is None:
        return ""
    said = {one.value for one in provenance(workload) if one.path.split(".")[::2] == ["jobs", key]}
    return next(iter(said)) if len(said) == 1 else ""
