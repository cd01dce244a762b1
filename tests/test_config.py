"""Machine and workload files: what they mean, what can be set, where the numbers come from."""

import json
import pickle
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from simulator import config
from simulator.config import (
    KNOBS,
    Array,
    Compute,
    ConfigError,
    Disk,
    LognormalRecord,
    Source,
    Tape,
    Transfer,
    UniformRecord,
    check_together,
    digest,
    effective,
    json_schema,
    load_machine,
    load_workload,
    parse_machine,
    parse_workload,
    provenance,
    raise_errors,
    resolve_setting,
    shipped_names,
    unproven,
)
from simulator.config.load import all_kinds
from simulator.config.quantities import Leaf
from simulator.config.schema import schema_names
from simulator.config.section import Choice, Items, Named, OneOf, fields_of
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
    assert next(iter(nwt.filesystems)) == "ufs"
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
    times = []
    for _ in range(5):
        start = time.process_time()
        load_machine("nwt")
        times.append(time.process_time() - start)
    assert min(times) < 0.05


@pytest.mark.parametrize("name", shipped_names("workload"))
def test_shipped_workloads_fit_their_machines(name: str) -> None:
    workload = load_workload(name)
    assert workload.name == name
    today = name.startswith("checkpoint-")
    for machine in ("lustre-scratch", "burst-buffer") if today else ("nwt",):
        assert check_together(load_machine(machine), workload) == []


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
        (load_workload, "nwt", "nwt: this is a machine, not a workload; there are .*test-read"),
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
    phases = [phase for phase in job.phases if isinstance(phase, Transfer)]
    read, write, read_back = (effective(machine, workload, job, phase) for phase in phases)
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


# -- settings -------------------------------------------------------------------------------


def test_settings_replace_values_and_add_keys() -> None:
    settings = [
        ("machine.ssu.unit", "4 MB"),
        ("machine.ssu.share", "16 MB"),
        ("machine.ssu.writeback.start", "[eager]"),
        ("machine.noise.pe.run", "5 %"),
        ("machine.filesystems.*.stripes", "8"),
        ("machine.storage.ssd", "{kind: array, count: 1, capacity: 1 TB, rate: 2 GB/s}"),
        ("machine.pe.small", "{value: 5, source: measured here}"),
        ("machine.pe.large", "{value: 0, note: none}"),
    ]
    machine = parse_machine(MACHINE, settings=settings)
    assert machine.ssu is not None
    assert (machine.ssu.unit, machine.ssu.share) == (4_000_000, 16_000_000)
    assert machine.ssu.writeback.start == ("eager",)
    assert machine.noise.pe.run == 0.05
    assert [one.stripes for one in machine.filesystems.values()] == [8, 8]
    assert machine.storage["ssd"].rate == 2e9
    assert machine.sources["ssu.unit"].kind == "set by the user"
    assert machine.sources["storage.ssd.rate"].kind == "set by the user"
    assert machine.sources["pe.small"] == Source("measured", "here", "", "measured here")
    assert machine.sources["pe.large"] == Source("set by the user", "", "none", "set by the user")
    assert machine.sources["ssu.capacity"].kind == "unstated"


def test_settings_of_a_workload() -> None:
    settings = [
        ("buffer", "2 MB"),
        ("workload.jobs.0.count", "3"),
        ("workload.jobs.0.phases.*.path", "nfs"),
        ("workload.jobs.0.phases.1", "{do: compute, time: 5 s}"),
        ("workload.files.input.size", "20 MB"),
        ("machine.ssu.unit", "nonsense, but for the machine"),
    ]
    workload = parse_workload(WORKLOAD, settings=settings[:2])
    assert [job.buffer for job in workload.jobs] == [2_000_000] * 2
    assert [job.count for job in workload.jobs] == [3, 2]
    workload = parse_workload(WORKLOAD, settings=settings[2:3])
    paths = [getattr(phase, "path", "none") for phase in workload.jobs[0].phases]
    assert paths == ["nfs", "none", "nfs", "nfs"]
    workload = parse_workload(WORKLOAD, settings=settings[3:])
    assert workload.jobs[0].phases[1] == Compute(do="compute", time=5 * 10**9)
    assert workload.files["input"].size == 20_000_000


