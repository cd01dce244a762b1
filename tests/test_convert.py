"""Old files -> new ones: what they keep, that they pass the check, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from simulator.cli.main import main
from simulator.config import ConfigError
from simulator.config.convert import CONVERTERS, convert, lost_comments, storage_sections
from simulator.config.convert.calls import CALLS, SERVER
from simulator.config.convert.parallel_io import ARRAY, PARALLEL
from simulator.config.convert.workstations import KINDS as MESH_KINDS
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.config.sources import provenance
from simulator.config.textfile import format_in
from tests.golden.case import OLD

NWT = (OLD / "machines" / "nwt.yaml").read_text(encoding="utf-8")
OLD_KINDS: dict[str | None, Any] = {
    "machine/1": storage_sections.MACHINE,
    "workload/1": storage_sections.WORKLOAD,
    "workstations/1": MESH_KINDS[0],
    "mesh/1": MESH_KINDS[1],
    "server/1": SERVER,
    "calls/1": CALLS,
    "parallel-io/1": PARALLEL,
    "array-io/1": ARRAY,
}
OLD_FILES = [
    path for path in sorted(OLD.rglob("*.yaml")) if format_in(path.read_text()) in CONVERTERS
]
WORKLOAD = """\
# What runs.
format: "workload/1"   # the old one
name: w
jobs:
  - &one
    name: a
    'count': 3          # three of them
    pes: 2
    record: 1 MB
    phases: [{do: compute, time: 1 s}]
  - {name: count, count: 2, pes: 1, phases: [{do: compute, time: 1 s}]}
