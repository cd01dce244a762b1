"""Names in a machine file that must fit each other, and what else several sections decide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from simulator.config.errors import Fault, Path, unknown_name
from simulator.config.lowering.tables import size_faults
from simulator.config.part import CPU, Part, has_cpu
from simulator.config.tier import mentions_in
from simulator.units import format_size, shown

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.tier import Tier

_TWICE = "is what the tier before says, so that each request passes it twice; write it once"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


def unknown_names(kind: type[Machine], values: Mapping[str, Any]) -> Iterator[Fault]:
    """Find groups, parts and stores that are named and not there, beside values that are wrong."""
    if any(key in values and values[key] is None for key in ("nodes", "parts", "stores")):
        return  # A list instead, for example: what is in it has no names here.
    nodes = list(values["nodes"]) if "nodes" in values else ["node"]
    parts = values.get("parts") or {}
    parts = parts if has_cpu(parts) else {**parts, CPU: None}
    stores = {**(values.get("stores") or {}), **(values.get("buffer_caches") or {})}
    names = {
        "group": ("a group of nodes", nodes),
        "members": ("a group of nodes or a part", [*nodes, *parts]),
        "tier": ("a part or a store", [*parts, *stores]),
        "event": ("a part", parts),
    }
    part = "a part", [*parts, *stores]  # A store is found again, as such.
    for where, used, wanted in mentions_in(kind, values):
        what, known = names.get(wanted, part)
        if used not in known:
            yield where, unknown_name(used, what, known)


def name_faults(machine: Machine) -> Iterator[Fault]:
    """Find names that are no names, stand for two things, or for nothing; and misplaced tiers."""
    found = [
        *unknown_names(type(machine), vars(machine)),
        *_spelling(machine),
        *_groups(machine),
        *core_faults(machine),
        *_parts(machine),
        *store_faults(machine),
    ]
    for name, system in machine.filesystems.items():
        if (system.tiers is None) == (system.paths is None):
            wrong = "both tiers and paths" if system.tiers else "neither tiers nor paths"
            found.append((("filesystems", name), f"has {wrong}; write one of them"))
    kept = [*machine.stores, *machine.buffer_caches]
    for at, role, tiers in _lists(machine):
        for index, tier in enumerate(tiers):
            parts = all(used in machine.parts for _, used, _ in tier.mentions())
            if parts and index and tier == tiers[index - 1] and not tier.twice:
                found.append(((*at, index), _TWICE))
            misplaced = tier.misplaced(role, kept)
            found += [((*at, index, *inner), about) for inner, about in misplaced]
            for inner, used, wanted in tier.mentions() if role != "locks" else ():
                found += _mention(machine, (*at, index, *inner), used, wanted)
    yield from found or size_faults(machine)


def _lists(machine: Machine) -> Iterator[tuple[Path, str, Sequence[Tier]]]:
    """Yield all lists of tiers: (place, what takes this way, tiers)."""
    for name, system in machine.filesystems.items():
        if (system.tiers is None) == (system.paths is None):
            continue
        at: Path = ("filesystems", name)
        for where, way in system.ways().values():
            yield (*at, *where, "tiers"), "data", way.tiers
            yield (*at, *where, "drain"), "drain", way.drain or ()
            for index, tier in enumerate(way.tiers):
                if tier.asks:
                    yield (*at, *where, "tiers", index, "locks"), "locks", tier.asks
        yield (*at, "metadata"), "metadata", system.metadata or ()
    yield ("messages",), "messages", machine.messages or ()


def _spelling(machine: Machine) -> Iterator[Fault]:
    """Find names that could not be told from others in reports and settings."""
    owners: dict[str, str] = {}
    for kind in ("nodes", "parts", "stores", "buffer_caches"):
        for name in getattr(machine, kind):
            if not _NAME.fullmatch(name):
                about = f"{shown(name)} is no name here; write letters, digits, '-' and '_'"
                yield (kind, name), f"{about}, a letter first"
            owner = owners.setdefault(name, kind)
            if owner != kind and not _same_is_fine(machine, name, owner, kind):
                one = {"nodes": "a group of nodes", "parts": "a part"}.get(owner, "a store")
                yield (kind, name), f"{name!r} is the name of {one} too; write another"
    for name in machine.nodes:
        for other, group in machine.nodes.items():
            rest = name.removeprefix(other)
            if rest != name and rest.isdigit() and int(rest) < group.count > 1:
                about = f"{name!r} is what reports call a node of {other}; write another"
                yield ("nodes", name), about


def _same_is_fine(machine: Machine, name: str, owner: str, kind: str) -> bool:
    """Return whether a part or store may be called like its group: if each of its nodes has one."""
    if owner != "nodes":
        return False
    if kind != "parts":
        return bool(getattr(machine, kind)[name].at == name)
    part = machine.parts[name]
    everywhere = part.at is None and part.kind == CPU
    return everywhere or (part.at == (name,) and part.devices == 1)


def _groups(machine: Machine) -> Iterator[Fault]:
    reported: set[str] = set()
    for name, group in machine.nodes.items():
        seen = [name]
        around = group.per
        while around is not None and around in machine.nodes:
            if around in seen:
                if around == name and reported.isdisjoint(seen):
                    reported.update(seen)
                    chain = " in ".join([*seen, around])
                    yield ("nodes", name, "per"), f"{chain}: a group cannot be inside of itself"
                break
            seen.append(around)
            around = machine.nodes[around].per
        if group.queue is not None:
            found = group.queue.faults(group)
            yield from ((("nodes", name, "queue", *at), about) for at, about in found)
            if group.larger is not None and group.larger.count > group.count:
                about = f"{group.larger.count} nodes of {group.count}; write fewer"
                yield ("nodes", name, "larger", "count"), about


def core_faults(machine: Machine) -> Iterator[Fault]:
    """Find cores of nodes whose processors are parts of another kind."""
    for name, part in machine.parts.items():
        if not part.computing:
            continue
        for group in part.at or ():
            if group in machine.nodes and machine.nodes[group].cores is not None:
                has = f"{group} has the {part.kind} {name!r}, which says what computes there"
                yield ("nodes", group, "cores"), f"{has}; leave 'cores' out"


def _parts(machine: Machine) -> Iterator[Fault]:
    cpus: dict[str, str] = {}
    for name, part in machine.parts.items():
        for group in part.at or ():
            if part.kind == CPU and cpus.setdefault(group, name) != name:
                about = f"{group} has the cpu {cpus[group]!r} already; a node has one"
                yield ("parts", name, "at"), f"{about}; write another group"
        if part.devices > 1 and len(part.at or ()) > 1:
            about = "a part with a count is in one group of nodes only; write one part for each"
            yield ("parts", name, "at"), about
    yield from part_faults(machine)


_MOST_SOUND = 4096
_sound: dict[int, Part] = {}
"""Parts without a fault, by their identity: variants of one file share most of theirs.