def test_settings_find_names_with_points_in_any_unicode_form() -> None:
    text = WORKLOAD.replace("input", "caf\u00e9.v1.dat")
    settings = [("workload.files.cafe\u0301.v1.dat.size", "30 MB")]
    assert parse_workload(text, settings=settings).files["caf\u00e9.v1.dat"].size == 30_000_000


def test_a_setting_changes_only_one_user_of_an_alias() -> None:
    text = MACHINE.replace("vfl: {", "vfl: &fs {").replace(
        "ufs: {storage: disk, stripes: 1}", "ufs: *fs"
    )
    machine = parse_machine(text, settings=[("machine.filesystems.ufs.stripes", "9")])
    assert [one.stripes for one in machine.filesystems.values()] == [4, 9]


def test_the_last_setting_wins() -> None:
    settings = [("machine.pe.small", "7"), ("machine.pe.small", "8")]
    assert parse_machine(MACHINE, settings=settings).pe.small == 8


@pytest.mark.parametrize(
    ("path", "value", "about"),
    [
        (
            "machine.ssu.unit",
            "8 M",
            "--set machine.ssu.unit=8 M: '8 M' is ambiguous; write '8 MB' ",
        ),
        ("unit", "8 M", "--set machine.ssu.unit=8 M: '8 M' is ambiguous; write '8 MB' (1000000 B)"),
        (
            "machine.ssu.unit",
            "",
            "--set machine.ssu.unit=: has no value; write one like '8 MB', or",
        ),
        (
            "machine.ssu.unit",
            "[8 MB]",
            "--set machine.ssu.unit=[8 MB]: a list was read; write it li",
        ),
        (
            "machine.ssu.unit",
            "{",
            "--set machine.ssu.unit={: this '{' is not closed; write '}' after its last value",
        ),
        ("machine.ssu.unit", "*a", "--set machine.ssu.unit=*a: no anchor &a comes before *a"),
        ("machine.ssu.unit", "a\0", "--set machine.ssu.unit=a\\x00: the character U+0000 is here"),
        (
            "machine.ssu.unti",
            "1",
            "--set machine.ssu.unti=1: no key 'unti' in ssu; did you mean 'un",
        ),
        (
            "machine.sus.unit",
            "1",
            "--set machine.sus.unit=1: no key 'sus' in the file; did you mean",
        ),
        (
            "machine.ssu.unit.value",
            "1",
            "--set machine.ssu.unit.value=1: ssu.unit is one value with",
        ),
        (
            "machine.storage.aray.rate",
            "1",
            "--set machine.storage.aray.rate=1: no 'aray' in storage",
        ),
        (
            "machine.storage.tape.seek",
            "1 s",
            "--set machine.storage.tape.seek=1 s: no key 'seek' in",
        ),
        ("machine", "1", "--set machine=1: write a key after 'machine.'"),
        ("ssu.unit", "1", "--set ssu.unit=1: unknown; write a path that begins with machine. or"),
        (
            "untis",
            "1",
            "--set untis=1: unknown; write a path that begins with machine. or workload.",
        ),
        (
            "machine.lan",
            "{rate: 1 MB/s}",
            "--set machine.lan={rate: 1 MB/s}: latency: is missing; ",
        ),
        (
            "machine.lan",
            "7",
            "--set machine.lan=7: '7' was read; write its keys (rate, latency, sh",
        ),
        (
            "machine.filesystems.*.stripes",
            "0",
            "--set machine.filesystems.*.stripes=0: '0' is out o",
        ),
        (
            "machine.ssu.unit",
            "7 MB",
            "14:13: ssu.capacity: 64 MB is not a whole number of units of",
        ),
    ],
)
def test_bad_settings(path: str, value: str, about: str) -> None:
    assert problems_of(MACHINE, (path, value))[0].startswith(about)


