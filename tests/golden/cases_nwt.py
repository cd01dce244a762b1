"""Cases of the NWT's simulator: the published cells, and each rule of the model by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, combinations

from tests.golden.case import Case, Setting

UNIT = ("machine.ssu.unit", "1 MB")
CAPACITY = ("machine.ssu.capacity", "16 MB")
SMALL: tuple[Setting, ...] = (UNIT, CAPACITY, ("machine.ssu.share", "6 MB"))
"""A small SSU, so that small files meet its limits."""

CELLS: tuple[tuple[str, str, tuple[Setting, ...]], ...] = (
    ("read-1pe-600kB", "test-read", (("buffer", "600 kB"),)),
    ("read-1pe-8MB", "test-read", (("buffer", "8 MB"),)),
    ("read-4pe-600kB", "test-read-parallel", (("buffer", "600 kB"),)),
    ("read-4pe-8MB", "test-read-parallel", (("buffer", "8 MB"),)),
    ("write-1pe-600kB", "test-write", (("buffer", "600 kB"),)),
    ("write-1pe-8MB", "test-write", (("buffer", "8 MB"),)),
    ("write-4pe-600kB", "test-write-parallel", (("buffer", "600 kB"),)),
    ("write-4pe-8MB", "test-write-parallel", (("buffer", "8 MB"),)),
    ("120MB-600kB", "test-write-120MB", (("buffer", "600 kB"), ("policy", "nwt"))),
    ("120MB-600kB-predicted", "test-write-120MB", (("policy", "nwt-predicted"),)),
    ("120MB-8MB", "test-write-120MB", (("buffer", "8 MB"),)),
    (
        "120MB-8MB-predicted",
        "test-write-120MB",
        (("buffer", "8 MB"), ("policy", "nwt-predicted")),
    ),
)
"""The cells of the published tables, in their full size."""

NOISY = ("pe", "crossbar", "ssu", "lan", "frontend", "storage")
TRIGGERS = ("mark", "eager", "close", "rewrite")


def nwt_cases() -> Iterator[Case]:
    """All of them."""
    yield from _published()
    yield from _policies()
    yield from _triggers()
    yield from _cache()
    yield from _paths()
    yield from _stores()
    yield from _jobs()
    yield from _noise()
    yield from _listed()
    yield from _checkpoints()


def _case(
    name: str, workload: str, *settings: Setting, machine: str = "nwt", **changes: object
) -> Case:
    made = {"study": "nwt", "name": name, "machine": machine, "workload": workload}
    return Case(**made, settings=settings, **changes)  # type: ignore[arg-type]


def _published() -> Iterator[Case]:
    for number, (name, workload, settings) in enumerate(CELLS):
        yield _case(f"cell-{name}", workload, *settings)
        yield _case(f"cell-{name}-noisy", workload, *settings, seed=1998, run=number % 9, runs=9)


def _policies() -> Iterator[Case]:
    """Each Fortran runtime, with buffers below, at and above the unit."""
    buffers = {
        "nwt": ("64 kB", "999999 B", "1 MB", "1000001 B", "2500 kB"),
        "nwt-predicted": ("64 kB", "999999 B", "1 MB", "1000001 B", "2500 kB"),
        "gfortran": ("8 kB", "1 MB", "2500 kB"),
        "flang": ("8 kB", "1 MB", "2500 kB"),
        "posix": ("1 MB",),
    }
    for policy, sizes in buffers.items():
        for size in sizes:
            how = (("policy", policy), ("buffer", size))
            name = f"policy-{policy}-{size.replace(' ', '')}"
            yield _case(name, "golden-roundtrip", *SMALL, *how)
    long = (("record", "2300 kB"), ("buffer", "300 kB"))
    for policy in buffers:
        yield _case(f"long-records-{policy}", "golden-roundtrip", *SMALL, *long, ("policy", policy))
    yield _case("mixed-records", "golden-records", *SMALL)
    yield _case("mixed-records-seed", "golden-records", *SMALL, seed=5)
    yield _case(
        "mixed-records-posix", "golden-records", *SMALL, ("policy", "posix"), ("path", "scfs")
    )


def _triggers() -> Iterator[Case]:
    """Every set of triggers, with the rules of release, workers and marks in turn."""
    every = chain.from_iterable(combinations(TRIGGERS, count) for count in range(1, 5))
    for number, starts in enumerate(every):
        yield _case(
            f"writeback-{'-'.join(starts)}",
            "golden-rewrite",
            UNIT,
            ("machine.ssu.capacity", ("8 MB", "12 MB")[number % 2]),
            ("machine.ssu.share", ("3 MB", "8 MB", "5 MB")[number % 3]),
            ("machine.ssu.release", ("none", "whole", "full")[number % 3]),
            ("machine.ssu.writeback.start", f"[{', '.join(starts)}]"),
            ("machine.ssu.writeback.workers", ("2", "1", "4")[number // 3 % 3]),
            ("machine.ssu.writeback.high_mark", ("60 %", "25 %")[number // 2 % 2]),
            ("machine.ssu.writeback.low_mark", ("25 %", "0 %", "10 %")[number % 3]),
            spans=number in {3, 14},
        )


def _cache() -> Iterator[Case]:
    """Shares, release, units, channels, ports and a cache that is too small."""
    for release in ("none", "whole", "full"):
        for share, buffer in (("2 MB", "2500 kB"), ("4 MB", "600 kB")):
            yield _case(
                f"release-{release}-{share.replace(' ', '')}",
                "golden-rewrite",
                UNIT,
                CAPACITY,
                ("machine.ssu.share", share),
                ("machine.ssu.release", release),
                ("workload.jobs.0.buffer", buffer),
            )
    for unit in ("500 kB", "2 MB"):
        sizes = (("unit", unit), CAPACITY, ("share", "6 MB"))
        yield _case(f"unit-{unit.replace(' ', '')}", "golden-mixed", *sizes)
    tiny = (UNIT, ("ssu", "2 MB"), ("share", "1 MB"))
    yield _case("two-units", "golden-rewrite", *tiny)
    yield _case("one-unit", "golden-roundtrip", UNIT, ("ssu", "1 MB"), ("share", "1 MB"))
    yield _case("thrashing", "golden-mixed", UNIT, ("ssu", "4 MB"), ("share", "4 MB"), spans=True)
    yield _case(
        "one-channel",
        "golden-mixed",
        *SMALL,
        ("machine.ssu.channels", "1"),
        ("machine.ssu.request_overhead", "3 ms"),
        ("machine.frontend.paths", "1"),
    )
    yield _case(
        "three-ports",
        "golden-mixed",
        *SMALL,
        ("machine.ssu.ports", "3"),
        ("machine.ssu.channels", "5"),
        ("machine.ssu.read_rate", "90 MB/s"),
        ("machine.crossbar.latency", "1 ms"),
    )
    yield _case("no-quota", "golden-rewrite", UNIT, CAPACITY, ("share", "16 MB"))


def _paths() -> Iterator[Case]:
    """NFS and SVIO over the LAN, shared fairly and one after the other; machines without."""
    nfs = (("path", "nfs"), ("workload.files.output.size", "300 kB"))
    for sharing in ("fair", "fifo"):
        lan = ("machine.lan.sharing", sharing)
        yield _case(f"nfs-{sharing}", "test-write-120MB", *nfs, lan)
        yield _case(f"nfs-{sharing}-four-clients", "test-write-120MB", *nfs, lan, ("clients", "4"))
        yield _case(f"print-{sharing}", "golden-print", lan, spans=sharing == "fair")
        yield _case(f"print-{sharing}-noisy", "golden-print", lan, seed=4)
        yield _case(
            f"mixed-{sharing}", "golden-mixed", *SMALL, lan, ("machine.nfs.rpc_size", "5 kB")
        )
    yield _case(
        "nfs-read-four-PEs",
        "test-read-parallel",
        ("path", "nfs"),
        ("clients", "2"),
        ("workload.files.input.size", "400 kB"),
        ("workload.files.input.prestage", "false"),
    )
    short = (("path", "nfs"), ("workload.files.output.size", "700 kB"))
    yield _case(
        "no-ssu",
        "golden-roundtrip",
        *short,
        ("workload.files.input.size", "200 kB"),
        machine="golden-no-ssu",
    )
    yield _case("no-ssu-noisy", "golden-roundtrip", *short, machine="golden-no-ssu", seed=2)
    yield _case("no-lan", "golden-roundtrip", *SMALL, machine="golden-no-lan")


def _stores() -> Iterator[Case]:
    """Disks, arrays and tapes; stripes; seeks by their distance, and a drawn rotation."""
    for filesystem in ("ufs", "vfl", "tape", "cartridge"):
        home = ("workload.files.*.filesystem", filesystem)
        yield _case(f"store-{filesystem}", "golden-roundtrip", *SMALL, home)
        yield _case(
            f"store-{filesystem}-noisy", "golden-rewrite", *SMALL, home, seed=6, run=1, runs=3
        )
    for stripes, disks in (("1", "4"), ("3", "4"), ("4", "4"), ("32", "5")):
        yield _case(
            f"stripes-{stripes}-of-{disks}",
            "golden-mixed",
            *SMALL,
            ("stripes", stripes),
            ("disks", disks),
            ("machine.frontend.paths", "3"),
        )
    seeks = (
        ("machine.storage.disk.track_seek", "2 ms"),
        ("machine.storage.disk.full_seek", "23 ms"),
    )
    on_disks = ("workload.files.*.filesystem", "ufs")
    few = ("machine.storage.disk.count", "2")
    near = ("machine.storage.disk.capacity", "60 MB")
    turn = ("machine.storage.disk.rotation", "drawn")
    yield _case("seek-by-distance", "golden-rewrite", *SMALL, on_disks, few, near, *seeks)
    yield _case("rotation-drawn", "golden-rewrite", *SMALL, on_disks, few, turn)
    yield _case("seek-and-rotation", "golden-mixed", *SMALL, on_disks, few, near, *seeks, turn)
    yield _case(
        "seek-and-rotation-noisy", "golden-mixed", *SMALL, on_disks, few, *seeks, turn, seed=9
    )
    yield _case(
        "overheads",
        "golden-mixed",
        *SMALL,
        ("machine.storage.disk.overhead", "1 ms"),
        ("machine.storage.array.overhead", "700 us"),
        ("machine.storage.array.seek", "5 ms"),
        ("machine.storage.array.turn", "8 ms"),
        ("machine.storage.tape.overhead", "30 ms"),
        ("machine.storage.tape.count", "1"),
        ("machine.frontend.path_overhead", "2 ms"),
        ("machine.nfs.server_overhead", "3 ms"),
        ("machine.lan.latency", "1 ms"),
    )


def _jobs() -> Iterator[Case]:
    """Several jobs, jobs of several PEs, what a PE costs."""
    yield _case("mixed", "golden-mixed", *SMALL, spans=True)
    yield _case("mixed-full-size", "golden-mixed")
    yield _case(
        "mixed-no-prestaging", "golden-mixed", *SMALL, ("workload.files.input.prestage", "false")
    )
    yield _case("mixed-all-shared", "golden-mixed", *SMALL, ("workload.files.*.shared", "true"))
    yield _case(
        "prestaged-more-than-fits",
        "golden-mixed",
        UNIT,
        ("ssu", "8 MB"),
        ("share", "4 MB"),
        ("workload.files.common.prestage", "true"),
    )
    yield _case(
        "processors",
        "golden-mixed",
        *SMALL,
        ("machine.fortran.turn_overhead", "0 s"),
        ("machine.pe.copy_rate", "120 MB/s"),
        ("machine.pe.record_overhead", "30 us"),
        ("machine.pe.call_overhead", "1 ms"),
        ("machine.crossbar.port_rate", "77 MB/s"),
    )
    for pes in ("2", "7"):
        size = (("workload.files.output.size", "3 MB"), ("workload.jobs.0.pes", pes))
        yield _case(f"write-{pes}-PEs", "test-write-parallel", *SMALL, *size, ("clients", "2"))
    yield _case(
        "lockstep-twenty",
        "test-read",
        *SMALL,
        ("clients", "20"),
        ("workload.files.input.size", "2 MB"),
    )
    yield _case(
        "lockstep-six-writers",
        "test-write-120MB",
        ("clients", "6"),
        ("workload.files.output.size", "30 MB"),
    )
    yield _case(
        "machine-defaults",
        "golden-defaults",
        *SMALL,
        ("machine.fortran.policy", "gfortran"),
        ("machine.fortran.buffer", "48 kB"),
    )


def _noise() -> Iterator[Case]:
    """Deviations of a run and of a request, alone and stratified."""
    for run in range(3):
        yield _case(f"noise-run-{run}-of-3", "golden-mixed", *SMALL, seed=7, run=run, runs=3)
    yield _case("noise-run-5-alone", "golden-mixed", *SMALL, seed=7, run=5)
    yield _case("noise-seed-0", "golden-mixed", *SMALL, seed=0)
    for part in ("run", "request"):
        only = _deviations(lambda _, one, part=part: one == part)
        yield _case(f"noise-of-each-{part}", "golden-mixed", *SMALL, *only, seed=8)
    for kind in NOISY:
        strong = _deviations(lambda one, _, kind=kind: one == kind)
        yield _case(f"noise-of-{kind}", "golden-mixed", *SMALL, *strong, seed=8)


def _deviations(wanted: Callable[[str, str], bool]) -> tuple[Setting, ...]:
    """Much noise of those parts, per run or per request, that are wanted; none of the others."""
    return tuple(
        (f"machine.noise.{kind}.{part}", "30 %" if wanted(kind, part) else "0 %")
        for kind in NOISY
        for part in ("run", "request")
    )


def _listed() -> Iterator[Case]:
    """Calls that are listed one by one."""
    calls = "golden-calls"
    yield _case("calls", calls, *SMALL, spans=True)
    yield _case("calls-noisy", calls, *SMALL, seed=3)
    yield _case("calls-nfs", calls, ("workload.traced.path", "nfs"))
    yield _case("calls-prestaged", calls, *SMALL, ("workload.traced.prestage", "true"))
    yield _case("calls-on-ufs", calls, *SMALL, ("workload.traced.filesystem", "ufs"))
    yield _case("calls-hasty", calls, *SMALL, ("workload.traced.think", "25 %"))
    yield _case("calls-in-buffers", calls, *SMALL, ("workload.traced.buffer", "400 kB"))
    yield _case(
        "calls-on-one-PE", calls, *SMALL, ("machine.pe.small", "1"), ("machine.pe.large", "0")
    )
    yield _case("calls-two-units", calls, UNIT, ("ssu", "2 MB"), ("share", "1 MB"))
    yield _case("many-calls", "golden-many", *SMALL)
    yield _case("many-calls-noisy", "golden-many", *SMALL, seed=3, run=2, runs=4)
    yield _case("many-calls-nfs", "golden-many", ("workload.traced.path", "nfs"))
    yield _case(
        "many-calls-in-buffers",
        "golden-many",
        *SMALL,
        ("workload.traced.buffer", "64 kB"),
        ("workload.traced.think", "0 %"),
    )
    yield _case(
        "many-calls-eager", "golden-many", *SMALL, ("machine.ssu.writeback.start", "[eager, close]")
    )


def _checkpoints() -> Iterator[Case]:
    """Clients that write checkpoints on the machines of today, fewer and smaller."""
    few = (("clients", "12"), ("workload.files.*.size", "80 MB"))
    small = {
        "lustre-scratch": (("machine.ssu.capacity", "640 MB"),),
        "burst-buffer": (("machine.ssu.capacity", "1600 MB"),),
    }
    for machine, cache in small.items():
        for workload in ("hourly", "interval", "restart"):
            name = f"{machine}-{workload}"
            kind = f"checkpoint-{workload}"
            yield _case(name, kind, *few, *cache, machine=machine)
            yield _case(f"{name}-noisy", kind, *few, *cache, machine=machine, seed=2017)
        yield _case(
            f"{machine}-busy",
            "checkpoint-interval",
            *few,
            *cache,
            ("workload.jobs.0.phases.0.time", "50 ms"),
            ("machine.storage.ost.count", "3"),
            ("machine.frontend.paths", "3"),
            machine=machine,
            seed=2017,
        )
        yield _case(
            f"{machine}-full-size-cache", "checkpoint-restart", *few, machine=machine, slow=True
        )
    tight = (("machine.ssu.capacity", "320 MB"), ("machine.ssu.writeback.start", "[mark, close]"))
    yield _case("burst-buffer-mark", "checkpoint-hourly", *few, *tight, machine="burst-buffer")
