"""The block diagram of a machine, and the lists of its paths."""

from __future__ import annotations

from simulator.report.blocks import block_diagram
from tests.config.machine_texts import machine

TEXT = """\
format: machine/2
name: two-networks
nodes: {node: 4, gate: 2, oss: {count: 2, memory: 8 GB}, target: {count: 3, per: oss}}
parts:
  core: {kind: cpu, at: node}
  fast: {kind: network, at: [node, gate], rate: 2 GB/s}
  slow: {kind: network, at: [gate, oss], rate: 1 GB/s}
  raid: {kind: disk, at: target, rate: 100 MB/s}
  clock: {kind: delay, overhead: 1 us}
stores:
  cache: {at: target, capacity: 1 GB}
filesystems:
  far:
    - {forward: gate}
    - [fast]
    - {stripe: 1 MB, over: 2, of: raid}
    - {route: [slow], request: 4 MB, window: 2, header: 64 B}
    - {work: clock}
    - cache
    - raid
"""
DRAWN = """\
      +-------------------------------+
o-----| node: 4 nodes                 |
|     | core  cpu                     |
|     | fast  network  rate 2 GB/s    |
|     +-------------------------------+
|     fast
|     +-------------------------------+
o-o---| gate: 2 nodes                 |
  |   | fast  network  rate 2 GB/s    |
  |   | slow  network  rate 1 GB/s    |
  |   +-------------------------------+
  |   slow
  |   +-------------------------------+
  o---| oss: 2 nodes, 8 GB each       |
      | slow  network  rate 1 GB/s    |
      |                               |
      |   target: 3 nodes in each     |
      |   raid   disk   rate 100 MB/s |
      |   cache  store  capacity 1 GB |
      +-------------------------------+

      +-------------------------------+
      | one for the whole machine     |
      | clock  delay  overhead 1 us   |
      +-------------------------------+
"""
LISTED = """\
far
    program
                    by way of gate
    node -> gate  | fast
                    stripes of 1 MB over 2 x target
                    requests of 4 MB, 2 at one time
                    by way of oss
    gate -> oss   | slow, with headers of 64 B
                  | clock: work on each request
    target        [ cache ]
    target        | raid
"""


def test_a_machine_with_two_networks_and_groups_within_groups() -> None:
    drawn, listed = block_diagram(machine(TEXT)).split("\n\nfar\n")
    assert drawn == DRAWN.rstrip("\n")
    assert "far\n" + listed == LISTED.rstrip("\n")
