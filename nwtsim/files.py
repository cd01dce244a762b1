"""Machines and workloads as Python objects: attributes of their sections, and modified copies."""

from __future__ import annotations

from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from nwtsim.arguments import python_words
from nwtsim.rows import Named
from nwtsim.settings import Settings, Value, pairs_of
from simulator.errors import did_you_mean, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.config.caches import BufferCache, Store
    from simulator.config.errors import Problem
    from simulator.config.filesystems import FileSystem, Tiers
    from simulator.config.load import Kind
    from simulator.config.machine_file import Group
    from simulator.config.machine_file import Machine as MachineFile
    from simulator.config.part import Part
    from simulator.config.runtime import Runtime
    from simulator.config.services import Service, Site
    from simulator.config.sources import Document
    from simulator.config.workload_file import File as UsedFile
    from simulator.config.workload_file import Job
    from simulator.config.workload_file import Workload as WorkloadFile
    from simulator.inputfile import Source
    from simulator.study.grid import Files

Self = TypeVar("Self", bound="File")
PartOf = TypeVar("PartOf", bound="Part")


class File:
    """A machine or workload file with some settings.

    Its attributes are those of the file: ``machine.parts["disk"].rate``; sizes are bytes, times
    nanoseconds, rates bytes per second.
    """

    noun: ClassVar[str] = ""

    def __init__(
        self, source: str | Path, settings: Settings | None = None, **keywords: Value
    ) -> None:
        """``source``: a file, the name of a shipped one, or the YAML text itself (several lines).

        Short names of settings are those of this file. ConfigError lists the faults of the file,
        and of the names and values of settings.
        """
        from simulator.run import with_full_paths

        self._source = source_of(source, self.noun)
        self._settings: tuple[tuple[str, str], ...] = ()
        given = pairs_of(settings, keywords)
        with python_words():
            if given:
                self._settings = tuple(with_full_paths(given, *self._files()))
            _ = self._section  # Report faults here, not at the first use.

    @property
    def source(self) -> Source:
        """Its source: a file, a shipped name, or a text."""
        return self._source

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """Applied settings, as full paths and texts."""
        return self._settings

    @property
    def name(self) -> str:
        """Its short name."""
        return self._section.name

    @property
    def title(self) -> str:
        """Its title, for people."""
        return self._section.title

    @property
    def references(self) -> dict[str, str]:
        """Literature cited by sources, by key."""
        return self._section.references

    def replace(self: Self, settings: Settings | None = None, **keywords: Value) -> Self:
        """Return a copy with other values; ConfigError lists wrong names and values together.

        >>> import nwtsim
        >>> machine = nwtsim.load_machine("workstation")
        >>> faster = machine.replace({"ssd.rate": "9 GB/s"})
        >>> machine.parts["ssd"].rate == faster.parts["ssd"].rate
        False
        """
        from simulator.config.errors import raise_errors
        from simulator.config.knobs import are_full, looked_up
        from simulator.run import mistakes_in

        problems: list[Problem] = []
        full = pairs_of(settings, keywords)
        if not are_full(full):
            full, problems = looked_up(full, self._knobs())
        copy = object.__new__(type(self))
        copy._source = self._source
        copy._settings = (*self._settings, *full)
        with python_words():
            if problems:
                raise_errors([*problems, *mistakes_in(*self._files(), copy._settings)])
            _ = copy._section
        return copy

    def knobs(self) -> dict[str, str]:
        """Return the short names of settable values, and the current values."""
        return {name: knob.value for name, knob in self._knobs().items()}

    def values(self) -> list[dict[str, str]]:
        """Return every value with its path and its source, defaults included."""
        from simulator.config.sources import provenance

        return [
            {"path": one.path, "value": one.value, "source": one.kind, "detail": one.detail}
            for one in provenance(self._section)
        ]

    @cached_property
    def _section(self) -> Document:
        from simulator.run import load

        section: Document = load(self._kind(), self._source, self._settings)
        return section

    def _kind(self) -> Kind[Any]:
        raise NotImplementedError

    def _knobs(self) -> Any:
        raise NotImplementedError

    def _files(self) -> tuple[Source | None, Source | None]:
        """Return a machine and a workload, one of which is this one."""
        raise NotImplementedError

    if not TYPE_CHECKING:  # For type checkers, attributes without a property here are mistakes.

        def __getattr__(self, name: str) -> Any:
            """Return other attributes of the file, such as ``format`` and ``origin``."""
            if name.startswith("_"):
                raise AttributeError(name)
            if hasattr(self._section, name):
                return getattr(self._section, name)
            known = [one for one in dir(self) if not one.startswith("_")]
            raise AttributeError(f"a {self.noun} has no {name!r}; {did_you_mean(name, known)}")

    def __dir__(self) -> list[str]:
        from simulator.config.section import fields_of

        return sorted({*super().__dir__(), *fields_of(type(self._section))})

    def __repr__(self) -> str:
        title = f": {self._section.title}" if self._section.title else ""
        lines = [f"{type(self).__name__} {self._section.name}{title}", *self._lines()]
        return "<" + "\n ".join(lines) + ">"

    def _lines(self) -> list[str]:
        return []


