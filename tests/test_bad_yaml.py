"""Files that cannot be used: each mistake is named with its place and what to write instead.

The mark | in a table of mistakes is where the message should point.
"""

import os
import random
import time
import unicodedata
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from simulator.config import (
    ConfigError,
    Problem,
    load_machine,
    load_workload,
    parse_machine,
    parse_workload,
    yamltree,
)
from simulator.config.textfile import LARGEST_FILE, decode

FOLDER = Path(__file__).parent / "data" / "config"
MACHINE = (FOLDER / "machine.yaml").read_text(encoding="utf-8")
WORKLOAD = (FOLDER / "workload.yaml").read_text(encoding="utf-8")


def problems_of(text: str, kind: str = "machine") -> list[str]:
    """The messages about a file, without its name."""
    parse = parse_machine if kind == "machine" else parse_workload
    with pytest.raises(ConfigError) as caught:
        parse(text, "f")
    return [line.removeprefix("f:") for line in str(caught.value).splitlines()]


def machine_with(old: str, new: str) -> str:
    assert old in MACHINE
    return MACHINE.replace(old, new)


def workload_with(old: str, new: str) -> str:
    assert old in WORKLOAD
    return WORKLOAD.replace(old, new)


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
        "name: takes no source; write its value alone, like 'nw",
    ),
    ("small: 4", "small: |0", "pe.small: '0' is out of range; write 1 to 1000000"),
    (
        "\npe:",
        "\n|pe:\n  large: 2",
        "pe.large_memory: is missing although there are large PEs; write",
    ),
    ("small: 4\n", "|smal: 4\n", "pe.smal: unknown key; did you mean 'small'?"),
    ("5 us\n  call", "|5\n  call", "pe.record_overhead: '5' has no unit; write '5 ns', or it wi"),
    ("420 MB/s\n  latency", "|0 B/s\n  latency", "crossbar.port_rate: '0 B/s' is less than 1 B"),
    ("5 us\nssu", "|-0.0 us\nssu", "crossbar.latency: '-0.0 us' has a minus sign; write it with"),
    (
        "64 MB",
        "|65 MB",
        "ssu.capacity: 65 MB is not a whole number of units of 8 MB; write 64 M",
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
    ("lan: {rate: 1", "lan: [rate: 1", "this is not YAML: "),
    ("  tape: {kind: tape, ", "  |tape: {", "storage.tape: kind is missing; write 'kind: ' and o"),
    ("kind: tape", "kind: |tap", "storage.tape.kind: 'tap' was read; write one of disk, array, "),
    ("kind: tape", "kind: |[a]", "storage.tape.kind: a list was read; write one of disk, array"),
    ("mount:", "|mouth: 1 s, mount:", "storage.tape.mouth: unknown key; did you mean 'mount'?"),
    ("  disk: {", "  disk: {full_seek: |1 s, ", "storage.disk.full_seek: full_seek is h"),
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
        "storage.tape.mount: has no value; write one like '2.5 ms', or leave th",
    ),
    ("pe:\n", "noise: {pe: {run: |5}}\npe:\n", "noise.pe.run: '5' has no unit; write '5 %'"),
    ("  ufs:", '  |"u\\nfs":', r"filesystems.u\nfs: 'u\nfs' is no name; write letters, digits"),
]


@pytest.mark.parametrize(("old", "new", "about"), MACHINE_MISTAKES)
def test_mistakes_in_a_machine(old: str, new: str, about: str) -> None:
    text, place = place_of(machine_with(old, new))
    (line,) = problems_of(text)
    if "|" not in new:
        place = line.partition(": ")[0]
    assert line.startswith(f"{place}: {about}")


