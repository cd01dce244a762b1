"""A store behind stripes: what is advised where it is not in each of their members works."""

from __future__ import annotations

import pytest

from simulator.config import ConfigError
from simulator.inputfile import Text
from simulator.run import load_plan

MACHINE = """
format: machine/2
name: stripes
nodes: {client: 2, server: 2%s}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s}
  raid: {kind: array, %s, disks: 4, level: raid5, rate: 100 MB/s, capacity: 1 TB}
stores:
  cache: {at: %s, capacity: 1 GB, block: 1 MiB}
filesystems:
  home: [{stripe: 1 MiB, over: 2, of: %s}, {route: [nic], request: 1 MiB}, cache, raid]
"""
JOB = """
format: workload/2
name: job
files: {out: {size: 8 MiB}}
jobs: [{name: job, record: 1 MiB, policy: posix, phases: [{do: write, file: out}]}]
"""


def plan(groups: str, raid: str, cache: str, of: str) -> None:
    load_plan(Text(MACHINE % (groups, raid, cache, of), "stripes"), Text(JOB, "job"))


def test_a_store_of_a_server_is_not_one_of_its_devices() -> None:
    advised = (
        "write 'of: server' in the stripe and 'at: server' in cache; or"
        " 'volume: {count: 3, per: server}' in nodes, 'at: volume' in cache and, instead of its"
        " count, in raid, and 'of: volume', or the stripe after it"
    )
    with pytest.raises(ConfigError) as refused:
        plan("", "at: server, count: 3", "server", "raid")
    assert str(refused.value).endswith(advised)


@pytest.mark.parametrize(
    ("groups", "raid", "cache", "of"),
    [
        ("", "at: server, count: 3", "server", "server"),
        (", volume: {count: 3, per: server}", "at: volume", "volume", "volume"),
    ],
)
def test_what_is_advised_works(groups: str, raid: str, cache: str, of: str) -> None:
    plan(groups, raid, cache, of)


def test_a_store_of_other_nodes_is_to_be_at_those_of_the_stripe() -> None:
    with pytest.raises(ConfigError, match=r"write 'at: volume' in it, or the stripe after it"):
        plan(", volume: {count: 3, per: server}", "at: volume", "server", "volume")
