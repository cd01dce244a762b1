"""Machine and workload files: what they mean, what can be set, where the numbers come from."""

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from simulator.config import ConfigError
from simulator.config.formats import MACHINE as MACHINE_FILES
from simulator.config.formats import (
    load_machine,
    load_workload,
    parse_machine,
    parse_workload,
)
from simulator.config.record import LognormalRecord, UniformRecord
from simulator.config.sources import Source, provenance, unproven
from simulator.kinds.phases.compute import Compute
from simulator.kinds.phases.transfer import Transfer
from simulator.prepared import digest_of_both
from simulator.shipped import shipped_root
from tests.config.machine_texts import SMALL_MACHINE as MACHINE
from tests.config.machine_texts import SMALL_WORKLOAD as WORKLOAD
from tests.config.machine_texts import problems_of, with_change

# -- the shipped files ----------------------------------------------------------------------


def test_the_nwt_has_the_numbers_of_the_paper() -> None:
    nwt = load_machine("nwt")
    assert nwt.name == "nwt"
    pe = nwt.nodes["pe"]
    assert pe.larger is not None
    assert (pe.count, pe.larger.count) == (166, 4)
    assert (pe.memory, pe.larger.memory) == (256_000_000, 1_000_000_000)
    assert nwt.runtime.buffer == 600_000
    assert nwt.stores["ssu"].block == 8_000_000
    rates = {one.path: one.value for one in provenance(nwt) if one.path.endswith(".rate")}
    assert rates["parts.crossbar.rate"] == "421 MB/s"
    assert rates["parts.array.rate"] == "36 MB/s"
    assert next(iter(nwt.filesystems)) == "ufs"


@pytest.mark.parametrize("name", MACHINE_FILES.shipped())
def test_a_machine_takes_sixty_lines_at_most_and_says_where_its_values_come_from(name: str) -> None:
    text = MACHINE_FILES.shipped()[name].read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    unstated = [one.path for one in unproven(load_machine(name))["unstated"]]
    # How many there are of a group is what its name says, so it needs no source.
    assert [path for path in unstated if not path.startswith("nodes.")] == []


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
        (load_workload, "nwt", "nwt: this is a machine, not a workload; .*ninf-lan"),
        (load_workload, "nwt.yaml", "nwt.yaml: there is no such file"),
        (load_workload, Path("nwt"), "nwt: there is no such file"),
        (load_workload, "", ": there is no such file"),
    ],
)
def test_an_unknown_name_lists_the_shipped_ones(load, name, about: str) -> None:
    with pytest.raises(ConfigError, match=about):
        load(name)


# -- what a file means ----------------------------------------------------------------------


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
    assert (copy.jobs[0].processes, copy.jobs[0].nodes, copy.jobs[0].repeat) == (1, 1, 1)
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
    workload = parse_workload(WORKLOAD, settings=[("workload.jobs.*.record", text)])
    assert workload.jobs[0].record == record


def test_aliases_stand_for_what_they_name() -> None:
    text = MACHINE.replace("latency: 5 us", "latency: &t 5 us").replace("100 us}", "*t}")
    assert getattr(parse_machine(text).parts["paths"], "overhead") == 5000  # noqa: B009


def test_sections_are_frozen_comparable_and_picklable() -> None:
    machine = parse_machine(MACHINE)
    with pytest.raises(AttributeError, match="frozen"):
        machine.name = "other"  # type: ignore[misc]
    assert machine == parse_machine(MACHINE)
    assert machine.ways is not parse_machine(MACHINE).ways  # made when asked for, and not compared
    assert machine != parse_machine(MACHINE.replace("count: 4", "count: 5"))
    again = pickle.loads(pickle.dumps(machine))
    assert again == machine
    assert again.sources == machine.sources


# -- settings -------------------------------------------------------------------------------


def test_settings_replace_values_and_add_keys() -> None:
    settings = [
        ("machine.stores.ssu.block", "4 MB"),
        ("machine.stores.ssu.quota", "16 MB"),
        ("machine.stores.ssu.start", "[eager]"),
        ("machine.parts.cpu.noise.run", "5 %"),
        ("machine.parts.*.rate", "8 MB/s"),
        ("machine.parts.ssd", "{kind: disk, count: 1, capacity: 1 TB, rate: 2 GB/s}"),
        ("machine.nodes.pe.count", "{value: 5, source: measured here}"),
        ("machine.nodes.cp.count", "{value: 2, note: none}"),
    ]
    machine = parse_machine(MACHINE, settings=settings)
    ssu = machine.stores["ssu"]
    assert (ssu.block, ssu.quota, ssu.start) == (4_000_000, 16_000_000, ("eager",))
    stated = {one.path: one for one in provenance(machine)}
    assert stated["parts.cpu.noise.run"].value == "5 %"
    assert stated["parts.disk.rate"].value == stated["parts.lan.rate"].value == "8 MB/s"
    assert stated["parts.ssd.rate"].value == "2 GB/s"
    assert machine.sources["stores.ssu.block"].kind == "set by the user"
    assert machine.sources["parts.ssd.rate"].kind == "set by the user"
    assert machine.sources["nodes.pe.count"] == Source("measured", "here", "", "measured here")
    by_user = Source("set by the user", "", "none", "set by the user")
    assert machine.sources["nodes.cp.count"] == by_user
    assert machine.sources["stores.ssu.capacity"].kind == "unstated"