WORKLOAD_MISTAKES = [
    ("workload/1", "|machine/1", "format: this file is a machine; name a workload here"),
    ("size: 10 MB, exists", "size: |0 B, exists", "files.input.size: '0 B' is less than 1 B"),
    ("exists: true", "exists: |yes", "files.input.exists: 'yes' is neither true nor false; write"),
    ("filesystem: ufs", "prestage: |true", "files.output.prestage: needs a file that exists; wri"),
    ("name: second", "name: |first", "jobs.1.name: 'first' is the name of item 0 too; write anot"),
    ("count: 2", "count: |0", "jobs.1.count: '0' is out of range; write 1 to 1000000"),
    ("start: 1 s", "start: |1", "jobs.1.start: '1' has no unit; write '1 ns', or it with us, ms"),
    ("  - name: first\n    record: 64 kB", "  - |name: first", "jobs.0.record: is missing though"),
    (
        "64 kB",
        "|[]",
        "jobs.0.record: the list is empty; write one size or more, like '[64 kB, 1 MB]",
    ),
    ("[1 kB, 2 kB]", "[1 kB, |2 KB]", "jobs.0.phases.2.record.1: '2 KB' is ambiguous; write '2 "),
    ("draw: uniform", "draw: |even", "jobs.1.record.draw: 'even' is unknown; write {draw: unifor"),
    ("{draw: uniform, ", "|{", "jobs.1.record: draw is missing; write {draw: uniform, from: 1 kB"),
    ("from: 1 kB", "from: 2 MB", "jobs.1.record.to: 1 MB is less than from; write 2 MB or more"),
    ("from: 1 kB, ", "", "jobs.1.record: from is missing; write it like {draw: uniform, from: 1 k"),
    ("to: 1 MB}", "to: 1 MB, too: |2 MB}", "jobs.1.record.too: unknown key; did you mean 'to'?"),
    (
        "uniform, from: 1 kB, to",
        "lognormal, spread: |0.5, median: 1 kB, largest",
        "jobs.1.record.spr",
    ),
    ("do: read, file: input", "do: read, file: |inptu", "jobs.0.phases.0.file: 'inptu' is not in "),
    ("do: read, file: input", "do: |reed, file: input", "jobs.0.phases.0.do: 'reed' was read; wri"),
    ("file: input", "file: input, size: |11 MB", "jobs.0.phases.0.size: reads 11 MB of a file of"),
    (
        "size: 5 MB, policy",
        "size: |6 MB, policy",
        "jobs.0.phases.3.size: reads 6 MB, but only 5 MB",
    ),
    ("file: output, size: 5 MB, policy", "file: |output, policy", "jobs.0.phases.3.file: reads 10"),
    (
        ", exists: true",
        "",
        "jobs.0.phases.0.file: 'input' neither exists nor is written before; wr",
    ),
    (
        "compute, time: 2 s",
        "compute, time: 2 s, |file: input",
        "jobs.0.phases.1.file: unknown key;",
    ),
    ("{do: compute, time: 2 s}", "|{do: compute}", "jobs.0.phases.1.time: is missing; write it li"),
    (
        "{do: read, file: input}",
        "{do: read, file: input, |time: 1 s}",
        "jobs.0.phases.0.time: unkn",
    ),
    ("{do: compute, time: 2 s}", "|{}", "jobs.0.phases.1: do is missing; write 'do: ' and one of "),
    ("{do: compute, time: 2 s}", "|compute", "jobs.0.phases.1: 'compute' was read; write its keys"),
    (
        "phases: [{do: write, file: output}]",
        "|phases: []",
        "jobs.1.phases: is empty; write one or more",
    ),
    ("[{do: write, file: output}]", "|{do: write}", "jobs.1.phases: a mapping with keys was read;"),
    ("path: nfs", "path: |sfcs", "jobs.0.phases.3.path: 'sfcs' is unknown; write scfs, nfs or svi"),
    ("policy: gfortran", "policy: |ifort", "jobs.0.phases.3.policy: 'ifort' is unknown; write nw"),
]


@pytest.mark.parametrize(("old", "new", "about"), WORKLOAD_MISTAKES)
def test_mistakes_in_a_workload(old: str, new: str, about: str) -> None:
    text, place = place_of(workload_with(old, new))
    (line,) = problems_of(text, kind="workload")
    if "|" not in new:
        place = line.partition(": ")[0]
    assert line.startswith(f"{place}: {about}")


def test_one_job_may_read_what_another_writes_if_they_share_the_file() -> None:
    text = WORKLOAD.replace("[{do: write, file: output}]", "[{do: read, file: output, size: 4 MB}]")
    (line,) = problems_of(text, kind="workload")
    assert "jobs.1.phases.0.file: 'output' neither exists nor is written before" in line
    assert parse_workload(text.replace("ufs}", "ufs, shared: true}"))


def test_a_long_list_of_problems_is_cut_when_it_is_shown() -> None:
    keys = "".join(f"x{number}: 1\n" for number in range(60))
    lines = problems_of(MACHINE + keys)
    assert (len(lines), lines[-1]) == (51, "... and 10 more")


def test_a_name_cannot_forge_a_line() -> None:
    problem = Problem("a\nb", 1, 2, "k\x1b[0m", "m\u2028n")
    assert str(problem) == r"a\nb:1:2: k\x1b[0m: m\u2028n"