@pytest.mark.parametrize(
    ("path", "about"),
    [
        ("workload.jobs.2.count", "no item '2' in jobs; there is 0 to 1, or * for all"),
        ("workload.jobs.first.count", "no item 'first' in jobs; there is 0 to 1, or * for all"),
        ("workload.jobs.01.count", "no item '01' in jobs; there is 0 to 1, or * for all"),
        ("workload.jobs.*.cuont", "no key 'cuont' in jobs.*; did you mean 'count'?"),
        ("workload.jobs.-1.count", "no item '-1' in jobs; there is 0 to 1, or * for all"),
        ("workload.jobs.\u0661.count", "no item '\u0661' in jobs; there is 0 to 1, or * for all"),
        ("workload.files.x.size", "no 'x' in files; there are input, output"),
    ],
)
def test_bad_paths_of_a_workload(path: str, about: str) -> None:
    assert problems_of(WORKLOAD, (path, "1"), kind="workload") == [f"--set {path}=1: {about}"]


def test_every_knob_turns_something_in_the_shipped_files() -> None:
    values = {
        "size": ["16 MB"],
        "count": ["2"],
        "record": ["1 MB", "[1 kB, 1 MB]"],
        "word": ["gfortran", "nfs"],
    }
    machine, workload = load_machine("nwt"), load_workload("test-write")
    before = digest(machine, workload)
    for name, knob in KNOBS.items():
        word = values[knob.kind][-1 if name == "path" else 0]
        value = {"workers": "3", "disks": "3", "ssu": "1 GB"}.get(name, word)
        setting = resolve_setting(name, value)
        assert setting == (knob.path, value)
        changed = load_machine("nwt", [setting]), load_workload("test-write", [setting])
        assert digest(*changed) != before, name
        assert knob.help


# -- sources --------------------------------------------------------------------------------


def test_provenance_lists_every_value_as_it_was_written() -> None:
    text = MACHINE.replace(
        "420 MB/s\n  l", "{value: 0.42 GB/s, source: literature x, note: a  b}\n  l"
    )
    listed = {one.path: one for one in provenance(parse_machine(text + "references: {x: y}\n"))}
    assert listed["crossbar.port_rate"][1:] == ("0.42 GB/s", "literature", "x", "a b")
    assert listed["ssu.writeback.start"][1:] == ("[mark, close]", "unstated", "", "")
    assert listed["storage.disk.overhead"][1:] == ("0 s", "default", "", "")
    assert listed["fortran.buffer"][1:] == ("600 kB", "default", "", "")
    assert listed["noise.pe.run"][1:] == ("0 %", "default", "", "")
    assert "ssu.share" not in listed
    assert not {"name", "format", "storage.disk.kind", "references.x"} & listed.keys()


def test_provenance_of_a_workload() -> None:
    text = workload_with("64 kB", "{value: 64 kB, source: assumed, note: not in the paper}")
    listed = unproven(parse_workload(text))
    assert [one[:2] for one in listed["assumed"]] == [("jobs.0.record", "64 kB")]


WORDS = st.text(st.characters(exclude_categories=["C"]))


@given(st.sampled_from(["paper", "literature", "calibrated", "assumed", "x"]), WORDS)
def test_any_source_is_read_or_refused(kind: str, detail: str) -> None:
    text = json.dumps(f"{kind} {detail}", ensure_ascii=False)
    try:
        machine = parse_machine(MACHINE.replace("60 s", f"{{value: 60 s, source: {text}}}"))
        assert machine.sources["storage.tape.mount"].kind == kind
    except ConfigError as refused:
        assert len(refused.problems) == 1  # noqa: PT017 - some are read


# -- digest ---------------------------------------------------------------------------------


