"""The old formats of machines with services: refused in one line, read by the converter alone.

The mark | in a table of mistakes is where the message should point.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.cli.main import main
from simulator.config import ConfigError
from simulator.config.convert import convert
from tests.golden.case import OLD

FOLDER = Path(__file__).parent / "data" / "config"
TEXTS = {
    name: (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    for name in ("workstations", "mesh", "server", "calls")
}
Capture = pytest.CaptureFixture[str]

MACHINE_MISTAKES = [
    ("count: 2", "count: |0", "count: '0' is out of range; write 1 to 1000000"),
    ("update: 1 us", "update: |1", "cpu.update: '1' has no unit; write '1 ns', or it with us, ms"),
    ("update: 1 us", "|updat: 1 us", "cpu.updat: unknown key; did you mean 'update'?"),
    ("  update: 1 us\n", "", "cpu.update: is missing; write it like 'update: "),
    (
        "64 KiB",
        "|6 KiB",
        "cpu.cache.size: 6 KiB is not a whole number of pages of 4 KiB; write",
    ),
    (
        "64 KiB",
        "|1 KiB",
        "cpu.cache.size: 1 KiB is not a whole number of pages of 4 KiB; write",
    ),
    ("line: 16 B", "line: |8 KiB", "cpu.cache.line: 8 KiB is more than a page; write 4 KiB or les"),
    ("64 KiB", "|64 KB", "cpu.cache.size: '64 KB' is ambiguous; write '64 kB' (1000 B) or '64 KiB"),
    ("page: 4 KiB", "page: |2 MiB", "memory.page: no page fits; write 1 MiB or less"),
    ("rate: 2 MB/s", "rate: |0 B/s", "paging.rate: '0 B/s' is less than 1 B/s"),
    ("seek: 10 ms", "seek: |-10 ms", "paging.seek: '-10 ms' has a minus sign; write it without"),
    ("poll: 1 ms", "poll: |10 ms", "message_server.poll: polls of 10.0 ms every 10.0 ms leave no"),
    ("send: 2 ms", "send: |2 MB", "message_server.send: '2 MB' is a size, not a time; write it"),
    (
        "true",
        "|maybe",
        "message_server.location_cache: 'maybe' is neither true nor false; write",
    ),
    ("sharing: fifo", "sharing: |fare", "lan.sharing: 'fare' is unknown; write fifo or fair"),
    ("process_server:\n  create: 50 ms\n", "", "process_server: is missing; write its k"),
    (
        "memory:\n  resident: 1 MiB\n  page: 4 KiB\n",
        "memory: |[]\n",
        "memory: a list was read; write its keys",
    ),
]
MESH_MISTAKES = [
    ("rows: 10", "rows: |-1", "rows: '-1' has a minus sign; write it without"),
    ("rows: 10", "rows: |1.5", "rows: '1.5' is not a whole number; write it"),
    ("columns: 20\n", "", "columns: is missing; write it like 'columns: 4'"),
    ("point: 8 B", "point: |8", "point: '8' has no unit; write '8 B', or it with kB, MB"),
    (
        "loops: 4",
        "loops: |1",
        "loops: 1 loop leaves none to count after the first; write 2 or",
    ),
    (
        "loops: 4",
        "loops: 4\norder: |rows",
        "order: 'rows' is unknown; write blocks, edges-f",
    ),
    ("nodes: 2", "|node: 2", "node: unknown key; did you mean 'nodes'?"),
    ("nodes: 2", "nodes: 2\n|nodes: 3", "nodes: is here for the second time; the first is line 7"),
]
SERVER_MISTAKES = [
    ("site: here", "site: |her", "servers.big.site: 'her' is not in sites; did you mean 'here'?"),
    ("  big:", "  |a/1:", "servers.a/1: 'a/1' is like the names of clients in reports; write it w"),
    ("pes: 4", "pes: |0", "servers.big.pes: '0' is out of range; write 1 to 1000000"),
    ("    accept: 20 ms\n", "", "servers.big.accept: is missing; write it like 'accept: 2.5 ms'"),
    ("20 ms", "|20", "servers.big.accept: '20' has no unit; write '20 ns', or it with us, ms"),
    ("gang: 80 %", "gang: |0.8", "servers.small.gang: '0.8' has no unit; write '80 %', or '0.8 %'"),
    ("gang: 80 %", "gang: |0 %", "servers.small.gang: '0 %' hardly moves; write 1 % to 100 %"),
    ("4 MB/s", "|4 MB", "servers.big.conversion: '4 MB' is a size, not a rate; write it"),
    ("100 Mflop/s", "|100 MB/s", "servers.big.libraries.serial.speed: '100 MB/s' is a rate, not a"),
    (
        "100 Mflop/s",
        "|100 MFLOPS",
        "servers.big.libraries.serial.speed: '100 MFLOPS' has no speed unit (flop/s",
    ),
    ("100 Mflop/s", "|0 flop/s", "servers.big.libraries.serial.speed: '0 flop/s' is less than 1"),
    ("{problem: ep", "{problem: |es", "servers.big.libraries.ep.problem: 'es' is unknown; write l"),
    ("half: 100", "half: |-1", "servers.big.libraries.parallel.half: '-1' "),
    ("half: 100", "|halve: 100", "servers.big.libraries.parallel.halve: unknown key; did you mea"),
    ("favoured: false", "favoured: |no", "servers.small.favoured: 'no' is neither true nor false"),
    ("sites:\n", "|sites: {}\nsites_:\n", "sites: is empty; write"),
    (
        "1 MB/s, line_l",
        "|1 Mb/s, line_l",
        "sites.here.line: '1 Mb/s' counts bits; write '0.125 MB/s'",
    ),
]


CALL_MISTAKES = [
    ("10 min", "|0 s", "duration: '0 s' leaves no time for a call; write it like '30 min'"),
    ("name: far", "name: |near", "clients.1.name: 'near' is the name of item 0 too; write another"),
    ("count: 2", "count: |0", "clients.0.count: '0' is out of range; write 1 to 1000000"),
    ("3 s", "|0 s", "clients.0.every: '0 s' would be endless trials; write it like '3 s'"),
    (
        "3 s",
        "|1 us",
        "clients.0.every: '1 us' would be 1,200,000,000 trials; write 1.20 ms or more",
    ),
    ("50 %", "|0.5", "clients.0.chance: '0.5' has no unit; write '50 %', or '0.5 %'"),
    ("50 %", "|101 %", "clients.0.chance: '101 %' is more than 100 %"),
    ("n: 500", "n: |100001", "clients.0.n: '100001' is too large for linpack; write 1 to 100000"),
    ("n: 20,", "n: |51,", "clients.1.n: '51' is too large for ep; write 1 to 50"),
    ("    server: big\n", "", "clients.0.server: is missing; write it like 'server: j90', or 'c"),
    (
        "duration",
        "choose: |luck\nduration",
        "choose: 'luck' is unknown; write fixed, load, compute",
    ),
    ("problem: linpack", "problem: |lapack", "clients.0.problem: 'lapack' is unknown; write linp"),
    ("clients:", "|clients: []\nx:", "clients: is empty; write"),
]


MISTAKES = [
    (name, *one)
    for name, mistakes in (
        ("workstations", MACHINE_MISTAKES),
        ("mesh", MESH_MISTAKES),
        ("server", SERVER_MISTAKES),
        ("calls", CALL_MISTAKES),
    )
    for one in mistakes
]


def problems_of(text: str) -> list[str]:
    """Return the messages about a text, without its name."""
    with pytest.raises(ConfigError) as caught:
        convert(text, "f")
    return [line.removeprefix("f:").lstrip() for line in str(caught.value).splitlines()]


def place_of(marked: str) -> tuple[str, str]:
    """Return the text without its mark, and the line:column of the mark."""
    before = marked.partition("|")[0].split("\n")
    return marked.replace("|", "", 1), f"{len(before)}:{len(before[-1]) + 1}"


@pytest.mark.parametrize(("name", "old", "new", "about"), MISTAKES)
def test_one_mistake_one_message(name: str, old: str, new: str, about: str) -> None:
    assert old in TEXTS[name]
    text, place = place_of(TEXTS[name].replace(old, new, 1))
    lines = problems_of(text)
    if "|" not in new:
        place = lines[0].partition(": ")[0]
    assert lines[0].startswith(f"{place}: {about}")
    assert len(lines) == 1 or "_:" in new or "x:" in new


def test_all_mistakes_at_once_by_line() -> None:
    text = TEXTS["workstations"].replace("1 us", "1").replace("fifo", "fare")
    lines = problems_of(text.replace("poll:", "pol:"))
    assert [line.partition(":")[0] for line in lines] == ["6", "17", "29"]


@pytest.mark.parametrize("name", list(TEXTS))
@given(data=st.data())
def test_mutilated_files_give_config_errors_only(name: str, data: st.DataObject) -> None:
    text = TEXTS[name]
    start = data.draw(st.integers(0, len(text)))
    end = start + data.draw(st.integers(0, 30))
    piece = data.draw(st.sampled_from(["", text[start:end] * 2, "\n", ": ", "{", "[", "- ", "9"]))
    try:
        convert(text[:start] + piece + text[end:], "f")
    except ConfigError:
        return


# -- everything else refuses them ---------------------------------------------------------------

OLD_FILES = {
    "workstations/1": OLD / "machines" / "orion.yaml",
    "mesh/1": OLD / "workloads" / "orion-mesh.yaml",
    "server/1": OLD / "machines" / "ninf.yaml",
    "calls/1": OLD / "workloads" / "ninf-lan.yaml",
}


@pytest.mark.parametrize("format_", OLD_FILES)
def test_an_old_file_is_one_line_that_says_what_to_do(format_: str, capsys: Capture) -> None:
    path = str(OLD_FILES[format_])
    line = 1 + Path(path).read_text(encoding="utf-8").partition("format:")[0].count("\n")
    about = f"this is the old format {format_}; convert it: nwtsim convert {path} -o NEW"
    commands: list[list[str]] = [["check", path], ["run", "orion", path]]
    if OLD_FILES[format_].parent.name == "machines":
        commands = [["check", path], ["show", path], ["run", path, "orion-mesh"]]
    for words in commands:
        assert main(words) == 2
        said = capsys.readouterr()
        assert (said.out, said.err) == ("", f"{path}:{line}:9: format: {about}\n")


def test_an_old_machine_and_an_old_workload_are_a_line_each(capsys: Capture) -> None:
    assert main(["run", *(str(OLD_FILES[one]) for one in ("server/1", "calls/1"))]) == 2
    said = capsys.readouterr().err
    assert said.count("this is the old format") == said.count("\n") == 2


@pytest.mark.parametrize("format_", OLD_FILES)
def test_the_converted_file_passes_the_check(format_: str, tmp_path: Path, capsys: Capture) -> None:
    new = tmp_path / "new.yaml"
    assert main(["convert", str(OLD_FILES[format_]), "-o", str(new)]) == 0
    assert main(["check", str(new)]) == 0
    assert f"{new}: ok (" in capsys.readouterr().out