def test_settings_of_a_workload() -> None:
    settings = [
        ("workload.jobs.*.buffer", "2 MB"),
        ("workload.jobs.0.processes", "3"),
        ("workload.jobs.0.phases.*.path", "nfs"),
        ("workload.jobs.0.phases.1", "{do: compute, time: 5 s}"),
        ("workload.files.input.size", "20 MB"),
        ("machine.stores.ssu.block", "nonsense, but for the machine"),
    ]
    workload = parse_workload(WORKLOAD, settings=settings[:2])
    assert [job.buffer for job in workload.jobs] == [2_000_000] * 2
    assert [job.processes for job in workload.jobs] == [3, 2]
    workload = parse_workload(WORKLOAD, settings=settings[2:3])
    phases = workload.jobs[0].phases
    assert phases is not None
    paths = [getattr(phase, "path", "none") for phase in phases]
    assert paths == ["nfs", "none", "nfs", "nfs"]
    workload = parse_workload(WORKLOAD, settings=settings[3:])
    phases = workload.jobs[0].phases
    assert phases is not None
    assert phases[1] == Compute(do="compute", time=5 * 10**9)
    assert workload.files["input"].size == 20_000_000


def test_settings_find_names_with_points_in_any_unicode_form() -> None:
    text = WORKLOAD.replace("input", "caf\u00e9.v1.dat")
    settings = [("workload.files.cafe\u0301.v1.dat.size", "30 MB")]
    assert parse_workload(text, settings=settings).files["caf\u00e9.v1.dat"].size == 30_000_000


def test_a_setting_changes_only_one_user_of_an_alias() -> None:
    text = MACHINE.replace("lan: {", "lan: &part {").replace(
        "nfs: {kind: queue, overhead: 1 ms}", "nfs: *part"
    )
    machine = parse_machine(text, settings=[("machine.parts.nfs.overhead", "9 us")])
    overheads = [getattr(machine.parts[name], "overhead") for name in ("lan", "nfs")]  # noqa: B009
    assert overheads == [200_000, 9_000]


def test_the_last_setting_wins() -> None:
    settings = [("machine.nodes.pe.count", "7"), ("machine.nodes.pe.count", "8")]
    assert parse_machine(MACHINE, settings=settings).nodes["pe"].count == 8


BLOCK = "machine.stores.ssu.block"


@pytest.mark.parametrize(
    ("path", "value", "about"),
    [
        (BLOCK, "8 M", f"--set {BLOCK}=8 M: '8 M' is ambiguous; write '8 MB' (1000000 B)"),
        (BLOCK, "", f"--set {BLOCK}=: has no value; write one like '8 MB', or"),
        (BLOCK, "[8 MB]", f"--set {BLOCK}=[8 MB]: a list was read; write it li"),
        (BLOCK, "{", f"--set {BLOCK}={{: this '{{' is not closed; write '}}' after its last value"),
        (BLOCK, "*a", f"--set {BLOCK}=*a: no anchor &a comes before *a"),
        (BLOCK, "a\0", f"--set {BLOCK}=a\\x00: the character U+0000 is here"),
        ("machine.stores.ssu.blokc", "1", "--set machine.stores.ssu.blokc=1: no key 'blokc' in st"),
        ("machine.stroes.ssu", "1", "--set machine.stroes.ssu=1: no key 'stroes' in the file; did"),
        (f"{BLOCK}.value", "1", f"--set {BLOCK}.value=1: stores.ssu.block is one value with"),
        ("machine.parts.dsk.rate", "1", "--set machine.parts.dsk.rate=1: no 'dsk' in parts"),
        ("machine.parts.tape.seek", "1 s", "--set machine.parts.tape.seek=1 s: no key 'seek' in"),
        ("machine", "1", "--set machine=1: write a key after 'machine.'"),
        ("ssu.block", "1", "--set ssu.block=1: unknown; write a path that begins with machine. or"),
        ("machine.parts.lan", "{kind: pool}", "--set machine.parts.lan={kind: pool}: servers: is"),
        ("machine.parts.lan", "7", "--set machine.parts.lan=7: '7' was read; write its keys, 'kin"),
        ("machine.nodes.*.count", "0", "--set machine.nodes.*.count=0: '0' is out of range; write"),
        (BLOCK, "7 MB", "22:142: stores.ssu.quota: 64 MB is not a whole number of blocks of 7 MB"),
    ],
)
def test_bad_settings(path: str, value: str, about: str) -> None:
    assert problems_of(MACHINE, (path, value))[0].startswith(about)