They are kept, so that no other part gets the identity of one.
"""


def part_faults(machine: Machine) -> Iterator[Fault]:
    """Find values of parts that mean nothing beside others of the same part."""
    for name, part in machine.parts.items():
        if id(part) in _sound:
            continue
        found = [*part.faults()]
        if not found:
            if len(_sound) >= _MOST_SOUND:
                _sound.clear()
            _sound[id(part)] = part
        for keys, about in found:
            yield ("parts", name, *keys), about


def store_faults(machine: Machine) -> Iterator[Fault]:
    """Find stores without room for a block, and keys that have no effect beside others.

    A block that is written is found where it is read: this is for the usual one.
    """
    for kind in ("stores", "buffer_caches"):
        for name, one in getattr(machine, kind).items():
            if one.capacity < one.block:
                block = format_size(one.block)
                about = f"{format_size(one.capacity)} is less than one block of {block}"
                cure = f"write {block} or more, or a smaller 'block'"
                yield (kind, name, "capacity"), f"{about}; {cure}"
    for name, store in machine.stores.items():
        for key, about in store.faults():
            yield ("stores", name, key), about


def _mention(machine: Machine, at: Path, name: str, wanted: str) -> Iterator[Fault]:
    """Find a name in a tier that does not stand for what it should."""
    if name in machine.parts and wanted != "group":
        yield from _use(machine, at, name, wanted)
    elif wanted not in ("tier", "group", "members") and (
        name in machine.stores or name in machine.buffer_caches
    ):
        yield at, f"{name} is a store, which a tier names alone; write '{name}' instead"


def _use(machine: Machine, at: Path, name: str, wanted: str) -> Iterator[Fault]:
    """Find a part of a kind that cannot stand where it does."""
    part = machine.parts[name]
    if part.kind == CPU:
        yield at, f"{name} is a cpu, which belongs to processes; leave it out"
    elif not part.uses:
        yield at, f"{name} is a {part.kind}, which services use, and no path; leave it out"
    elif wanted == "sync":
        if not part.uses & {"sync", "stage"} or part.network:
            about = f"{name} is a {part.kind}, which makes nothing durable; write a journal, a disk"
            yield at, f"{about}, a queue, a delay or a shared part"
    elif part.uses == {"sync"}:
        yield at, f"{name} is a {part.kind}, which only syncs use; write '{{sync: {name}}}'"
    elif wanted in ("stage", "tier") and "stage" not in part.uses:
        yield at, f"{name} is a {part.kind}, which no data pass; write '{{hold: {name}}}'"
    elif wanted == "work" and "work" not in part.uses:
        instead = f"'{{hold: {name}}}'" if "hold" in part.uses else f"'[{name}]'"
        yield at, f"{name} is a {part.kind}, which does no work; write {instead}"
    elif wanted == "hold" and "hold" not in part.uses:
        about = f"{name} is a {part.kind}, of which nothing can be kept; write '{{work: {name}}}'"
        yield at, f"{about}, or make it 'kind: pool'"
    elif wanted == "server" and part.network:
        yield at, f"{name} is a network, which does no work; write a queue or a pool"
