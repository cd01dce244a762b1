"""Levers: every value of a machine that costs or saves time, and settings that move it."""

from __future__ import annotations

from typing import Any

import pytest

from simulator.answers.again import machine_variants
from simulator.answers.levers import Lever, Value, levers_of
from simulator.config import ConfigError
from simulator.config.formats import MACHINE
from simulator.config.machine_file import Machine
from simulator.config.rates import ByGroup, EachWay
from simulator.config.ratetables import RateByLoad
from simulator.inputfile import Text

SHIPPED = sorted(MACHINE.shipped())
SMALL = """\
format: machine/2
name: small
nodes: {client: 2, server: 1}
parts:
  nic:
    {kind: network, at: [client, server], rate: {client: 1 GB/s, server: 2 GB/s},
     latency: 5 us, ports: {server: 2}}
  disk: {kind: disk, at: server, rate: 100 MB/s, seek: 8 ms, rotation: 4 ms, count: 3}
  sata: {kind: shared, at: server, rate: {1: 60 MB/s, 8: 40 MB/s}}
  pool: {kind: pool, at: server, servers: 4}
stores:
  pages: {at: client, capacity: 5 MB, block: 1 MB, quota: 3 MB, writers: 2}
  cache: {at: server, capacity: 5 MB, block: 1 MB, write: through}
filesystems:
  home: [pages, {route: [nic], request: 1 MB, window: 2, server: pool}, cache, disk]
  far: [{stripe: 1 MB, over: 2, of: disk}, {route: [nic]}, disk]
"""


def small() -> Machine:
    return machine_variants(Text(SMALL, "<machine>"), ()).load(())


def named(machine: Machine) -> dict[str, Lever]:
    return {lever.name: lever for lever in levers_of(machine)}


def test_each_value_that_costs_or_saves_time_is_a_lever() -> None:
    levers = named(small())
    kinds = {name: one.kind for name, one in levers.items() if one.where != "library"}
    assert "mpi_io.copy_rate" in levers
    assert kinds == {
        "client.count": "number",
        "server.count": "number",
        "nic.rate": "bandwidth",
        "nic.latency": "latency",
        "nic.ports": "wait",
        "disk.count": "wait",
        "disk.rate": "bandwidth",
        "disk.positioning": "latency",
        "sata.count": "wait",
        "sata.rate": "bandwidth",
        "pool.servers": "wait",
        "cpu.copy_rate": "bandwidth",
        "cpu.call_overhead": "latency",
        "cpu.record_overhead": "latency",
        "pages.capacity": "capacity",
        "pages.dirty": "capacity",
        "pages.writers": "number",
        "pages.quota": "capacity",
        "cache.capacity": "capacity",
        "home.tiers.1.window": "number",
        "far.tiers.0.over": "number",
        "far.tiers.1.window": "number",
    }


def test_moves_are_settings_by_hand() -> None:
    levers = named(small())
    assert levers["disk.positioning"].settings("twice") == (
        ("machine.parts.disk.seek", "4 ms"),
        ("machine.parts.disk.rotation", "2 ms"),
    )
    assert levers["disk.rate"].settings("better") == (("machine.parts.disk.rate", "110 MB/s"),)
    assert levers["disk.rate"].settings("worse") == (("machine.parts.disk.rate", "90 MB/s"),)
    assert levers["nic.latency"].settings("better") == (("machine.parts.nic.latency", "4.5 us"),)
    assert levers["disk.count"].settings("worse") == (("machine.parts.disk.count", "2"),)
    assert levers["server.count"].settings("worse") == ()  # None is no server.
    rates = "{client: 2 GB/s, server: 4 GB/s}"
    assert levers["nic.rate"].settings("twice") == (("machine.parts.nic.rate", rates),)
    assert levers["nic.ports"].settings("twice") == (("machine.parts.nic.ports", "{server: 4}"),)
    assert levers["pages.capacity"].settings("better") == (
        ("machine.stores.pages.capacity", "6 MB"),
    )
    assert levers["pages.dirty"].settings("twice") == (("machine.stores.pages.dirty", "40 %"),)
    assert levers["sata.rate"].settings("twice") == (
        ("machine.parts.sata.rate", "{1: 120 MB/s, 8: 80 MB/s}"),
    )


@pytest.mark.few(4)
@pytest.mark.parametrize("name", SHIPPED)
def test_settings_mean_what_they_say_on_every_shipped_machine(name: str) -> None:
    variants = machine_variants(name, ())
    levers = levers_of(variants.load(()))
    assert len({lever.name for lever in levers}) == len(levers)
    refused = []
    for lever in levers:
        try:
            changed = variants.load(lever.settings("twice"))
        except ConfigError:
            refused.append(lever)
            continue
        after = {one.name: one for one in levers_of(changed)}.get(lever.name)
        if after is None:  # A dirty limit of 100 % is none, and is no lever.
            assert lever.settings("twice")[0][1] == "100 %"
            continue
        for old, new in zip(lever.values, after.values, strict=True):
            assert close(new.now, twice(lever, old)), lever.name
    # What cannot be doubled: a server with one node, members of a stripe over all that there are.
    assert all(lever.aspect == "number" for lever in refused)
    assert all(lever.where in ("nodes", "tier") for lever in refused)


def twice(lever: Lever, value: Value) -> Any:
    """Twice as good, computed in another way than the levers do."""
    now, factor = value.now, 0.5 if lever.aspect == "overhead" else 2
    if isinstance(now, EachWay):
        return EachWay(2 * now.read, 2 * now.write, now.apart)
    if isinstance(now, RateByLoad):
        return RateByLoad(tuple((count, 2 * rate) for count, rate in now.points))
    if isinstance(now, ByGroup):
        usual = now.usual if now.groups else factor * now.usual
        return ByGroup(usual, tuple((group, factor * one) for group, one in now.groups))
    if value.leaf.name == "percentage":
        return min(1.0, 2 * now)
    return now * factor


def close(new: Any, wanted: Any) -> bool:
    """Equal, but for half a nanosecond and the last digits of a rate."""
    if isinstance(new, int | float):
        return abs(new - wanted) <= max(0.5, 1e-9 * wanted)
    if isinstance(new, ByGroup):
        return all(map(close, new.numbers, wanted.numbers))
    return bool(new == wanted)
