"""Sources of the numbers of a file, and reasons for defaults."""

from __future__ import annotations

import functools
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any, Literal, NamedTuple, Protocol

from simulator.config.errors import Path, Problem, dotted
from simulator.config.quantities import FileName, Leaf, Text
from simulator.config.range import Range
from simulator.config.section import Section, fields_of
from simulator.config.yamltree import Place
from simulator.errors import did_you_mean
from simulator.kinds import classes_of
from simulator.units import shown

SINGLE = "neutral: one"
FREE = "neutral: it costs nothing unless the file says so"
STILL = "neutral: a device without moving parts"
A_CORE = "assumed: a core of a server of about 2015 copies 5 GB/s and more"
A_CALL = "assumed: a system call on a file takes 1 to 3 us beside its copying"
ONE_WAY = "a device serves reads and writes alike; channels and links have each way for itself"
_ROMIO = "ROMIO's hint"
_OFFERED = "parallel file systems with an interface of their own have it; their clients ask for it"
_LINUX = "Linux kernel documentation, admin-guide/sysctl/vm"

DEFAULTS = {
    "Group.count": SINGLE,
    "BufferCache.block": "assumed: blocks of parallel file systems have 64 KiB and more",
    "BufferCache.prefetch": "neutral: nothing is read ahead",
    "MessageServer.lookup": FREE,
    "MessageServer.copy_rate": A_CORE,
    "MessageServer.header": "assumed: an address, a length and a few numbers",
    "MessageServer.location_cache": "a port never moves, so what is remembered stays true",
    "NumericalServer.favoured": "UNIX favours processes that have used little CPU time",
    "NumericalServer.at_once": "neutral: all calls compute at once",
    "Library.threads": SINGLE,
    "Library.half": "neutral: the full speed at any length",
    "Variation.run": "neutral: no variation between runs",
    "Variation.request": "neutral: no variation between requests",
    "Variation.distribution": "service times are positive and skewed; their logarithms are not",
    "Store.block": "a page of x86-64",
    "Store.policy": "what most caches approximate",
    "Store.write": "what page caches do (POSIX asks no more of write)",
    "Store.dirty": f"{_LINUX}: dirty_ratio 20",
    "Store.start": f"{_LINUX}: write-back starts at a mark",
    "Store.high": f"{_LINUX}: dirty_background_ratio 10; not above the dirty limit",
    "Store.writers": "assumed: one thread for each device, as Linux has",
    "Store.interval": f"{_LINUX}: dirty_writeback_centisecs 500",
    "Store.elastic": "neutral: it has all its capacity",
    "Store.release": "neutral: blocks go when their room is needed",
    "Attributes.min": "Linux manual page nfs(5): acregmin 3",
    "Attributes.max": "Linux manual page nfs(5): acregmax 60",
    "FileSystem.close": "POSIX: close does not wait for the device",
    "Request.window": "neutral: one request after the other",
    "Request.aligned": "what page caches and parallel file systems do",
    "Route.window": "neutral: one request after the other",
    "Stripe.placement": "Lustre and BeeGFS take targets in turn as long as all are about as full",
    "Stripe.over": "neutral: all members",
    "Runtime.policy": "programs in C and most other languages call the system directly",
    "MpiIo.call_overhead": A_CALL,
    "MpiIo.item_overhead": FREE,
    "MpiIo.item_size": "an offset and a length of 8 bytes each",
    "MpiIo.stride_size": "four numbers of 8 bytes",
    "MpiIo.copy_rate": A_CORE,
    "MpiIo.transfer_buffer": "assumed: 1 MiB, the largest request of many file systems",
    "MpiIo.sieve_buffer": f"{_ROMIO} ind_rd_buffer_size: 4 MiB",
    "MpiIo.sieve_write_buffer": f"{_ROMIO} ind_wr_buffer_size: 512 KiB",
    "MpiIo.collective_buffer": f"{_ROMIO} cb_buffer_size: 16 MiB",
    "MpiIo.lock_overhead": FREE,
    "MpiIo.barrier_overhead": FREE,
    "MpiIo.stride_io": _OFFERED,
    "MpiIo.list_io": _OFFERED,
    "MpiIo.disk_directed": _OFFERED,
    "MpiIo.file_lock": "ROMIO: a write that changes part of what it writes holds the file's lock",
    "MpiTransfer.access": "what MPI-IO has over POSIX",
    "MpiTransfer.method": "neutral: the best that the file system offers",
    "MpiTransfer.nonblocking": "neutral: a call returns when it is done",
    "Job.skew": "neutral: all start at one time",
    "Layout.over": "neutral: all members",
    "Runtime.buffer": "GNU Fortran manual: GFORTRAN_UNFORMATTED_BUFFER_SIZE is 131,072 bytes",
}
"""Why each default is what it is."""


@functools.cache
def _of_parts() -> dict[str, str]:
    """The reasons that kinds of parts give for their defaults."""
    sections: Iterator[type[Section]] = classes_of("parts", "section", Section)
    return {f"{one.__name__}.{key}": why for one in sections for key, why in one.reasons.items()}


def why(section: str, key: str) -> str:
    """Return why the default of a key is what it is; empty if nothing is said of it."""
    place = f"{section}.{key}"
    return DEFAULTS.get(place) or _of_parts().get(place, "")


Kind = Literal[
    "paper",
    "literature",
    "calibrated",
    "assumed",
    "measured",
    "unstated",
    "set by the user",
    "default",
]
"""``unstated``: a plain value. ``default``: the file leaves the key out. The rest as written."""