@pytest.mark.parametrize(
    ("path", "about"),
    [
        ("workload.jobs.2.processes", "no item '2' in jobs; there is 0 to 1, or * for all"),
        ("workload.jobs.first.processes", "no item 'first' in jobs; there is 0 to 1, or * for all"),
        ("workload.jobs.01.processes", "no item '01' in jobs; there is 0 to 1, or * for all"),
        ("workload.jobs.*.nodse", "no key 'nodse' in jobs.*; did you mean 'nodes'?"),
        ("workload.jobs.-1.processes", "no item '-1' in jobs; there is 0 to 1, or * for all"),
        (
            "workload.jobs.\u0661.processes",
            "no item '\u0661' in jobs; there is 0 to 1, or * for all",
        ),
        ("workload.files.x.size", "no 'x' in files; there are input, output"),
    ],
)
def test_bad_paths_of_a_workload(path: str, about: str) -> None:
    assert problems_of(WORKLOAD, (path, "1"), kind="workload") == [f"--set {path}=1: {about}"]


# -- sources --------------------------------------------------------------------------------


def test_provenance_lists_every_value_as_it_was_written() -> None:
    text = with_change(
        MACHINE, "420 MB/s\n    l", "{value: 0.42 GB/s, source: literature x, note: a  b}\n    l"
    )
    listed = {one.path: one for one in provenance(parse_machine(text + "references: {x: y}\n"))}
    assert listed["parts.crossbar.rate"][1:] == ("0.42 GB/s", "literature", "x", "a b")
    assert listed["stores.ssu.start"][1:] == ("[mark, close]", "unstated", "", "")
    assert listed["parts.disk.overhead"][1:4] == ("0 s", "default", "")
    assert listed["runtime.buffer"][1:] == ("600 kB", "unstated", "", "")
    assert "parts.disk.track_seek" not in listed
    assert not {"name", "format", "parts.disk.kind", "references.x"} & listed.keys()


def test_provenance_of_a_workload() -> None:
    text = with_change(WORKLOAD, "64 kB", "{value: 64 kB, source: assumed, note: not in the paper}")
    listed = unproven(parse_workload(text))
    assert [one[:2] for one in listed["assumed"]] == [("jobs.0.record", "64 kB")]


WORDS = st.text(st.characters(exclude_categories=["C"]))


@given(st.sampled_from(["paper", "literature", "calibrated", "assumed", "x"]), WORDS)
def test_any_source_is_read_or_refused(kind: str, detail: str) -> None:
    text = json.dumps(f"{kind} {detail}", ensure_ascii=False)
    try:
        machine = parse_machine(MACHINE.replace("60 s", f"{{value: 60 s, source: {text}}}"))
        assert machine.sources["parts.tape.mount"].kind == kind
    except ConfigError as refused:
        assert len(refused.problems) == 1  # noqa: PT017 - some are read


# -- digest ---------------------------------------------------------------------------------


@given(st.data())
def test_the_digest_forgets_order_spelling_and_sources(data: st.DataObject) -> None:
    def shuffled(node: object, path: str = "") -> object:
        if not isinstance(node, dict):
            return node
        # The first file system is that of files that name none: such places mean something.
        first = path in (".filesystems", ".nodes", ".parts", ".filesystems.vfl.paths")
        order = list(node) if first else data.draw(st.permutations(list(node)))
        return {key: shuffled(node[key], f"{path}.{key}") for key in order}

    plain = yaml.load(MACHINE, Loader=yaml.BaseLoader)
    plain["stores"]["ssu"]["capacity"] = data.draw(
        st.sampled_from(["64 MB", "64000 kB", "0.064 GB"])
    )
    plain["nodes"]["cp"] = {"count": {"value": "1", "source": "assumed"}}
    plain["title"] = data.draw(st.text("ab "))
    again = parse_machine("# a comment\n" + yaml.safe_dump(shuffled(plain), sort_keys=False))
    workload = parse_workload(WORKLOAD)
    assert digest_of_both(again, workload) == digest_of_both(parse_machine(MACHINE), workload)


@pytest.mark.parametrize(
    "setting",
    [
        ("machine.stores.ssu.block", "4 MB"),
        ("machine.parts.lan.noise.distribution", "exponential"),
        ("machine.parts.cpu.noise.run", "1 %"),
        ("machine.parts.tape.mount", "61 s"),
        ("workload.jobs.0.record", "65 kB"),
        ("workload.jobs.1.record", "{draw: uniform, from: 2 kB, to: 1 MB}"),
        ("workload.files.input.filesystem", "tape"),
        ("workload.jobs.0.name", "other"),
    ],
)
def test_the_digest_sees_every_value(setting: tuple[str, str]) -> None:
    before = digest_of_both(parse_machine(MACHINE), parse_workload(WORKLOAD))
    after = digest_of_both(
        parse_machine(MACHINE, settings=[setting]), parse_workload(WORKLOAD, settings=[setting])
    )
    assert re.fullmatch("[0-9a-f]{64}", after)
    assert after != before


# -- the package ----------------------------------------------------------------------------


def test_importing_the_package_is_cheap() -> None:
    script = "import sys, simulator.config; print({'yaml'} & set(sys.modules))"
    command = [sys.executable, "-c", script]
    root = Path(__file__).parents[2]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert ran.stdout.strip() == "set()"
