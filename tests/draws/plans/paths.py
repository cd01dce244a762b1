"""Paths drawn at random: from a process's node over a network to a server and a device of it.

Pools and stores come in one order on all paths of a machine, so that no requests can wait for each
other in a circle.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.plan.codes import (
    BEFORE,
    CLOSE_FLUSH,
    CLOSE_FREE,
    CLOSE_QUEUE,
    CLOSE_REPLACED,
    COMMIT,
    END,
    EXPORT,
    FORWARD,
    HOLD,
    LOCKS,
    METADATA,
    OPEN_ASKS,
    OPEN_CACHED,
    OPEN_CHECKS,
    REQUEST,
    STAGE,
    STORE,
    STRIPE,
    WORK,
)
from simulator.plan.parts import PartPlan
from simulator.plan.paths import Hold, PathPlan, TierPlan

if TYPE_CHECKING:
    pass
from tests.draws.plans.tables import CLIENT, DEVICE, EXTRA, SERVER, Machine


def _either(machine: Machine, row: int, slot: int) -> Hold:
    """A part that requests read, or one that they write."""
    return Hold(row, slot, writes=machine.dice.maybe())


def _stage(machine: Machine, *names: str, slot: int, **changes: object) -> TierPlan:
    """A stage of parts of one place: reads and writes of each, or the other way round."""
    reads = tuple(Hold(machine.row(name), slot) for name in names)
    writes = tuple(replace(one, writes=True) for one in reads)
    down, up = (reads, writes) if machine.dice.maybe(10) else (writes, reads)
    header = machine.dice.some(0, 0, 0, 7)
    return replace(TierPlan(kind=STAGE, down=down, up=up, header=header), **changes)  # type: ignore[arg-type]


def request(machine: Machine) -> TierPlan:
    """Draw requests of a size."""
    dice = machine.dice
    return TierPlan(
        kind=REQUEST,
        size=dice.some(16, 50, 100, 300),
        window=dice.some(1, 1, 2, 3, 5),
        aligned=dice.maybe(75),
    )


def _section(machine: Machine, group: int, pool: str, before: str) -> list[TierPlan]:
    """Draw what stands on one node: a pool, requests, a store with its entry."""
    dice = machine.dice
    tiers: list[TierPlan] = []
    hold = [TierPlan(kind=HOLD, down=(Hold(machine.row(pool), group),))] if dice.maybe(25) else []
    kept: list[TierPlan] = []
    rows = [row for row, store in enumerate(machine.stores) if store.group == group]
    if rows and dice.maybe(75):
        entry = [_stage(machine, before, slot=group) for _ in range(dice.some(0, 1, 1, 2))]
        kept = [*entry, TierPlan(kind=STORE, row=rows[0], slot=group)]
    tiers += hold + kept if machine.pool_first else kept + hold
    for _ in range(dice.few(2)):
        tiers.insert(dice.int(0, len(tiers)), request(machine))
    if machine.durable and dice.maybe(60):
        tiers.insert(dice.int(0, len(tiers)), _commit(machine, group, before))
    return tiers


def _commit(machine: Machine, group: int, other: str) -> TierPlan:
    """Draw what only syncs pass: a part of their own or one of the path's; or their answer."""
    if machine.dice.maybe(15):
        return TierPlan(kind=EXPORT)
    part = machine.dice.some(f"log{group}", f"log{group}", other)
    return TierPlan(kind=COMMIT, down=(_either(machine, machine.row(part), group),))


def _ports(machine: Machine, far: int, near: str, other: str) -> TierPlan:
    """A stage over two nodes, from place 0 to place ``far``, and back."""
    dice = machine.dice
    down = (Hold(machine.way(near, "out"), 0), Hold(machine.way(other, "in"), far))
    up = (Hold(machine.way(other, "out"), far), Hold(machine.way(near, "in"), 0))
    packets = dice.maybe(60)
    if other == "port" and dice.maybe(20):  # A part behind the port.
        behind = Hold(machine.row("lane"), far)
        down, up = (*down, behind), (behind, *up)
    return TierPlan(
        kind=STAGE,
        down=down,
        up=up,
        packets=packets,
        header=dice.some(0, 0, 5, 40),
        remote_only=near == other or dice.maybe(10),
    )