@given(st.data())
def test_the_digest_forgets_order_spelling_and_sources(data: st.DataObject) -> None:
    def shuffled(node: object, path: str = "") -> object:
        if not isinstance(node, dict):
            return node
        # The first file system is that of files that name none: its place means something.
        order = list(node) if path == ".filesystems" else data.draw(st.permutations(list(node)))
        return {key: shuffled(node[key], f"{path}.{key}") for key in order}

    plain = yaml.load(MACHINE, Loader=yaml.BaseLoader)
    plain["ssu"]["capacity"] = data.draw(st.sampled_from(["64 MB", "64000 kB", "0.064 GB"]))
    plain["pe"]["large"] = {"value": "0", "source": "assumed"}
    plain["title"] = data.draw(st.text("ab "))
    again = parse_machine("# a comment\n" + yaml.safe_dump(shuffled(plain), sort_keys=False))
    workload = parse_workload(WORKLOAD)
    assert digest(again, workload) == digest(parse_machine(MACHINE), workload)


@pytest.mark.parametrize(
    "setting",
    [
        ("machine.ssu.unit", "4 MB"),
        ("machine.lan.sharing", "fifo"),
        ("machine.noise.pe.run", "1 %"),
        ("machine.storage.tape.mount", "61 s"),
        ("workload.jobs.0.record", "65 kB"),
        ("workload.jobs.1.record", "{draw: uniform, from: 2 kB, to: 1 MB}"),
        ("workload.files.input.filesystem", "ufs"),
        ("workload.jobs.0.name", "other"),
    ],
)
def test_the_digest_sees_every_value(setting: tuple[str, str]) -> None:
    before = digest(parse_machine(MACHINE), parse_workload(WORKLOAD))
    after = digest(
        parse_machine(MACHINE, settings=[setting]), parse_workload(WORKLOAD, settings=[setting])
    )
    assert re.fullmatch("[0-9a-f]{64}", after)
    assert after != before


def test_the_digest_knows_the_first_file_system() -> None:
    machine, workload = parse_machine(MACHINE), parse_workload(WORKLOAD)
    named = parse_workload(WORKLOAD, settings=[("workload.files.input.filesystem", "vfl")])
    assert digest(machine, named) == digest(machine, workload)


# -- machine and workload together ----------------------------------------------------------


def together(*settings: tuple[str, str], without: tuple[str, ...] = ()) -> list[str]:
    tree = yaml.load(MACHINE, Loader=yaml.BaseLoader)
    for key in without:
        del tree[key]
    machine = parse_machine(yaml.safe_dump(tree), "m", settings)
    return [str(one) for one in check_together(machine, parse_workload(WORKLOAD, "w", settings))]


QUIET = ("workload.jobs.1.count", "1")


@pytest.mark.parametrize(
    ("setting", "about"),
    [
        (
            ("workload.files.input.filesystem", "uffs"),
            "'uffs' is not a file system of small; did y",
        ),
        (("workload.jobs.0.count", "5"), "5 x 1 = 5 PEs; small has 4: write fewer"),
        (
            ("workload.jobs.1.pes", "4"),
            "1 x 4 = 4 PEs and 1 of other jobs; small has 4: write f",
        ),
        (
            ("workload.jobs.0.buffer", "257 MB"),
            "257 MB is more than the memory of a PE; write 256 ",
        ),
        (
            ("machine.fortran.buffer", "1 GB"),
            "1 GB (what the machine says) is more than the memory",
        ),
        (
            ("workload.jobs.0.phases.0.path", "svio"),
            "svio is for printed output, which is only wri",
        ),
    ],
)
def test_what_does_not_fit(setting: tuple[str, str], about: str) -> None:
    machine, workload = (
        parse_machine(MACHINE, settings=[QUIET, setting]),
        parse_workload(WORKLOAD, settings=[QUIET, setting]),
    )
    errors = [one for one in check_together(machine, workload) if one.severity == "error"]
    assert errors
    assert errors[0].message.startswith(about)
    with pytest.raises(ConfigError, match=r"write|mean"):
        raise_errors(errors)


