"""Cases of the other three simulators: SR8000, Orion, Ninf."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from tests.golden.case import Case, Setting


def _make(
    study: str,
    machine: str,
    name: str,
    workload: str,
    *settings: Setting,
    seed: int | None = None,
    run: int = 0,
) -> Case:
    return Case(
        study=study,
        name=name,
        machine=machine,
        workload=workload,
        settings=settings,
        seed=seed,
        run=run,
    )


# -- SR8000: parallel input and output ------------------------------------------------------

ARRAY = ("workload.array.size", "8 MiB")
VIEW_METHODS = ("unix", "offsets", "list", "stride", "sieving")
COLLECTIVE_METHODS = ("disk-directed", "server-directed", "two-phase")


def sr8000_cases() -> Iterator[Case]:
    """Every workload, method and interface, and each part of the machine by itself."""
    yield from _shipped_arrays()
    yield from _methods()
    yield from _arrays()
    yield from _nodes()


def _io(name: str, workload: str, *settings: Setting, seed: int | None = None) -> Case:
    return _make("sr8000", "sr8000", name, f"sr8000-{workload}", ARRAY, *settings, seed=seed)


def _shipped_arrays() -> Iterator[Case]:
    for operation, interface, count in product(("read", "write"), ("ut", "fv", "col"), "248"):
        name = f"{operation}-{interface}"
        yield _io(f"{name}-{count}", name, ("workload.processes", count))
    halves = tuple((f"workload.regions.{one}.size", "4 MiB") for one in (0, 1))
    yield _io("regions", "regions", *halves)
    first = "{size: 3 MiB, block: 64 KiB, order: [5, 0, 3]}"
    orders = f"[{first}, {{size: 5 MiB, block: 16 KiB, subfiles: 2}}]"
    yield _io("regions-in-orders", "regions", ("workload.regions", orders))
    yield _io("regions-collective", "write-col", ("workload.regions", orders))


def _methods() -> Iterator[Case]:
    """The methods of each interface, on dense rows and on rows with gaps between them."""
    gap = ("workload.array.gap", "40 KiB")
    for operation in ("read", "write"):
        for method in VIEW_METHODS:
            how = ("workload.method", method)
            yield _io(f"{operation}-{method}", f"{operation}-fv", how)
            yield _io(f"{operation}-{method}-gaps", f"{operation}-fv", how, gap)
        for method in COLLECTIVE_METHODS:
            how = ("workload.method", method)
            yield _io(f"{operation}-{method}", f"{operation}-col", how)
            yield _io(f"{operation}-{method}-gaps", f"{operation}-col", how, gap)
    for interface in ("ut", "fv", "col"):
        yield _io(f"rewrite-{interface}", f"write-{interface}", ("workload.array.exists", "true"))
    asynchronous = (("workload.asynchronous", "true"), ("workload.compute", "200 ms"))
    for kind in ("read-ut", "read-fv", "write-fv", "read-col", "write-col"):
        yield _io(f"asynchronous-{kind}", kind, *asynchronous)
    yield _io("computing", "write-fv", ("workload.compute", "200 ms"))


def _arrays() -> Iterator[Case]:
    """Pieces that are no blocks, times that are drawn, processes that are no power of two."""
    odd = (("workload.array.piece", "10000 B"), ("workload.array.size", "4800 kB"))
    for kind in ("read-fv", "write-fv", "read-col", "write-col", "write-ut"):
        yield _io(f"odd-pieces-{kind}", kind, *odd, ("workload.processes", "3"))
    exists = ("workload.array.exists", "true")
    yield _io("odd-pieces-rewrite", "write-fv", *odd, ("workload.processes", "3"), exists)
    for kind, seed in (("read-ut", None), ("read-fv", 3), ("write-col", 3), ("write-fv", 11)):
        yield _io(f"skewed-{kind}-{seed}", kind, ("workload.skew", "30 ms"), seed=seed)
    yield _io("one-process", "read-fv", ("workload.processes", "1"))


def _nodes() -> Iterator[Case]:
    """Caches, read-ahead, servers, stripes, buffers, and what a system may lack."""
    small = (("machine.ionode.buffer_cache", "256 KiB"), ("machine.raid.cache", "128 KiB"))
    kinds = ("read-ut", "read-fv", "write-fv", "write-col")
    changes: dict[str, tuple[Setting, ...]] = {
        "small-caches": small,
        "cache-of-raid": small[:1],
        "no-prefetch": (("machine.ionode.prefetch", "0"),),
        "long-prefetch": (("machine.ionode.prefetch", "13"), small[1]),
        "three-servers": (("machine.ionode.servers", "3"),),
        "small-blocks": (("machine.ionode.block", "16 KiB"),),
        "stripes": (("machine.striping.block", "96 KiB"), ("machine.striping.subfiles", "3")),
        "own-stripes": (("workload.striping", "{block: 32 KiB, order: [6, 1, 4, 3]}"),),
        "four-nodes": (
            ("machine.nodes", "4"),
            ("machine.striping.subfiles", "4"),
            ("workload.processes", "4"),
        ),
        "small-buffers": (
            ("machine.library.transfer_buffer", "24 KiB"),
            ("machine.ionode.piece_overhead", "300 us"),
        ),
        "slow-network": (
            ("machine.crossbar.port_rate", "6 MB/s"),
            ("machine.crossbar.latency", "2 ms"),
            ("machine.crossbar.header", "4 KiB"),
        ),
        "slow-bus": (
            ("machine.raid.bus_rate", "5 MB/s"),
            ("machine.raid.bus_overhead", "3 ms"),
            ("machine.raid.overhead", "7 ms"),
        ),
    }
    for name, settings in changes.items():
        for kind in kinds:
            yield _io(f"{name}-{kind}", kind, *settings)
    again = (("workload.method", "sieving"), ("machine.library.sieve_buffer", "1 MiB"))
    yield _io("sieving-from-raid", "read-fv", small[0], *again)
    yield _io("sieving-small-caches", "read-fv", *small, *again)
    for kind, method in (("fv", "sieving"), ("col", "two-phase")):
        buffers = (
            ("machine.library.sieve_buffer", "200 KiB"),
            ("machine.library.exchange_buffer", "200 KiB"),
            ("machine.library.copy_rate", "20 MB/s"),
            ("workload.method", method),
        )
        for operation in ("read", "write"):
            yield _io(f"small-{method}-{operation}", f"{operation}-{kind}", *buffers)
    lacking: dict[str, tuple[Setting, ...]] = {
        "no-strides": (("machine.features.stride_io", "false"),),
        "no-lists": (
            ("machine.features.stride_io", "false"),
            ("machine.features.list_io", "false"),
        ),
        "no-collective": (("machine.features.collective", "false"),),
        "no-lock": (("machine.features.file_lock", "false"),),
    }
    for name, settings in lacking.items():
        for kind in ("read-fv", "write-fv", "write-col"):
            yield _io(f"{name}-{kind}", kind, *settings)
    for kind in ("read-ut", "write-col"):
        every = tuple(
            (f"machine.library.{one}", "3 ms")
            for one in ("call_overhead", "lock_overhead", "barrier_overhead")
        )
        yield _io(f"slow-calls-{kind}", kind, *every, ("machine.library.item_overhead", "40 us"))


# -- Orion: message passing -----------------------------------------------------------------

MESH = (("workload.rows", "200"), ("workload.columns", "200"), ("workload.loops", "5"))
MANY = ("machine.count", "16")


def orion_cases() -> Iterator[Case]:
    """Nodes, orders, networks, location caches, intervals, caches, paging, noise."""
    yield _mesh("full-size")
    yield _mesh("full-size-noisy", seed=1)
    for nodes in ("1", "2", "3", "4", "6", "9", "16"):
        count = ("workload.nodes", nodes)
        yield _mesh(f"nodes-{nodes}", *MESH, MANY, count)
        yield _mesh(f"nodes-{nodes}-noisy", *MESH, MANY, count, seed=7, run=int(nodes))
    for order, sharing in product(("blocks", "edges-first", "colours"), ("fifo", "fair")):
        how = (("workload.order", order), ("machine.lan.sharing", sharing))
        for nodes in ("4", "16"):
            name = f"{order}-{sharing}-{nodes}"
            yield _mesh(name, *MESH, MANY, ("workload.nodes", nodes), *how)
        name = f"{order}-{sharing}-noisy"
        yield _mesh(name, *MESH, MANY, ("workload.nodes", "8"), *how, seed=2)
    nine = (*MESH, MANY, ("workload.nodes", "9"))
    for sharing in ("fifo", "fair"):
        forgetful = ("machine.message_server.location_cache", "false")
        yield _mesh(f"forgetful-{sharing}", *nine, forgetful, ("machine.lan.sharing", sharing))
    for interval in ("1 ms", "5 ms", "50 ms", "333 ms"):
        name = f"interval-{interval.replace(' ', '')}"
        yield _mesh(name, *nine, ("machine.message_server.interval", interval))
    yield _mesh("paging", *MESH, ("machine.memory.resident", "200 kB"))
    yield _mesh(
        "paging-colours", *nine, ("machine.memory.resident", "40 kB"), ("workload.order", "colours")
    )
    yield _mesh(
        "small-cache",
        *nine,
        ("machine.cpu.cache.size", "8 KiB"),
        ("machine.cpu.cache.line", "64 B"),
    )
    yield _make("orion", "golden-no-cache", "no-cache", "orion-mesh", *MESH)
    yield _mesh(
        "oblong",
        ("workload.rows", "1000"),
        ("workload.columns", "10"),
        ("workload.point", "80 B"),
        ("workload.loops", "3"),
        MANY,
        ("workload.nodes", "5"),
    )
    yield _mesh(
        "slow-servers",
        *nine,
        ("machine.message_server.poll", "3 ms"),
        ("machine.message_server.send", "30 ms"),
        ("machine.message_server.deliver", "11 ms"),
        ("machine.message_server.lookup", "5 ms"),
        ("machine.message_server.copy_rate", "100 kB/s"),
        ("machine.message_server.header", "2 kB"),
        ("machine.process_server.create", "77 ms"),
    )
    yield _mesh(
        "slow-network", *nine, ("machine.lan.rate", "30 kB/s"), ("machine.lan.latency", "9 ms")
    )
    yield _mesh(
        "slow-network-fair",
        *nine,
        ("machine.lan.rate", "30 kB/s"),
        ("machine.lan.sharing", "fair"),
        seed=3,
    )
    yield _mesh("varying", *nine, ("machine.cpu.variation", "40 %"), seed=3)


def _mesh(name: str, *settings: Setting, seed: int | None = None, run: int = 0) -> Case:
    return _make("orion", "orion", name, "orion-mesh", *settings, seed=seed, run=run)


# -- Ninf: numerical servers ----------------------------------------------------------------

SHIPPED_CALLS = ("single", "lan", "wan", "wan-sites", "ep", "choice")
SHORT = ("workload.duration", "4 min")
CHOICES = ("fixed", "load", "compute", "bandwidth", "estimate")
EVERY_CALLER = "workload.clients.*"


def ninf_cases() -> Iterator[Case]:
    """Every workload and choice, with two seeds, and each rule of servers and clients."""
    for name, seed in product(SHIPPED_CALLS, (1998, 7)):
        yield _calls(f"{name}-seed-{seed}", name, SHORT, seed=seed)
    yield _calls("lan-run-3", "lan", SHORT, run=3)
    yield _calls("lan-full-length", "lan")
    for choice, seed in product(CHOICES[1:], (1998, 7)):
        yield _calls(
            f"choose-{choice}-{seed}", "choice", SHORT, ("workload.choose", choice), seed=seed
        )
    busy = (SHORT, (f"{EVERY_CALLER}.count", "8"), (f"{EVERY_CALLER}.every", "1 s"))
    for choice in CHOICES:
        yield _make("ninf", "ninf", f"busy-{choice}", "golden-servers", ("workload.choose", choice))
    for workload in ("lan", "ep"):
        yield _calls(
            f"not-favoured-{workload}", workload, *busy, ("machine.servers.*.favoured", "false")
        )
        for count in ("1", "2", "5"):
            some = ("machine.servers.*.at_once", count)
            yield _calls(f"at-once-{count}-{workload}", workload, *busy, some)
    for count in ("1", "2", "4"):
        yield _calls(f"clients-{count}", "lan", SHORT, (f"{EVERY_CALLER}.count", count))
    for n, library in product(("600", "1400"), ("1pe", "4pe")):
        size = ((f"{EVERY_CALLER}.n", n), (f"{EVERY_CALLER}.library", library))
        yield _calls(f"lan-{n}-{library}", "lan", SHORT, *size)
    yield _calls("gang", "lan", *busy, ("machine.servers.j90.gang", "70 %"))
    yield _calls(
        "two-PEs",
        "lan",
        *busy,
        ("machine.servers.j90.pes", "2"),
        ("machine.servers.j90.gang", "90 %"),
    )
    yield _calls(
        "continues",
        "wan",
        *busy,
        (f"{EVERY_CALLER}.continues", "true"),
        (f"{EVERY_CALLER}.chance", "20 %"),
    )
    yield _calls(
        "spread", "lan", SHORT, (f"{EVERY_CALLER}.spread", "true"), (f"{EVERY_CALLER}.first", "7 s")
    )
    yield _calls("ep-far", "ep", SHORT, (f"{EVERY_CALLER}.site", "ocha"))
    yield _calls("no-calls", "lan", ("workload.duration", "1 s"), (f"{EVERY_CALLER}.chance", "0 %"))
    yield _calls(
        "no-latency",
        "wan-sites",
        SHORT,
        ("machine.sites.*.lan_latency", "0 s"),
        ("machine.sites.*.line_latency", "0 s"),
    )
    yield _calls(
        "slow-lines",
        "wan-sites",
        *busy,
        ("machine.sites.*.line", "60 kB/s"),
        ("machine.servers.*.link", "90 kB/s"),
        ("machine.servers.*.accept", "500 ms"),
        ("machine.servers.*.start", "2 s"),
        ("machine.clients.*.conversion", "300 kB/s"),
    )


def _calls(name: str, workload: str, *settings: Setting, seed: int = 1998, run: int = 0) -> Case:
    return _make("ninf", "ninf", name, f"ninf-{workload}", *settings, seed=seed, run=run)
