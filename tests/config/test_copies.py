"""Who copies what calls move: the cpu, or a memory that requests pass, but not both."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.doubts import machine_doubts
from simulator.config.formats import load_machine
from simulator.config.starters import starter_machine
from simulator.experiments.ssken.study import SITES
from simulator.kinds.parts.core.section import Core
from tests.reference.runs import both, planned, spent

ROOT = Path(__file__).resolve().parents[2]

MACHINE = """nodes: {pc: 1}
parts:
  cpu: {kind: cpu, copy_rate: 1 GB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  memory: {kind: core, at: pc, rate: 2 GB/s%s}
  disk: {kind: queue, at: pc, rate: 0.5 GB/s}
stores: {pages: {at: pc, capacity: 1 GB, block: 1 MB}}
filesystems:
  home: [[memory], pages, disk]
  raw: [pages, [memory], disk]
"""
JOBS = """files: {f: {size: 4 MB, filesystem: %s}}
jobs: [{name: job, record: 1 MB, policy: %s, phases: [{do: write, file: f}]}]
"""
MS = 10**6


@pytest.mark.parametrize(
    ("key", "filesystem", "policy", "cpu", "memory"),
    [
        ("", "home", "posix", 4 * MS, 2 * MS),
        (", copies: false", "home", "posix", 4 * MS, 2 * MS),
        (", copies: true", "home", "posix", 0, 2 * MS),
        (", copies: true", "raw", "posix", 4 * MS, 0),  # It is behind the store.
        (", copies: true", "home", "gfortran", 4 * MS, 2 * MS),
    ],
)
def test_what_is_moved_is_copied_once_by_a_memory_that_copies(
    key: str, filesystem: str, policy: str, cpu: int, memory: int
) -> None:
    account = spent(both(planned(MACHINE % key, JOBS % (filesystem, policy))))
    assert account.get("cpu", (0, 0))[1] == cpu
    assert account.get("memory", (0, 0))[1] == pytest.approx(memory, rel=1e-4)


def test_a_change_of_the_key_is_seen_by_plans_that_follow() -> None:
    """Paths are made anew: a sweep over the key has both."""
    import nwtsim

    swept = nwtsim.sweep(
        nwtsim.Machine(f"format: machine/2\nname: pc\ntitle: pc\n{MACHINE % ''}"),
        nwtsim.Workload(f"format: workload/2\nname: w\ntitle: w\n{JOBS % ('home', 'posix')}"),
        {"machine.parts.memory.copies": ["false", "true"]},
        jobs=1,
    )
    times = [row["elapsed_ns"] for row in swept]
    assert times[0] - times[1] == 4 * MS


FILES = [
    *(ROOT / "configs" / "machines").glob("*.yaml"),
    *(ROOT / "experiments" / "ssken" / f"{site}.yaml" for site in SITES),
]


@pytest.mark.parametrize("file", FILES, ids=lambda one: one.stem)
def test_no_shipped_machine_charges_a_copy_twice(file: Path) -> None:
    """Each of their cores is the memory of a program's node."""
    parts = load_machine(file).parts
    assert [key for key, part in parts.items() if isinstance(part, Core) and not part.copies] == []


def test_enough_of_them_have_such_a_memory() -> None:
    """The six of configs/machines, and all of SS-ken's sites but one."""
    parts = [load_machine(each).parts.values() for each in FILES]
    memories = [any(isinstance(one, Core) for one in some) for some in parts]
    assert sum(memories) == 6 + len(SITES) - 1


def test_nor_does_a_first_machine() -> None:
    text = starter_machine("mine", "mine.yaml", 4)
    assert "memory: {kind: core, at: node, copies: true," in text


WARNING = "parts.memory: what calls move is copied here, at 2.00 GB/s (1.86 GiB/s), and by the cpu"


@pytest.mark.parametrize(
    ("change", "warned"),
    [
        (("", ""), True),
        ((", rate: 2 GB/s", ", overhead: 1 us, rate: 2 GB/s"), True),
        (("rate: 2 GB/s", "rate: 2 GB/s, copies: true"), False),
        (("rate: 2 GB/s", "rate: 2 GB/s, copies: false"), False),
        (("rate: 2 GB/s", "overhead: 1 us"), False),  # It copies no bytes.
        (("copy_rate: 1 GB/s", "copy_rate: 1000 TB/s"), False),
        (("home: [[memory], pages, disk]", "home: [pages, [memory], disk]"), False),
    ],
)
def test_a_check_warns_of_a_memory_that_does_not_say_whether_it_copies(
    change: tuple[str, str], warned: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = MACHINE % ""
    assert change[0] in text
    file = tmp_path / "pc.yaml"
    text = text.replace(*change)
    file.write_text(f"format: machine/2\nname: pc\ntitle: pc\n{text}", encoding="utf-8")
    assert main(["check", str(file)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert (WARNING in told[0]) is warned
    assert ("write 'copies: true' if this is the memory" in told[0]) is warned
    assert told[-1].startswith(f"{file}: ok (machine pc")
    assert len(told) == 1 + warned


@pytest.mark.parametrize("file", FILES, ids=lambda one: one.stem)
def test_no_shipped_machine_is_warned_of(file: Path) -> None:
    assert machine_doubts(load_machine(file)) == []


def test_the_memory_of_a_server_is_not_where_programs_copy() -> None:
    machine = load_machine(ROOT / "experiments" / "pagecache" / "machine.yaml")
    server = machine.parts["server-memory"]
    assert isinstance(server, Core)
    assert server.copies is None
    assert machine_doubts(machine) == []