def _stripe(machine: Machine, slot: int, most: int, *units: int, here: int = CLIENT) -> TierPlan:
    """Draw a stripe over members of a place, some with an erasure code, computed ``here``."""
    dice = machine.dice
    stripe = TierPlan(kind=STRIPE, size=dice.some(*units), width=dice.int(1, most), slot=slot)
    if most == 1 or dice.maybe(60):
        return stripe
    parity = dice.int(1, min(3, most - 1))
    data = dice.int(1, min(4, most - parity))
    width = dice.int(1, most // (data + parity)) * (data + parity)
    name = "memory" if here == CLIENT else "work"
    worker = (_either(machine, machine.row(name), here),) if dice.maybe() else ()
    return replace(stripe, width=width, data=data, parity=parity, down=worker)


def _crossing(machine: Machine) -> list[TierPlan]:
    """Draw the way from a client to its server: which one, and over what."""
    dice = machine.dice
    tiers: list[TierPlan] = []
    servers = machine.groups[SERVER].count
    chosen = dice.some("stripe", "stripe", "forward", "lead", "targets")
    if chosen == "targets" and not machine.local:  # Its server follows from a device.
        tiers.append(_stripe(machine, DEVICE, machine.groups[DEVICE].count, 10, 32, 100, 150))
        tiers.append(TierPlan(kind=FORWARD, slot=SERVER, by=DEVICE))
    elif chosen == "stripe":
        tiers.append(_stripe(machine, SERVER, servers, 10, 32, 100, 150))
    elif chosen == "forward":
        tiers.append(TierPlan(kind=FORWARD, slot=SERVER, by=CLIENT))
    if dice.maybe(20):
        tiers.append(request(machine))
    tiers.append(_ports(machine, SERVER, "nic", "port"))
    if dice.maybe(25):
        tiers.append(_stage(machine, "lan", slot=EXTRA))
    if dice.maybe(40):
        tiers.append(TierPlan(kind=WORK, down=(_either(machine, machine.row("work"), SERVER),)))
    return tiers


def _device(machine: Machine, *, decided: bool = False, striped: bool = False) -> list[TierPlan]:
    """Draw the way to a device: a stripe over them, pieces for each, or one by the file.

    ``striped``: there is a stripe above, so that this one has no erasure code.
    """
    dice = machine.dice
    group = machine.groups[DEVICE]
    if decided:
        return [*_section(machine, DEVICE, "tags", "disk"), _stage(machine, "disk", slot=DEVICE)]
    alone = machine.parts[machine.row("disk")].traits.alone
    if not alone and dice.maybe(25):
        pieces = dice.some(1, 2, 4, 7)
        stages = [_stage(machine, "disk", slot=DEVICE)]
        if not machine.local and dice.maybe(50):
            stages.insert(0, _stage(machine, "lane", slot=SERVER))
        return [replace(one, pieces=pieces, slot=DEVICE, width=group.each) for one in stages]
    tiers: list[TierPlan] = []
    if dice.maybe(40):
        here = CLIENT if machine.local else SERVER
        stripe = _stripe(machine, DEVICE, group.each, 8, 20, 64, here=here)
        tiers.append(replace(stripe, data=0, parity=0, down=()) if striped else stripe)
    tiers += _section(machine, DEVICE, "tags", "disk")
    tiers.append(_stage(machine, "disk", slot=DEVICE))
    return tiers


def draw_path(machine: Machine, name: str) -> None:
    """Draw a path, and with some a second one to the same files that leaves out its first tiers."""
    dice = machine.dice
    tiers = _section(machine, CLIENT, "slots", "memory")
    if machine.local:
        tiers += _device(machine) if dice.maybe(70) else []
    else:
        tiers += _crossing(machine)
        decided = any(one.kind == STRIPE and one.slot == DEVICE for one in tiers)
        section = _section(machine, SERVER, "threads", "bus")
        # A store could not tell the blocks of its devices.
        tiers += [one for one in section if not (decided and one.kind == STORE)]
        striped = any(one.kind == STRIPE for one in tiers)
        last = _device(machine, decided=decided, striped=striped)
        tiers += last if dice.maybe(85) else [_stage(machine, "bus", slot=SERVER)]
    locks = _locks(machine, tiers) if dice.maybe(35) else []
    top = put(machine, [*locks, *tiers])
    if locks:
        put(machine, _asking(machine))
    metadata = put(machine, _metadata(machine)) if dice.maybe(40) else -1
    least, opening = 0, OPEN_ASKS
    if metadata >= 0 and dice.maybe(60):
        least, opening = dice.some(0, 300, 5000), dice.some(OPEN_ASKS, OPEN_CHECKS, OPEN_CACHED)
    path = PathPlan(
        name=name,
        top=top,
        metadata=metadata,
        attributes_min_ns=least,
        attributes_max_ns=least * dice.some(1, 3, 50),
        opening=opening,
        drain=put(machine, _drain(machine)) if dice.maybe(15) else -1,
        close=dice.some(CLOSE_FREE, CLOSE_QUEUE, CLOSE_FLUSH, CLOSE_REPLACED),
        places=machine.places,
        call_ns=dice.some(0, 0, 0, 9),
        call_column=machine.column("calls"),
        first_store=first_store(machine.tiers, top),
    )
    machine.paths.append(path)
    skipped = 0
    while dice.maybe(40) and machine.tiers[top + skipped].kind in (
        STAGE,
        WORK,
        HOLD,
        REQUEST,
        STORE,
    ):
        skipped += 1
    if skipped:
        begin = top + skipped
        first = first_store(machine.tiers, begin)
        way = replace(path, name=f"{name}-direct", top=begin, first_store=first)
        machine.paths.append(way)


def _metadata(machine: Machine) -> list[TierPlan]:
    dice = machine.dice
    tiers = []
    if dice.maybe(60):
        tiers.append(_ports(machine, EXTRA, "nic", "meta"))
        tiers[-1] = replace(tiers[-1], header=dice.some(9, 30))
    costs = tuple(dice.some(-1, 0, 7, 40) for _ in METADATA) if dice.maybe() else ()
    if sum(costs) % 2:  # Their other state costs something else.
        costs += costs[::-1]
    tiers.append(
        TierPlan(kind=WORK, down=(_either(machine, machine.row("inodes"), EXTRA),), costs=costs)
    )
    if machine.durable:
        tiers.insert(dice.int(0, len(tiers)), _commit(machine, EXTRA, "inodes"))
    for _ in range(dice.few(2)):
        asked = tuple(dice.some(-1, -1, dice.int(0, len(METADATA) - 1)) for _ in METADATA)
        tiers.insert(dice.int(0, len(tiers)), TierPlan(kind=BEFORE, kinds=asked))
    return tiers


def _locks(machine: Machine, tiers: list[TierPlan]) -> list[TierPlan]:
    """Draw locks above a path's tiers; their requests go along those that follow the path."""
    dice = machine.dice
    rows = [tier.row for tier in tiers if tier.kind == STORE and tier.slot == CLIENT]
    row = rows[0] if rows else -1
    block = machine.stores[row].block if rows else 50
    size, column = block * dice.some(1, 1, 2, 5), machine.column("file locks")
    grow, ask = dice.some(1, 1, 1, 3), len(tiers) + 2
    locks = TierPlan(kind=LOCKS, size=size, row=row, column=column, grow=grow, ask=ask)
    return [locks]


def _asking(machine: Machine) -> list[TierPlan]:
    """Draw the way of requests for locks: as of metadata, but each unit may have its own server."""
    dice = machine.dice
    width = dice.int(1, machine.groups[EXTRA].count)
    stripe = TierPlan(kind=STRIPE, size=dice.some(50, 100), width=width, slot=EXTRA)
    tiers = [one for one in _metadata(machine) if one.kind not in (BEFORE, COMMIT, EXPORT)]
    tiers[-1] = replace(tiers[-1], costs=())
    if not dice.maybe(40):
        return tiers
    if not dice.exact and dice.maybe():
        _seek_far(machine, "inodes")
    return [stripe, *tiers]


def _seek_far(machine: Machine, name: str) -> None:
    """Make a part a disk whose seeks take the longer the further they are."""
    row = machine.row(name)
    old, ns = machine.parts[row], machine.dice.some(0.05, 0.3)
    disk = DiskSpec(rate=1e9, capacity=10**6, track_seek_ns=10, full_seek_ns=int(10**6 * ns))
    kept = {key: getattr(old, key) for key in ("group", "first", "count", "column", "noise")}
    machine.parts[row] = PartPlan(
        name=name, kind="disk", spec=disk, service=disk.transfer(), **kept
    )


def _drain(machine: Machine) -> list[TierPlan]:
    """Draw the way of copies made after a process."""
    dice = machine.dice
    tiers = [_stage(machine, "lan", slot=EXTRA)]
    if dice.maybe():
        tiers.insert(0, request(machine))
    return tiers


def draw_network(machine: Machine) -> int:
    """Draw the way of messages between two clients."""
    dice = machine.dice
    tiers = [_ports(machine, 1, "nic", "nic")] if dice.maybe(80) else []
    places: tuple[int, ...] = ()
    if dice.maybe(30):
        group = dice.some(EXTRA, EXTRA, DEVICE)
        part = "lan" if group == EXTRA else "disk"
        between = _stage(machine, part, slot=2, header=0)
        tiers.insert(dice.int(0, len(tiers)), replace(between, up=()))
        places = (CLIENT, CLIENT, group)
    if dice.maybe(30):
        tiers.append(TierPlan(kind=WORK, down=(_either(machine, machine.row("memory"), 1),)))
    top = put(machine, tiers)
    if places:
        machine.channel_places[top] = places
    return top


def put(machine: Machine, tiers: list[TierPlan]) -> int:
    """Add a chain of tiers; returns the row of the first."""
    top = len(machine.tiers)
    machine.tiers += [*tiers, TierPlan(kind=END)]
    return top


def first_store(tiers: list[TierPlan], top: int) -> int:
    """Return the first store of a chain; -1 if it has none."""
    for row in range(top, len(tiers)):
        kind = tiers[row].kind
        if kind == STORE:
            return row
        if kind == END:
            break
    return -1