"""


def new_section(text: str) -> Any:
    return (parse_machine if "format: machine" in text else parse_workload)(text)


@pytest.mark.parametrize("path", OLD_FILES, ids=lambda path: path.stem)
def test_an_old_file_passes_the_check_and_keeps_what_people_read(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    made = convert(text, str(path))
    section = new_section(made)
    old, _, _ = OLD_KINDS[format_in(text)].parse(text, str(path), ())
    assert (section.name, section.title, section.references) == (
        old.name,
        old.title,
        old.references,
    )
    head = text[: text.index("format:")]
    assert made.startswith(head)
    assert max(map(len, made.splitlines())) <= max(170, *map(len, text.splitlines()))


def test_values_keep_their_sources_and_notes() -> None:
    old, _, _ = storage_sections.MACHINE.parse(NWT, "nwt.yaml", ())
    new = parse_machine(convert(NWT))
    stated = {(one.value, one.kind, one.detail) for one in provenance(new)}
    notes = " ".join(one.note for one in provenance(new))
    combined = {"pe.small", "pe.control", "noise.crossbar.run", "noise.crossbar.request"}
    for one in provenance(old):
        if one.kind == "default" or one.path in combined or one.path.startswith("noise.ssu"):
            continue
        if one.path in ("ssu.read_rate", "ssu.write_rate", "lan.sharing"):
            continue
        if one.value in ("disk", "array", "tape"):  # the kind of storage
            continue
        assert (one.value, one.kind, one.detail) in stated, one
        assert one.note in notes, one


@pytest.mark.parametrize("name", ["machines/orion", "machines/ninf", "workloads/orion-mesh"])
def test_values_of_services_keep_their_sources_and_notes(name: str) -> None:
    text = (OLD / f"{name}.yaml").read_text(encoding="utf-8")
    old, _, _ = OLD_KINDS[format_in(text)].parse(text, name, ())
    made = provenance(new_section(convert(text)))
    stated = {(one.value, one.kind, one.detail, one.note) for one in made}
    for one in provenance(old):
        if one.kind == "default" or one.path == "lan.sharing":  # It is the kind of part.
            continue
        if one.path.endswith(".site"):
            continue
        assert (one.value, one.kind, one.detail, one.note) in stated, one


def test_comments_behind_values_of_calls_become_notes_and_sources() -> None:
    text = (OLD / "workloads" / "ninf-lan.yaml").read_text(encoding="utf-8")
    made = convert(text)
    values = {one.path.rpartition(".")[2]: one for one in provenance(parse_workload(made))}
    assert values["duration"][1:] == ("30 min", "assumed", "", "the paper does not give it")
    assert values["processes"].note == "the paper has 1, 2, 4, 8 and 16"
    lost = [text.splitlines()[line - 1].strip() for line in lost_comments(text, made)]
    assert lost == ["client: supersparc  # assumed", "library: 4pe        # and 1pe"]


def test_a_machine_converted_twice_is_the_same() -> None:
    assert convert(NWT) == convert(NWT)


def test_comments_inside_of_a_machine_are_told() -> None:
    made = convert(NWT)
    assert [NWT.splitlines()[line - 1].partition(":")[0] for line in lost_comments(NWT, made)] == [
        "noise"
    ]


def test_a_workload_keeps_its_lines() -> None:
    made = convert(WORKLOAD).splitlines()
    changed = {
        one: other for one, other in zip(WORKLOAD.splitlines(), made, strict=True) if one != other
    }
    assert changed == {
        'format: "workload/1"   # the old one': 'format: "workload/2"   # the old one',
        "    'count': 3          # three of them": "    'processes': 3          # three of them",
        "    pes: 2": "    nodes: 2",
        "  - {name: count, count: 2, pes: 1, phases: [{do: compute, time: 1 s}]}": (
            "  - {name: count, processes: 2, nodes: 1, phases: [{do: compute, time: 1 s}]}"
        ),
    }
    assert lost_comments(WORKLOAD, convert(WORKLOAD)) == []


@pytest.mark.parametrize(
    "traced",
    [
        "traced:\n  calls: calls.csv\n  # their way\n  path: nfs\n\n# the end",
        "traced: {calls: calls.csv, path: nfs}",
        '"traced": {"calls": calls.csv, path: nfs}',
    ],
)
def test_listed_calls_become_a_job(traced: str) -> None:
    made = parse_workload(
        convert(f"format: workload/1\nname: two words\n{traced}\n".replace(" words", ""))
    )
    (job,) = made.jobs
    assert job.calls is not None
    assert (job.name, job.calls.file, job.calls.path) == ("two", "calls.csv", "nfs")


def test_storage_with_the_name_of_another_part_keeps_it() -> None:
    text = NWT.replace("  disk:\n", "  lan:\n").replace("storage: disk", "storage: lan")
    machine = parse_machine(convert(text))
    assert machine.parts["lan"].kind == "disk"
    assert machine.parts["lan_"].kind == "shared"


def test_memory_of_large_pes_decides_how_many_may_have_a_large_buffer() -> None:
    from simulator.config.fitting import fit

    machine = parse_machine(convert(NWT))
    for jobs, fits in ((4, True), (5, False)):
        text = WORKLOAD[: WORKLOAD.index("  - {name: count")]
        text = text.replace("count': 3", f"count': {jobs}").replace("pes: 2", "pes: 1")
        text = text.replace("record: 1 MB", "record: 1 MB\n    buffer: 500 MB\n    policy: nwt")
        problems = [
            one for one in fit(machine, parse_workload(convert(text))) if one.severity == "error"
        ]
        assert ([str(one) for one in problems] == []) is fits


def test_ports_are_those_of_a_group() -> None:
    text = NWT.replace("  read_rate:", "  ports: {value: 3, source: assumed}\n  read_rate:")
    machine = parse_machine(convert(text))
    servers = {
        machine.tables.groups[part.group].name: part.servers
        for part in machine.tables.parts
        if part.name == "crossbar"
    }
    assert servers == {"pe": 1, "ssu": 3, "cp0": 1}


def test_equal_rates_of_two_directions_stay_two_queues() -> None:
    text = NWT.replace("91.8 MB/s", "421 MB/s")
    labels = [part.label for part in parse_machine(convert(text)).tables.parts]
    assert {"channel.read", "channel.write"} <= set(labels)


def test_a_machine_without_ways_to_files_only_computes() -> None:
    text = (OLD / "machines" / "golden-no-ssu.yaml").read_text(encoding="utf-8")
    kept = [block for block in text.split("\n\n") if not block.startswith(("lan:", "nfs:"))]
    machine = parse_machine(convert("\n\n".join(kept)))
    assert not machine.filesystems
    plan = make_plan(machine, parse_workload(convert(WORKLOAD)))
    assert len(plan.processes) == 5


# -- the command -------------------------------------------------------------------------------


def test_the_command_writes_a_file_that_passes(tmp_path: Path, capsys: Any) -> None:
    new = tmp_path / "new.yaml"
    assert main(["convert", str(OLD / "machines" / "nwt.yaml"), "-o", str(new)]) == 0
    assert "comments not kept" in capsys.readouterr().err
    assert main(["check", str(new)]) == 0
    assert new.read_text(encoding="utf-8") == convert(NWT)


def test_the_command_prints_without_a_file(capsys: Any) -> None:
    assert main(["convert", str(OLD / "workloads" / "test-write.yaml")]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "format: workload/2"


def test_an_old_file_is_refused_in_one_line_that_says_how_to_convert_it(
    tmp_path: Path, capsys: Any
) -> None:
    old = tmp_path / "old.yaml"
    old.write_text(NWT, encoding="utf-8")
    told = "format: this is the old format machine/1; convert it: nwtsim convert"
    for words in (
        ["check", str(old)],
        ["show", str(old)],
        ["run", str(old), "test-write"],
        ["sweep", str(old), "test-write", "--vary", "buffer=1 MB", "--out", str(tmp_path / "out")],
    ):
        assert main(words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line == f"{old}:6:9: {told} {old} -o NEW"
    assert not (tmp_path / "out").exists()


def test_mistakes_of_an_old_file_have_their_places(tmp_path: Path, capsys: Any) -> None:
    wrong = tmp_path / "wrong.yaml"
    text = NWT.replace("8 MB", "8 M").replace("paths: {", "path: {")
    wrong.write_text(text.replace("storage: disk", "storage: dsk"), encoding="utf-8")
    new = tmp_path / "new.yaml"
    assert main(["convert", str(wrong), "-o", str(new)]) == 2
    told = capsys.readouterr().err
    assert "ssu.unit: '8 M' is ambiguous" in told
    assert "frontend.path: unknown key" in told
    assert "filesystems.ufs.storage: 'dsk' is not in storage; did you mean 'disk'?" in told
    assert all(line.startswith(f"{wrong}:") for line in told.splitlines())
    assert not new.exists()


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("format: machine/2\nname: x\n", "this file is in machine/2 already"),
        ("format: machine/7\nname: x\n", "'machine/7' is no old format"),
        ("name: x\n", "the file does not say its format"),
    ],
)
def test_what_is_no_old_file_is_refused(text: str, about: str) -> None:
    with pytest.raises(ConfigError, match=about):
        convert(text)