_DETAILS: dict[str, tuple[Kind, str]] = {
    "paper": ("paper", "the section, as in 'paper 2.1'"),
    "literature": ("literature", "a key of references, as in 'literature mynavi'"),
    "calibrated": ("calibrated", "the tables, as in 'calibrated 4.2(1)'"),
    "measured": ("measured", "what was measured, as in 'measured with dd, 2024'"),
}


@dataclass(frozen=True, slots=True)
class Source:
    """Where one value comes from."""

    kind: Kind
    detail: str = ""
    """What follows the kind: the section, the key under ``references``, the tables."""
    note: str = ""
    """The file's note on this value."""
    text: str = ""
    """The source as written."""
    range: Range | None = None
    """How far an assumed or calibrated value may be from what is written."""


UNSTATED = Source("unstated")
BY_USER = Source("set by the user", text="set by the user")
DEFAULT = Source("default", text="default")


def parse_source(text: str, references: Container[str], note: str = "") -> Source:
    """Read ``paper 2.1``, ``literature KEY``, ``calibrated TABLES``, ``measured HOW``, ``assumed``.

    ValueError if it is none of these, or KEY is not among ``references``.

    >>> parse_source("paper 2.1", {}).detail
    '2.1'
    """
    first, _, detail = (text := " ".join(text.split())).partition(" ")
    if first == "assumed":
        if detail:
            raise ValueError(f"{shown(text)} says more; write 'assumed', and the rest as note")
        return Source("assumed", "", note, text)
    if first not in _DETAILS:
        kinds = "paper, literature, calibrated, measured or assumed"
        raise ValueError(f"{shown(text)} is not a source; begin with {kinds}")
    kind, what = _DETAILS[first]
    if not detail:
        raise ValueError(f"{shown(text)} lacks {what}")
    if kind == "literature" and detail not in references:
        known = list(references) if isinstance(references, dict) else []
        raise ValueError(f"{shown(detail)} is not in references; {did_you_mean(detail, known)}")
    return Source(kind, detail, note, text)


@dataclass(frozen=True)
class Origin:
    """What a section remembers of its file."""

    file: str = "<python>"
    places: dict[Path, Place] = field(default_factory=dict)
    """The place of each key and value."""
    sources: dict[str, Source] = field(default_factory=dict)
    """The source of each value that can have one, by its dotted path."""
    texts: dict[str, str] = field(default_factory=dict)
    """Each of these values as written."""

    def place(self, path: Path) -> Place:
        """Return the place of a value, or of the nearest thing around it."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, Place(self.file))

    def problem(self, path: Path, about: str) -> Problem:
        """Report what is wrong with a value."""
        return self.place(path).problem(dotted(path), about)


class Stated(NamedTuple):
    """One value and where it comes from."""

    path: str
    value: str
    kind: Kind
    detail: str
    note: str


class FromFile(Protocol):
    """A machine or a workload."""

    @property
    def origin(self) -> Origin:
        """The file it was read from."""
        ...


def provenance(section: FromFile) -> list[Stated]:
    """List every value that can have a source, in the order of the sections, defaults too.

    The text of a value is that of its author; of a default, the shortest that means it.
    """
    origin = section.origin
    explained = getattr(section, "format", "").endswith("/2")
    lines = []
    for path, leaf, value, owner in leaves(section):
        key = dotted(path)
        source = origin.sources.get(key, DEFAULT)
        text = origin.texts.get(key) or leaf.show(value)
        note = why(owner, str(path[-1])) if source is DEFAULT and explained else source.note
        lines.append(Stated(key, text, source.kind, source.detail, note))
    return lines


def unproven(section: FromFile) -> dict[Kind, list[Stated]]:
    """List the assumed, calibrated and unstated values and those set by the user, by kind."""
    kinds: tuple[Kind, ...] = ("assumed", "calibrated", "unstated", "set by the user")
    listed = provenance(section)
    return {kind: [one for one in listed if one.kind == kind] for kind in kinds}


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Leaf, Any, str]]:
    """Walk over the values of a typed section that are not None, each with its section's name."""
    return (one for one in all_leaves(value, path) if one[2] is not None)


def all_leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Leaf, Any, str]]:
    """Walk over all values, those that are left out too, or whose section is: these are None."""
    if isinstance(value, Section):
        for name, shape in fields_of(type(value)).items():
            inner = getattr(value, name)
            if isinstance(shape, Leaf):
                if shape.sourced:
                    yield (*path, name), shape, inner, type(value).__name__
            elif inner is None and isinstance(shape, type):
                for key, leaf in fields_of(shape).items():
                    if isinstance(leaf, Leaf) and leaf.sourced:
                        yield (*path, name, key), leaf, None, shape.__name__
            else:
                yield from all_leaves(inner, (*path, name))
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from all_leaves(inner, (*path, name))
    elif isinstance(value, tuple):
        for index, inner in enumerate(value):
            yield from all_leaves(inner, (*path, index))


class Document(Section):
    """A whole file, with the place and the source of each of its values."""

    format: str
    """The version of this file format."""
    name: FileName
    """Short name, used in the names of results."""
    title: Text = ""
    """What people call it."""
    references: dict[str, Text] = {}
    """The literature that sources name, by key."""

    @cached_property
    def origin(self) -> Origin:
        """The file this was read from."""
        return Origin()

    def remember(self, origin: Origin) -> None:
        """Remember which file this was read from; it counts in no comparison."""
        vars(self)["origin"] = origin

    def beside(self, name: str) -> str:
        """Return what a name in the file stands for: a file beside it, or a shipped name."""
        path = FilePath(self.origin.file).parent / name
        like_a_path = "/" in name or name.endswith((".yaml", ".yml"))
        return str(path) if like_a_path or path.is_file() else name

    @property
    def sources(self) -> Mapping[str, Source]:
        """Return where the numbers come from, by their dotted paths."""
        return self.origin.sources