def test_places_of_what_does_not_fit_are_those_of_the_workload_file() -> None:
    text = workload_with("filesystem: ufs", "filesystem: uf").replace("path: nfs", "path: svio")
    found = check_together(parse_machine(MACHINE), parse_workload(text, "w.yaml"))
    lines = [str(one).partition(" ")[0] for one in found]
    assert lines == ["w.yaml:5:37:", "w.yaml:13:70:", "w.yaml:15:12:"]


def test_paths_need_their_parts() -> None:
    without_lan = together(QUIET, without=("lan", "nfs"))
    assert [line.partition(": ")[2] for line in without_lan] == [
        "jobs.0.phases.3.path: nfs needs lan and nfs, which small does not have; write scfs"
    ]
    without_ssu = together(QUIET, without=("ssu",))
    assert "jobs.0.path: scfs needs ssu, which small does not have; write nfs" in without_ssu[0]
    assert len(without_ssu) == 2
    neither = together(QUIET, without=("ssu", "lan", "nfs"))
    assert "scfs needs ssu, which small does not have; write phases that compute" in neither[0]


def test_large_pes_hold_large_buffers() -> None:
    large = [("machine.pe.large", "2"), ("machine.pe.large_memory", "1 GB"), QUIET]
    big = ("workload.jobs.*.buffer", "512 MB")
    assert together(*large, big) == []
    assert "or ask for at most 2 PEs" in together(*large, big, ("workload.jobs.0.pes", "3"))[0]


def test_a_prestaged_file_needs_an_ssu() -> None:
    found = together(QUIET, ("workload.files.input.prestage", "true"), without=("ssu",))
    assert any("small has no SSU to hold it; write 'prestage: false'" in line for line in found)


def test_identical_clients_without_noise_are_warned_of() -> None:
    (line,) = together()
    assert line.startswith("w:15:12: warning: jobs.1.count: identical clients move in lockstep")
    assert together(("machine.noise.pe.request", "1 %")) == []
    machine, workload = parse_machine(MACHINE), parse_workload(WORKLOAD)
    noisy = parse_machine(MACHINE, settings=[("machine.noise.pe.request", "1 %")])
    (warning,) = raise_errors(check_together(machine, workload))
    assert warning.severity == "warning"
    assert check_together(noisy, workload, noisy=False) == [warning]


def test_two_equal_jobs_are_identical_clients_too() -> None:
    text = WORKLOAD.replace("    count: 2\n", "").replace("    start: 1 s\n", "    start: 0 s\n")
    assert check_together(parse_machine(MACHINE), parse_workload(text)) == []
    job = text[text.index("  - name: second") :].replace("second", "third")
    (warning,) = check_together(parse_machine(MACHINE), parse_workload(text + job))
    assert warning.key == "jobs.2.name"


def test_files_that_do_not_fit_are_warned_of() -> None:
    (line,) = together(QUIET, ("workload.files.output.size", "9 GB"))
    assert "size=9 GB: warning: all files together do not fit on the 16 GB of disk" in line


# -- JSON Schema ----------------------------------------------------------------------------


KINDS = {"string": str, "object": dict, "array": list, "boolean": bool, "integer": int}
KEYWORDS = {"$ref", "type", "enum", "const", "pattern", "anyOf", "oneOf", "properties", "items"}
KEYWORDS |= {"required", "additionalProperties", "minItems", "minProperties", "minimum", "maximum"}
KEYWORDS |= {
    "patternProperties",
    "uniqueItems",
    "description",
    "examples",
    "title",
    "default",
    "discriminator",
}


