"""Short names for the values of a machine and a workload: ``disks``, ``nic.rate``, ``buffer``.

They follow the files: every value that can have a source has one. ``disk`` is how many disks there
are, ``client`` how many nodes are in that group, ``pages.capacity`` a value of the store. Of a
workload, ``buffer``, ``record``, ``policy``, ``path`` and ``processes`` are those of all jobs.

A count has a plural too (``disks``, ``clients``) if the file writes it or if it counts devices,
unless its name is no singular (``paths``, ``j90``) or something else has that name. What two values
would share names neither: they have their full paths then.

A value has other names beside, by which reports and messages call it: ``disk.count``,
``home.tiers.2.request``, ``parts.disk.rate``, ``mpi_io.call_overhead``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Mapping_
from dataclasses import dataclass
from typing import Any

from simulator.config.errors import ConfigError, Path, Problem, dotted
from simulator.config.load import Kind
from simulator.config.machine_file import Machine, usual_cpu
from simulator.config.part import CPU
from simulator.config.quantities import Leaf, Time
from simulator.config.reader import expanded
from simulator.config.renamed import new_key, old_keys, with_names
from simulator.config.section import Choice, Items, Named, Section, Shape, fields_of, leaf_of
from simulator.config.settings import (
    POSITIONING,
    Setting,
    full_path,
    mean_positioning,
    positioned,
    positioning_times,
)
from simulator.config.sources import Document, all_leaves, provenance
from simulator.config.workload_file import Workload
from simulator.config.yamltree import (
    Mapping,
    Node,
    Place,
    Scalar,
    Sequence,
    read_tree,
    unwrapped,
    written,
)
from simulator.errors import did_you_mean
from simulator.wording import command_line, plural


@dataclass(frozen=True, slots=True)
class Value:
    """One value that can be set."""

    path: str
    """Its path in the file."""
    text: str
    """What it is; empty if nothing is there."""
    counted: bool = False
    """It is a count of nodes or parts that the file writes, or a count of devices."""
    key: str = ""
    """Of one of several numbers of a value: the end of its path, which says which one."""


@dataclass(frozen=True, slots=True)
class Values:
    """The values of one file."""

    noun: str
    """What the file is: ``machine`` or ``workload``."""
    name: str
    """What it is called."""
    file: str
    values: tuple[Value, ...]
    unset: tuple[str, ...] = ()
    """Paths of values that are left out and have no default."""


def values_of(section: Document) -> Values:
    """Return the values of a machine or a workload, in the order of its sections."""
    stated = section.origin.sources
    parts = getattr(section, "parts", {})
    means = dict(_positioned(parts))
    devices = {f"parts.{name}.count" for name, one in parts.items() if one.counted}
    rows: list[Value] = []
    for one in provenance(section):
        counted = _is_count(one.path) and one.path in {*stated, *devices}
        rows += _with_numbers(Value(one.path, one.value, counted))
        if one.path in means:
            rows.append(means[one.path])
    noun = getattr(section, "format", "").partition("/")[0]
    unset = tuple(dotted(path) for path, _, value, _ in all_leaves(section) if value is None)
    return Values(noun, section.name, section.origin.file, tuple(rows), unset)


def _positioned(parts: Mapping_[str, Section]) -> Iterator[tuple[str, Value]]:
    """Yield the mean time of positioning of each disk, after the path that it follows."""
    for at, section in positioned(parts):
        text = leaf_of(Time).show(mean_positioning(positioning_times(section)))
        path = dotted(("parts", *at))
        yield f"{path}.rotation", Value(f"{path}.{POSITIONING}", text)


def _with_numbers(value: Value) -> Iterator[Value]:
    """Yield a value, and each number of one that has several: points of a curve, directions."""
    yield value
    if value.text.startswith("{"):
        tree, _ = read_tree(value.text, "")
        for key, inner in tree.entries.items() if isinstance(tree, Mapping) else ():
            more = f"{value.key}.{key}"
            yield from _with_numbers(Value(f"{value.path}.{key}", written(inner), key=more))


def values_in(kind: Kind[Any], text: str, file: str) -> Values | None:
    """Return the values that a text has or could have, whatever is wrong with it.

    None, or ConfigError, if it has no keys at all.
    """
    tree, _ = read_tree(text, file)
    if not isinstance(tree, Mapping):
        return None
    rows = list(_leaves(tree, kind.section, ()))
    if kind.noun == "machine" and not any(row.path.startswith("parts.cpu.") for row in rows):
        rows += _leaves(Mapping(tree.place), type(usual_cpu()), ("parts", CPU))
    name = tree.entries.get("name")
    called = name.text if isinstance(name, Scalar) and name.text else file
    return Values(kind.noun, called, file, tuple(rows))


def _is_count(path: str) -> bool:
    first, _, rest = path.partition(".")
    return first in ("nodes", "parts") and rest.count(".") == 1 and rest.endswith(".count")


def _leaves(node: Node | None, shape: Shape, path: Path) -> Iterator[Value]:
    """Walk over the keys that the sections of a tree have, written or not."""
    if isinstance(shape, Leaf):
        if shape.sourced:
            text = "" if node is None else written(unwrapped(node))
            here = dotted(path)
            yield from _with_numbers(Value(here, text, _is_count(here) and node is not None))
        return
    node = None if node is None else expanded(node, shape)
    if isinstance(shape, type):
        if isinstance(node, Mapping):
            node = with_names(node, old_keys(node, shape))
        entries = node.entries if isinstance(node, Mapping) else {}
        for key, inner in fields_of(shape).items():
            yield from _leaves(entries.get(key), inner, (*path, key))
    elif isinstance(node, Sequence) and isinstance(shape, Items):
        for index, one in enumerate(node.items):
            yield from _leaves(one, shape.item, (*path, index))
    elif isinstance(node, Mapping) and isinstance(shape, Named):
        for key, one in node.entries.items():
            yield from _leaves(one, shape.item, (*path, key))
    elif isinstance(node, Mapping) and isinstance(shape, Choice):
        chosen = shape.chosen(node.entries)
        if chosen is not None:
            yield from _leaves(node, chosen, path)


_OF_JOBS = ("processes", "record", "buffer", "policy", "path", "nodes", "repeat", "start")
_OPTIONS = {
    "seed": "the option --seed (seed= in Python), or '--vary seed=1..8 +1'",
    "engine": "the option --engine (engine= in Python)",
    "jobs": "the option --jobs (jobs= in Python) for processes of a sweep, or clients",
}
"""What is set in another way."""
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
        self.others: dict[str, Knob] = {}
        """Other names of the same values, and names of values that are left out."""
        self.groups: set[str] = set()
        """The names of groups of nodes."""
        self.in_jobs: dict[str, str] = {}
        """Keys of jobs and phases that have no short name, and the path of the first of each."""

    def find(self, name: str) -> Knob | None:
        """Return what one of its names stands for; None if that is nothing, or several values."""
        name = _OTHER_WORDS.get(name, name)
        if found := self.get(name) or (None if name in self.shared else self.others.get(name)):
            return found
        whole, _, key = name.rpartition(".")
        if whole and new_key(key) != key:
            return self.find(f"{whole}.{new_key(key)}")
        one_of_several = key.isdecimal() or key in {"read", "write", *self.groups}
        found = self.find(whole) if whole and one_of_several else None
        if found is None or found.path.endswith(".count"):
            return None
        return Knob(f"{found.path}.{key}", "")

    def look_up(self, name: str) -> Knob:
        """Return what a short name stands for; ValueError says why it stands for nothing."""
        if found := self.find(name):
            return found
        name = _OTHER_WORDS.get(name, name)
        if name in self.shared:
            *some, last = self.shared[name]
            raise ValueError(f"{name!r} could be {', '.join(some)} or {last}; write one of these")
        if name in _OPTIONS:
            raise ValueError(f"{name!r} is no value of a file; write {_OPTIONS[name]}")
        if name in self.in_jobs:
            raise ValueError(f"{name!r} has no short name; write its path, {self.in_jobs[name]}")
        raise ValueError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        if of_resource := self._of_resource(name):
            return f"{name!r} is no value; of this resource one can set {of_resource}"
        known = [*self, *self.others, *self.shared, *_OPTIONS, *_OTHER_WORDS]
        there = did_you_mean(name, (one for one in known if "." in one or "." not in name))
        if not there.startswith("did"):
            there = f"there are {', '.join(one for one in self if '.' not in one)}"
        if self.whose is None:
            return f"there is no {name!r}; {there}"
        about = f"{self.whose.name} has no {name!r}; {there}"
        if self.whose.noun != "machine":
            return about
        knobs = command_line("nwtsim", "show", self.whose.file, "--knobs")
        return f"{about} ({knobs} lists what can be set)"

    def _of_resource(self, name: str) -> str:
        """List the values of a resource that reports call like this: ``server.nic.in``."""
        steps = name.split(".")
        if len(steps) > 1 and {steps[0], steps[0].rstrip("0123456789")} & self.groups:
            del steps[0]
        if steps[-1] in ("in", "out", "writeback"):
            del steps[-1]
        resource = ".".join(steps)
        if resource != name and resource in self:
            return resource
        return ", ".join(one for one in self if resource and one.startswith(f"{resource}."))


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
            path = f"workload.{one.path}"
            knobs.in_jobs.setdefault(one.path.rpartition(".")[2], path)
            knobs.others[one.path] = Knob(path, one.text)
    for name, single in counts.items():
        if name == "nodes" and name in knobs:  # The group is called node, as that of a first file.
            of_jobs = knobs.pop(name)
            knobs[of_jobs.path] = of_jobs
            knobs.shared[name] = [single, of_jobs.path]
        elif name and name not in {*_OTHER_WORDS, *_OF_JOBS, *meant}:
            own = [one for one in meant[single] if one.path.endswith(".count")]
            if len(own) == 1:
                knobs[name] = own[0]
    unset = [
        Knob(f"{head}.{path}", "")
        for head, file in zip(("machine", "workload"), files, strict=True)
        for path in (file.unset if file is not None else ())
        if not path.startswith("jobs.")  # What all jobs have is set for all.
    ]
    knobs.groups = {
        one.path.split(".")[1]
        for one in (files[0].values if files[0] is not None else ())
        if one.path.startswith("nodes.")
    }
    _add_others(knobs, unset)
    return knobs


def run_knobs_of(machine: Machine) -> dict[str, Knob]:
    """Return the short names of a machine's values that each run takes, whatever its workload.

    A group called ``buffer`` has the name of what all jobs have: that is refused as unclear.
    """
    knobs = knobs_of(machine, Values("workload", "", "", ()))
    return {name: one for name, one in knobs.items() if one.path.startswith("machine.")}


def _add_others(knobs: Knobs, unset: Iterable[Knob]) -> None:
    """Add the other names of values, and names of values that are left out.

    Of what two would share, the name is that of neither.
    """
    twice: set[str] = set()
    for knob in dict.fromkeys([*knobs.values(), *unset]):
        for name in _other_names(knob.path.split(".")):
            if name not in knobs and knobs.others.setdefault(name, knob) != knob:
                twice.add(name)
    for name in twice:
        del knobs.others[name]


def _other_names(path: list[str]) -> Iterator[str]:
    """Yield the path without the file that it is of, and without the section."""
    names = [".".join(path[1:])]
    if path[1] in _NAMED or path[1:3] == ["runtime", "mpi_io"]:
        names += [".".join(path[2:]), _short(path[2:])]
    yield from dict.fromkeys(names)


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
            first, *rest = one.path.removesuffix(one.key).split(".")
            knob = Knob(f"{head}.{one.path}", one.text)
            if first in _NAMED and rest:
                yield _short(rest) + one.key, knob, one.counted
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
    texts = {one.text for one in values if one.path.split(".")[::2] == ["jobs", key]}
    return next(iter(texts)) if len(texts) == 1 else ""
