"""Machines drawn at random for questions about them, and chains of which one station is slow."""

from __future__ import annotations

from random import Random

from simulator.answers.again import InputsAgain
from simulator.answers.levers import levers_of
from simulator.inputfile import Text
from simulator.run import Inputs, load_inputs

PARTS = """\
  nic: {{kind: network, at: [client, server], rate: {nic} MB/s, latency: {latency} us}}
  bus: {{kind: queue, at: client, rate: {{read: {bus} MB/s, write: {bus2} MB/s}}}}
  rpc: {{kind: queue, at: server, servers: {rpcs}, overhead: {rpc} us}}
  threads: {{kind: pool, at: server, servers: {threads}}}
  disk:
    {{kind: disk, at: server, rate: {disk} MB/s, seek: {seek} us, rotation: {seek} us,
     count: {disks}}}
  sata:
    {{kind: shared, at: server, rate: {{1: {sata} MB/s, 4: {sata2} MB/s}}, overhead: {rpc} us}}
  memory: {{kind: delay, at: client, rate: {memory} MB/s}}
  cpu: {{kind: cpu, copy_rate: {copy} MB/s, call_overhead: {call} us}}
"""
WAYS = (
    "[[memory], pages, {{route: [nic], request: {request} kB, server: threads}}, {{work: rpc}},"
    " cache, sata]",
    "[[bus], {{stripe: {request} kB, over: {over}, of: disk}}, {{route: [nic], header: 200 B}},"
    " disk]",
    "[pages, {{stripe: {request} kB, of: server}}, {{route: [nic], request: {request} kB,"
    " window: 3}}, {{work: rpc}}, sata]",
    "[[memory], [nic], {{hold: threads}}, cache, disk]",
    "[[bus, nic], {{work: rpc}}, disk]",
)
PHASES = (
    "{do: write, file: a}",
    "{do: read, file: b}",
    "{do: read, file: b, order: random}",
    "{do: write, file: c, offset: interleaved}",
    "{do: read, file: a}",
    "{do: sync, file: a}",
    "{do: barrier}",
    "{do: compute, time: 5 ms}",
)


def drawn(seed: int) -> tuple[Text, Text]:
    """Return a machine and a workload of a seed."""
    dice = Random(seed)

    def some(*choices: int) -> int:
        return dice.choice(choices)

    servers = some(1, 1, 2, 3)
    numbers = {
        "nic": some(20, 100, 1000),
        "latency": some(1, 20, 500),
        "bus": some(50, 500, 2000),
        "bus2": some(50, 500, 1500),
        "rpcs": some(1, 1, 2, 8),
        "rpc": some(10, 100, 800),
        "threads": some(1, 2, 8, 64),
        "disk": some(20, 100, 500),
        "seek": some(100, 1000, 6000),
        "disks": some(2, 2, 3),
        "sata": some(40, 200),
        "sata2": some(30, 150),
        "memory": some(100, 1000, 8000),
        "copy": some(100, 1000, 5000),
        "call": some(1, 10, 100),
        "request": some(50, 100, 400),
        "over": some(1, 2),
    }
    stores = "".join(
        f"  {name}: {{at: {at}, capacity: {some(1, 2, 6)} MB, block: {some(10, 50)} kB,"
        f" dirty: {some(20, 50, 90)} %, high: 10 %, writers: {some(1, 2, 4)}"
        f"{dice.choice(('', ', read_ahead: 100 kB', ', policy: fifo'))}}}\n"
        for name, at in (("pages", "client"), ("cache", "server"))
    )
    machine = (
        f"format: machine/2\nname: drawn\nnodes: {{client: {some(1, 2, 4)}, server: {servers}}}\n"
        f"parts:\n{PARTS.format(**numbers)}stores:\n{stores}filesystems:\n"
        f"  home: {dice.choice(WAYS).format(**numbers)}\n"
    )
    phases = ", ".join(["{do: write, file: a}", *dice.choices(PHASES, k=some(1, 2, 4))])
    job = (
        "format: workload/2\nname: drawn\nfiles: {a: {size: 3 MB},"
        " b: {size: 2 MB, exists: true, shared: true}, c: {size: 4 MB, shared: true}}\n"
        f"jobs: [{{name: job, processes: {some(1, 2, 4, 7)}, record: {some(20, 64, 200)} kB,"
        f" repeat: {some(1, 1, 2)}, phases: [{phases}]}}]\n"
    )
    return Text(machine, "<machine>"), Text(job, "<workload>")