def fits(value: object, schema: dict, root: dict) -> bool:
    """Whether a value is valid, for the keywords that our schemas use."""
    assert not schema.keys() - KEYWORDS - {"$defs", "$schema", "$id"}
    tests = [
        "$ref" not in schema
        or fits(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root),
        "type" not in schema or isinstance(value, KINDS.get(schema["type"], float | int)),
        "enum" not in schema or value in schema["enum"],
        "const" not in schema or value == schema["const"],
        not isinstance(value, str) or re.search(schema.get("pattern", ""), value) is not None,
        *(
            any(fits(value, one, root) for one in schema[k])
            for k in ("anyOf", "oneOf")
            if k in schema
        ),
    ]
    if isinstance(value, list):
        tests += [len(value) >= schema.get("minItems", 0)]
        tests += [fits(one, schema.get("items", {}), root) for one in value]
    if isinstance(value, dict):
        tests += [set(schema.get("required", [])) <= value.keys()]
        for key, one in value.items():
            inner = schema.get("properties", {}).get(key, schema.get("additionalProperties", {}))
            for pattern, other in schema.get("patternProperties", {}).items():
                inner = other if re.search(pattern, str(key)) else inner
            tests += [inner is not False and fits(one, inner, root)]
    return all(tests)


@pytest.mark.parametrize("name", schema_names())
def test_shipped_files_fit_their_schema(name: str) -> None:
    schema = json.loads(json.dumps(json_schema(name)))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    (kind,) = (one for one in all_kinds() if name == one.schema)
    texts = [path.read_text("utf-8") for path in kind.shipped().values()]
    own = {"machine": MACHINE, "workload": WORKLOAD}
    assert texts
    for text in [*texts, *([own[name]] if name in own else [])]:
        tree = yaml.safe_load(text)
        assert fits(tree, schema, schema)
        assert not fits({**tree, "titel": "x"}, schema, schema)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("64 MB", "64"),
        ("64 MB", "64 KB"),
        ("60 %", "0.6"),
        ("small: 4", "small: 017"),
        ("kind: disk", "kind: dsk"),
        ("release: whole", "release: half"),
        ("64 MB", "{value: 64 MB, source: rumour}"),
        ("64 MB", "{source: assumed}"),
        ("  unit: 8 MB\n", ""),
    ],
)
def test_the_schema_refuses_what_loading_refuses(old: str, new: str) -> None:
    schema = json_schema("machine")
    assert old in MACHINE
    assert not fits(yaml.load(MACHINE.replace(old, new), Loader=yaml.BaseLoader), schema, schema)


def test_every_key_is_described() -> None:
    undescribed = [
        f"{name}.{key}"
        for kind in schema_names()
        for name, section in json_schema(kind)["$defs"].items()
        for key, inner in section.get("properties", {}).items()
        if not inner.keys() & {"description", "$ref"}
    ]
    assert undescribed == []


def test_every_leaf_has_an_example_that_it_reads() -> None:
    def leaves(shape: object) -> set[Leaf]:
        if isinstance(shape, Leaf):
            return {shape}
        if isinstance(shape, Named | Items):
            return leaves(shape.item)
        several = isinstance(shape, Choice | OneOf)
        inner = shape.options.values() if several else fields_of(shape).values()
        return {leaf for one in inner for leaf in leaves(one)}

    for leaf in set().union(*(leaves(kind.section) for kind in all_kinds())):
        example = yaml.load(leaf.example, Loader=yaml.BaseLoader)
        value = leaf.read(example)
        assert leaf.read(value) == value
        assert leaf.read(yaml.load(leaf.show(value), Loader=yaml.BaseLoader)) == value


# -- the package ----------------------------------------------------------------------------


def test_importing_the_package_is_cheap() -> None:
    script = "import sys, simulator.config; print({'pydantic', 'yaml'} & set(sys.modules))"
    command = [sys.executable, "-c", script]
    root = Path(__file__).parent.parent
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert ran.stdout.strip() == "set()"


def test_the_package_offers_what_its_types_promise() -> None:
    source = Path(config.__file__).read_text(encoding="utf-8")
    promised = set(re.findall(r"import \w+ as (\w+)$", source, re.MULTILINE))
    assert promised == set(config._MODULE_OF)
    assert promised <= set(dir(config))
    for name in promised:
        assert getattr(config, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = config.nothing