class Machine(File):
    """A machine: groups of nodes, resources, stores, file systems.

    Resources are of the classes of :mod:`nwtsim.parts`; :meth:`part` checks the expected one.
    """

    noun: ClassVar[str] = "machine"

    @property
    def section(self) -> MachineFile:
        """The typed section, as in the simulator."""
        return cast("MachineFile", self._section)

    @property
    def nodes(self) -> dict[str, Group]:
        """Groups of equal nodes, by name."""
        return Named(self.section.nodes)

    @property
    def parts(self) -> dict[str, Part]:
        """Resources, by name."""
        return Named(self.section.parts)

    @property
    def stores(self) -> dict[str, Store]:
        """Caches and memory tiers, by name."""
        return Named(self.section.stores)

    @property
    def filesystems(self) -> dict[str, FileSystem]:
        """The file systems, by name; files without one use the first."""
        return Named(self.section.filesystems)

    @property
    def buffer_caches(self) -> dict[str, BufferCache]:
        """Caches of I/O nodes, by name."""
        return self.section.buffer_caches

    @property
    def messages(self) -> Tiers | None:
        """Path of messages between nodes; None: by the first network."""
        return self.section.messages

    @property
    def sites(self) -> dict[str, Site]:
        """Sites with networks of ``link`` resources, by name."""
        return self.section.sites

    @property
    def services(self) -> Mapping[str, Service]:
        """Message, process and numerical servers, and the clients of these, by name."""
        return self.section.services

    @property
    def runtime(self) -> Runtime:
        """The machine's I/O of programs."""
        return self.section.runtime

    def part(self, name: str, kind: type[PartOf]) -> PartOf:
        """Return a resource of a class of :mod:`nwtsim.parts`, so that editors know its fields.

        UnknownNameError for an unknown name, TypeError for another kind.

        >>> import nwtsim
        >>> machine = nwtsim.load_machine("workstation")
        >>> machine.part("disk", nwtsim.parts.Disk).rate.read
        125000000.0
        """
        if name not in self.parts:
            raise unknown(f"{self.name} has no part", name, self.parts)
        found = self.parts[name]
        if not isinstance(found, kind):
            about = f"is a {type(found).__name__}, not a {kind.__name__}"
            raise TypeError(f"the part {name!r} of {self.name} {about}")
        return found

    def _kind(self) -> Kind[Any]:
        from simulator.config.formats import MACHINE

        return MACHINE

    def _knobs(self) -> Any:
        from simulator.config.knobs import knobs_of

        return knobs_of(self.section)

    def _files(self) -> tuple[Source | None, Source | None]:
        return self._source, None

    def _lines(self) -> list[str]:
        lines = []
        for noun in ("nodes", "parts", "stores", "filesystems"):
            names = list(getattr(self.section, noun))
            if names:
                lines.append(f"{noun}: {', '.join(names)}")
        return lines


class Workload(File):
    """A workload: files, and jobs of processes that use them."""

    noun: ClassVar[str] = "workload"

    @property
    def section(self) -> WorkloadFile:
        """The typed section, as in the simulator."""
        return cast("WorkloadFile", self._section)

    @property
    def files(self) -> dict[str, UsedFile]:
        """The files, by name."""
        return self.section.files

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs, which run concurrently."""
        return self.section.jobs

    def _kind(self) -> Kind[Any]:
        from simulator.config.formats import WORKLOAD

        return WORKLOAD

    def _knobs(self) -> Any:
        from simulator.config.knobs import knobs_of

        return knobs_of(None, self.section)

    def _files(self) -> tuple[Source | None, Source | None]:
        return None, self._source

    def _lines(self) -> list[str]:
        from simulator.wording import counted

        jobs = [f"job {job.name}: {counted(job.ranks, 'process')}" for job in self.jobs]
        return [*jobs[:6], *(["..."] if len(jobs) > 6 else [])]


def source_of(source: str | Path, noun: str) -> Source:
    """Return a file or name as it is, and several lines as the text of a file."""
    from simulator.inputfile import Text

    if not isinstance(source, str | PathLike):
        raise TypeError(f"a {noun} must be a name, a file or a YAML text, not {source!r}")
    if isinstance(source, str) and "\n" in source:
        return Text(source, f"<{noun}>")
    return source


def named(machine: Source, workload: Source) -> tuple[tuple[str, str], Files]:
    """Return the names of a machine and a workload, and their texts if they are given as such.

    A text has no file, so that it is read from here.
    """
    from simulator.inputfile import Text

    texts = [one if isinstance(one, Text) else None for one in (machine, workload)]
    names = [one.name if isinstance(one, Text) else str(one) for one in (machine, workload)]
    return (names[0], names[1]), (texts[0], texts[1])


def given(
    machine: str | Path | Machine, workload: str | Path | Workload
) -> tuple[Source, Source, list[tuple[str, str]]]:
    """Return the sources of a machine and a workload, and their settings."""
    sources: list[Source] = []
    settings: list[tuple[str, str]] = []
    for noun, file in (("machine", machine), ("workload", workload)):
        if isinstance(file, File):
            sources.append(file.source)
            settings += file.settings
        else:
            sources.append(source_of(file, noun))
    return sources[0], sources[1], settings
