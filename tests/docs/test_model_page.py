"""docs/model.md: each sentence of what is not modelled is tried on a small machine.

A sentence that the page gains, loses or changes makes a test fail that names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.config import ConfigError
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.plan.codes import METADATA, OPERATIONS, SYNC
from simulator.replay.observed import observe
from simulator.result.result import Result
from simulator.run import run_plan
from simulator.traces.logs import read_logs
from tests.reference.runs import FREE, both, planned

ROOT = Path(__file__).resolve().parents[2]
PAGE = " ".join((ROOT / "docs" / "model.md").read_text("utf-8").split())
SECTION = PAGE.split("## What is not modelled ")[1].split(" ## ")[0]
SECOND = 10**9
ONE = "nodes: {node: {count: 1, cores: 1}}"
TWO = "nodes: {node: {count: 1, cores: 2}}"
OLD = "f: {size: 1 MB, exists: true}, g: {size: 1 MB, exists: true}"


def ran(parts: str, systems: str, jobs: str, files: str = OLD, *, head: str = "") -> Result:
    """Carry out jobs on both engines; a processor takes no time, and records are of 1 MB."""
    machine = f"{head}\nparts:\n  cpu: {FREE}\n{parts}\nfilesystems:\n{systems}\n"
    return both(planned(machine, f"files: {{{files}}}\njobs:\n{jobs}\n"))


def took(parts: str, systems: str, jobs: str, files: str = OLD, *, head: str = "") -> float:
    """Return the seconds that jobs take, without the few nanoseconds of their processor."""
    return round(ran(parts, systems, jobs, files, head=head).elapsed_ns / SECOND, 6)


def job(phases: str, more: str = "", name: str = "j") -> str:
    """Return a job with records of 1 MB."""
    return f"  - {{name: {name}, record: 1 MB, policy: posix, {more} phases: [{phases}]}}\n"


DISK = "  disk: {kind: queue, rate: 1 MB/s}"
HOME = "  home: [disk]"
SLOW = "{do: compute, time: 1 s}"
READ = "{do: read, file: f}"


# -- processors and memory ----------------------------------------------------------------------


def cores_cost_nothing_to_change() -> None:
    assert took(DISK, HOME, job(SLOW, "processes: 3,"), head=TWO) == 1.5


CACHED = "stores:\n  pages: {at: node, capacity: 8 MB, block: 1 MB, start: [eager]}"


def write_back_takes_no_core() -> None:
    """While 1 MB is written back for 1 s, the only core computes; work of a core is in its way."""
    head = f"{ONE}\n{CACHED}"
    work = job(f"{{do: write, file: f}}, {SLOW}")
    assert took(DISK, "  home: [pages, disk]", work, head=head) == 1
    daemon = f"{DISK}\n  daemon: {{kind: core, at: node, overhead: 1 s}}"
    serving = job(READ, name="k")
    assert took(daemon, "  home: [{work: daemon}, disk]", job(SLOW) + serving, head=ONE) == 3


def computing_takes_no_memory() -> None:
    parts = f"{DISK}\n  memory: {{kind: core, at: node, rate: 1 MB/s, copies: true}}"
    disk = parts.replace("queue, rate: 1 MB/s", "queue, rate: 1000 TB/s")
    both_of_them = job(SLOW) + job(READ, name="k")
    assert took(disk, "  home: [[memory], disk]", both_of_them, head=TWO) == pytest.approx(1)


# -- networks -----------------------------------------------------------------------------------


def served(kind: str) -> float:
    """Return the mean time, ms, of messages of 1 ms and, each tenth, of 11 ms at half load."""
    jobs = ""
    for name, every, count in (("f", 4444, 36_000), ("g", 40_000, 4000)):
        when = f"every: {every} us, distribution: poisson, count: {count}, out: 500"
        jobs += job(f"{{do: read, file: {name}}}", f"arrivals: {{{when}}},", name)
    files = "f: {size: 1 kB, exists: true}, g: {size: 11 kB, exists: true}"
    machine = (
        f"parts:\n  cpu: {FREE}\n  port: {{kind: {kind}, rate: 1 MB/s}}\n  disk: {{kind: delay}}\n"
    )
    machine += "filesystems: {home: [[port], disk]}\n"
    result = run_plan(planned(machine, f"files: {{{files}}}\njobs:\n{jobs}"))
    return result.latencies["read"].mean_ns / 1e6


def ports_serve_whole_messages() -> None:
    assert served("queue") == pytest.approx(5.25, rel=0.06)
    assert served("shared") == pytest.approx(4.0, rel=0.06)


NIC = (
    "  nic: {kind: network, at: [client, server], rate: 1 MB/s}\n  disk: {kind: delay, at: server}"
)


def many_senders_lose_nothing() -> None:
    """A window that opens or is lost would make one sender, or eight, slower than their bytes."""
    for count in (1, 8):
        head = f"nodes: {{client: {count}, server: 1}}"
        writes = job("{do: write, file: f}", f"processes: {count},")
        assert took(NIC, "  home: [[nic], disk]", writes, head=head) == pytest.approx(count)


def switches_have_no_limit() -> None:
    """Each client writes to a server of its own, all at one time."""
    parts = NIC.replace("{kind: delay", "{kind: disk, rate: 1000 TB/s")
    system = "  home: [{stripe: 1 MB, over: 1, of: disk}, [nic], disk]"
    for count in (1, 4, 8):
        head = f"nodes: {{client: {count}, server: {count}}}"
        writes = job("{do: write, file: f}", f"processes: {count},")
        assert took(parts, system, writes, head=head) == pytest.approx(1)


# -- devices ------------------------------------------------------------------------------------

ARM = "  disk: {kind: disk, rate: 1 MB/s, seek: 1 s, capacity: 1 GB}"
BIG = "f: {size: 900 MB, exists: true, shared: true}"


def at(offset: str) -> str:
    """Return a read of 1 MB at a place."""
    return f"{{do: read, file: f, size: 1 MB, offset: {offset}}}"


def disks_are_plain() -> None:
    inner, outer = (took(ARM, HOME, job(at(one)), BIG) for one in ("800 MB", "1 MB"))
    assert inner == outer == 2
    # An arm that goes by position would read the third 1 MB behind the first: 5 s.
    jobs = "".join(
        job(at(one), name=name) for one, name in (("0 B", "a"), ("500 MB", "b"), ("1 MB", "c"))
    )
    assert took(ARM, HOME, jobs, BIG) == 6
    assert took(ARM, HOME, job(f"{at('1 MB')}, {at('1 MB')}"), BIG) == 4


FLASH = "  disk: {kind: ssd, rate: 1 MB/s, cache: 3 MB, sustained_rate: 500 kB/s}"


def flash_does_not_wear() -> None:
    written = "{do: loop, times: 50, phases: [{do: write, file: f}]}"
    for before in ("{do: read, file: g}", written):
        result = ran(FLASH, HOME, job(f"{before}, {READ}"))
        calls = result.calls
        assert calls is not None
        last = max(row for row in range(len(calls.kind)) if calls.kind[row] & 31 == 1)
        assert calls.end[last] - calls.begin[last] == SECOND
    assert took(FLASH, HOME, job(written)) == 3 + 47 * 2  # Slow bytes stay as slow as they are.


def nothing_is_full() -> None:
    machine = f"parts: {{cpu: {FREE}, disk: {{kind: disk, rate: 1 GB/s, capacity: 1 GB}}}}"
    machine += "\nfilesystems: {home: [disk]}\n"
    jobs = f"files: {{f: {{size: 2 GB}}}}\njobs:\n{job('{do: write, file: f}')}"
    read = parse_machine(f"format: machine/2\nname: m\n{machine}")
    (told,) = fit(read, parse_workload(f"format: workload/2\nname: w\n{jobs}"))
    assert (told.severity, "do not fit on the 1 GB of disk" in told.message) == ("warning", True)
    assert both(planned(machine, jobs)).elapsed_ns // 10**7 == 200


def nobody_takes_over() -> None:
    """One of two servers is away from 0.5 s on, for 10 s; the other has nothing to do."""
    parts = "  disk: {kind: disk, count: 2, rate: 1 MB/s}"
    systems = "  home: [{stripe: 1 MB, over: 1, of: disk}, disk]\nevents:\n"
    systems += "  - {part: disk, member: 0, at: 0.5 s, repair: 10 s}"
    assert took(parts, systems, job(READ)) == 11


# -- names, locks, programs -----------------------------------------------------------------------

NAMES = "{tiers: [disk], metadata: [{work: mds}]}"


def rows(tmp: Path, *calls: str) -> list[str]:
    """Return the operations that a log of calls is replayed as."""
    log = tmp / "job.log"
    log.write_text(
        "".join(f"7 10:00:0{k}.0 {call} <0.1>\n" for k, call in enumerate(calls)), "utf-8"
    )
    seen = observe(
        "job", read_logs([log], cwd="/", lenient=False).batches(), costs=(SYNC, *METADATA)
    )
    table = seen.traced.table
    return [
        OPERATIONS[kind] for kind, file in zip(table.kind, table.file, strict=True) if file >= 0
    ]


def names_cost_alike(tmp: Path) -> None:
    assert (
        rows(tmp, 'open("/a/b/c/d/e/f", O_RDONLY) = 3', 'open("/a", O_RDONLY) = 4') == ["open"] * 2
    )
    parts = f"{DISK}\n  mds: {{kind: queue, overhead: 1 ms}}"
    result = ran(parts, f"  home: {NAMES}", job("{do: create, file: f, count: 3000}"))
    create = result.latencies["create"]
    assert (create.count, create.min_ns, create.max_ns) == (3000, 10**6, 10**6)


def locks_of_bytes_are_time(tmp: Path) -> None:
    lock = "fcntl(3, F_SETLKW, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=0, l_len=9}) = 0"
    lease = "fcntl(3, F_SETLEASE, F_RDLCK) = 0"
    assert rows(tmp, 'open("/a", O_RDONLY) = 3', lock, lease) == ["open"]


def one_call_at_a_time() -> None:
    parts = f"{DISK}\n  other: {{kind: queue, rate: 1 MB/s}}"
    systems = f"{HOME}\n  more: [other]"
    files = "f: {size: 1 MB, exists: true}, g: {size: 1 MB, exists: true, filesystem: more}"
    assert took(parts, systems, job(f"{READ}, {{do: read, file: g}}"), files) == 2


def nodes_are_not_waited_for() -> None:
    result = ran(DISK, HOME, job(SLOW) + job(SLOW, name="k"), head=ONE)
    assert [one.started_ns for one in result.processes] == [0, 0]
    assert result.elapsed_ns == 2 * SECOND


def fortran_is_sequential() -> None:
    refused = ("offset: 1 kB", "order: random", "order: onward, size: 1 MB", "truncate: true")
    for keys in refused:
        phase = f"{{do: write, file: f, policy: gfortran, {keys}}}"
        with pytest.raises(
            ConfigError, match="gfortran transfers whole files from their beginning"
        ):
            took(DISK, HOME, job(phase))
    with pytest.raises(ConfigError, match="nonblocking"):
        took(DISK, HOME, job("{do: write, file: f, policy: gfortran, nonblocking: true}"))


def prestaging_is_over() -> None:
    store = "stores:\n  pages: {capacity: 8 MB, block: 1 MB}"
    old = "f: {size: 1 MB, exists: true, prestage: true}, g: {size: 1 MB, exists: true}"
    result = ran(
        DISK, "  home: [pages, disk]", job(f"{{do: read, file: g}}, {READ}"), old, head=store
    )
    assert result.elapsed_ns // 1000 == 10**6
    assert result.prestage_ns == SECOND


# -- sentences elsewhere on the page --------------------------------------------------------------


def a_close_may_wait() -> None:
    store = f"{ONE}\n{CACHED.replace('eager', 'close')}"
    for close, seconds in (("queue", 0), ("free", 0), ("flush", 1)):
        system = f"  home: {{tiers: [pages, disk], close: {close}}}"
        result = ran(DISK, system, job("{do: write, file: f}"), head=store)
        assert result.elapsed_ns // 10**8 == 10 * seconds
        (pages,) = result.stores.values()
        assert pages.counts.get("written_back", 0) == (0 if close == "free" else 1)


def a_window_lets_requests_out() -> None:
    parts = "  disk: {kind: queue, servers: 4, rate: 1 MB/s}"
    for window, seconds in ((1, 1.0), (4, 0.25)):
        system = f"  home: [{{request: 250 kB, window: {window}}}, disk]"
        assert took(parts, system, job(READ)) == seconds


def operations_cost_what_metadata_take(tmp: Path) -> None:
    calls = tmp / "calls.csv"
    calls.write_text(
        "client,do,file,offset,size,gap_ns\na,start,,,,0\na,open,f,,,0\n"
        "a,read,f,0,1000000,0\na,stat,f,,,0\na,close,f,,,0\n",
        encoding="utf-8",
    )
    listed = f"  - {{name: j, calls: {calls}}}\n"
    parts = f"{DISK}\n  mds: {{kind: queue, overhead: 1 s}}"
    for system, seconds in ((NAMES, 4), ("[disk]", 1)):
        assert took(parts, f"  home: {system}", listed, "") == seconds


def exponential_times_vary_always() -> None:
    for noise, varies in (("distribution: exponential", True), ("run: 9 %, request: 9 %", False)):
        parts = DISK.replace("MB/s", f"MB/s, noise: {{{noise}}}")
        machine = f"parts:\n  cpu: {FREE}\n{parts}\nfilesystems:\n{HOME}\n"
        plan = planned(machine, f"files: {{{OLD}}}\njobs:\n{job(READ)}\n")
        read = both(replace(plan, noisy=False)).latencies["read"]
        assert (read.max_ns // 10 != 10**8) is varies


def a_curve_is_shared() -> None:
    parts = "  disk: {kind: shared, rate: {1: 1 MB/s, 2: 4 MB/s}}"
    assert took(parts, HOME, job(READ)) == 1
    assert took(parts, HOME, job(READ, "processes: 2,")) == 0.5


def mpi_io_opens_nothing() -> None:
    machine = (ROOT / "docs" / "machines" / "io-nodes.yaml").read_text("utf-8")
    text = machine.partition("name: io-nodes\n")[2]
    old = re.search(r"  scratch: (\[.*\])\n", text)
    assert old is not None
    text = text.replace(old[1], f"{{tiers: {old[1]}, metadata: [{{work: mds}}]}}")
    text = text.replace("parts:", "parts:\n  mds: {kind: queue, overhead: 1 s}", 1)
    file = "files: {a: {size: 1 MiB, filesystem: scratch, shared: true, exists: true}}"
    phase = "{do: mpi-read, file: a, block: 16 KiB}"
    result = both(planned(text, f"{file}\njobs: [{{name: j, processes: 8, phases: [{phase}]}}]\n"))
    assert "open" not in result.latencies
    assert result.elapsed_ns < SECOND


ELSEWHERE: dict[str, Callable[..., None]] = {
    "which waits for them only where its file system says `close: flush`)": a_close_may_wait,
    "An NFS call is divided into requests of `request` bytes, one after the other; with a `window`"
    " so many are out at one time.": a_window_lets_requests_out,
    "Opens, closes and other operations on names cost what the file system's `metadata` take, and"
    " nothing without them;": operations_cost_what_metadata_take,
    "Without a seed nothing varies but what is `exponential`.": exponential_times_vary_always,
    "`k` transfers in progress each get `1/k` of the rate, or of what its curve gives `k`.": (
        a_curve_is_shared
    ),
    "a phase of MPI-IO opens and closes nothing, whatever `metadata` cost.": mpi_io_opens_nothing,
}

SENTENCES: dict[str, Callable[..., None]] = {
    "Processes change between the `cores` of their node at no cost: three on two cores take one and"
    " a half times as long as two.": cores_cost_nothing_to_change,
    "Write-back, reading ahead and servers take no core, but for `core` resources there.": (
        write_back_takes_no_core
    ),
    "Computing takes nothing of a memory's rate: with a core each, a process that computes and one"
    " that copies do not slow each other down.": computing_takes_no_memory,
    "A port serves whole messages, first come, first served, where real ones take turns packet by"
    " packet: with messages of 1 ms, each tenth of 11 ms, at half load 5.25 ms on average, not 4.0"
    " (a `shared` resource).": ports_serve_whole_messages,
    "There is no TCP: no connection starts slowly, and nothing is lost where many send to"
    " one port.": many_senders_lose_nothing,
    "Between ports there is no limit, unless a resource of the stage is one.": (
        switches_have_no_limit
    ),
    "Without an `inner_rate` or a `scheduler` a `disk` has one rate from its first byte to its"
    " last, and serves requests in the order in which they come; it keeps nothing of what it has"
    " moved (a `raid` unit and a store do).": disks_are_plain,
    "Flash reads at its rate, whatever was written before, and does not wear.": flash_does_not_wear,
    "No device is ever full: files that do not fit are a warning.": nothing_is_full,
    "No server takes over for one that has failed, and no request is sent to another one: it waits,"
    " or fails with its call ([failures](failures.md)).": nobody_takes_over,
    "An operation on a name costs the same however deep the name is and however many its directory"
    " has.": names_cost_alike,
    "Locks of byte ranges (`fcntl`) and leases of a traced program are time between its calls.": (
        locks_of_bytes_are_time
    ),
    "A process makes one call at a time, but for `nonblocking` MPI-IO.": one_call_at_a_time,
    "Jobs start when the workload says so, whether or not there are free nodes, but for those of a"
    " [queue](production.md).": (nodes_are_not_waited_for),
    "Fortran files are unformatted and sequential, from their beginning; no Fortran input or output"
    " is asynchronous.": fortran_is_sequential,
    "Prestaging is over when the clock starts, and loads nothing.": prestaging_is_over,
}


def test_each_sentence_of_what_is_not_modelled_has_a_test() -> None:
    """What is left of the section without the sentences below are the words of its list."""
    rest = re.sub(r"(^| )- \*\*[A-Z][a-z ]+\*\*: ", " ", SECTION)
    head = (
        "Each sentence has a test that fails when it becomes false (tests/docs/test_model_page.py)."
    )
    assert head in rest
    rest = rest.replace(head, "")
    for sentence in SENTENCES:
        assert sentence in rest, f"docs/model.md does not say any more: {sentence}"
        rest = rest.replace(sentence, "")
    assert rest.split() == [], f"docs/model.md has sentences without a test: {rest.strip()}"


@pytest.mark.few(6)
@pytest.mark.parametrize("sentence", [*SENTENCES, *ELSEWHERE])
def test_what_the_page_says_is_so(sentence: str, tmp_path: Path) -> None:
    assert sentence in PAGE, f"docs/model.md does not say any more: {sentence}"
    try_it = {**SENTENCES, **ELSEWHERE}[sentence]
    if try_it.__code__.co_argcount:
        pytest.importorskip("pyarrow")
        try_it(tmp_path)
    else:
        try_it()
