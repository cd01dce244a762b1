"""Files that cannot be used: each mistake is named with its place and what to write instead.

The mark | in a table of mistakes is where the message should point.
"""

import re

import pytest

from simulator.config import ConfigError, Problem
from simulator.config.formats import parse_machine, parse_workload
from tests.config.machine_texts import DATA, changes_in, problems_of, with_change
from tests.config.machine_texts import SMALL_MACHINE as MACHINE
from tests.config.machine_texts import SMALL_WORKLOAD as WORKLOAD


def test_all_mistakes_at_once_by_line() -> None:
    text = (DATA / "many-mistakes.yaml").read_text(encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        parse_machine(text, "many-mistakes.yaml")
    golden = (DATA / "many-mistakes.txt").read_text(encoding="utf-8")
    assert str(caught.value) + "\n" == golden
    lines = [problem.line for problem in caught.value.problems]
    assert lines == sorted(lines)


def place_of(marked: str) -> tuple[str, str]:
    """The text without its mark (the character |), and the line:column of the mark."""
    before = marked.partition("|")[0].split("\n")
    return marked.replace("|", "", 1), f"{len(before)}:{len(before[-1]) + 1}"


MACHINE_MISTAKES = changes_in(r"""
- machine/2 => |machine/9
  format: 'machine/9' is unknown to this version; write machine/2
- machine/2 => |workload/2
  format: this file is a workload; name a machine here
- machine/2 => |machine/1
  format: 'machine/1' is unknown to this version; write machine/2
- format: machine/2\n => |
  format: is missing; write it like 'format: machine/2'
- name: small => name: |../x
  name: '../x' names files of results; write it like 'nwt-1998'
- name: small => name: |{value: a}
  name: takes no source; write its value alone, like 'nwt'
- count: 4 => count: |0
  nodes.pe.count: '0' is out of range; write 1 to 1000000
- count: 4 => |coun: 4
  nodes.pe.coun: unknown key; did you mean 'count'?
- count: 4 => count: 4, |coun: 4
  nodes.pe.coun: unknown key; did you mean 'count'?
- 5 us, call => |5, call
  parts.cpu.record_overhead: '5' has no unit; write '5 ns', or it with us, ms,
- 420 MB/s\n    latency => |0 B/s\n    latency
  parts.crossbar.rate: '0 B/s' is less than 1 B/s; write it like '36 MB/s'
- latency: 5 us => latency: |-0.0 us
  parts.crossbar.latency: '-0.0 us' has a minus sign; write it without, like '
- quota: 64 MB => quota: |9 MB
  stores.ssu.quota: 9 MB is not a whole number of blocks of 8 MB; write 8 MB,\x20
- quota: 64 MB => quota: |72 MB
  stores.ssu.quota: 72 MB is more than the capacity; write 64 MB or less
- release: whole => release: |all
  stores.ssu.release: 'all' is unknown; write none, whole or full
- [mark, close] => |[]
  stores.ssu.start: the list is empty; write one or more of mark, eager, full, close
- [mark, close] => |[mark, mark]
  stores.ssu.start: 'mark' is in the list twice; write it once
- low: 40 % => low: |61 %
  stores.ssu.low: 61 % is above the high watermark; write 60 % or less
- high: 60 % => high: |101 %
  stores.ssu.high: '101 %' is more than 100 %; write 0 % to 100 %
- writers: 2 => writers: |0
  stores.ssu.writers: '0' is out of range; write 1 to 1000000
- request: 8 kB => request: |0 B
  filesystems.vfl.paths.nfs.tiers.0.request: '0 B' is less than 1 B; write it\x20
- 1.25 MB/s, overhead: 200 us} => 1.25 MB/s, overhead: 200 us|]
  ']' is here, but the '{' of column 8 is still open; write '}' before it, or\x20
-   tape: {kind: tape,\x20 =>   |tape: {
  parts.tape: kind is missing; write 'kind: ' and one of array, core, cpu,\x20
- kind: tape => kind: |[a]
  parts.tape.kind: a list was read; write one of array, core, cpu, delay, disk,\x20
- mount: => |mouth: 1 s, mount:
  parts.tape.mouth: unknown key; did you mean 'mount'?
-   disk: { =>   disk: {full_seek: |1 s,\x20
  parts.disk.full_seek: full_seek is here without track_seek; write both or ne
- seek: 12 ms, rotation: 13.8 ms => track_seek: 2 ms, full_seek: |1 ms
  parts.disk.full_seek: 1.00 ms is less than track_seek; write 2.00 ms or more
- rotation: 13.8 ms => track_seek: 2 ms, full_seek: |3 ms
  parts.disk.full_seek: seek (12.0 ms) is not between track_seek and this; lea
- over: disk => over: |dsk
  filesystems.vfl.paths.scfs.tiers.2.over: 'dsk' is not a part; did you mean '
- pieces: 4 => pieces: |0
  filesystems.vfl.paths.scfs.tiers.2.pieces: '0' is out of range; write 1 to 1
- \n    kind: network\n    at: [pe, ssu, cp]\n    rate: 420 MB/s\n    latency: 5 us =>
  parts.crossbar: is empty; write its keys, 'kind: ' first
- nfs: {kind: queue, overhead: 1 ms} => nfs: |3
  parts.nfs: '3' was read; write its keys, 'kind: ' first
- nfs: {kind: queue, overhead: 1 ms} => nfs: |[3]
  parts.nfs: a list was read; write its keys, 'kind: ' first
- 60 s => {value: 60 s, source: |literatur x}
  parts.tape.mount.source: 'literatur x' is not a source; begin with paper, li
- 60 s => {value: 60 s, source: |literature x}
  parts.tape.mount.source: 'x' is not in references; there are none
- 60 s => {value: 60 s, source: |assumed by us}
  parts.tape.mount.source: 'assumed by us' says more; write 'assumed', and the
- 60 s => {value: 60 s, source: |paper}
  parts.tape.mount.source: 'paper' lacks the section, as in 'paper 2.1'
- 60 s => {value: 60 s, source: |[a]}
  parts.tape.mount.source: a list was read; write some text
- 60 s => {value: 60 s, |sauce: assumed}
  parts.tape.mount.sauce: unknown key next to a value; did you mean 'source'?
- mount: 60 s => |mount: {source: assumed}
  parts.tape.mount: value is missing; write it like '{value: 2.5 ms}'
- 60 s => {value: }
  parts.tape.mount: has no value; write one like '2.5 ms'
- 60 s => {value: |{value: 1 s}}
  parts.tape.mount: a mapping with keys was read; write it like '2.5 ms'
- 60 s => |~
  parts.tape.mount: has no value; write one like '2.5 ms'
- kind: cpu, => kind: cpu, noise: {run: |5},
  parts.cpu.noise.run: '5' has no unit; write '5 %'
-   lan: { =>   |"l\\nan": {kind: delay}\n  lan: {
  parts.l\\nan: 'l\\nan' is no name; write letters, digits, '-', '_', '.' or '/'
- at: ssu, servers => at: |pee, servers
  parts.channel.at: 'pee' is not a group of nodes; did you mean 'pe'?
""")


@pytest.mark.parametrize(("old", "new", "about"), MACHINE_MISTAKES)
def test_mistakes_in_a_machine(old: str, new: str, about: str) -> None:
    text, place = place_of(with_change(MACHINE, old, new))
    (line,) = problems_of(text)
    if "|" not in new:
        place = line.partition(": ")[0]
    assert line.startswith(f"{place}: {about}")


WORKLOAD_MISTAKES = changes_in(r"""
- workload/2 => |machine/2
  format: this file is a machine; name a workload here
- workload/2 => |workload/1
  format: 'workload/1' is unknown to this version; write workload/2
- size: 10 MB, exists => size: |0 B, exists
  files.input.size: '0 B' is less than 1 B; write it like '8 MB'
- exists: true => exists: |yes
  files.input.exists: 'yes' is neither true nor false; write one of these
- filesystem: tape => prestage: |true
  files.output.prestage: needs a file that exists; write 'exists: true' too
- processes: 2 => processes: |0
  jobs.1.processes: '0' is out of range; write 1 to 1000000
- start: 1 s => start: |1
  jobs.1.start: '1' has no unit; write '1 ns', or it with us, ms, s, ...
-   - name: first\n    record: 64 kB =>   - |name: first
  jobs.0.record: is missing though phase 0 does read; write 'record: 64 kB'
- 64 kB => |[]
  jobs.0.record: the list is empty; write one size or more, like '[64 kB, 1 MB
- [1 kB, 2 kB] => [1 kB, |2 KB]
  jobs.0.phases.2.record.1: '2 KB' is ambiguous; write '2 kB' (1000 B) or '2 K
- draw: uniform => draw: |[]
  jobs.1.record.draw: '[]' is unknown; write {draw: uniform, from: 1 kB, to: 1
- draw: uniform => draw: |even
  jobs.1.record.draw: 'even' is unknown; write {draw: uniform, from: 1 kB, to:
- {draw: uniform,\x20 => |{
  jobs.1.record: draw is missing; write {draw: uniform, from: 1 kB, to: 1 MB}\x20
- from: 1 kB => from: 2 MB
  jobs.1.record.to: 1 MB is less than from; write 2 MB or more
- from: 1 kB,\x20 =>
  jobs.1.record: from is missing; write it like {draw: uniform, from: 1 kB, to
- to: 1 MB} => to: 1 MB, too: |2 MB}
  jobs.1.record.too: unknown key; did you mean 'to'?
- uniform, from: 1 kB, to => lognormal, spread: |0.5, median: 1 kB, largest
  jobs.1.record.spread: '0.5' is out of range; write a factor of 1 to 1000
- size: 5 MB, policy => size: |6 MB, policy
  jobs.0.phases.3.size: reads 6 MB, but only 5 MB is written before; write a s
- file: output, size: 5 MB, policy => file: |output, policy
  jobs.0.phases.3.file: reads 10 MB, but only 5 MB is written before; write a\x20
- , exists: true =>
  jobs.0.phases.0.file: 'input' neither exists nor is written before; write 'e
- compute, time: 2 s => compute, time: 2 s, |file: input
  jobs.0.phases.1.file: unknown key; there are do, memory, time
- {do: compute, time: 2 s} => |{do: compute}
  jobs.0.phases.1.time: is missing; write it like 'time: 2.5 ms'
- {do: read, file: input} => {do: read, file: input, |time: 1 s}
  jobs.0.phases.0.time: unknown key; there are do, memory, file, size, record,
- {do: compute, time: 2 s} => |{}
  jobs.0.phases.1: do is missing; write 'do: ' and one of read, write, compute
- {do: compute, time: 2 s} => |compute
  jobs.0.phases.1: 'compute' was read; write its keys, 'do: ' first
- [{do: write, file: output}] => |{do: write}
  jobs.1.phases: a mapping with keys was read; begin each item with '- '
- policy: gfortran => policy: |ifort
  jobs.0.phases.3.policy: 'ifort' is unknown; write nwt, nwt-pred
""")


@pytest.mark.parametrize(("old", "new", "about"), WORKLOAD_MISTAKES)
def test_mistakes_in_a_workload(old: str, new: str, about: str) -> None:
    text, place = place_of(with_change(WORKLOAD, old, new))
    (line,) = problems_of(text, kind="workload")
    if "|" not in new:
        place = line.partition(": ")[0]
    assert line.startswith(f"{place}: {about}")


def test_one_job_may_read_what_another_writes_if_they_share_the_file() -> None:
    text = WORKLOAD.replace("[{do: write, file: output}]", "[{do: read, file: output, size: 4 MB}]")
    (line,) = problems_of(text, kind="workload")
    assert "jobs.1.phases.0.file: 'output' neither exists nor is written before" in line
    assert parse_workload(text.replace("tape}", "tape, shared: true}"))


def test_a_long_list_of_problems_is_cut_when_it_is_shown() -> None:
    keys = "".join(f"x{number}: 1\n" for number in range(60))
    lines = problems_of(MACHINE + keys)
    assert (len(lines), lines[-1]) == (51, "... and 10 more")


def test_a_name_cannot_forge_a_line() -> None:
    problem = Problem("a\nb", 1, 2, "k\x1b[0m", "m\u2028n")
    assert str(problem) == r"a\nb:1:2: k\x1b[0m: m\u2028n"


# -- numbers that YAML 1.1 reads its own way -------------------------------------------------


@pytest.mark.parametrize(
    "number",
    [
        ".nan", ".inf", "-.inf", "1e400", "1_000", "0o17", "017", "0x1F", "0b11", "12:30:45",
        "true", "yes", "~x", "-1", "-0.0", "+3", "3.0", "1e3", "1,000", "9223372036854775808",
        "9007199254740993", "9" * 400, "\uff13", "\u0663", "2001-01-01", "'4 '4", "[4]", "4 B",
        "{a: 4}",
    ],
)  # fmt: skip
def test_what_is_no_count(number: str) -> None:
    where = r"6:\d+: (nodes\.ssu.*; (write|leave it out|there are)|this follows a text in quotes)"
    for line in problems_of(with_change(MACHINE, "ssu: 1\n", f"ssu: {number}\n")):
        assert re.match(where, line)


@pytest.mark.parametrize("number", ["4", "'4'", '"4"', "!!int 4", "&a 4", "  4   # four"])
def test_what_is_a_count(number: str) -> None:
    assert (
        parse_machine(with_change(MACHINE, "ssu: 1\n", f"ssu: {number}\n")).nodes["ssu"].count == 4
    )


ONE_DISK = """\
format: machine/2
name: one
nodes: {pc: 2}
parts:
  disk: &disk {kind: queue, rate: 150 MB/s}
filesystems: {home: [[disk]]}
"""
LISTED = """\
format: workload/2
name: listed
files: {out: {size: 1 MB}}
jobs: [{name: a, phases: [{do: write, file: out, record: 1 kB}]}]
"""


@pytest.mark.parametrize(
    ("kind", "old", "new", "told"),
    [
        ("machine", "150 MB/s", "1,5 GB/s", "a comma begins it: write decimals with a point"),
        ("machine", "filesys", "  ssd:\n    <<: *disk\nfilesys", "a merge key is not supported"),
        ("machine", "  disk: &disk {", "  - {name: disk, ", "a list was read; write a name and"),
        ("machine", "{pc: 2}", "[pc, server]", "a list was read; write a name and"),
        (
            "workload",
            "{out: {size: 1 MB}}",
            "[{name: out, size: 1 MB}]",
            "a list was read; write a",
        ),
        ("workload", "do: write", "do: calls", "write '{do: listed, calls: FILE.csv}'"),
    ],
)
def test_one_mistake_is_one_line(kind: str, old: str, new: str, told: str) -> None:
    """Nothing is said of what only follows from it."""
    text = ONE_DISK if kind == "machine" else LISTED
    assert old in text
    (line,) = problems_of(text.replace(old, new), kind=kind)
    assert told in line
