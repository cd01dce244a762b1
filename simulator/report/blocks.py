"""The block diagram of any machine, drawn with characters, and the way of each path through it.

A group of nodes is a box with its parts and stores; groups inside it follow within the box. Each
network is a line at the left, joined to the boxes that have its ports.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from simulator.plan import codes
from simulator.report.lined import columns, folded
from simulator.units import format_size
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.config.lowering.block import Block
    from simulator.config.machine_file import Machine
    from simulator.plan.paths import Hold, TierPlan

Values = dict[str, str]
"""Each value of a machine as its author wrote it, by its path."""

Rows = list[tuple[str, str]]
"""Tiers of a way: the nodes where each is, and what it is: ``| parts``, ``[ store ]``, or a rule
after blanks."""

_WIDEST = 1000
"""Columns of a drawing where nothing limits them."""
_EDGES = 6
"""Columns of the edges of a box, and of the wires to it."""
_SHOWN = 5
"""Values of a part or store in its line."""
_WORDS = {
    codes.WORK: "work on each request",
    codes.HOLD: "a thread until the answer",
    codes.COMMIT: "for syncs and changes only",
    codes.EXPORT: "syncs are answered here",
}
"""Words for tiers of a single part, or of none."""
_QUIET = {"count", "at", "noise", "libraries"}


class Part(NamedTuple):
    """A part, store, buffer cache or service in a box."""

    section: str
    """``parts``, ``stores``, ``buffer_caches`` or ``services``."""
    name: str
    kind: str
    """Its kind, after their number if there are several."""
    values: str
    """The first of its values, each with its key."""


@dataclass(slots=True)
class Box:
    """A group of nodes with what is in it, or what the whole machine has one of."""

    title: str
    parts: list[Part]
    groups: set[int] | None = None
    """The groups of devices whose instances are in the box; None: all."""
    ports: set[str] = field(default_factory=set)
    """The networks that it has ports of, those of the boxes in it too."""
    inner: list[Box] = field(default_factory=list)


def block_diagram(machine: Machine) -> str:
    """Draw a machine: its boxes and networks, then its paths."""
    networks = networks_of(machine)
    room = columns(_WIDEST) - 2 * len(networks) - _EDGES
    boxes = [(_lines(box, room), box.ports) for box in boxes_of(machine)]
    blocks = ["\n".join(_joined(boxes, networks))]
    blocks += [_path(machine, name) for name in machine.filesystems]
    return "\n\n".join(blocks)


def networks_of(machine: Machine) -> list[str]:
    """Return the parts that join boxes."""
    return [name for name, part in machine.parts.items() if part.network]


# -- boxes -------------------------------------------------------------------------------------


def boxes_of(machine: Machine) -> list[Box]:
    """Return a box for each outer group of nodes, and one for what the machine has one of."""
    values = _values_of(machine)
    groups = machine.nodes.items()
    boxes = [_box(machine, name, values) for name, group in groups if group.per is None]
    single, homes = machine.tables.single, machine.tables.homes
    named = [*(("parts", name) for name in machine.parts), *(("stores", n) for n in machine.stores)]
    alone = [_part(machine, *one, values) for one in named if single.intersection(homes[one[1]])]
    return [*boxes, Box("one for the whole machine", alone)] if alone else boxes


def _values_of(machine: Machine) -> Values:
    """Return the values that boxes show: those of the file, and the processor's."""
    from simulator.config.sources import provenance

    stated = provenance(machine)
    values = {one.path: one.value for one in stated if one.kind != "default"}
    return values | {one.path: one.value for one in stated if one.path.startswith("parts.cpu.")}


def _box(machine: Machine, name: str, values: Values) -> Box:
    """Return the box of a group of nodes, with those inside it."""
    group, tables = machine.nodes[name], machine.tables
    memory = values.get(f"nodes.{name}.memory")
    cores = counted(group.cores, "core") if group.cores else ""
    has = " and ".join(filter(None, (cores, memory)))
    each = " each" if has and group.count > 1 else ""
    number = tables.group_of[name]
    devices = {row for row, one in enumerate(tables.groups) if one.parent == number}
    inside = {number, *devices.difference(tables.group_of.values())}
    named = [
        ("parts", one)
        for one in machine.parts
        if inside.intersection(tables.homes[one])
        and (number == 0 or machine.parts[one].at is not None)  # Programs run on the first.
    ]
    for section in ("stores", "buffer_caches", "services"):
        found = getattr(machine, section).items()
        named += [(section, one) for one, known in found if known.at == name]
    title = f"{name}: {counted(group.count, 'node')}{', ' if has else ''}{has}{each}"
    box = Box(title, [_part(machine, *one, values) for one in named], inside)
    parts = machine.parts.items()
    box.ports = {one for one, part in parts if part.network and name in (part.at or ())}
    for inner, known in machine.nodes.items():
        if known.per == name:
            box.inner.append(_box(machine, inner, values))
            box.inner[-1].title += " in each"
            box.ports |= box.inner[-1].ports
    return box


