"""The page of a command has every sentence and every row of a table that its terminal page has."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.report.html.page import page_html
from simulator.report.page import Column, Page, Section, Table
from tests.cli.commands import Capture
from tests.report.html.reading import Cell, Reader, read

MACHINE = """\
format: machine/2
name: plain
title: a disk and no cache
nodes: {pc: {count: 2}}
parts:
  disk:
    kind: disk
    at: pc
    capacity: 1 TB
    noise: {request: 10 %}
    rate: {value: 100 MB/s, source: assumed, range: [80 MB/s, 120 MB/s]}
    seek: {value: 5 ms, source: assumed}
    rotation: {value: 8 ms, source: calibrated by hand}
filesystems: {home: [disk]}
"""
WORKLOAD = """\
format: workload/2
name: records
files:
  a: {size: 4 MB, exists: true}
  b: {size: 4 MB}
jobs:
  - name: reader
    record: 64 kB
    phases: [{do: read, file: a}, {do: compute, time: 20 ms}]
  - name: writer
    record: 64 kB
    phases: [{do: write, file: b}, {do: sync, file: b}]
"""
LOG = """\
7 1700000000.000000 openat(AT_FDCWD, "/data/out", O_RDWR|O_CREAT, 0666) = 3 <0.000100>
7 1700000000.001000 write(3, "x"..., 4096) = 4096 <0.002000>
7 1700000000.005000 fsync(3) = 0 <0.010000>
7 1700000000.020000 pread64(3, "x"..., 4096, 0) = 4096 <0.000100>
7 1700000000.021000 openat(AT_FDCWD, "/data/none", O_RDONLY) = -1 ENOENT (No such file) <0.000010>
7 1700000000.022000 openat(AT_FDCWD, "/data/in", O_RDONLY) = 4 <0.000010>
7 1700000000.023000 read(4, "y"..., 65536) = 1000 <0.000020>
7 1700000000.024000 close(4) = 0 <0.000010>
7 1700000000.025000 close(3) = 0 <0.000010>
7 1700000000.030000 +++ exited with 0 +++
"""
NEED = """\
format: requirement/1
name: need
machine: machine.yaml
currency: USD
years: 2
workloads: {load: workload.yaml}
targets:
  - {workload: load, elapsed: 1 s}
budget: {price: 1000, power: 90 W}
ownership: {years: 5, power_price: 0.25, pue: {value: 1.4, source: assumed}, support: 8 %}
rack_units: 42 U
catalogue:
  disk:
    price: {value: 100, source: measured offer of May, note: of two}
    power: 8 W
    height: 1 U
choices:
  disks:
    options:
      slow: {set: {disk.rate: 100 MB/s}, buys: {disk: 2}}
      fast: {set: {disk.rate: 160 MB/s}, buys: {disk: 4}}