def doublings(inputs: Inputs, seed: int | None = None) -> dict[str, int]:
    """Run every lever of a machine twice as good, and return the elapsed times by its name.

    None is left out, whatever the account says; those that the machine cannot have are.
    """
    again = InputsAgain(inputs, seed=seed)
    found = {}
    for lever in levers_of(inputs.machine):
        settings = lever.settings("twice")
        result = again.run(settings) if settings else None
        if result is not None:
            found[lever.name] = result.elapsed_ns
    return found


def loaded(texts: tuple[Text, Text]) -> Inputs:
    """Load a machine and a workload."""
    return load_inputs(*texts, noisy=False)


# -- one slow station --------------------------------------------------------------------------


def chain(seed: int, what: str) -> tuple[Text, Text, str, str]:
    """Return a chain of stations of which one is slow, a job, and its resource and what of it.

    ``what``: ``bandwidth`` and ``latency`` of a station that one process uses, ``wait`` of one with
    too few servers for many, ``capacity`` of a store too small for what is read again, ``number``
    of requests that one call has out at one time.
    """
    dice = Random(f"{what}{seed}")
    names = [f"s{number}" for number in range(dice.randint(3, 6))]
    slow = dice.choice(names)
    kinds = {name: dice.choice(("queue", "delay", "shared")) for name in names}
    size, record, processes = 4_000_000, dice.choice((50, 100, 200)), 1
    stores, tiers = "", [f"[{name}]" for name in names]
    expected = f"{slow}.rate"
    parts = ""
    for name in names:
        # A record at 1 GB/s takes as many us as it has kB.
        rate, overhead, servers = 1000, record, 1
        if name == slow and what == "bandwidth":
            rate = dice.choice((20, 60))
        elif name == slow and what == "latency":
            overhead, expected = record * dice.choice((20, 50)), f"{name}.overhead"
        elif what == "wait":
            kinds[name] = "queue"
            servers = 2 if name == slow else 64
            overhead, rate = (record * 20, 50) if name == slow else (record, 1000)
        elif name == slow and what == "number":  # Both its rate and its overhead are half of it.
            kinds[name], rate, overhead = "delay", 50, record * 20
        servers_of = f"servers: {servers}, " if kinds[name] == "queue" else ""
        parts += f"  {name}: {{kind: {kinds[name]}, {servers_of}rate: {rate} MB/s,"
        parts += f" overhead: {overhead} us}}\n"
    if what == "wait":
        processes, expected = 16, f"{slow}.servers"
    if what == "number":
        tiers.insert(0, f"{{request: {record} kB}}")
        expected, record = "home.tiers.0.window", 4 * record
    phases = f"{{do: {dice.choice(('read', 'write'))}, file: a}}"
    repeat = 1
    if what == "capacity":
        stores = "stores: {store: {capacity: 3 MB, block: 50 kB, dirty: 100 %}}\n"
        tiers.insert(0, "store")
        phases, repeat, expected = "{do: read, file: a}", dice.choice((5, 8)), "store.capacity"
    machine = (
        f"format: machine/2\nname: chain\nnodes: {{node: {processes}}}\nparts:\n{parts}{stores}"
        f"filesystems:\n  home: [{', '.join(tiers)}]\n"
    )
    job = (
        f"format: workload/2\nname: job\nfiles: {{a: {{size: {size} B, exists: true}}}}\n"
        f"jobs: [{{name: job, processes: {processes}, record: {record} kB, repeat: {repeat},"
        f" phases: [{phases}]}}]\n"
    )
    resource, aspect = expected.split(".", 1)
    return Text(machine, "<machine>"), Text(job, "<workload>"), resource, aspect
