"""docs/machines.md: its machines and workloads run, and its diagrams are what ``show`` draws."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from simulator.config.filesystems import AnyTier
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.config.machine_file import AnyService
from simulator.config.section import Choice, shape_of, tags_of
from simulator.config.workload_file import Workload
from simulator.reference.run import run_reference
from simulator.report.blocks import block_diagram
from simulator.run import run_plan
from tests.docs.elided import is_shown
from tests.docs.extending import ROOT, unknown_lines
from tests.docs.kinds_page import with_tables

SOURCE = ROOT / "docs" / "machines.md"
PAGE = SOURCE.read_text("utf-8")
SHOWN = [one for one in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "format: " in one]
BESIDE = sorted(SOURCE.with_suffix("").glob("*.yaml"))
FILES = [*SHOWN, *(path.read_text("utf-8") for path in BESIDE)]
MACHINES = {one.name: one for one in (parse_machine(text) for text in FILES if "machine/2" in text)}
JOBS = (parse_workload(text) for text in FILES if "workload/2" in text)
WORKLOADS = {one.name: one for one in JOBS}


def test_its_tables_of_kinds_are_what_their_folders_say() -> None:
    """Written anew by ``python -m tests.docs.kinds_page``."""
    assert with_tables(PAGE) == PAGE


def test_every_file_of_the_page_is_tried() -> None:
    assert list(MACHINES) == ["first", "lab", "striped", "volumes", "cluster", "io-nodes"]
    assert list(WORKLOADS) == ["copy", "checkpoint", "all-in-one", "array"]
    assert [one for one in unknown_lines(SOURCE) if one not in SHOWN] == []


@pytest.mark.few(2)
@pytest.mark.parametrize("name", MACHINES)
def test_its_first_job_runs_on_each_machine(name: str) -> None:
    machine, workload = MACHINES[name], WORKLOADS["copy"]
    assert [one for one in fit(machine, workload) if one.severity == "error"] == []
    result = run_reference(make_plan(machine, workload))
    assert result.elapsed_ns > 0


def seconds(machine: str, workload: Workload) -> float:
    return run_plan(make_plan(MACHINES[machine], workload), debug=True).elapsed_ns / 1e9


def test_its_seconds_counted_by_hand_are_those_of_the_runs() -> None:
    assert "first: 1.39 s in all" in PAGE
    assert seconds("first", WORKLOADS["copy"]) == pytest.approx(1.39, abs=0.005)
    assert "1.6 GB / 54.7 MB/s = 29.3 s" in PAGE
    job = "processes: 16, record: 1 MB, phases: [{do: read, file: a}]"
    readers = f"files: {{a: {{size: 100 MB, exists: true}}}}\njobs: [{{name: job, {job}}}]\n"
    readers = parse_workload(f"format: workload/2\nname: job\n{readers}")
    assert seconds("lab", readers) == pytest.approx(29.3, rel=0.01)


def test_its_nodes_inside_nodes_are_six_volumes_that_take_what_is_said() -> None:
    job = "processes: 6, record: 1 MiB, policy: posix"
    phases = "[{do: write, file: a}, {do: sync, file: a}]"
    writers = f"files: {{a: {{size: 4 GB}}}}\njobs: [{{name: job, {job}, phases: {phases}}}]\n"
    workload = parse_workload(f"format: workload/2\nname: job\n{writers}")
    result = run_plan(make_plan(MACHINES["volumes"], workload))
    arrays = {name: one.bytes for name, one in result.parts.items() if one.part == "raid"}
    assert arrays == {f"volume{number}.raid": 4_000_000_000 for number in range(6)}
    assert "5.4 s, and the run takes 5.48." in PAGE
    assert pytest.approx(5.4) == 0.4 + 4_000 / 800
    assert seconds("volumes", workload) == pytest.approx(5.48, abs=0.005)


def test_its_list_of_calls_runs(tmp_path: Path) -> None:
    (listed,) = re.findall(r"```text\n(client,.*?)```", PAGE, re.DOTALL)
    (tmp_path / "calls.csv").write_text(listed, "utf-8")
    jobs = f"jobs: [{{name: job, calls: {tmp_path / 'calls.csv'}}}]"
    workload = parse_workload(f"format: workload/2\nname: job\n{jobs}\n")
    assert seconds("first", workload) == pytest.approx(
        0.0085 + 0.00833 / 2 + 1 / 150 + 0.00025, rel=1e-3
    )


def test_its_second_job_fits_the_parallel_file_system() -> None:
    machine, workload = MACHINES["striped"], WORKLOADS["checkpoint"]
    assert {one.severity for one in fit(machine, workload)} <= {"warning"}
    assert len(make_plan(machine, workload).processes) == 16 + 8


def test_its_mixed_job_runs() -> None:
    machine, workload = MACHINES["cluster"], WORKLOADS["all-in-one"]
    assert {one.severity for one in fit(machine, workload)} <= {"warning"}
    result = run_reference(make_plan(machine, workload), debug=True)
    assert result.numerical is not None
    assert len(result.meshes[0].loop_ends_ns) == 20
    assert len(result.numerical.calls) == 4
    assert {one.write.bytes for one in result.processes} == {4_000_000}


def test_its_job_of_mpi_io_runs() -> None:
    machine, workload = MACHINES["io-nodes"], WORKLOADS["array"]
    assert {one.severity for one in fit(machine, workload)} <= {"warning"}
    result = run_reference(make_plan(machine, workload), debug=True)
    assert sum(one.read.bytes for one in result.processes) == 64 * 2**20
    assert sum(one.write.bytes for one in result.processes) == 64 * 2**20 + 8_000_000


def test_its_table_of_services_is_complete() -> None:
    sections = get_args(get_args(AnyService)[0])
    assert set(table("Services")) == {kind for one in sections for kind in tags_of(one, "kind")}


def test_its_first_machine_has_ten_lines_at_most() -> None:
    assert len(FILES[0].splitlines()) <= 10


def test_its_diagrams_are_what_show_draws() -> None:
    found = re.findall(r"```text\n\$ nwtsim show ([\w-]+)\n(.*?)```", PAGE, re.DOTALL)
    assert [name for name, _ in found] == ["lab"]
    for name, drawn in found:
        assert is_shown(drawn, block_diagram(MACHINES[name])), name


def table(head: str) -> dict[str, str]:
    """A table by its first column, without the backticks."""
    rows = PAGE.partition(f"## {head}")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| `(.*?)` \| (.*) \|$", rows, re.MULTILINE)
    return dict(cells)


def test_its_table_of_tiers_is_complete() -> None:
    rows = PAGE.partition("## Tiers")[2].partition("\n## ")[0]
    shape = shape_of(AnyTier)
    assert isinstance(shape, Choice)
    for key in shape.options:
        assert key in ("use", "stage") or f"{{{key}: " in rows
