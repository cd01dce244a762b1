"""The machine that a new user writes from docs/machines.md: clients with flash, and servers."""

from __future__ import annotations

from dataclasses import dataclass, field

MACHINE = """\
format: machine/2
name: modern
nodes:
  client: 64
  server: 8
  mds: 1
parts:
  flash: {{kind: queue, at: client, rate: {{read: 3.2 GB/s, write: 2 GB/s}}, overhead: 20 us}}
  nic: {{kind: network, at: [client, server, mds], rate: {nic}, latency: 2 us}}
  threads: {{kind: pool, at: server, servers: 64}}
  disk: {disk}
  lookup: {{kind: queue, at: mds, servers: 16, overhead: {lookup}}}
stores:
  burst: {{at: client, capacity: 1.6 TB, block: 1 MiB, extent: 16 MiB, dirty: 90 %,
    start: [eager], writers: 8}}
filesystems:
  scratch:
    tiers:
      - [flash]
{local}
      - {{stripe: 1 MiB, over: {over}, of: {of}}}
      - {{route: [nic], request: 4 MiB, header: 256 B, server: threads}}
      - disk
    metadata: [[nic], {{work: lookup}}]
"""
JOB = """\
format: workload/2
name: job
files: {{a: {{size: {size}, {file}}}}}
jobs:
  - {{name: rank, processes: 64, skew: 5 ms, record: {record}, phases: {phases}}}
"""
_BURST = "      - burst\n      - [flash]"
_MACHINE = {
    "nic": "12.5 GB/s",
    "disk": "{kind: queue, at: server, rate: 2 GB/s, overhead: 100 us}",
    "lookup": "100 us",
    "local": "",
    "over": "all",
    "of": "server",
}
_JOB = {
    "size": "16 MiB",
    "file": "exists: false",
    "record": "1 MiB",
    "phases": "[{do: write, file: a}]",
}
_WITH_SYNC = "[{do: write, file: a}, {do: sync, file: a}]"
_DISKS = "{kind: disk, at: server, count: 10, rate: 200 MB/s, seek: 8 ms, rotation: 8.3 ms}"


@dataclass(frozen=True)
class Variant:
    """A machine and a job of a user, and what limits by construction."""

    name: str
    resources: tuple[str, ...]
    """Resources of which one has to be first; servers have disks and ports."""
    machine: dict[str, str] = field(default_factory=dict)
    job: dict[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> tuple[str, str]:
        """The machine and the workload."""
        return MACHINE.format(**_MACHINE | self.machine), JOB.format(**_JOB | self.job)


VARIANTS = (
    Variant("absorbed by flash", ("flash",), {"local": _BURST}),
    Variant("drained to the disks", ("disk", "server"), {"local": _BURST}, {"phases": _WITH_SYNC}),
    Variant("no local store", ("disk", "server")),
    Variant("slow network", ("nic", "server"), {"nic": "1.25 GB/s"}),
    Variant(
        "rotating disks",
        ("disk",),
        {"local": _BURST, "disk": _DISKS, "of": "disk", "over": "4"},
        {"phases": _WITH_SYNC},
    ),
    Variant("small records", ("disk", "server"), {}, {"record": "16 KiB", "size": "1 MiB"}),
    Variant(
        "slow metadata",
        ("lookup", "mds"),
        {"lookup": "2 ms"},
        {"size": "1 MiB", "phases": "[{do: open, file: a, count: 4}, {do: write, file: a}]"},
    ),
    Variant(
        "one shared file",
        ("disk", "server"),
        {},
        {
            "size": "512 MiB",
            "file": "shared: true",
            "phases": "[{do: write, file: a, offset: rank}]",
        },
    ),
)
