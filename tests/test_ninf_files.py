"""Files of servers and calls: good ones are read, each mistake is named with its place.

The mark | in a table of mistakes is where the message should point.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config import ConfigError
from simulator.config.calls import CALLS, SERVER, check_calls
from simulator.config.schema import json_schema, schema_names
from simulator.serve import load_calls, load_inputs, load_servers

FOLDER = Path(__file__).parent / "data" / "config"
SERVERS = (FOLDER / "server.yaml").read_text(encoding="utf-8")
ASKED = (FOLDER / "calls.yaml").read_text(encoding="utf-8")

Capture = pytest.CaptureFixture[str]


def problems_of(text: str, kind: str) -> list[str]:
    """The messages about a file, without its name."""
    with pytest.raises(ConfigError) as caught:
        (SERVER if kind == "server" else CALLS).parse(text, "f", ())
    return [line.removeprefix("f:").lstrip() for line in str(caught.value).splitlines()]


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


def place_of(marked: str) -> tuple[str, str]:
    """The text without its mark (the character |), and the line:column of the mark."""
    before = marked.partition("|")[0].split("\n")
    return marked.replace("|", "", 1), f"{len(before)}:{len(before[-1]) + 1}"


SERVER_MISTAKES = [
    ("server/1", "|server/2", "format: 'server/2' is unknown to this version; write server/1"),
    ("server/1", "|calls/1", "format: this file is a workload; name a machine here"),
    ("server/1", "|machine/2", "format: this file is a machine of another system; name a server/1"),
    ("site: here", "site: |her", "servers.big.site: 'her' is not in sites; did you mean 'here'?"),
    ("  big:", "  |a/1:", "servers.a/1: 'a/1' is like the names of clients in reports; write it w"),
    ("pes: 4", "pes: |0", "servers.big.pes: '0' is out of range; write 1 to 1000000"),
    ("    accept: 20 ms\n", "", "servers.big.accept: is missing; write it like 'accept: 2.5 ms'"),
    ("20 ms", "|20", "servers.big.accept: '20' has no unit; write '20 ns', or it with us, ms"),
    ("gang: 80 %", "gang: |0.8", "servers.small.gang: '0.8' has no unit; write '0.8 %'"),
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


@pytest.mark.parametrize(("old", "new", "about"), SERVER_MISTAKES)
def test_mistakes_in_servers(old: str, new: str, about: str) -> None:
    text, place = place_of(replaced(SERVERS, old, new))
    lines = problems_of(text, "server")
    if "|" in new:
        assert lines[0].startswith(f"{place}: {about}")
    else:
        assert lines[0].partition(": ")[2].startswith(about)
    assert len(lines) == 1 or "_:" in new


CALL_MISTAKES = [
    ("calls/1", "|workload/2", "format: this file is a workload of another system; name a calls/1"),
    ("10 min", "|0 s", "duration: '0 s' leaves no time for a call; write it like '30 min'"),
    ("name: far", "name: |near", "clients.1.name: 'near' is the name of item 0 too; write another"),
    ("count: 2", "count: |0", "clients.0.count: '0' is out of range; write 1 to 1000000"),
    ("3 s", "|0 s", "clients.0.every: '0 s' would be endless trials; write it like '3 s'"),
    (
        "3 s",
        "|1 us",
        "clients.0.every: '1 us' would be 1,200,000,000 trials; write 1.20 ms or more",
    ),
    ("50 %", "|0.5", "clients.0.chance: '0.5' has no unit; write '0.5 %'"),
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


@pytest.mark.parametrize(("old", "new", "about"), CALL_MISTAKES)
def test_mistakes_in_calls(old: str, new: str, about: str) -> None:
    text, place = place_of(replaced(ASKED, old, new))
    lines = problems_of(text, "calls")
    if "|" in new:
        assert lines[0].startswith(f"{place}: {about}")
    else:
        assert lines[0].partition(": ")[2].startswith(about)
    assert len(lines) == 1 or "x:" in new


MISFITS = [
    (
        "client: sparc",
        "client: |spark",
        "client: 'spark' is not among the clients of two; did you ",
    ),
    ("site: here", "site: |nowhere", "site: 'nowhere' is not among the sites of two; did you m"),
    (
        "server: big",
        "server: |bag",
        "server: 'bag' is not among the servers of two; did you mean 'b",
    ),
    ("library: serial", "library: |seral", "library: 'seral' is not a library of big; did you me"),
    (
        "linpack\n    n: 500",
        "|ep\n    n: 5",
        "problem: the library serial solves linpack, not ep; w",
    ),
]


@pytest.mark.parametrize(("old", "new", "about"), MISFITS)
def test_calls_that_the_servers_cannot_serve(old: str, new: str, about: str) -> None:
    text, place = place_of(replaced(ASKED, old, new))
    machine = SERVER.parse(SERVERS, "s", ())[0]
    (problem,) = check_calls(machine, CALLS.parse(text, "f", ())[0])
    assert str(problem).startswith(f"f:{place}: clients.0.{about}")


def test_a_problem_that_no_library_solves() -> None:
    text = replaced(ASKED, "n: 20, server: big", "n: 20, server: small")
    machine = SERVER.parse(SERVERS, "s", ())[0]
    (problem,) = check_calls(machine, CALLS.parse(text, "f", ())[0])
    assert "clients.1.problem: no library of small solves ep; write another problem" in str(problem)


def test_all_mistakes_of_both_files_at_once(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(replaced(SERVERS, "20 ms", "20"))
    (tmp_path / "c.yaml").write_text(replaced(ASKED, "50 %", "50").replace("10 min", "10"))
    with pytest.raises(ConfigError) as caught:
        load_inputs(tmp_path / "s.yaml", tmp_path / "c.yaml")
    keys = [problem.key for problem in caught.value.problems]
    assert sorted(keys) == ["clients.0.chance", "duration", "servers.big.accept"]


def test_the_good_files_are_good() -> None:
    machine = SERVER.parse(SERVERS, "s", ())[0]
    calls = CALLS.parse(ASKED, "c", ())[0]
    assert check_calls(machine, calls) == []
    assert machine.servers["big"].libraries["parallel"].speed == 400e6
    assert machine.sites["here"].line_latency == 5_000_000
    assert calls.clients[1].chance == 1
    assert machine.servers["small"].gang == 0.8


@pytest.mark.parametrize("name", sorted(CALLS.shipped()))
def test_the_shipped_calls_fit_the_shipped_servers(name: str) -> None:
    assert check_calls(load_servers("ninf"), load_calls(name)) == []


def test_every_value_of_the_shipped_servers_has_a_source() -> None:
    from simulator.config.sources import provenance

    kinds = {one.kind for one in provenance(load_servers("ninf"))}
    assert kinds <= {"paper", "literature", "calibrated", "assumed", "default"}


# -- the commands -------------------------------------------------------------------------------


def test_check_says_what_the_files_are(capsys: Capture) -> None:
    assert main(["check", "ninf", *CALLS.shipped()]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ninf: ok (machine ninf of server/1, ")
    assert all(" ok (workload ninf-" in line for line in lines[1:])


def test_a_bad_file_is_exit_code_2_with_its_place(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(replaced(SERVERS, "20 ms", "20"))
    for words in (["check", str(path)], ["show", str(path)], ["run", str(path), "ninf-lan"]):
        assert main(words) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert f"{path}:12:13: servers.big.accept: '20' has no unit; write '20 ns'" in said.err
        assert "Traceback" not in said.err


def test_what_another_system_has_is_refused_with_what_there_is(capsys: Capture) -> None:
    assert main(["run", "ninf", "test-read"]) == 2
    said = capsys.readouterr().err
    assert "test-read: this is a workload of another system (workload/2); there are ninf-" in said
    assert main(["run", "nwt", "ninf-lan"]) == 2
    assert "this is a workload of another system (calls/1)" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["server", "calls"])
def test_schemas(kind: str, capsys: Capture) -> None:
    assert kind in schema_names()
    assert main(["schema", kind]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema == json_schema(kind)
    assert schema["$id"] == f"urn:nwtsim:{kind}:1"
    assert "format" in schema["required"]


def test_show_draws_sites_and_lists_values(capsys: Capture) -> None:
    assert main(["show", "ninf"]) == 0
    text = capsys.readouterr().out
    for words in ("+- etl -", "server j90: 4 PEs", "4pe: linpack, 750 Mflop/s on 4 PEs", "assumed"):
        assert words in text
    assert main(["show", "ninf", "--format", "json"]) == 0
    values = json.loads(capsys.readouterr().out)["values"]
    assert any(one["path"] == "servers.j90.conversion" for one in values)
