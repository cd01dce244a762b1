"""Short names for the values of a machine and a workload: ``disks``, ``nic.rate``, ``buffer``.

They follow the files: every value that can have a source has one. ``disk`` is how many disks there
are, ``client`` how many nodes are in that group, ``pages.capacity`` a value of the store. Of a
workload, ``buffer``, ``record``, ``policy``, ``path`` and ``processes`` are those of all jobs.

A count has a plural too (``disks``, ``clients``) if the file writes it or if it counts devices,
unless its name is no singular (``paths``, ``j90``) or something else has that name. What two values
would share names neither: they have their full paths then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from simulator.config.document import Document
from simulator.config.errors import ConfigError, Problem, did_you_mean
from simulator.config.machine_file import Machine
from simulator.config.nodes import Place
from simulator.config.settable import Value, Values, values_of
from simulator.config.settings import Setting, full_path
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


class Knobs(dict[str, Knob]):
    """What can be set, by short names."""

    def __init__(self, whose: Values | None) -> None:
        super().__init__()
        self.whose = whose
        """The machine, or else the workload."""
        self.shared: dict[str, list[str]] = {}
        """Names that could mean several values, with what to write for each."""
        self.in_jobs: dict[str, str] = {}
        """Keys of jobs and phases that have no short name, and the path of the first of each."""

    def look_up(self, name: str) -> Knob:
        """Return what a short name stands for; ValueError says why it stands for nothing."""
        name = _OTHER_WORDS.get(name, name)
        if name in self.shared:
            *some, last = self.shared[name]
            raise ValueError(f"{name!r} could be {', '.join(some)} or {last}; write one of these")
        if name not in self and name in self.in_jobs:
            raise ValueError(f"{name!r} has no short name; write its path, {self.in_jobs[name]}")
        if name not in self:
            raise ValueError(self._unknown(name))
        return self[name]

    def _unknown(self, name: str) -> str:
        there = did_you_mean(name, self)
        if not there.startswith("did"):
            there = f"there are {', '.join(one for one in self if '.' not in one)}"
        if self.whose is None:
            return f"there is no {name!r}; {there}"
        about = f"{self.whose.name} has no {name!r}; {there}"
        if self.whose.noun != "machine":
            return about
        return f"{about} (nwtsim show {self.whose.file} --knobs lists what can be set)"


def knobs_of(machine: Machine | Values | None, workload: Workload | Values | None = None) -> Knobs:
    """Return the short names of a machine's values, and those of a workload's."""
    files = [values_of(one) if isinstance(one, Document) else one for one in (machine, workload)]
    knobs = Knobs(files[0] or files[1])
    meant: dict[str, list[Knob]] = {}
    counts: dict[str, str] = {}
    for name, knob, counted in _all(*files):
        meant.setdefault(name, []).append(knob)
        if counted:
            counts[plural(name)] = name
    for name, several in meant.items():
        knobs |= {name if len(several) == 1 else one.path: one for one in several}
        if len(several) > 1:
            knobs.shared[name] = [one.path for one in several]
    for one in files[1].values if files[1] is not None else ():
        if one.path.startswith("jobs."):
            knobs.in_jobs.setdefault(one.path.rpartition(".")[2], f"workload.{one.path}")
    for name, single in counts.items():
        if name == "nodes" and name in knobs:  # The group is called node, as that of a first file.
            of_jobs = knobs.pop(name)
            knobs[of_jobs.path] = of_jobs
            knobs.shared[name] = [single, of_jobs.path]
        elif name and name not in {*_OTHER_WORDS, *_OF_JOBS, *meant} and single in knobs:
            knobs[name] = knobs[single]
    return knobs


def plural(name: str) -> str:
    """Return the plural of a name; empty if it has none.

    >>> plural("disk"), plural("entry"), plural("array"), plural("paths"), plural("j90")
    ('disks', 'entries', 'arrays', '', '')
    """
    if not name[-1:].isalpha() or name.endswith(("s", "x", "z", "ch", "sh")):
        return ""
    if name.endswith("y") and name[-2:-1] not in tuple("aeiou"):
        return f"{name[:-1]}ies"
    return f"{name}s"


def looked_up(settings: Iterable[Setting], knobs: Knobs) -> tuple[list[Setting], list[Problem]]:
    """Return settings with full paths for short names, and what is wrong with the names."""
    full: list[Setting] = []
    problems: list[Problem] = []
    for name, value in settings:
        if full_path(name):
            full.append((name, value))
            continue
        try:
            full.append((knobs.look_up(name).path, value))
        except ValueError as error:
            problems.append(Place(f"--set {name}={value}").problem("", str(error)))
    return full, problems


def resolved(
    settings: Iterable[Setting], machine: Machine | None, workload: Workload | None = None
) -> list[Setting]:
    """Return settings with full paths for short names.

    ConfigError lists the names that neither the machine nor the workload has.
    """
    settings = list(settings)
    if are_full(settings):
        return settings
    full, problems = looked_up(settings, knobs_of(machine, workload))
    if problems:
        raise ConfigError(problems)
    return full


def are_full(settings: Iterable[Setting]) -> bool:
    """Return whether all settings have full paths, so that no short name has to be looked up."""
    return all(full_path(name) for name, _ in settings)


def _all(machine: Values | None, workload: Values | None) -> Iterator[tuple[str, Knob, bool]]:
    """List what can be set: short name, what it stands for, whether it is a count."""
    for key in _OF_JOBS if workload is not None else ():
        path = f"workload.jobs.*.{key}"
        yield key, Knob(path, _of_jobs(workload, key)), False
    for head, file in (("machine", machine), ("workload", workload)):
        for one in file.values if file is not None else ():
            first, *rest = one.path.split(".")
            knob = Knob(f"{head}.{one.path}", one.text)
            if first in _NAMED and rest:
                yield _short(rest), knob, one.counted
            elif first != "jobs":
                yield one.path, knob, False


def _short(steps: list[str]) -> str:
    """Return ``disk`` for the count of disks, ``home.request`` for that of a tier of ``home``."""
    if steps[-1] == "count" and len(steps) == 2:
        return steps[0]
    return ".".join(step for step in steps if step != "tiers" and not step.isdecimal())


def _of_jobs(workload: Values | None, key: str) -> str:
    """Return the value of a key of all jobs, if they agree and say it."""
    values: Iterable[Value] = workload.values if workload is not None else ()
    said = {one.text for one in values if one.path.split(".")[::2] == ["jobs", key]}
    return next(iter(said)) if len(said) == 1 else ""
