"""Cores in machine files: what is read, refused and said of them, and what changing them does."""

from __future__ import annotations

import pytest

from simulator.answers.levers import levers_of
from simulator.cli.main import main
from simulator.config.errors import ConfigError
from simulator.config.formats import MACHINE, parse_machine
from simulator.config.knobs import knobs_of
from simulator.inputfile import Text
from simulator.run import load_plan, run_plan

NODE = """
format: machine/2
name: small
nodes: {pc: {count: 1, cores: CORES}}
parts:
  memory: {kind: core, at: pc, rate: 1 GB/s}
  cpu: {kind: cpu, copy_rate: 1000 PB/s, call_overhead: 0 s, record_overhead: 0 s}
filesystems: {home: [[memory]]}
"""
JOB = """
format: workload/2
name: writers
files: {f: {size: 10 MB}}
jobs: [{name: job, processes: 64, record: 10 MB, policy: posix, phases: [{do: write, file: f}]}]
"""


def seconds(cores: str, *settings: tuple[str, str]) -> float:
    machine = Text(NODE.replace("CORES", cores), "small.yaml")
    result = run_plan(load_plan(machine, Text(JOB, "job.yaml"), settings=settings), debug=True)
    busy = [one.utilisation(result.end_ns) for one in result.parts.values() if one.kind == "cpu"]
    assert max(busy) <= 1
    return result.elapsed_ns / 1e9


@pytest.mark.parametrize("cores", [1, 8, 32, 64, 100])
def test_64_writers_copy_as_fast_as_there_are_cores(cores: int) -> None:
    """640 MB at 1 GB/s for each core, of which at most 64 can be used."""
    assert seconds(str(cores)) == pytest.approx(0.64 / min(cores, 64), rel=1e-6)


def test_cores_can_be_set_by_their_short_name() -> None:
    assert seconds("8", ("pc.cores", "16")) == pytest.approx(0.04, rel=1e-6)
    machine = parse_machine(NODE.replace("CORES", "8"))
    assert knobs_of(machine)["pc.cores"].value == "8"
    (lever,) = (one for one in levers_of(machine) if one.name == "pc.cores")
    assert lever.settings("twice") == (("machine.nodes.pc.cores", "16"),)


@pytest.mark.parametrize("name", MACHINE.shipped())
def test_each_shipped_machine_says_how_many_cores_its_programs_have(name: str) -> None:
    machine = MACHINE.parse(MACHINE.shipped()[name].read_text("utf-8"), name, ())[0]
    first = next(iter(machine.nodes))
    kinds = ((part.kind, part.at) for part in machine.parts.values())
    own = {group for kind, at in kinds if kind == "processor" for group in at or ()}
    assert (machine.nodes[first].cores is None) == (first in own)


@pytest.mark.parametrize(
    ("cores", "told"),
    [
        ("0", "nodes.pc.cores: '0' is out of range; write 1 to 4096"),
        ("5000", "nodes.pc.cores: '5000' is out of range; write 1 to 4096"),
        ("2.5", "nodes.pc.cores: "),
        ("many", "nodes.pc.cores: "),
    ],
)
def test_wrong_numbers_of_cores_are_one_error(cores: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_machine(NODE.replace("CORES", cores))
    (line,) = str(caught.value).splitlines()
    assert told in line


@pytest.mark.parametrize(("name", "kind"), [("orion", "processor"), ("ninf", "timeshare")])
def test_cores_beside_another_processor_are_refused(name: str, kind: str) -> None:
    group = {"orion": "node", "ninf": "j90"}[name]
    with pytest.raises(ConfigError, match=f"{group} has the {kind} .*; leave 'cores' out"):
        load_plan(name, "copy-file", settings=[(f"machine.nodes.{group}.cores", "2")])


def test_a_core_needs_its_nodes_and_a_stage_of_its_own() -> None:
    text = NODE.replace("CORES", "2")
    with pytest.raises(ConfigError, match=r"parts.memory.*at"):
        parse_machine(text.replace("kind: core, at: pc", "kind: core"))
    both = text.replace("[[memory]]", "[[memory, bus]]")
    with pytest.raises(ConfigError, match="memory is a core, and cannot be held together"):
        parse_machine(both.replace("  cpu:", "  bus: {kind: queue, at: pc, rate: 1 GB/s}\n  cpu:"))


def test_the_first_line_says_where_processors_do_not_limit(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path))
    (folder / "job.yaml").write_text(JOB, "utf-8")
    for cores, told in ((", cores: 8", False), ("", True)):
        machine = folder / "small.yaml"
        machine.write_text(NODE.replace(", cores: CORES", cores), "utf-8")
        assert main(["run", str(machine), str(folder / "job.yaml")]) == 0
        first = capsys.readouterr().out.splitlines()[0]
        assert ("processes are not limited by processors" in first) == told
