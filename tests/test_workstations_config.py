"""Files of workstations and meshes: good ones, each mistake with its place, and what they become.

The mark | in a table of mistakes is where the message should point.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.cli.main import main
from simulator.config import ConfigError
from simulator.config.mesh_plan import mesh_plan
from simulator.config.schema import json_schema
from simulator.config.sources import provenance, unproven
from simulator.config.workstations import KINDS
from simulator.simulate_mesh import load_mesh_inputs, load_mesh_plan, simulate_mesh
from tests.meshes import MESH, STATIONS, small_plan

Capture = pytest.CaptureFixture[str]

TEXTS = {
    "machine": STATIONS.read_text(encoding="utf-8"),
    "workload": MESH.read_text(encoding="utf-8"),
}
KIND = {"machine": KINDS[0], "workload": KINDS[1]}


def problems_of(text: str, noun: str) -> list[str]:
    """The messages about a file, without its name."""
    with pytest.raises(ConfigError) as caught:
        KIND[noun].parse(text, "f", [])
    return [line.removeprefix("f:").lstrip() for line in str(caught.value).splitlines()]


def place_of(marked: str) -> tuple[str, str]:
    """The text without its mark, and the line:column of the mark."""
    before = marked.partition("|")[0].split("\n")
    return marked.replace("|", "", 1), f"{len(before)}:{len(before[-1]) + 1}"


MACHINE_MISTAKES = [
    ("workstations/1", "|workstations/2", "format: 'workstations/2' is unknown to this version"),
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
    ("mesh/1", "|workstations/1", "format: this file is a machine"),
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
MISTAKES = [
    *(("machine", *one) for one in MACHINE_MISTAKES),
    *(("workload", *one) for one in MESH_MISTAKES),
]


@pytest.mark.parametrize(("noun", "old", "new", "about"), MISTAKES)
def test_one_mistake_one_message(noun: str, old: str, new: str, about: str) -> None:
    assert old in TEXTS[noun]
    text, place = place_of(TEXTS[noun].replace(old, new, 1))
    (line,) = problems_of(text, noun)
    if "|" not in new:
        place = line.partition(": ")[0]
    assert line.startswith(f"{place}: {about}")


def test_all_mistakes_at_once_by_line() -> None:
    text = TEXTS["machine"].replace("1 us", "1").replace("fifo", "fare").replace("poll:", "pol:")
    lines = problems_of(text, "machine")
    assert [line.partition(":")[0] for line in lines] == ["6", "17", "29"]


MISFITS = [
    ({"nodes": 3}, "nodes: 3 nodes, but two has 2; write that or less"),
    (
        {"rows": 1, "columns": 1},
        "nodes: 1 x 1 points cannot be divided in 2 blocks; write fewer",
    ),
    (
        {"rows": 10**6, "columns": 10**6},
        "rows: 1000000 x 1000000 points take so long that servers would poll",
    ),
]


@pytest.mark.parametrize(("values", "about"), MISFITS)
def test_what_does_not_fit_together_is_refused(values: dict[str, int], about: str) -> None:
    settings = [(f"workload.{key}", str(value)) for key, value in values.items()]
    machine, mesh = load_mesh_inputs(STATIONS, MESH, settings)
    with pytest.raises(ConfigError) as caught:
        mesh_plan(machine, mesh)
    assert about.partition(": ")[2] in str(caught.value)
    assert len(caught.value.problems) == 1


def test_mistakes_of_both_files_are_said_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        load_mesh_plan(STATIONS, MESH, [("machine.count", "0"), ("workload.rows", "0")])
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize("noun", ["machine", "workload"])
@given(data=st.data())
def test_mutilated_files_give_config_errors_only(noun: str, data: st.DataObject) -> None:
    text = TEXTS[noun]
    start = data.draw(st.integers(0, len(text)))
    end = start + data.draw(st.integers(0, 30))
    piece = data.draw(st.sampled_from(["", text[start:end] * 2, "\n", ": ", "{", "[", "- ", "9"]))
    try:
        KIND[noun].parse(text[:start] + piece + text[end:], "f", [])
    except ConfigError:
        return


def test_a_file_becomes_the_plan_that_it_says() -> None:
    plan = load_mesh_plan(STATIONS, MESH)
    assert (plan.machine, plan.workload, plan.nodes, plan.points) == ("two", "small-mesh", 2, 200)
    assert (plan.messages.send_ns, plan.messages.copy_rate) == (2_000_000, 1e6)
    assert plan.station.memory.frames == 256
    assert plan.station.memory.disk.turn_ns == 16_000_000
    assert plan.station.cache is not None
    assert plan.station.cache.pages == 16
    assert (plan.fair, plan.noisy, plan.order) == (False, False, "blocks")


def test_values_change_the_digest_and_names_do_not() -> None:
    one = small_plan()
    assert small_plan(name="other").digest == one.digest
    assert small_plan(loops=5).digest != one.digest


def test_the_shipped_machine_states_the_source_of_each_value() -> None:
    machine, mesh = load_mesh_inputs("orion", "orion-mesh")
    assert unproven(machine)["unstated"] == unproven(mesh)["unstated"] == []
    calibrated = {one.path for one in unproven(machine)["calibrated"]}
    assert calibrated == {
        "cpu.cache.size",
        "cpu.cache.line_time",
        "memory.resident",
        "message_server.poll",
        "message_server.send",
        "message_server.deliver",
    }
    assert len(provenance(machine)) == 24


@pytest.mark.parametrize("kind", ["workstations", "mesh"])
def test_the_schema_has_every_key_with_its_meaning(kind: str) -> None:
    schema: dict[str, Any] = json_schema(kind)
    noun = "machine" if kind == "workstations" else "workload"
    assert set(schema["properties"]) == set(KIND[noun].section.model_fields)
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(schema["properties"])
    assert json.loads(json.dumps(schema)) == schema


# -- the commands -------------------------------------------------------------------------------


def said(capsys: Capture, *words: str, code: int = 0) -> tuple[str, str]:
    assert main(list(words)) == code
    caught = capsys.readouterr()
    assert "Traceback" not in caught.err
    return caught.out, caught.err


def test_check_says_what_the_files_are(capsys: Capture) -> None:
    out, _ = said(capsys, "check", "orion", "orion-mesh")
    assert out.splitlines()[0].startswith("orion: ok (machine orion of workstations/1, 24 values")
    assert out.splitlines()[1].startswith("orion-mesh: ok (workload orion-mesh of mesh/1, 6 values")


def test_check_of_bad_files_is_2_and_places_each_mistake(capsys: Capture, tmp_path: Any) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text(TEXTS["machine"].replace("poll: 1 ms", "poll: 1").replace("fifo", "fofi"))
    out, err = said(capsys, "check", str(bad), code=2)
    assert out == ""
    assert err.splitlines() == [
        f"{bad}:17:9: message_server.poll: '1' has no unit; write '1 ns', or it with us, "
        "ms, s, ...",
        f"{bad}:29:12: lan.sharing: 'fofi' is unknown; write fifo or fair",
    ]


def test_run_prints_a_report_and_a_record(capsys: Capture) -> None:
    words = ("run", str(STATIONS), str(MESH), "--seed", "3", "--debug")
    text, _ = said(capsys, *words)
    assert "10 x 20 points on 2 nodes:" in text
    assert "reference engine (auto: the only one for workstations)" in text
    record = json.loads(said(capsys, *words, "--format", "json")[0])
    result = simulate_mesh(STATIONS, MESH, seed=3)
    assert record.items() >= result.to_json().items()
    assert (record["noise"], record["seed"]) == (True, 3)
    assert said(capsys, *words, "--format", "json")[0] == json.dumps(record, indent=2) + "\n"


def test_the_rows_of_the_report_add_up(capsys: Capture) -> None:
    text, _ = said(capsys, "run", "orion", "orion-mesh", "--set", "workload.nodes=3")
    lines = text.partition("Where the time of a loop went")[2].splitlines()[2:]
    for row in lines[2:5]:
        _, _, loop, *parts = map(float, row.split())
        assert sum(parts) == pytest.approx(loop, abs=0.003)


def test_a_report_of_many_nodes_lists_the_slowest(capsys: Capture) -> None:
    words = ["--set", "machine.count=12", "--set", "workload.nodes=12", "--seed", "1"]
    text, _ = said(capsys, "run", "orion", "orion-mesh", *words)
    table = text.partition("Where the time of a loop went")[2].partition("polls")[0]
    assert len([row for row in table.splitlines() if row.strip()[:1].isdigit()]) == 8 + 1


def test_show_draws_the_station_and_lists_the_values(capsys: Capture) -> None:
    text, _ = said(capsys, "show", "orion")
    assert "message server: polls every 10 ms for 0.11 ms" in text
    assert "calibrated 2(2)" in text
    plain, _ = said(capsys, "show", str(STATIONS))
    assert "processor: 1 us for a point in the cache" in plain
    record = json.loads(said(capsys, "show", "orion", "--format", "json")[0])
    assert record["machine"] == "orion"


REFUSED = [
    (
        ("run", "orion", "test-write"),
        "workload of another system (workload/2); there are orion-m",
    ),
    (("run", "nwt", "orion-mesh"), "workload of another system (mesh/1); "),
    (("run", "orion", "orion-mesh", "--engine", "native"), "workstations/1 runs on the reference"),
    (("run", "orion", "orion-mesh", "--timeline", "t.json"), "records none; omit the option"),
    (
        ("run", "orion", "orion-mesh", "--set", "workload.nodes=5"),
        "nodes=5: 5 nodes, but orion",
    ),
    (
        ("run", "orion", "orion-mesh", "--set", "machine.cpu.update=5"),
        "'5' has no unit; write '5 ",
    ),
    (("run", "orion", "no-such-mesh"), "no workload of that name"),
]


@pytest.mark.parametrize(("words", "about"), REFUSED)
def test_what_cannot_be_run_is_refused(words: tuple[str, ...], about: str, capsys: Capture) -> None:
    out, err = said(capsys, *words, code=2)
    assert (out, about in err, err.count("\n")) == ("", True, 1)