def _part(machine: Machine, section: str, name: str, values: Values) -> Part:
    """Return the name, the kind and the values of a part, store or service."""
    begin = f"{section}.{name}."
    said = {
        path.removeprefix(begin): text for path, text in values.items() if path.startswith(begin)
    }
    what, count = "buffer cache" if section == "buffer_caches" else "store", 1
    if section == "parts":
        what, count = machine.parts[name].kind, machine.parts[name].devices
    elif section == "services":
        what = machine.services[name].kind
    shown = [f"{key} {text}" for key, text in said.items() if key.partition(".")[0] not in _QUIET]
    kind = f"{count} x {what}" if count > 1 else what
    return Part(section, name, kind, ", ".join(shown[:_SHOWN]))


def _lines(box: Box, room: int) -> list[str]:
    """Write a box: its parts with their names and kinds under each other, then those in it."""
    first, second = (max((len(part[i]) for part in box.parts), default=0) for i in (1, 2))
    lines = [*folded(box.title, room)]
    beside = first + second + 4 <= room // 2  # Else the values stand below the names.
    for one in box.parts:
        head = f"{one.name:<{first}}  {one.kind:<{second}}  "
        indent = " " * len(head) if beside else "    "
        values = [*folded(one.values, room - len(indent))]
        if not beside:
            lines += folded(f"{one.name}  {one.kind}", room)
            head = indent
        lines.append(f"{head}{values[0]}".rstrip())
        lines += [f"{indent}{line}" for line in values[1:]]
    for inner in box.inner:
        lines += ["", *(f"  {line}" for line in _lines(inner, room - 2))]
    return lines


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
        if tier.kind == codes.END:
            break
        if tier.kind == codes.BUFFERS:
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
    if tier.down:
        names = list(dict.fromkeys(_node(machine, groups[hold.slot]) for hold in tier.down))
        return " -> ".join(name for name in names if name)
    return _node(machine, groups[tier.slot]) if tier.kind == codes.STORE else ""


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
    """State what a tier does."""
    tables = machine.tables
    if tier.kind == codes.STAGE:
        names = " + ".join(dict.fromkeys(_name(machine, hold) for hold in tier.down))
        dealt = f", dealt out in {tier.pieces} pieces" if tier.pieces else ""
        header = f", with headers of {format_size(tier.header)}" if tier.header else ""
        return f"| {names}{dealt}{header}"
    if tier.kind == codes.LOCKS:
        grant = f", up to {format_size(tier.size * tier.grow)} granted" if tier.grow > 1 else ""
        store = f", called back from {tables.stores[tier.row].name}" if tier.row >= 0 else ""
        return f"  locks of {format_size(tier.size)}{grant}{store}"
    if tier.kind == codes.REQUEST:
        window = f", {tier.window} at one time" if tier.window > 1 else ""
        return f"  requests of {format_size(tier.size)}{window}"
    if tier.kind == codes.STRIPE:
        code = f", {tier.data}+{tier.parity}" if tier.parity else ""
        code += f" by {_name(machine, tier.down[0])}" if tier.down else ""
        members = f"{tier.width} x {groups[tier.slot]}{code}"
        return f"  stripes of {format_size(tier.size)} over {members}"
    if tier.kind == codes.FORWARD:
        return f"  by way of {groups[tier.slot]}"
    if tier.kind == codes.BEFORE:
        known = [codes.OPERATIONS[kind] for kind in codes.METADATA]
        asking = [name for name, asked in zip(known, tier.kinds, strict=True) if asked >= 0]
        return f"  {known[max(tier.kinds)]} before {', '.join(asking)}"
    if tier.kind == codes.STORE:
        return f"[ {tables.stores[tier.row].name} ]"
    about = _WORDS.get(tier.kind, tier.kind)
    by_kind = ", by kind of operation" if tier.costs else ""
    return f"| {_name(machine, tier.down[0])}: {about}{by_kind}" if tier.down else f"  {about}"


def _name(machine: Machine, hold: Hold) -> str:
    return machine.tables.parts[hold.part].name
