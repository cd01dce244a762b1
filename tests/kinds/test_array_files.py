"""Where files begin on an array: by hand, and that no byte decides what the next file costs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from simulator.config.doubts import find_doubts
from simulator.config.formats import parse_machine, parse_workload
from simulator.inputfile import Text
from simulator.plan.plan import Plan
from simulator.run import EngineName, load_plan, run_plan

ROWS = """
format: machine/2
name: rows
parts:
  cpu: {kind: cpu, copy_rate: 1000 TB/s, call_overhead: 0 ns, record_overhead: 0 ns}
  store: {kind: array, disks: 6, level: %s, rate: 100 MB/s, seek: 4 ms, rotation: 8 ms,
    capacity: 1 GB, unit: 100 kB, align: %s, count: %d}
filesystems:
  home: [%s]
"""
FILES = """
format: workload/2
name: files
files: {%s}
jobs: [{name: writer, record: %s, policy: posix, phases: [%s]}]
"""
UNIT_MS = 1
"""What 100 kB of a disk take."""
TAIL_MS = 8 + 2 * 4 * UNIT_MS
"""At most: a rotation, and each disk reads and writes up to four units, what it passes over too."""
POSITION_MS = 8
"""A seek and half a rotation, which a disk pays that the tail has left elsewhere."""


def written(
    sizes: Sequence[int],
    align: str = "stripe",
    *,
    level: str = "raid6",
    record: str = "400 kB",
    count: int = 1,
    tiers: str = "store",
) -> Plan:
    """Plan a job that writes files of so many bytes, one after the other."""
    names = [f"f{number}" for number in range(len(sizes))]
    files = ", ".join(f"{n}: {{size: {one} B}}" for n, one in zip(names, sizes, strict=True))
    phases = ", ".join(f"{{do: write, file: {name}}}" for name in names)
    machine = Text(ROWS % (level, align, count, tiers), "rows")
    return load_plan(machine, Text(FILES % (files, record, phases), "files"))


def bases(plan: Plan) -> list[int]:
    """Return where the files of a plan begin."""
    return [file.base for file in plan.files]


@pytest.mark.parametrize(
    ("level", "align", "multiple"),
    [("raid6", "stripe", 400_000), ("raid5", "stripe", 500_000), ("mirror", "stripe", 300_000)]
    + [(level, "unit", 100_000) for level in ("raid6", "raid5", "mirror")]
    + [("raid6", "none", 1)],
)
def test_a_large_file_begins_where_its_file_system_has_it(
    level: str, align: str, multiple: int
) -> None:
    first, second = bases(written([1_234_567, 1_000_000], align, level=level))
    assert (first, second) == (0, -(-1_234_567 // multiple) * multiple)


def test_files_of_less_than_a_stripe_share_it() -> None:
    small = bases(written([70_000, 399_999, 400_000, 5]))
    assert small == [0, 70_000, 800_000, 1_200_000]


def test_what_a_file_has_on_each_array_begins_at_a_stripe_of_it() -> None:
    """Five stripes of 300 kB over two arrays: three on each at most, 900 kB; 700 kB are less."""
    over = "{stripe: 300 kB, over: 2, of: store}, store"
    large = written([1_500_000, 1_500_000, 700_000], count=2, tiers=over)
    assert bases(large) == [0, 1_200_000, 2_400_000]
    small = bases(written([310_000, 310_000], count=2, tiers=over))
    assert small == [0, 300_000]  # 300 kB on each are no stripe of 400 kB.


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_byte_more_costs_no_more_than_the_ends_of_files(engine: EngineName) -> None:
    """Four files of 20 rows: 20 ms each. A byte more is a part of a row at the end of each."""
    rows = 20 * 400_000
    exact, more = (
        run_plan(written([size] * 4), engine=engine, debug=True).elapsed_ns / 1e6
        for size in (rows, rows + 1)
    )
    assert exact == pytest.approx(POSITION_MS + 4 * 20 * UNIT_MS, abs=1e-3)
    assert exact < more <= exact + 4 * TAIL_MS + 3 * POSITION_MS
    less = run_plan(written([rows - 1] * 4), engine=engine).elapsed_ns / 1e6
    assert less <= exact + 4 * TAIL_MS + 3 * POSITION_MS


def test_without_alignment_a_byte_more_makes_each_call_a_part_of_two_rows() -> None:
    rows = 20 * 400_000
    exact, more = (
        run_plan(written([size] * 4, "none")).arrays["store"].read_bytes
        for size in (rows, rows + 1)
    )
    aligned = run_plan(written([rows + 1] * 4)).arrays["store"].read_bytes
    assert exact == 0
    assert aligned == 4 * 3  # a byte, and both its parities, at the end of each
    assert more > 3 * rows


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_the_page_calculates_the_same(engine: EngineName) -> None:
    """docs/failures.md, *Where files begin*: 18 + 90 + 28 ms, and 8 less for the second."""
    machine = Text(
        (ROWS % ("raid5", "stripe", 1, "store"))
        .replace("disks: 6", "disks: 4")
        .replace("100 kB", "1 MB"),
        "rows",
    )
    files = "first: {size: 31 MB}, second: {size: 31 MB}"
    phases = "{do: write, file: first}, {do: write, file: second}"
    plan = load_plan(machine, Text(FILES % (files, "3 MB", phases), "files"))
    result = run_plan(plan, engine=engine)
    assert result.elapsed_ns // 1_000_000 == 2 * (18 + 90 + 28) - 8


@pytest.mark.parametrize(
    ("level", "extent", "align", "doubted"),
    [
        ("raid6", "1200 kB", "stripe", False),
        ("raid6", "1 MB", "stripe", True),
        ("raid5", "1 MB", "stripe", False),
        ("raid5", "1200 kB", "stripe", True),
        ("raid5", "1200 kB", "none", False),
        ("mirror", "1 MB", "stripe", False),
    ],
)
def test_a_store_that_writes_parts_of_rows_is_doubted(
    level: str, extent: str, align: str, doubted: bool
) -> None:
    """Rows are 400 kB with RAID 6, and 500 kB with RAID 5."""
    store = f"stores: {{cache: {{capacity: 10 MB, block: 100 kB, extent: {extent}}}}}\n"
    machine = parse_machine(ROWS % (level, align, 1, "cache, store") + store)
    phases = "{do: read, file: old}, {do: write, file: new}"
    files = "old: {size: 1 MB, exists: true}, new: {size: 1 MB}"
    workload = parse_workload(FILES % (files, "400 kB", phases))
    found = [one for one in find_doubts(machine, workload, noisy=False) if one[0][0] == "files"]
    assert [at for at, _ in found] == ([("files", "new")] if doubted else [])
    if doubted:
        row = {"raid6": "400 kB", "raid5": "500 kB"}[level]
        right = {"raid6": "1.2 MB", "raid5": "1.5 MB"}[level]
        about = found[0][1]
        assert f"at one time, no whole number of rows of store ({row})" in about
        assert about.endswith(f"write 'extent: {right}' in cache")
