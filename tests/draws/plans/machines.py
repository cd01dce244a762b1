"""Machines drawn at random: groups of nodes and devices, parts of every kind, and stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.kinds import names
from simulator.plan.parts import GroupPlan, StorePlan
from tests.twins.plans.faults import RELEASES, TRIGGERS

if TYPE_CHECKING:
    from simulator.kinds.dice import Dice
from tests.draws.plans.paths import draw_network, draw_path
from tests.draws.plans.tables import CLIENT, DEVICE, EXTRA, SERVER, Machine, add_part, draw_kind


def draw_machine(dice: Dice) -> Machine:
    """Draw groups, parts, stores and paths."""
    machine = Machine(dice)
    machine.local = dice.maybe(15)
    machine.pool_first = dice.maybe()
    machine.durable = dice.maybe(40)
    clients = dice.some(1, 1, 2, 3, 5)
    servers = dice.some(1, 1, 2, 3, 4, 7)
    parent = CLIENT if machine.local else SERVER
    each = dice.int(1, 3)
    machine.groups = [
        GroupPlan(name="pe", count=clients),
        GroupPlan(name="server", count=servers),
        GroupPlan(
            name=dice.some("disk", "shelf"),
            count=each * (clients, servers)[parent],
            parent=parent,
            each=each,
        ),
        GroupPlan(name="extra", count=dice.some(1, 1, 2, 3)),
    ]
    _draw_parts(machine)
    for name, group in (("pages", CLIENT), ("cache", SERVER), ("buffer", DEVICE)):
        if dice.maybe(65):
            machine.stores.append(_draw_store(machine, name, group))
    for number in range(dice.int(1, 3)):
        draw_path(machine, f"path{number}")
    for _ in range(dice.int(1, 2)):
        machine.channel_tops.append(draw_network(machine))
    return machine


def _draw_parts(machine: Machine) -> None:
    dice = machine.dice
    add_part(machine, "cpu", CLIENT, "cpu")
    port = draw_kind(dice, "port")
    for way in ("in", "out") if dice.maybe(60) else ("",):
        add_part(machine, "nic", CLIENT, port, way=way)
    add_part(machine, "memory", CLIENT, draw_kind(dice, "stage"))
    add_part(machine, "slots", CLIENT, draw_kind(dice, "pool"))
    add_part(machine, "daemons", SERVER, "cpu")
    add_part(machine, "port", SERVER, draw_kind(dice, "port"))
    add_part(machine, "threads", SERVER, draw_kind(dice, "pool"))
    add_part(machine, "work", SERVER, draw_kind(dice, "work"))
    add_part(machine, "bus", SERVER, draw_kind(dice, "stage"))
    add_part(machine, "lane", SERVER, draw_kind(dice, "lane"))
    add_part(machine, "tags", DEVICE, draw_kind(dice, "pool"))
    add_part(machine, "disk", DEVICE, draw_kind(dice, "device"))
    add_part(machine, "meta", EXTRA, draw_kind(dice, "port"))
    add_part(machine, "inodes", EXTRA, draw_kind(dice, "work"))
    add_part(machine, "lan", EXTRA, draw_kind(dice, "stage"))
    if machine.durable:
        for group in (CLIENT, SERVER, DEVICE, EXTRA):
            add_part(machine, f"log{group}", group, draw_kind(dice, "sync"))


def _draw_store(machine: Machine, name: str, group: int) -> StorePlan:
    dice = machine.dice
    slots = dice.some(1, 2, 3, 4, 5, 8, 8, 16, 40)
    high = dice.int(0, slots)
    back = dice.maybe(75)
    limit = dice.some(-1, -1, dice.int(1, slots))
    old = back and dice.maybe(8)
    slowed = back and limit >= 0 and not dice.exact and dice.maybe(25)
    return StorePlan(
        name=name,
        group=group,
        first=sum(store.count for store in machine.stores),
        count=machine.groups[group].count,
        slots=slots,
        block=dice.some(8, 32, 100, 256),
        extent=dice.some(1, 1, 2, 3, 4, 8),
        policy=dice.some(*names("policies", "reference")),
        back=back,
        dirty_limit=limit,
        quota=dice.some(-1, -1, dice.int(1, slots)),
        release=dice.some(*RELEASES),
        triggers=frozenset(one for one in sorted(TRIGGERS) if dice.maybe(40)),
        high=high,
        low=dice.int(0, high),
        workers=dice.int(1, 3) if back else 0,
        expire_ns=dice.some(0, 100, 1000, 20_000) if old else -1,
        interval_ns=dice.some(1, 7, 100, 3000),
        slow_ns=dice.some(1, 50, 700) if slowed else 0,
        span=dice.some(1, 2, 5),
        elastic=dice.maybe(30),
        ahead=dice.some(0, 0, 1, 2, 4, 7),
        cache_column=machine.column(f"{name}.cache"),
        writeback_column=machine.column(f"{name}.writeback"),
    )