"""
PLAN = (
    NEED.replace("{load: workload.yaml}", "{load: {workload: workload.yaml, growth: 50 %}}")
    .replace(
        "budget: {price: 1000, power: 90 W}", "plan: {discount: 4 %, price_falls: {disk: 9 %}}"
    )
    .replace("ownership: {years: 5", "ownership: {residual: 10 %, years: 2")
)
FILES = {"machine.yaml": MACHINE, "workload.yaml": WORKLOAD, "job.log": LOG, "need.yaml": NEED}
FILES["plan.yaml"] = PLAN
COMMANDS = {
    "run": "run MACHINE WORKLOAD",
    "run-seeds": "run MACHINE WORKLOAD --replications 8 --jobs 1 --no-limits",
    "replay": "replay job.log --on MACHINE",
    "replay-top": "replay job.log --on workstation --top 60 --think none",
    "advise": "advise MACHINE WORKLOAD",
    "advise-trace": "advise job.log --on workstation",
    "sweep": "sweep MACHINE WORKLOAD --vary disk.rate=50MB/s,100MB/s,200MB/s --limits --out out",
    "sweep-seeds": "sweep MACHINE WORKLOAD --vary disk.rate=50MB/s,100MB/s,200MB/s --jobs 1"
    " --replications 4 --seed 7 --out out",
    "compare": "compare MACHINE WORKLOAD --b-set disk.rate=50MB/s",
    "size": "size need.yaml --jobs 1",
    "size-plan": "size plan.yaml --jobs 1",
    "uncertainty": "uncertainty MACHINE WORKLOAD --jobs 1 --replications 2",
    "checkpoint": "checkpoint raid-lab checkpoint-interval --clients 2 --checkpoint.size '64 MB'"
    " --mtbf '100 h' --no-whole --jobs 1",
    "summary": "trace summary job.log",
    "summary-file": "trace summary job.log --by file",
    "summary-real": "trace summary REAL --top 60",
    "summary-errors": "trace summary job.log --errors",
}
DONE = re.compile(r"\d+ points in .*\(\d+ run now\)|\s*and [\d,]+ more .*")
"""What a command has done, and how much of the report is not shown: pages have more."""


@pytest.mark.few(2)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_the_page_has_what_the_terminal_has(
    command: str, root: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    names = {"MACHINE": "machine.yaml", "WORKLOAD": "workload.yaml"}
    names["REAL"] = str(root / "notebooks" / "data" / "job.strace.gz")
    words = [names.get(word, word) for word in shlex.split(command)]
    page = tmp_path / "page.html"
    assert main([words[0], "--help"]) == 0
    words += ["--full"] if "--full" in capsys.readouterr().out else []
    assert main([*words, "--html", str(page)]) == 0
    said = capsys.readouterr().out
    assert said
    assert lacking(said, read(page)) == []


def lacking(text: str, page: Reader) -> list[str]:
    """Return the lines of a terminal page that are not on the page for a browser."""
    flat = squeezed(page.text)
    rows = [row for table in page.tables.values() for row in table.rows[1:]]
    lines, left, within = text.splitlines(), [], False
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        within = within and bool(re.search(r"\S\s{2,}\S", line))
        if ruled(line):
            within = True
        elif ruled(after) or not line.strip() or DONE.fullmatch(line):
            continue
        elif squeezed(line.removeprefix("  - ")) not in flat and not any(
            map(within_row(line), rows)
        ):
            left.append(line)
        elif within and not any(map(within_row(line), rows)):
            left.append(f"no row of a table: {line}")
    return left


def ruled(line: str) -> bool:
    """Whether a line stands between the head of a table and its rows."""
    return "--" in line and not set(line) - set("- ")


def squeezed(text: str) -> str:
    """Return a text without blanks, nor the colon of a heading."""
    return re.sub(r"\s", "", text).removesuffix(":")


def within_row(line: str) -> Callable[[list[Cell]], bool]:
    """Return a test whether a row of the page has all that a line of a table has."""
    named = re.fullmatch(r"\s*(.*) \(([\d,]+) calls?\)", line)
    cells = list(named.groups()) if named else re.split(r"\s{2,}", line.strip())
    cells = [cell for cell in cells if cell.strip("- ")]
    return lambda row: all(any(same(cell, one) for one in row) for cell in cells)


def same(text: str, cell: Cell) -> bool:
    """Whether a cell says a text, or has its value in another unit."""
    if squeezed(text) in squeezed(cell.text):
        return True
    number = re.fullmatch(r"(-?[\d.,]+)(?: (ns|us|ms|s))?", text)
    if number is None or cell.value is None:
        return False
    of_unit = {"ns": (1,), "us": (1e3,), "ms": (1e6,), "s": (1e9,)}
    said = float(number[1].replace(",", ""))
    scales = of_unit.get(number[2], (0.01, 1, 1e3, 1e6, 1e9))  # Else it stands in the head.
    return any(cell.value == pytest.approx(said * scale, rel=0.006) for scale in scales)


def test_what_is_left_out_is_noticed(tmp_path: Path) -> None:
    """The comparison itself: a sentence, a row, a number."""
    head = [Column("part", "part"), Column("busy_ns", "busy", "time")]
    table = Table("parts", "Parts", head, [["disk", 1_500_000], ["nic", 2_000_000]])
    page = tmp_path / "page.html"
    long = " ".join(map(str, range(1000)))
    sections = [Section("Parts", [table, long])]
    page.write_text(page_html(Page("t", [], ["It takes 2 s."], sections)), encoding="utf-8")
    found = read(page)
    assert lacking(long, found) == []
    told = "It takes 2 s.\n\nParts:\n\npart  busy\n----  ----\ndisk  1500 us\nnic   2.00 ms\n"
    assert lacking(told, found) == []
    for old, new in (("2 s.", "3 s."), ("1500", "1600"), ("nic ", "lan "), ("Parts", "All")):
        assert len(lacking(told.replace(old, new, 1), found)) == 1
