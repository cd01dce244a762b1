# ruff: noqa: E501 - tables of messages
"""Files with I/O nodes and MPI-IO: good ones are read, each mistake is named with its place.

The mark | in a table of mistakes is where the message should point.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.fitting import fit
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.identity import digest_of
from simulator.config.sources import provenance
from tests.config.machine_texts import problems_of
from tests.engines.arrays import MACHINE_TEXT, array, changed, kinds, machine, planned

ROWS = """\
format: workload/2
name: rows
files:
  rows: {size: 1 MiB, shared: true, exists: true}
jobs:
  - name: p
    processes: 4
    phases:
      - {do: mpi-read, file: rows, block: 16 KiB}
"""
OLD_MACHINE = "format: parallel-io/1\nname: old\n"

Capture = pytest.CaptureFixture[str]


def marked(text: str, old: str, new: str) -> tuple[str, str]:
    """The text with ``new`` for ``old``, without its mark, and the line:column of the mark."""
    assert text.count(old) >= 1, old
    changed = text.replace(old, new, 1)
    before = changed.partition("|")[0].split("\n")
    return changed.replace("|", "", 1), f"{len(before)}:{len(before[-1]) + 1}"


MACHINE_MISTAKES = [
    ("10 kB, block", "|10, block", "buffer_caches.buffers.capacity: '10' has no unit; write '10"),
    ("block: 100 B", "block: |1 MB", "buffer_caches.buffers.block: 1 MB is more than the capacity"),
    ("cache: 1 kB", "cache: |9 B", "parts.raid.cache: 9 B does not hold a block of 100 B; write 100"),
    ("prefetch: 2", "|prefech: 2", "buffer_caches.buffers.prefech: unknown key; did you mean 'prefe"),
    ("over: 4", "over: |5", "filesystems.pff.tiers.0.over: 5 is more than the 4 of node; write 4 or"),
    ("at: node, capacity", "at: |nodes, capacity", "buffer_caches.buffers.at: 'nodes' is not a gr"),
    ("    - buffers\n", "", "io is an I/O server; write it once, directly before a buffer cache"),
    ("    - raid\n", "", "filesystems.pff.tiers: nothing is behind buffers; write a part of 'kind: r"),
    (", server: io", "", "filesystems.pff.tiers.2.use: nothing serves buffers; write an I/O server b"),
    ("    - {stripe: 100 B, over: 4, of: node}\n", "", "buffers is on 4 nodes; write how files are"),
    ("header: 10 B", "request: |1 kB", "but what comes to buffers are requests for pieces of files"),
    ("    - buffers\n", "    - buffers\n    - |buffers\n", "buffers comes after buffers; leave one"),
    ("    - raid\n", "    - raid\n    - |crossbar\n", "behind buffers is one RAID unit; leave cr"),
    ("    - raid\n", "    - raid\n  two: [io]\n", "filesystems.two.tiers.0.use: io is a"),
    ("    - raid\n", "    - raid\n  two: [raid]\n", "filesystems.two.tiers.0.use: raid is a RAID u"),
    ("collective_buffer", "|colective_buffer", "runtime.mpi_io.colective_buffer: unknown key; did"),
    ("machine/2", "|parallel-io/1", "'parallel-io/1' is unknown to this version; write machine/2"),
]  # fmt: skip

ROWS_MISTAKES = [
    ("block: 16 KiB", "block: |24 KiB", "1 MiB in the file is not a whole number of rows of 96 KiB"),
    ("block: 16 KiB", "block: |1 MiB", "a file of 1 MiB has no rows of 4 MiB (4 blocks of 1 MiB)"),
    ("block: 16 KiB", "block: 16 KiB, size: |1 MB", "1 MB is not a whole number of rows of 64 KiB"),
    ("block: 16 KiB", "block: 16 KiB, size: |2 MiB", "ends at 2 MiB of a file of 1 MiB; write less"),
    ("block: 16 KiB", "block: 16 KiB, stride: |1 KiB", "stride: 1 KiB is less than the blocks of 4 p"),
    ("block: 16 KiB", "block: 16 KiB, access: |posix", "access: 'posix' is unknown; write contiguo"),
    ("block: 16 KiB", "block: 16 KiB, access: contiguous, method: |stride", "'stride' is no method"),
    ("block: 16 KiB", "block: 16 KiB, method: |two-phase", "'two-phase' is no method of view access"),
    ("processes: 4", "processes: |-4", "processes: '-4' has a minus sign; write it without, like"),
    ("mpi-read", "|mpi-raed", "do: 'mpi-raed' was read; did you mean 'mpi-read'?"),
    ("file: rows", "file: |row", "'row' is not in files; did you mean 'rows'?"),
    ("shared: true, ", "", "all processes have views of one file; write 'shared: true' in files.rows"),
    (", exists: true", "", "'rows' neither exists nor is written before; write 'exists: true' in fil"),
    ("KiB}", "KiB, nonblocking: |true}", "is not waited for; write '{do: wait}' after it"),
    ("KiB}", "KiB}\n      - {do: |wait}", "no nonblocking call is under way here; leave it out"),
    ("exists: true", "exists: true, |layout: []", "layout: is empty; write one or more"),
    ("exists: true", "exists: true, layout: [{stripe: 1 KiB, over: 2, |order: [0, 1]}]",
     "layout.0.order: is instead of over; leave one of them out"),
    ("exists: true", "exists: true, layout: [{stripe: 1 KiB, order: [0, 1, |0]}]",
     "layout.0.order.2: 0 is in the order twice; write it once"),
    ("exists: true", "exists: true, layout: [|{stripe: 1 KiB}, {stripe: 2 KiB}]",
     "layout.0: has no size, and another region follows; write 'size: 512 MiB'"),
    ("workload/2", "|array-io/1", "'array-io/1' is unknown to this version; write workload/2"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), MACHINE_MISTAKES)
def test_a_mistake_in_a_machine(old: str, new: str, message: str) -> None:
    text, place = marked(MACHINE_TEXT, old, new)
    (found,) = problems_of(text)
    assert message in found
    if "|" in new:
        assert found.startswith(place), found


@pytest.mark.parametrize(("old", "new", "message"), ROWS_MISTAKES)
def test_a_mistake_in_a_workload(old: str, new: str, message: str) -> None:
    text, place = marked(ROWS, old, new)
    (found,) = problems_of(text, kind="workload")
    assert message in found
    if "|" in new:
        assert found.startswith(place), found


def test_all_mistakes_at_once() -> None:
    text = ROWS.replace("1 MiB", "1").replace("mpi-read", "mpi-raed").replace(": 4", ": x")
    keys = [one.split(": ")[1] for one in problems_of(text, kind="workload")]
    assert keys == ["files.rows.size", "jobs.0.processes", "jobs.0.phases.0.do"]


MISFITS = [
    ({"method": "stride"},
     "jobs.0.phases.0.method: pff of small does not offer it (runtime.mpi_io.stride_io); write auto"),
    ({"layout": "[{stripe: 100 B, over: 5}]"},
     "files.rows.layout.0.over: 5 I/O nodes, but pff has 4; write 4 or less, or all"),
    ({"layout": "[{stripe: 100 B, size: 10 B}, {stripe: 100 B, order: [4]}]"},
     "files.rows.layout.1.order.0: there is no I/O node 4 of pff; write a number from 0 to 3"),
    ({"size": 10**10, "block": 5 * 10**8},
     "jobs.0.phases.0.file: has 100,000,000 blocks of buffers, more than 16,777,216; write a small"),
    ({"size": 10**9, "block": 5 * 10**8, "layout": "[{stripe: 1 B, over: 1}]"},
     "jobs.0.phases.0.file: is cut into more than 16,777,216 parts of 1 B; write a smaller file, or"),
    ({"size": 10**5, "block": 10, "processes": 2000, "access": "collective"},
     "jobs.0.phases.0.access: 2,000 processes call together; write at most 1024"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), MISFITS)
def test_what_does_not_fit_together(changes: dict[str, object], message: str) -> None:
    there = machine(runtime__mpi_io__stride_io="false")
    found = [one for one in fit(there, array(**changes)) if one.severity == "error"]  # type: ignore[arg-type]
    assert [str(one).partition(": ")[2][: len(message)] for one in found] == [message]


def test_phases_and_file_systems_of_different_kinds() -> None:
    plain = MACHINE.parse(
        "format: machine/2\nname: plain\nparts: {disk: {kind: disk, rate: 1 MB/s}}\n"
        "filesystems: {home: [disk]}\n",
        "plain",
        (),
    )[0]
    assert not [one for one in fit(plain, array()) if one.severity == "error"]
    (found,) = (one for one in fit(plain, array(method="stride")) if one.severity == "error")
    assert "home has no I/O nodes, which stride needs; write auto, or seek, offset" in str(found)
    laid = array(layout="[{stripe: 1 kB}]")
    found = next(one for one in fit(plain, laid) if "layout" in str(one))
    assert "home has no I/O nodes, over which files are laid out; leave it out" in str(found)


def test_a_nonblocking_call_cannot_be_repeated() -> None:
    text = ROWS.replace("KiB}", "KiB, nonblocking: true}\n      - {do: wait}")
    (found,) = problems_of(
        text.replace("processes: 4", "processes: 4\n    repeat: 2"), kind="workload"
    )
    assert "a nonblocking call cannot be repeated; write 'repeat: 1' in the job" in found
    assert WORKLOAD.parse(text, "f", ())


@pytest.mark.parametrize(
    ("old", "new", "beside"),
    [
        ("processes: 4", "arrivals: {every: 1 s, count: 2}", "arrivals"),
        ("processes: 4", "processes: 4\n    launched: true", "process servers"),
    ],
)
def test_skew_beside_other_times(old: str, new: str, beside: str) -> None:
    text = ROWS.replace(old, f"{new}\n    skew: 1 ms").replace("mpi-read, file: rows, block: 16 KiB",
                                                              "compute, time: 1 s")  # fmt: skip
    (found,) = problems_of(text, kind="workload")
    assert f"jobs.0.skew: has no effect beside {beside}, which say when processes start" in found


def test_too_many_blocks() -> None:
    text = ROWS.replace("1 MiB", "64 MiB").replace("16 KiB", "8 B")
    (found,) = problems_of(text, kind="workload")
    assert "makes 8,388,608 blocks; write a larger one: at most 1,048,576 blocks" in found


@pytest.mark.parametrize(
    ("access", "lacking", "method"),
    [
        ("contiguous", (), "ask-read"),
        ("view", (), "ask-read"),
        ("collective", (), "barrier"),
        ("collective", ("disk_directed",), "send"),
    ],
)
def test_the_best_that_a_machine_offers(access: str, lacking: tuple[str, ...], method: str) -> None:
    there = machine(**{f"runtime__mpi_io__{one}": "false" for one in lacking})
    assert kinds(planned(there, array(access=access)))[method] > 0


def test_regions_one_after_the_other() -> None:
    layout = "[{stripe: 100 B, size: 300 B, order: [3]}, {stripe: 50 B, over: 2}]"
    plan = planned(machine(), array(layout=layout))
    assert plan.buffers[0].blocks == (4, 4, 4, 4)  # room for the longest: 1 and 3 of 100 B


def test_a_cache_for_each_file_system() -> None:
    text = MACHINE_TEXT.replace("runtime:", "  two: [[crossbar], buffers]\nruntime:")
    assert any("nothing serves buffers" in one for one in problems_of(text))
    second = "  two: [{stripe: 1 kB, of: node}, {route: [crossbar], server: io}, buffers, raid]\n"
    found = problems_of(MACHINE_TEXT.replace("runtime:", f"{second}runtime:"))
    assert any(
        "buffers is that of pff already; write another for each path" in one for one in found
    )
    unused = MACHINE_TEXT.replace(
        "  buffers:", "  idle: {at: node, capacity: 1 kB, block: 1 kB}\n  buffers:"
    )
    (only,) = problems_of(unused)
    assert "buffer_caches.idle: no file system leads to it; leave it out" in only


def test_the_library_has_defaults_on_machines_with_io_nodes_only() -> None:
    bare = MACHINE_TEXT[: MACHINE_TEXT.index("runtime:")]
    told = [one for one in provenance(MACHINE.parse(bare, "f", ())[0]) if "mpi_io" in one.path]
    assert len(told) == 14
    assert {one.kind for one in told} == {"default"}
    assert all(one.note for one in told)
    plain = "format: machine/2\nname: f\nparts: {d: {kind: disk, rate: 1 MB/s}}\nfilesystems: {h: [d]}\n"
    assert not [one for one in provenance(MACHINE.parse(plain, "f", ())[0]) if "mpi" in one.path]
    some = MACHINE.parse(bare, "f", [("machine.runtime.mpi_io.sieve_buffer", "1 MB")])[0]
    assert (some.mpi_io.sieve_buffer, some.mpi_io.stride_size) == (10**6, 32)


def test_names_make_no_difference_to_the_digest() -> None:
    one = array()
    other = changed(one, name="other", title="another")
    assert digest_of(machine(), one) == digest_of(machine(), other)
    assert digest_of(machine(), one) != digest_of(machine(), array(write=True))


# -- the commands ---------------------------------------------------------------------------------


def test_a_file_of_an_old_format_is_refused(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "old.yaml"
    path.write_text(OLD_MACHINE, encoding="utf-8")
    for command in (["check"], ["run"], ["show"]):
        words = [*command, str(path), *(["sr8000-read-fv"] if command == ["run"] else [])]
        assert main(words) == 2
        line = capsys.readouterr().err.splitlines()[0]
        assert "'parallel-io/1' is unknown to this version" in line


def test_show_draws_it(capsys: Capture) -> None:
    assert main(["show", "sr8000"]) == 0
    out = capsys.readouterr().out
    for line in ("stripes of 64 KiB over 8 x node", "[ buffers ]", "| raid", "buffer cache  cap"):
        assert line in out
    assert main(["show", "sr8000", "--format", "json"]) == 0
    values = json.loads(capsys.readouterr().out)["values"]
    assert all(one["kind"] != "unsourced" for one in values if "kind" in one)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_run_says_which_engine_and_what_the_library_did(engine: str, capsys: Capture) -> None:
    command = ["run", "sr8000", "sr8000-write-fv", "--array.size", "8 MiB", "--engine", engine]
    assert main([*command, "--full"]) == 0
    out = capsys.readouterr().out
    assert f"{engine} engine; input " in out
    assert re.search(r"calls of the file system +8\n", out)
    assert "locks" in out
    assert main([*command, "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["engine"] == engine
    assert sum(one["write"]["bytes"] for one in record["processes"]) == 8 << 20
    assert record["mpi_io"]["calls"] == 8


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["sr8000", "sr8000-read"], "sr8000-read: there is no such file, and no workload of tha"),
        (["sr8000", "sr8000-read-fv", "--processes", "9"], "is not a whole number of rows of 144"),
    ],
)
def test_run_refuses(command: list[str], message: str, capsys: Capture) -> None:
    assert main(["run", *command]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert message in lines[0]


OWN_LAYOUT = """\
format: workload/2
name: own-layout
files: {f: {size: 1 MiB, shared: true, layout: [{stripe: 16 KiB, order: [3, 2]}]}}
jobs: [{name: p, record: 64 KiB, policy: posix, phases: [{do: write, file: f}, {do: sync, file: f}]}]
"""


def test_a_file_with_a_layout_of_its_own_has_posix_calls_and_no_sync(
    tmp_path: Path, capsys: Capture
) -> None:
    workload = tmp_path / "own.yaml"
    workload.write_text(OWN_LAYOUT.replace("posix", "gfortran"), encoding="utf-8")
    assert main(["run", "sr8000", str(workload)]) == 2
    said = capsys.readouterr().err
    assert "gfortran does not write to a file with a layout of its own; write 'policy: po" in said
    assert "a file with a layout of its own is not synced; leave it out, or the file's la" in said
    workload.write_text(OWN_LAYOUT.replace(", {do: sync, file: f}", ""), encoding="utf-8")
    assert main(["run", "sr8000", str(workload), "--debug"]) == 0


def test_the_timeline_of_a_run(tmp_path: Path, capsys: Capture) -> None:
    timeline = tmp_path / "t.json"
    command = ["run", "sr8000", "sr8000-read-fv", "--array.size", "1 MiB"]
    assert main([*command, "--timeline", str(timeline)]) == 0
    names = {one["name"] for one in json.loads(timeline.read_text())["traceEvents"]}
    assert names
    told = capsys.readouterr()
    assert "copies by the MPI-IO library" not in told.out  # It copied nothing.
    assert "calls of the MPI-IO library, or of I/O nodes" in told.out
