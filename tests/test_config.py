"""Machine and workload files: what they mean, what can be set, where the numbers come from."""

import pickle
import time
from pathlib import Path

import pytest
import yaml

from simulator.config import (
    Array,
    Compute,
    ConfigError,
    Disk,
    LognormalRecord,
    Tape,
    Transfer,
    UniformRecord,
    check_together,
    effective,
    load_machine,
    load_workload,
    parse_machine,
    parse_workload,
    shipped_names,
    unproven,
)
from simulator.config.stores import Ssu, Writeback
from simulator.shipped import shipped_root

FOLDER = Path(__file__).parent / "data" / "config"
MACHINE = (FOLDER / "machine.yaml").read_text(encoding="utf-8")
WORKLOAD = (FOLDER / "workload.yaml").read_text(encoding="utf-8")


def problems_of(text: str, *settings: tuple[str, str], kind: str = "machine") -> list[str]:
    """The messages about a file, without its name."""
    parse = parse_machine if kind == "machine" else parse_workload
    with pytest.raises(ConfigError) as caught:
        parse(text, "f", settings)
    return [line.removeprefix("f:") for line in str(caught.value).splitlines()]


def machine_with(old: str, new: str) -> str:
    assert old in MACHINE
    return MACHINE.replace(old, new)


def workload_with(old: str, new: str) -> str:
    assert old in WORKLOAD
    return WORKLOAD.replace(old, new)


# -- the shipped files ----------------------------------------------------------------------


def test_the_nwt_has_the_numbers_of_the_paper() -> None:
    nwt = load_machine("nwt")
    assert nwt.name == "nwt"
    assert (nwt.pe.small, nwt.pe.large, nwt.pe.control) == (162, 4, 2)
    assert (nwt.pe.small_memory, nwt.pe.large_memory) == (256_000_000, 1_000_000_000)
    assert nwt.crossbar.port_rate == 421e6
    assert nwt.fortran.buffer == 600_000
    assert nwt.ssu is not None
    assert nwt.ssu.unit == 8_000_000
    assert nwt.storage["array"].rate == 36e6
    assert nwt.filesystems["vfl"].stripes == 32
    assert list(nwt.filesystems)[0] == "ufs"
    assert isinstance(nwt.storage["disk"], Disk)
    assert isinstance(nwt.storage["array"], Array)
    assert isinstance(nwt.storage["tape"], Tape)


def test_every_number_of_the_nwt_has_a_source() -> None:
    listed = unproven(load_machine("nwt"))
    assert listed["unstated"] == []
    assert listed["set by the user"] == []
    assert listed["assumed"]
    assert listed["calibrated"]


def test_the_nwt_loads_at_once() -> None:
    load_machine("nwt")
    start = time.perf_counter()
    load_machine("nwt")
    assert time.perf_counter() - start < 0.05


@pytest.mark.parametrize("name", shipped_names("workload"))
def test_shipped_workloads_fit_the_nwt(name: str) -> None:
    workload = load_workload(name)
    assert workload.name == name
    assert check_together(load_machine("nwt"), workload) == []


def test_a_shipped_file_is_found_by_name_or_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    by_path = load_machine(shipped_root("configs") / "machines" / "nwt.yaml")
    assert load_machine("nwt") == by_path
    Path("nwt").write_text(MACHINE, encoding="utf-8")
    assert load_machine("nwt").name == "small"
    Path("mine.yml").write_text(MACHINE, encoding="utf-8")
    assert load_machine("mine.yml").name == "small"


@pytest.mark.parametrize(
    ("load", "name", "about"),
    [
        (load_machine, "nwtt", r"nwtt: there is no such file, .* did you mean 'nwt'\? \(shipped: "),
        (load_machine, "x1", "no machine of that name comes with the program; there are .*nwt"),
        (load_machine, "test-read", "test-read: this is a workload, not a machine; there are "),
        (load_workload, "nwt", "nwt: this is a machine, not a workload; there are test-read"),
        (load_workload, "nwt.yaml", "nwt.yaml: there is no such file"),
        (load_workload, Path("nwt"), "nwt: there is no such file"),
        (load_workload, "", ": there is no such file"),
    ],
)
def test_an_unknown_name_lists_the_shipped_ones(load, name, about: str) -> None:
    with pytest.raises(ConfigError, match=about):
        load(name)


