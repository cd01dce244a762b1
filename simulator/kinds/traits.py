"""Traits of a kind of part, for checks, reports and answers; each has a default.

They are class attributes of its section (``simulator/kinds/parts/<kind>/section.py``), so that
nothing outside of its folder lists kinds by their names.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from simulator.kinds import classes_in, names, part_module

if TYPE_CHECKING:
    from simulator.kinds.dice import Dice

Order = Literal["queue", "all", "shared", "own"]

PARTS = "parts"
"""The folder of the kinds of parts."""


class PartSpec:
    """A specification of a kind of part: frozen numbers with closed formulas, and no clock."""

    __slots__ = ()

    def times_ns(self) -> list[int]:
        """Return what one request may take, which has to stay below 2**62 ns."""
        return [getattr(self, name) for name in _times_in(type(self))]  # type: ignore[arg-type]

    def rebuild_steps(self) -> float:
        """Return how many accesses a rebuild is, where each step is carried out by itself."""
        return 0.0

    def whole_numbers(self) -> list[tuple[str, int]]:
        """Return its whole numbers with their names, which engines count in 64 bits."""
        pairs = ((name, getattr(self, name)) for name in _names_in(type(self)))  # type: ignore[arg-type]
        return [(name, value) for name, value in pairs if isinstance(value, int)]


@functools.cache
def _names_in(spec: type) -> tuple[str, ...]:
    return tuple(one.name for one in dataclasses.fields(spec))


@functools.cache
def _times_in(spec: type) -> tuple[str, ...]:
    names_of = (one.name for one in dataclasses.fields(spec))
    return tuple(name for name in names_of if name.endswith("_ns"))


class PartTraits:
    """A kind of part, as those see it who do not know it."""

    what: ClassVar[str] = ""
    """What reports call it; its kind if empty."""
    order: ClassVar[Order] = "queue"
    """In which order it serves requests: one after the other at each server, first come first
    served (``queue``); ``all`` that come at once, so that nothing waits; all at a rate that they
    share (``shared``); or as no other kind does (``own``)."""
    medium: ClassVar[bool] = False
    """It is where data are stored, as on a disk."""
    counted: ClassVar[bool] = False
    """One says how many there are (``disks``) also where a file does not write a count."""
    busy: ClassVar[bool] = True
    """Its busy time over that of a run is a utilisation."""
    usable: ClassVar[bool] = True
    """Tiers can name a row of it."""
    alone: ClassVar[bool] = False
    """Nothing can be held together with it, since it is not known when a request ends."""
    fails: ClassVar[bool] = False
    """Events can happen to it: how long a request takes may follow from its speed at each time."""
    inner: ClassVar[bool] = False
    """Events happen to disks inside of it, which are parts of no other kind."""
    queues: ClassVar[tuple[str, ...]] = ()
    """What of an instance has a queue and a track on the timeline of its own, if not its disks."""
    only_syncs: ClassVar[bool] = False
    """Only syncs can use it."""
    many: ClassVar[bool] = False
    """It may have several servers."""
    directed: ClassVar[bool] = True
    """What writes it may have another service than what reads it."""
    single: ClassVar[bool] = False
    """A node has at most one."""
    computing: ClassVar[Literal["", "process", "calls"]] = ""
    """What computes on it instead of a ``cpu``: one ``process`` of its node, beside the services
    there, or the ``calls`` of a service."""
    spec: ClassVar[type | None] = None
    """The class of its own specification, ``PartPlan.spec``, which rows of it must have."""

    # -- random draws, for tests ----------------------------------------------------------------

    roles: ClassVar[Mapping[str, int]] = {}
    """Where a drawn machine may have one, and how often against the other kinds there: ``stage``,
    ``port``, ``lane`` and ``device`` of data, ``work`` of servers, ``sync``, ``pool``."""

    @staticmethod
    def drawn(dice: Dice) -> dict[str, Any]:
        """Draw its own fields of a ``PartPlan``, small odd numbers: a service."""
        return {"service": dice.service()}

    @staticmethod
    def drawn_keys(dice: Dice) -> dict[str, Any]:
        """Draw those keys of a section that must fit each other; others are drawn by their leaves.

        A key with the value ``LEFT_OUT`` is not written.
        """
        del dice
        return {}


@functools.cache
def traits_of(kind: str) -> type[PartTraits]:
    """Return the traits of a kind of part, by the name that engines know; defaults if unknown."""
    if kind not in names(PARTS, "section"):
        return PartTraits
    return next(classes_in(part_module(PARTS, kind, "section"), PartTraits), PartTraits)
