"""The block diagram of any machine, drawn with characters, and the way of each path through it.

A group of nodes is a box with its parts and stores; groups inside it follow within the box. Each
network is a line at the left, joined to the boxes that have its ports.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.plan.codes import (
    BUFFERS,
    COMMIT,
    END,
    EXPORT,
    FORWARD,
    HOLD,
    LOCKS,
    REQUEST,
    STAGE,
    STORE,
    STRIPE,
    WORK,
)
from simulator.units import format_size
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.lowering.paths import Block
    from simulator.config.machine_file import Machine
    from simulator.plan.paths import Hold, TierPlan

Values = dict[str, str]
"""Each value of a machine as its author wrote it, by its path."""

Rows = list[tuple[str, str]]
"""Tiers of a way: the nodes where each is, and what it is: ``| parts``, ``[ store ]``, or a rule
after blanks."""

_SHOWN = 5
"""Values of a part or store in its line."""
_WORDS = {
    WORK: "work on each request",
    HOLD: "a thread until the answer",
    COMMIT: "for syncs and changes only",
}
"""What tiers of a single part do."""
_QUIET = {"count", "at", "noise", "libraries"}


def block_diagram(machine: Machine) -> str:
    """Draw a machine: its boxes and networks, then its paths."""
    values = values_of(machine)
    boxes = [_group_box(machine, name, values) for name in outer_groups(machine)]
    alone = _alone(machine, values)
    if alone:
        boxes.append((["one for the whole machine", *alone], set()))
    networks = [name for name, part in machine.parts.items() if part.network]
    blocks = ["\n".join(_joined(boxes, networks))]
    blocks += [_path(machine, name) for name in machine.filesystems]
    return "\n\n".join(blocks)


def values_of(machine: Machine) -> Values:
    """Return the values that boxes show: those of the file, and the processor's."""
    from simulator.config.sources import provenance

    stated = provenance(machine)
    values = {one.path: one.value for one in stated if one.kind != "default"}
    return values | {one.path: one.value for one in stated if one.path.startswith("parts.cpu.")}


# -- boxes -------------------------------------------------------------------------------------


def outer_groups(machine: Machine) -> list[str]:
    """Return the groups of nodes that are in no other."""
    return [name for name, group in machine.nodes.items() if group.per is None]


def _group_box(machine: Machine, name: str, values: Values) -> tuple[list[str], set[str]]:
    """Return the lines of a group's box, and the networks that join it."""
    group = machine.nodes[name]
    memory = values.get(f"nodes.{name}.memory")
    cores = counted(group.cores, "core") if group.cores else ""
    has = " and ".join(filter(None, (cores, memory)))
    each = " each" if has and group.count > 1 else ""
    lines = [f"{name}: {counted(group.count, 'node')}{', ' if has else ''}{has}{each}"]
    rows = [row_of(machine, "parts", one, values) for one in parts_at(machine, name)]
    for kind in ("stores", "buffer_caches"):
        stores = getattr(machine, kind).items()
        rows += [row_of(machine, kind, one, values) for one, store in stores if store.at == name]
    rows += [
        row_of(machine, "services", one, values)
        for one, service in machine.services.items()
        if service.at == name
    ]
    lines += _aligned(rows)
    ports = {one for one, part in machine.parts.items() if part.network and name in (part.at or ())}
    for inner, section in machine.nodes.items():
        if section.per == name:
            inside, joined = _group_box(machine, inner, values)
            inside[0] = f"{inside[0]} in each"
            lines += ["", *(f"  {line}" for line in inside)]
            ports |= joined
    return lines, ports


def parts_at(machine: Machine, group: str) -> list[str]:
    """Return the parts in the box of a group of nodes."""
    number = machine.tables.group_of[group]
    inside = {number, *(i for i, one in enumerate(machine.tables.groups) if one.parent == number)}
    groups = set(machine.tables.group_of.values()) - {number}
    return [
        name
        for name in machine.parts
        if inside.difference(groups).intersection(machine.tables.homes[name])
        and (number == 0 or machine.parts[name].at is not None)  # Programs run on the first.
    ]