# -- what a file means ----------------------------------------------------------------------


def test_a_small_machine() -> None:
    small = parse_machine(MACHINE)
    assert small.pe.record_overhead == 5000
    assert small.ssu is not None
    assert small.ssu.share is None
    assert small.ssu.writeback == Writeback(
        start=("mark", "close"), workers=2, high_mark=0.6, low_mark=0.4
    )
    disk = small.storage["disk"]
    assert isinstance(disk, Disk)
    assert (disk.seek, disk.turn, disk.rotation) == (12_000_000, 13_800_000, "mean")
    assert (disk.track_seek, disk.full_seek, disk.overhead) == (None, None, 0)
    assert small.noise.is_none
    assert small.fortran.policy == "nwt"


def test_sections_that_may_be_left_out() -> None:
    tree = yaml.safe_load(MACHINE)
    for key in ("ssu", "lan", "nfs"):
        del tree[key]
    bare = parse_machine(yaml.safe_dump(tree))
    assert (bare.ssu, bare.lan, bare.nfs) == (None, None, None)


def test_a_small_workload() -> None:
    copy = parse_workload(WORKLOAD)
    read, compute, write, read_back = copy.jobs[0].phases
    assert isinstance(read, Transfer)
    assert isinstance(compute, Compute)
    assert isinstance(write, Transfer)
    assert isinstance(read_back, Transfer)
    assert (read.do, read.file, read.size) == ("read", "input", None)
    assert compute.time == 2 * 10**9
    assert (write.record, write.buffer) == ((1000, 2000), 1_000_000)
    assert copy.jobs[1].record == UniformRecord(from_=1000, to=1_000_000)
    assert (copy.jobs[0].count, copy.jobs[0].pes, copy.jobs[0].repeat) == (1, 1, 1)
    assert copy.files["input"].filesystem is None


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("64 kB", 64_000),
        ("{value: 64 kB, source: assumed}", 64_000),
        ("[1 kB, 2 kB]", (1000, 2000)),
        ("{value: [1 kB], source: measured with strace}", (1000,)),
        ("{draw: uniform, from: 1 kB, to: 1 kB}", UniformRecord(from_=1000, to=1000)),
        (
            "{draw: lognormal, median: 64 kB, spread: 2.5, largest: 8 MB}",
            LognormalRecord(median=64_000, spread=2.5, largest=8_000_000),
        ),
    ],
)
def test_record_sizes(text: str, record: object) -> None:
    workload = parse_workload(WORKLOAD, settings=[("record", text)])
    assert workload.jobs[0].record == record


def test_a_phase_overrides_its_job_and_the_job_its_machine() -> None:
    machine, workload = parse_machine(MACHINE), parse_workload(WORKLOAD)
    job = workload.jobs[0]
    read, _, write, read_back = (
        effective(machine, workload, job, p) if isinstance(p, Transfer) else None
        for p in job.phases
    )
    assert read is not None
    assert write is not None
    assert read_back is not None
    assert (read.size, read.record, read.buffer) == (10_000_000, 64_000, 600_000)
    assert (read.policy, read.path) == ("nwt", "scfs")
    assert (write.size, write.record, write.buffer) == (5_000_000, (1000, 2000), 1_000_000)
    assert (read_back.policy, read_back.path) == ("gfortran", "nfs")


def test_aliases_stand_for_what_they_name() -> None:
    text = MACHINE.replace("latency: 5 us", "latency: &t 5 us").replace("100 us}", "*t}")
    assert parse_machine(text).frontend.path_overhead == 5000


def test_sections_are_frozen_comparable_and_picklable() -> None:
    machine = parse_machine(MACHINE)
    with pytest.raises(ValueError, match="frozen"):
        machine.pe.small = 3  # type: ignore[misc]
    assert machine == parse_machine(MACHINE)
    again = pickle.loads(pickle.dumps(machine))
    assert again == machine
    assert again.sources == machine.sources


