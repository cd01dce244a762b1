"""Files that cannot be used: each mistake is named with its place and what to write instead.

The mark | in a table of mistakes is where the message should point.
"""

import os
import re
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.cli.main import main
from simulator.config import ConfigError, Problem, yamltree
from simulator.config.formats import load_machine, parse_machine, parse_workload
from simulator.config.load import LARGEST_FILE, decode
from tests.config.machine_texts import DATA, changes_in, problems_of, with_change
from tests.config.machine_texts import SMALL_MACHINE as MACHINE
from tests.config.machine_texts import SMALL_WORKLOAD as WORKLOAD
from tests.examples import examples


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
  stores.ssu.start: the list is empty; write one or more of mark, eager, close
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
  parts.tape.mount: has no value; write one like '2.5 ms', or omit the key
- 60 s => {value: |{value: 1 s}}
  parts.tape.mount: a mapping with keys was read; write it like '2.5 ms'
- 60 s => |~
  parts.tape.mount: has no value; write one like '2.5 ms', or omit the key
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
  jobs.0.phases.3.policy: 'ifort' is unknown; write nwt, nwt-predicted, gfortr
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


# -- YAML that is not what it seems ----------------------------------------------------------


@pytest.fixture(params=["CSafeLoader", "SafeLoader"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers of PyYAML: libyaml is not there everywhere."""
    if not hasattr(yaml, request.param):
        pytest.skip("PyYAML was built without libyaml")
    monkeypatch.setattr(yamltree, "LOADER", getattr(yaml, request.param))


def laughs(levels: int) -> str:
    """Aliases of aliases: ten times as many values a level."""
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, levels)]
    return "\n".join(rows) + "\n"


def tower(levels: int) -> str:
    """Aliases that only nest: few values, many levels."""
    rows = ["a0: &a0 [x]"]
    rows += [f"a{i}: &a{i} [[[[[[[[*a{i - 1}]]]]]]]]" for i in range(1, levels)]
    return "\n".join(rows) + "\n"


HOSTILE = [
    ("", "the file is empty or has only comments; begin it with 'format: machine/2'"),
    ("# nothing\n\n  # more\n", "the file is empty or has only comments; begin it with 'format"),
    ("---\n...\n", "2:1: the file is empty or has only comments; begin it with 'format: machi"),
    ("machine", "1:1: the file has no keys; begin it with 'format: machine/2'"),
    ("- a\n- b\n", "1:1: the file has no keys; begin it with 'format: machine/2'"),
    (MACHINE + "---\n" + MACHINE, "30:1: a second document starts here; write one a file"),
    (MACHINE + "nodes: {}\n", "30:1: nodes: is here for the second time; the first is line 4"),
    (MACHINE + "'nodes': {}\n", "30:1: nodes: is here for the second time; the first is line 4"),
    ("x: {\u00e9: a, e\u0301: b}\n", "1:11: x.\u00e9: is here for the second time, in another"),
    ("x: !!python/object:os.system [ls]\n", "1:4: x: the tag '!!python/object:os.system' is n"),
    ("x: !!python/name:os.system\n", "1:4: x: the tag '!!python/name:os.system' is not supported"),
    ("x: !!binary aGk=\n", "1:4: x: the tag '!!binary' is not supported; leave it out"),
    ("x: !!set {a, b}\n", "1:4: x: the tag '!!set' is not supported; leave it out"),
    ("x: !mine 3\n", "1:4: x: the tag '!mine' is not supported; leave it out"),
    ("x: !!map 3\n", "1:4: x: the tag '!!map' is not supported; leave it out"),
    ("x: &a [*a]\n", "1:8: x.0: *a is inside &a, so it has no end"),
    ("x: &a {b: {c: *a}}\n", "1:15: x.b.c: *a is inside &a, so it has no end"),
    ("x: *a\n", "1:4: x: no anchor &a comes before *a"),
    ("x: &a 1\ny: &a 2\n", "2:4: y: &a is here for the second time; use another name"),
    ("x: &a {b: 1}\ny: {<<: *a}\n", "2:5: y.<<: a merge key is not supported; write the keys the"),
    ("? [a, b]\n: c\n", "1:3: a list or mapping is the key here; write a plain name"),
    ("{a: 1}: b\n", "1:1: a list or mapping is the key here; write a plain name"),
    ("x: &a [b]\n? *a\n: c\n", "2:3: a list or mapping is the key here; write a plain name"),
    (laughs(9), "4:"),
    (tower(60), "7:17: a6.0.0.0.0.0.0.0.0: more than 50 levels of nesting"),
    ("[" * 10**5, "1:51: 0.0.0"),
    ("[" * 10**5 + "]" * 10**5, "1:51: 0.0.0"),
    ("{a: " * 10**5, "1:201: a.a.a"),
    ("- " * 10**5, "1:101: 0.0.0"),
    ("? " * 10**5, "1:3: a list or mapping is the key here; write a plain name"),
    ("x: [" + "a, " * 10**5 + "]", "1:29996: x.9997: more than 10000 values (aliases expan"),
    ("x\ty: 3\n \tz: 4\n", "2:2: a tab indents this line; indent with spaces"),
    ("pe:\n\tsmall: 4\n", "2:1: a tab indents this line; indent with spaces"),
    ("a: b\0c\n", "1:5: the character U+0000 is here; if the file is UTF-16, save it as UTF-8"),
    ("a: b\nc: \x1b[31mred\n", "2:4: the character U+001B is here; take it out"),
    ('a: "b\\0c"\n', "1:4: a: the character U+0000 is here"),
    ('a: "\\U99999999"\n', ""),
    ("%YAML 1.9" + "9" * 5000 + "\n---\na: b\n", ""),
    ("a: \ud800\n", "1:4: the character U+D800 is here; take it out"),
    ("a: b: c\n", "1:5: ': ' is here for the second time in this line; put the whole text in"),
    ("a: @b\n", "1:4: a text cannot begin with '@'; put it in quotes"),
    ("a: [b\nc: d\n", "1:4: this '[' is not closed; write ']' after its last value"),
    ("a: 'b\n", "1:4: the text that begins with ' here has no end; write ' after its last word"),
    ("a: 'b" + "\n" * 9, "1:4: the text that begins with ' here has no end; write ' after its"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "about"), HOSTILE, ids=[repr(text[:20]) for text, _ in HOSTILE])
@pytest.mark.usefixtures("loader")
def test_hostile_yaml(text: str, about: str) -> None:
    start = time.process_time()
    lines = problems_of(text)
    assert time.process_time() - start < 2
    assert all(len(line) < 300 for line in lines)
    assert any(line.startswith(about) for line in lines)


@pytest.mark.usefixtures("loader")
def test_wide_aliases_are_refused_early() -> None:
    (line,) = problems_of(laughs(9))
    assert re.match(r"4:\d+: a3\.\d: more than 10000 values \(aliases expanded\) up to here", line)


@pytest.mark.usefixtures("loader")
def test_mistakes_of_structure_do_not_hide_the_others() -> None:
    text = with_change(MACHINE, "  ssu: 1\n", "  ssu: 1\n  ssu: 2\n  s: !x 6\n").replace(
        "60 s", "60"
    )
    about = [line.partition(": ")[2].partition(":")[0] for line in problems_of(text)]
    assert about == ["nodes.ssu", "nodes.s", "parts.tape.mount"]


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\n"])
@pytest.mark.usefixtures("loader")
def test_any_line_end_is_counted(end: str) -> None:
    assert parse_machine(MACHINE.replace("\n", end)) is not None
    (line,) = problems_of(
        with_change(MACHINE, "copy_rate: 640 MB/s", "copy_rate: x").replace("\n", end)
    )
    assert line.startswith("17:39: " if end == "\n\n" else "9:39: ")


@pytest.mark.parametrize("name", ["a\u0301b", "\u304b\u3099.dat", "\ufb01le", "a/b.c-d_e"])
def test_names_are_compared_in_their_composed_form(name: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    text = WORKLOAD.replace("  input:", f"  {composed}:").replace(
        "file: input", f"file: {decomposed}"
    )
    assert composed in parse_workload(text).files


@pytest.mark.parametrize("name", ["", " a", "a\\tb", "a\\u2028b", "*", "x" * 201])
def test_names_that_are_none(name: str) -> None:
    text = WORKLOAD.replace("  output:", f'  "{name}":').replace("file: output", f'file: "{name}"')
    lines = problems_of(text, kind="workload")
    assert " name" in lines[0]
    assert all(": files." in line or ".file: " in line for line in lines)


# -- files that are none ---------------------------------------------------------------------


def refused(path: Path | str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_machine(path)
    (problem,) = caught.value.problems
    assert problem.file == str(path)
    return str(problem).removeprefix(f"{path}: ").removeprefix(str(path))


@pytest.mark.parametrize(
    ("content", "about"),
    [
        ("name: \u6a5f\u68b0\n".encode("utf-16"), "this file is UTF-16; save it as UTF-8"),
        (
            "name: x\n".encode("utf-16-le"),
            ":1:2: the character U+0000 is here; if the file is UTF-16",
        ),
        (
            "name: \u6a5f\u68b0\n".encode("shift_jis"),
            ":1:7: the byte 0x8B is not UTF-8 (it may be Shift_JIS)",
        ),
        (
            "a: b\nn: \u6a5f\u68b0\n".encode("euc_jp"),
            ":2:4: the byte 0xB5 is not UTF-8 (it may be ",
        ),
        (b"a: \xff\n", ":1:4: the byte 0xFF is not UTF-8; save the file as UTF-8"),
        (b"a: b\r\xe3\x81: c\n", ":2:1: the byte 0xE3 is not UTF-8"),
        (b"\x7fELF\x02\x01\x01\0\0", ":1:1: the character U+007F is here; take it out"),
        (b"", "the file is empty or has only comments; begin it with 'format: machine/2'"),
    ],
)
def test_bytes_that_are_not_utf8(content: bytes, about: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_bytes(content)
    assert refused(path).startswith(about)


@pytest.mark.usefixtures("loader")
def test_a_byte_order_mark_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(MACHINE, encoding="utf-8-sig")
    assert load_machine(path) == load_machine(path)
    assert parse_machine("\ufeff" + MACHINE) is not None
    path.write_text("name: [\n", encoding="utf-8-sig")
    assert refused(path).startswith(":1:7: ")


def test_a_huge_text_is_refused() -> None:
    start = time.process_time()
    assert problems_of("a: " + "b" * 10**8) == ["larger than 1000000 characters"]
    assert time.process_time() - start < 1
    assert problems_of("# " + "b" * (LARGEST_FILE - 2))[0].startswith("the file is empty")


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.yaml") == "there is no such file"
    assert refused(tmp_path) == "this is a folder; name a file"
    (tmp_path / "file").write_text(MACHINE, encoding="utf-8")
    assert refused(tmp_path / "file" / "x.yaml").startswith("there is no such file: a part of")
    assert refused(tmp_path / ("x" * 300)) == "this name is too long for a file"
    with pytest.raises(ConfigError, match="this is no name of a file"):
        load_machine("a\0b.yaml")
    with pytest.raises(ConfigError, match="there is no such file"):
        load_machine("x" * 300)


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    loop, one, two, dangling = (tmp_path / name for name in ("loop", "one", "two", "dangling"))
    loop.symlink_to(loop)
    one.symlink_to(two)
    two.symlink_to(one)
    dangling.symlink_to(tmp_path / "none")
    assert refused(loop) == "this is a symbolic link to itself; name the file"
    assert refused(one) == "this is a symbolic link to itself; name the file"
    assert refused(dangling) == "there is no such file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_devices_and_pipes_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "pipe") == "this is a device or a pipe; name a file"
    assert refused(Path("/dev/zero")) == "this is a device or a pipe; name a file"


@pytest.mark.parametrize("kind", ["machine", "workload", "fit"])
def test_huge_files_are_refused_in_one_line(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "huge.yaml"
    with path.open("wb") as file:  # Sparse: it takes no room, but reading all of it would.
        file.write(f"format: {kind}/2\n".encode())
        file.truncate(1 << 40)
    assert main(["check", str(path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "larger than 1000000 bytes, which no such file should be" in line


def test_standard_input_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "-"]) == 2
    assert capsys.readouterr().err == "-: standard input is not read; name a file\n"


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "secret.yaml"
    path.write_text(MACHINE, encoding="utf-8")
    monkeypatch.setattr(os, "open", forbidden)  # Permissions do not stop root.
    assert refused(path) == "this file may not be read; look at its permissions"


def test_the_text_of_a_file_with_any_name_stays_on_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nb:1:1: all is well"
    path.write_text("- a\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_machine(path)
    assert len(str(caught.value).splitlines()) == 1


# -- anything at all -------------------------------------------------------------------------


def refusal(parse: Callable[..., object], text: str, **settings: object) -> ConfigError | None:
    """What a parser says of a text; any other exception is a failure of the test."""
    try:
        parse(text, "f", **settings)
    except ConfigError as refused:
        return refused
    return None


def only_config_errors(text: str) -> None:
    last = len(re.split("\r\n|[\n\r\x85\u2028\u2029]", text))
    for parse in (parse_machine, parse_workload):
        refused = refusal(parse, text)
        for problem in refused.problems if refused else []:
            line = str(problem)
            assert line.startswith("f:")
            assert line.isprintable()
            assert problem.message
            assert 0 <= problem.line <= last + 1  # libyaml: the end is a line of its own.


YAML_LIKE = st.sampled_from(list("ab:-?,[]{}&*!|>'\"%@`# \n\t~<=.\\0123456789\x85\u2028"))


@given(st.text(max_size=200) | st.text(YAML_LIKE, max_size=80) | st.binary(max_size=200))
def test_random_text(content: str | bytes) -> None:
    try:
        text = decode(content, "f") if isinstance(content, bytes) else content
    except ConfigError:
        return
    only_config_errors(text)


LEAVES = st.text(max_size=8) | st.sampled_from(
    ["8 MB", "3", "5 ms", "36 MB/s", "disk", "read", None]
)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def _changed_trees(draw: st.DrawFn, text: str) -> str:
    """A good file with any tree in some of its places."""
    tree = yaml.load(text, Loader=yaml.BaseLoader)
    for _ in range(draw(st.integers(1, 4))):
        node = tree
        while isinstance(node, dict | list) and node:
            keys = list(node) if isinstance(node, dict) else range(len(node))
            key = draw(st.sampled_from(list(keys)))
            if not isinstance(node[key], dict | list) or not node[key] or draw(st.booleans()):
                node[key] = draw(TREES)
                break
            node = node[key]
    return yaml.safe_dump(tree, allow_unicode=True, sort_keys=False)


@settings(max_examples=examples(300))
@given(_changed_trees(MACHINE) | _changed_trees(WORKLOAD))
def test_good_files_with_wrong_values(text: str) -> None:
    only_config_errors(text)


@st.composite
def _mutilated(draw: st.DrawFn, text: str) -> str:
    """A good file with pieces cut out, doubled, moved or replaced."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 30)))
        piece = draw(
            st.sampled_from(["", text[start:end] * 2, "\n", ": ", "{", "[", "- ", "&a ", "*a"])
        )
        text = text[:start] + piece + text[end:]
    return text


@settings(max_examples=examples(300))
@given(_mutilated(MACHINE) | _mutilated(WORKLOAD))
def test_mutilated_files(text: str) -> None:
    only_config_errors(text)


@given(
    st.text(st.sampled_from(list("machine.worklod*0123 jsufp")), max_size=30)
    | st.sampled_from(
        [
            "machine.stores.ssu.block",
            "machine.parts.*",
            "machine.parts.lan",
            "workload.jobs.0",
            "record",
        ]
    ),
    st.text(max_size=20)
    | st.sampled_from(["8 MB", "[1 kB]", "{a: b}", "{draw: uniform}", "*", "&a [*a]"]),
)
def test_random_settings(path: str, value: str) -> None:
    for parse, text in ((parse_machine, MACHINE), (parse_workload, WORKLOAD)):
        refused = refusal(parse, text, settings=[(path, value)])
        assert refused is None or all(str(one).isprintable() for one in refused.problems)


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