def _alone(machine: Machine, values: Values) -> list[str]:
    return _aligned([row_of(machine, *one, values) for one in singles(machine)])


def singles(machine: Machine) -> list[tuple[str, str]]:
    """Return the kind and the name of each part and store that the whole machine has one of."""
    single, homes = machine.tables.single, machine.tables.homes
    named = [*(("parts", name) for name in machine.parts), *(("stores", n) for n in machine.stores)]
    return [one for one in named if single.intersection(homes[one[1]])]


def row_of(machine: Machine, kind: str, name: str, values: Values) -> tuple[str, str, str]:
    """Return the name, the kind and the values of a part, store or service."""
    begin = f"{kind}.{name}."
    own = [path for path in values if path.startswith(begin)]
    said = {path.removeprefix(begin): values[path] for path in own}
    what, count = "store", 1
    if kind == "parts":
        part = machine.parts[name]
        what, count = part.kind, part.devices
    elif kind == "services":
        what = machine.services[name].kind
    elif kind == "buffer_caches":
        what = "buffer cache"
    shown = [f"{key} {text}" for key, text in said.items() if key.partition(".")[0] not in _QUIET]
    return name, f"{count} x {what}" if count > 1 else what, ", ".join(shown[:_SHOWN])


def _aligned(rows: list[tuple[str, str, str]]) -> list[str]:
    """Write rows with their first two cells under each other."""
    if not rows:
        return []
    first, second = (max(len(row[i]) for row in rows) for i in (0, 1))
    return [f"{row[0]:<{first}}  {row[1]:<{second}}  {row[2]}".rstrip() for row in rows]


def _joined(boxes: list[tuple[list[str], set[str]]], networks: list[str]) -> Iterator[str]:
    """Draw boxes below each other, joined by networks at their left."""
    width = max(len(line) for lines, _ in boxes for line in lines)
    margin = 2 * len(networks)
    ends = {
        net: [number for number, (_, joined) in enumerate(boxes) if net in joined]
        for net in networks
    }
    edge = f"+{'-' * (width + 2)}+"
    for number, (lines, joined) in enumerate(boxes):
        before = [net for net in networks if ends[net] and ends[net][0] < number <= ends[net][-1]]
        after = [net for net in networks if ends[net] and ends[net][0] <= number < ends[net][-1]]
        if number:
            names = ", ".join(before)
            yield f"{_wires(networks, before, {})}{f'  {names}' if names else ''}".rstrip()
        yield f"{_wires(networks, before, {}):<{margin}}  {edge}"
        marks = dict.fromkeys(joined, "o")
        wires = _wires(networks, [*before, *after], marks)
        reach = wires.rstrip().ljust(margin, "-") + "--" if joined else wires.ljust(margin + 2)
        yield f"{reach}| {lines[0]:<{width}} |"
        for line in lines[1:]:
            yield f"{_wires(networks, after, {}):<{margin}}  | {line:<{width}} |"
        yield f"{_wires(networks, after, {}):<{margin}}  {edge}"


def _wires(networks: list[str], through: list[str], marks: dict[str, str]) -> str:
    """Draw the networks' wires beside one line: those that pass, or a mark."""
    cells = [marks.get(net, "|" if net in through else " ") for net in networks]
    line = ""
    met = False
    for cell in cells:
        line += "-" if met and cell == " " else cell
        met = met or cell == "o"
        line += "-" if met else " "
    return line


# -- paths -------------------------------------------------------------------------------------


def _path(machine: Machine, name: str) -> str:
    """List what a request of a file system goes through, path by path."""
    lines: list[str] = []
    for way, purpose, rows in ways_of(machine, name):
        if not purpose:
            lines += [way, "    program"]
        else:
            lines.append(f"  {purpose}")
        wide = max((len(where) for where, _ in rows), default=0)
        lines += [f"    {where:<{wide}}  {about}".rstrip() for where, about in rows]
    return "\n".join(lines)