def test_python_code_can_make_sections_from_numbers() -> None:
    writeback = Writeback(start=("mark",), workers=1, high_mark=0.5, low_mark=0.5)
    numbers = {"channels": 1, "read_rate": 1e8, "write_rate": 1e8, "request_overhead": 0}
    ssu = Ssu(unit=8, capacity=16, share=8, release="full", writeback=writeback, **numbers)
    assert ssu.capacity == 16
    with pytest.raises(ValueError, match="17 B is not a whole number of units of 8 B"):
        Ssu(unit=8, capacity=17, release="full", writeback=writeback, **numbers)
    with pytest.raises(ValueError, match="True was read; write it like '4'"):
        Writeback(start=("mark",), workers=True, high_mark=0.5, low_mark=0.5)
    with pytest.raises(ValueError, match="nan is less than 0 %"):
        Writeback(start=("mark",), workers=1, high_mark=float("nan"), low_mark=0.5)


# -- mistakes -------------------------------------------------------------------------------


def test_all_mistakes_at_once_by_line() -> None:
    text = (FOLDER / "many-mistakes.yaml").read_text(encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        parse_machine(text, "many-mistakes.yaml")
    golden = (FOLDER / "many-mistakes.txt").read_text(encoding="utf-8")
    assert str(caught.value) + "\n" == golden
    lines = [problem.line for problem in caught.value.problems]
    assert lines == sorted(lines)


def place_of(marked: str) -> tuple[str, str]:
    """The text without its mark (the character |), and the line:column of the mark."""
    before = marked.partition("|")[0].split("\n")
    return marked.replace("|", "", 1), f"{len(before)}:{len(before[-1]) + 1}"


MACHINE_MISTAKES = [
    ("machine/1", "|machine/2", "format: 'machine/2' is unknown to this version; write machine/1"),
    ("machine/1", "|workload/1", "format: this file is a workload; name a machine here"),
    ("format: machine/1\n", "|", "format: is missing; write it like 'format: machine/1'"),
    ("name: small", "name: |../x", "name: '../x' names files of results; write it like 'nwt-1998'"),
    (
        "name: small",
        "name: |{value: a}",
        "name: takes no source; write its value alone, like 'nwt'",
    ),
    ("small: 4", "small: |0", "pe.small: '0' is out of range; write 1 to 1000000"),
    ("pe:", "|pe:\n  large: 2", "pe.large_memory: is missing although there are large PEs; write"),
    ("small: 4\n", "|smal: 4\n", "pe.smal: unknown key; did you mean 'small'?"),
    ("5 us\n  call", "|5\n  call", "pe.record_overhead: '5' has no unit; write '5 ns', or it wi"),
    ("420 MB/s\n  latency", "|0 B/s\n  latency", "crossbar.port_rate: '0 B/s' is less than 1 B"),
    ("5 us\nssu", "|-0.0 us\nssu", "crossbar.latency: '-0.0 us' has a minus sign; write it with"),
    (
        "64 MB",
        "|65 MB",
        "ssu.capacity: 65 MB is not a whole number of units of 8 MB; write 64 MB, ",
    ),
    ("64 MB", "|4 MB", "ssu.capacity: 4 MB is not a whole number of units of 8 MB; write 8 MB, or"),
    ("release", "share: |9 MB\n  release", "ssu.share: 9 MB is not a whole number of units of"),
    ("release", "share: |72 MB\n  release", "ssu.share: 72 MB is more than the capacity; write "),
    ("release: whole", "release: |all", "ssu.release: 'all' is unknown; write none, whole or fu"),
    ("[mark, close]", "|[]", "ssu.writeback.start: the list is empty; write one or more of mark"),
    ("[mark, close]", "|mark", "ssu.writeback.start: 'mark' is no list; write it like '[mark, eag"),
    ("[mark, close]", "|[mark, mark]", "ssu.writeback.start: 'mark' is in the list twice; write"),
    ("low_mark: 40 %", "low_mark: |61 %", "ssu.writeback.low_mark: 61 % is above the high mark;"),
    ("high_mark: 60 %", "high_mark: |101 %", "ssu.writeback.high_mark: '101 %' is more than 100"),
    ("workers: 2", "workers: |0", "ssu.writeback.workers: '0' is out of range; write 1 to 1000000"),
    ("sharing: fair", "sharing: |fare", "lan.sharing: 'fare' is unknown; write fifo or fair"),
    ("8 kB", "|0 B", "nfs.rpc_size: '0 B' is less than 1 B; write it like '8 MB'"),
    ("lan: {rate: 1.25 MB/s, latency: 200 us, sharing: fair}\n", "|", "nfs: needs a LAN; write a"),
    ("lan: {rate", "lan: [rate", "this is not YAML: "),
    ("  tape: {kind: tape, ", "  |tape: {", "storage.tape: kind is missing; write 'kind: ' and o"),
    ("kind: tape", "kind: |tap", "storage.tape.kind: 'tap' was read; write one of disk, array, "),
    ("kind: tape", "kind: |[a]", "storage.tape.kind: a list was read; write one of disk, array"),
    ("mount: 60 s", "|seek: 60 s", "storage.tape.seek: unknown key; there are kind, count, rate"),
    ("  disk: {", "  |disk: {full_seek: 1 s, ", "storage.disk.full_seek: is missing"),
    (
        "turn: 13.8 ms",
        "track_seek: 2 ms, full_seek: |1 ms",
        "storage.disk.full_seek: 1.00 ms is less than track_seek; write 2.00 ms or more",
    ),
    (
        "turn: 13.8 ms",
        "track_seek: 2 ms, full_seek: |3 ms",
        "storage.disk.full_seek: seek (12.0 ms) is not between track_seek and this; leave",
    ),
    ("storage: array", "storage: |aray", "filesystems.vfl.storage: 'aray' is not in storage; di"),
    ("stripes: 4", "stripes: |0", "filesystems.vfl.stripes: '0' is out of range; write 1 to 1000"),
    ("crossbar:\n  port_rate: 420 MB/s\n  latency: 5 us", "crossbar:|", "crossbar: is empty; writ"),
    ("nfs: {rpc_size: 8 kB, server_overhead: 1 ms}", "nfs: |3", "nfs: '3' was read; write its k"),
    ("nfs: {rpc_size: 8 kB, server_overhead: 1 ms}", "nfs: |[3]", "nfs: a list was read; write "),
    ("60 s", "{value: 60 s, source: |literatur x}", "storage.tape.mount.source: 'literatur x' is "),
    ("60 s", "{value: 60 s, source: |literature x}", "storage.tape.mount.source: 'x' is not in re"),
    ("60 s", "{value: 60 s, source: |assumed by us}", "storage.tape.mount.source: 'assumed by us'"),
    ("60 s", "{value: 60 s, source: |paper}", "storage.tape.mount.source: 'paper' lacks the secti"),
    ("60 s", "{value: 60 s, source: |[a]}", "storage.tape.mount.source: a list was read; write so"),
    ("60 s", "{value: 60 s, |sauce: assumed}", "storage.tape.mount.sauce: unknown key beside a va"),
    ("mount: 60 s", "|mount: {source: assumed}", "storage.tape.mount: value is missing; write it"),
    ("60 s", "{value: |}", "storage.tape.mount: has no value; write one like '2.5 ms', or leave t"),
    ("60 s", "{value: |{value: 1 s}}", "storage.tape.mount: a mapping with keys was read; write i"),
    (
        "60 s",
        "|~",
        "storage.tape.mount: has no value; write one like '2.5 ms', or leave the key out",
    ),
    ("pe:\n", "noise: {pe: {run: |5}}\npe:\n", "noise.pe.run: '5' has no unit; write '5 %'"),
    ("  ufs:", '  |"u\\nfs":', r"filesystems.u\nfs: 'u\nfs' is no name; write letters, digits"),
]


@pytest.mark.parametrize(("old", "new", "about"), MACHINE_MISTAKES)
def test_mistakes_in_a_machine(old: str, new: str, about: str) -> None:
    if "|" in new:
        text, place = place_of(machine_with(old, new))
        about = f"{place}: {about}"
    else:
        text = machine_with(old, new)
    assert [about] == [
        line[: len(about)] if "|" in new else line.partition(": ")[2][: len(about)]
        for line in problems_of(text)
    ]
