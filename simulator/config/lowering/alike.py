"""Machines that differ in numbers of parts and stores: what they have in common is lowered once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.config.section import fields_of

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine

Structure = tuple[Any, ...]

_NUMBERS = ("parts", "stores")


def structure_of(machine: Machine) -> Structure:
    """Return what paths depend on; who keeps it keeps the sections that it identifies."""
    return (
        tuple((name, group.count, group.per) for name, group in machine.nodes.items()),
        tuple((name, *one.structure) for name, one in machine.parts.items()),
        tuple((name, *one.structure) for name, one in machine.stores.items()),
        tuple((name, one.at) for name, one in machine.buffer_caches.items()),
        tuple((name, id(one)) for name, one in machine.filesystems.items()),
        tuple(map(id, machine.messages or ())),
    )


def same_places(parts: dict[str, Any], others: dict[str, Any]) -> bool:
    """Return whether parts, or stores, count as the same in the structure of their machines."""
    return [*parts] == [*others] and all(
        one is other or one.structure == other.structure
        for one, other in zip(parts.values(), others.values(), strict=True)
    )


def only_numbers_differ(machine: Machine, other: Machine) -> bool:
    """Whether two machines are the same but for numbers of their parts and stores.

    No job depends on these, but with services and I/O nodes, which are planned with the numbers of
    their parts: with them it is False.
    """
    if machine is other:
        return True
    if machine.services or machine.buffer_caches or machine.structure != other.structure:
        return False
    mine, others = vars(machine), vars(other)
    return all(
        mine[key] is others[key] or key in _NUMBERS or _is_same(mine[key], others[key])
        for key in fields_of(type(machine))
    )


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same; sections that are not shared count as different."""
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return [*one] == [*other] and all(map(_is_same, one.values(), other.values()))
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return isinstance(one, str | int | float) and bool(one == other)