def ways_of(machine: Machine, name: str) -> Iterator[tuple[str, str, Rows]]:
    """Yield each way of requests of a file system: path, purpose (empty: data), and its tiers."""
    system = machine.filesystems[name]
    for way in system.ways():
        block = machine.ways.block(name, way, 0)
        path = f"{name}.{way}" if way else name
        yield path, "", _steps(machine, block, block.plan.top)
        if block.locked is not None:
            first = block.locked.row + block.tiers[block.locked.row].ask
            yield path, "requests for locks", _steps(machine, block, first)
        if block.plan.drain >= 0:
            yield path, "after the process has ended", _steps(machine, block, block.plan.drain)
    if system.metadata is not None:
        yield path, "open, close, stat, ...", _steps(machine, block, block.plan.metadata)


def _steps(machine: Machine, block: Block, first: int) -> Rows:
    """List the tiers from ``first`` to the end, each with the group of nodes it is at."""
    groups = [machine.tables.groups[group].name for group in block.plan.places]
    rows: Rows = []
    for tier in block.tiers[first:]:
        if tier.kind == END:
            break
        if tier.kind == BUFFERS:
            rows += _buffers(machine, block, groups[tier.slot])
            continue
        rows.append((_where(machine, groups, tier), _about(machine, tier, groups)))
    return rows


def _buffers(machine: Machine, block: Block, group: str) -> Rows:
    """List the server, the buffer cache and the RAID unit of an I/O node."""
    assert block.io is not None
    node = _node(machine, group)
    return [
        (node, f"| {block.io.server}: work on each request"),
        (node, f"[ {block.io.cache} ]"),
        (node, f"| {block.io.raid}"),
    ]


def _where(machine: Machine, groups: list[str], tier: TierPlan) -> str:
    if tier.kind in (STAGE, WORK, HOLD, COMMIT):
        names = list(dict.fromkeys(_node(machine, groups[hold.slot]) for hold in tier.down))
        return " -> ".join(name for name in names if name)
    return _node(machine, groups[tier.slot]) if tier.kind == STORE else ""


def _node(machine: Machine, group: str) -> str:
    """Return the group of nodes that a group of devices is in; empty for a single part's."""
    for number, plan in enumerate(machine.tables.groups):
        if plan.name == group:
            if number in machine.tables.single:
                return ""
            *_, outer = machine.tables.ancestors(number)
            name = machine.tables.groups[outer].name
            return group if group in machine.nodes else name
    return group


def _about(machine: Machine, tier: TierPlan, groups: list[str]) -> str:
    """Say what a tier does."""
    tables = machine.tables
    if tier.kind == STAGE:
        names = " + ".join(dict.fromkeys(_name(machine, hold) for hold in tier.down))
        dealt = f", dealt out in {tier.pieces} pieces" if tier.pieces else ""
        header = f", with headers of {format_size(tier.header)}" if tier.header else ""
        return f"| {names}{dealt}{header}"
    if tier.kind == LOCKS:
        grant = f", up to {format_size(tier.size * tier.grow)} granted" if tier.grow > 1 else ""
        store = f", called back from {tables.stores[tier.row].name}" if tier.row >= 0 else ""
        return f"  locks of {format_size(tier.size)}{grant}{store}"
    if tier.kind in _WORDS:
        by_kind = ", by kind of operation" if tier.costs else ""
        return f"| {_name(machine, tier.down[0])}: {_WORDS[tier.kind]}{by_kind}"
    if tier.kind == EXPORT:
        return "  syncs are answered here"
    if tier.kind == REQUEST:
        window = f", {tier.window} at one time" if tier.window > 1 else ""
        return f"  requests of {format_size(tier.size)}{window}"
    if tier.kind == STRIPE:
        return f"  stripes of {format_size(tier.size)} over {tier.width} x {groups[tier.slot]}"
    if tier.kind == FORWARD:
        return f"  by way of {groups[tier.slot]}"
    return f"[ {tables.stores[tier.row].name} ]"


def _name(machine: Machine, hold: Hold) -> str:
    return machine.tables.parts[hold.part].name
