"""Files of I/O nodes and arrays: good ones are read, each mistake is named with its place.

The mark | in a table of mistakes is where the message should point.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config import ConfigError
from simulator.config.ioplan import io_digest, make_io_plan, method_of
from simulator.config.parallel import ARRAY, PARALLEL, order_of
from simulator.config.schema import json_schema, schema_names
from simulator.parallel import load_inputs
from simulator.shipped import shipped_root
from tests.arrays import array, machine

CONFIGS = shipped_root("configs")
MACHINE = (CONFIGS / "machines" / "sr8000.yaml").read_text(encoding="utf-8")
ROWS = """\
format: array-io/1
name: rows
array:
  size: 1 MiB
  piece: 16 KiB
processes: 4
operation: read
interface: view
"""

Capture = pytest.CaptureFixture[str]


def problems_of(text: str, kind: str) -> list[str]:
    """The messages about a file, without its name."""
    with pytest.raises(ConfigError) as caught:
        (PARALLEL if kind == "machine" else ARRAY).parse(text, "f", ())
    return [line.removeprefix("f:").lstrip() for line in str(caught.value).splitlines()]


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)


def place_of(marked: str) -> tuple[str, str]:
    """The text without its mark (the character |), and the line:column of the mark."""
    before = marked.partition("|")[0].split("\n")
    return marked.replace("|", "", 1), f"{len(before)}:{len(before[-1]) + 1}"


MACHINE_MISTAKES = [
    ("nodes: {value: 8", "nodes: {value: |2000", "nodes: 2000 is more than this model is for; wr"),
    ("parallel-io/1", "|parallel-io/2", "format: 'parallel-io/2' is unknown to this version"),
    ("parallel-io/1", "|machine/2", "format: this file is a machine of another system; name a pa"),
    ("parallel-io/1", "|array-io/1", "format: this file is a workload; name a machine here"),
    ("nodes: {value: 8", "nodes: {value: |0", "nodes: '0' is out of range; write 1 to 1000000"),
    (
        "value: 250 MB",
        "value: |250",
        "ionode.buffer_cache: '250' has no unit; write '250 B', or it",
    ),
    (
        "value: 250 MB",
        "value: |60 kB",
        "ionode.buffer_cache: 60 kB does not hold a block of 64 KiB",
    ),
    (
        "value: 64 MB",
        "value: |1 kB",
        "raid.cache: 1 kB does not hold a block of 64 KiB; write 64 K",
    ),
    ("value: 40 MB/s", "value: |40 MB", "raid.bus_rate: '40 MB' is a size, not a rate; write it"),
    ("value: 8 ms", "value: |8", "raid.seek: '8' has no unit; write '8 ns', or it with us, ms"),
    ("  prefetch:", "  |prefech:", "ionode.prefech: unknown key; did you mean 'prefetch'?"),
    (
        "value: 8, source: paper 3.2}",
        "value: |9, source: paper 3.2}",
        "striping.subfiles: 9 sub-fil",
    ),
    ("source: calibrated read-fv-ut", "source: |guessed", "raid.rate.source: 'guessed'"),
]

ROWS_MISTAKES = [
    ("array-io/1", "|workload/2", "format: this file is a workload of another system; name a ar"),
    ("size: 1 MiB", "size: |1 MB", "array.size: 1 MB is not a whole number of rows of 64 KiB; wri"),
    (
        "size: 1 MiB\n  piece: 16 KiB",
        "size: 8 MiB\n  piece: |1 B",
        "array.piece: gives 8388608 pie",
    ),
    ("operation: read", "operation: |copy", "operation: 'copy' is unknown; write read or write"),
    (
        "interface: view",
        "interface: |posix",
        "interface: 'posix' is unknown; write unix, view or c",
    ),
    (
        "interface: view",
        "interface: unix\nmethod: |stride",
        "method: 'stride' is not a method of unix;",
    ),
    (
        "interface: view",
        "interface: view\nmethod: |two-phase",
        "method: 'two-phase' is not a method of",
    ),
    ("processes: 4", "processes: |-4", "processes: '-4' has a minus sign; write it without, like"),
    (
        "name: rows\n",
        "name: rows\n|proceses: 4\n",
        "proceses: unknown key; did you mean 'processes'",
    ),
    ("operation: read\n", "", "operation: is missing; write it like 'operation: read'"),
    (
        "interface: view",
        "interface: view\nstriping: {block: 64 KiB}",
        "striping.subfiles: is missing; write it like 'subfiles: 8', or an order",
    ),
    (
        "interface: view",
        "interface: view\nstriping: {block: 64 KiB, subfiles: 2, |order: [0, 1]}",
        "striping.order: is instead of subfiles; leave one of them out",
    ),
    (
        "interface: view",
        "interface: view\nstriping: {block: 64 KiB, order: [0, 1, |0]}",
        "striping.order.2: 0 is in the order twice; write it once",
    ),
    (
        "interface: view",
        "interface: view\nstriping: {block: 64 KiB, subfiles: 2}\nregions: |[]",
        "regions: is empty; write one or more",
    ),
]


@pytest.mark.parametrize(("old", "new", "message"), MACHINE_MISTAKES)
def test_a_mistake_in_a_machine(old: str, new: str, message: str) -> None:
    text, place = place_of(replaced(MACHINE, old, new))
    (found,) = problems_of(text, "machine")
    assert found.startswith(f"{place}: {message}"), found


@pytest.mark.parametrize(("old", "new", "message"), ROWS_MISTAKES)
def test_a_mistake_in_an_array(old: str, new: str, message: str) -> None:
    text, place = place_of(replaced(ROWS, old, new))
    found = problems_of(text, "workload")
    assert any(message in one for one in found), found
    if "|" in new and "regions" not in new:
        (only,) = found
        assert only.startswith(f"{place}: {message}"), only


def test_all_mistakes_at_once() -> None:
    text = ROWS.replace("1 MiB", "1").replace("view", "vew").replace("processes: 4", "processes: x")
    found = problems_of(text, "workload")
    assert [one.split(": ")[1] for one in found] == ["array.size", "processes", "interface"]


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"processes": 5}, "processes", "5 processes, but small has 4 nodes; write 4 or less"),
        ({"method": "stride"}, "method", "stride is not among the features of small; write auto"),
        (
            {"striping": {"block": 100, "subfiles": 5}},
            "striping.subfiles",
            "names a node that small does not have; it has 4, numbered from 0",
        ),
        (
            {"array": {"size": 10**6, "piece": 25, "gap": 10**9}},
            "array.gap",
            "makes a file of 199990010000 blocks of 100 B, more than 16777216; write a smaller one",
        ),
        (
            {"array": {"size": 10**10, "piece": 5 * 10**8}},
            "array.size",
            "makes a file of 100000000 blocks of 100 B, more than 16777216; write a smaller one",
        ),
        (
            {
                "array": {"size": 10**9, "piece": 5 * 10**8},
                "striping": {"block": 1, "subfiles": 1},
            },
            "array.size",
            "is cut into more than 16777216 parts of 1 B; write a smaller one, or larger stripes"
            " and buffers",
        ),
        (
            {"regions": ({"size": 10, "block": 100, "order": (4,)},)},
            "regions.0.order",
            "names a node that small does not have; it has 4, numbered from 0",
        ),
    ],
)
def test_what_does_not_fit_together(changes: dict[str, object], key: str, message: str) -> None:
    there = machine(features={"stride_io": False})
    with pytest.raises(ConfigError) as caught:
        load_inputs(there, array(**changes))
    assert str(caught.value).endswith(f"{key}: {message}")


@pytest.mark.parametrize(
    ("interface", "features", "method"),
    [
        ("unix", {}, "unix"),
        ("view", {}, "stride"),
        ("view", {"stride_io": False}, "list"),
        ("view", {"stride_io": False, "list_io": False}, "unix"),
        ("collective", {}, "disk-directed"),
        ("collective", {"collective": False}, "two-phase"),
    ],
)
def test_the_best_that_a_machine_offers(
    interface: str, features: dict[str, bool], method: str
) -> None:
    assert method_of(machine(features=features), array(interface=interface)) == method


def test_regions_one_after_the_other() -> None:
    regions = (
        {"size": 300, "block": 100, "order": (3,)},
        {"size": 5, "block": 50, "subfiles": 2},
    )
    plan = make_io_plan(machine(), array(regions=regions))
    assert plan.blocks == (4, 4, 0, 3)


def test_names_make_no_difference_to_the_digest() -> None:
    one, other = array(), array(name="other", title="another")
    assert io_digest(machine(), one) == io_digest(machine(), other)
    assert io_digest(machine(), one) != io_digest(machine(), array(operation="write"))
    assert order_of(array(striping={"block": 1, "order": (2, 0)}).striping) == (2, 0)  # type: ignore[arg-type]


# -- the commands ---------------------------------------------------------------------------------


def test_check_knows_them(capsys: Capture) -> None:
    paths = [CONFIGS / "machines" / "sr8000.yaml"]
    paths += sorted((CONFIGS / "workloads").glob("sr8000-*.yaml"))
    assert len(paths) == 8
    assert main(["check", *map(str, paths)]) == 0
    out = capsys.readouterr().out
    assert "machine sr8000 of parallel-io/1" in out
    assert "4 calibrated" in out


def test_check_refuses_a_bad_one(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "rows.yaml"
    path.write_text(ROWS.replace("16 KiB", "16 KB"), encoding="utf-8")
    assert main(["check", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"{path}:5:10: array.piece: '16 KB'")
    assert "Traceback" not in error


def test_show_draws_it(capsys: Capture) -> None:
    assert main(["show", "sr8000"]) == 0
    out = capsys.readouterr().out
    assert "buffer cache 250 MB" in out
    assert "x 8 nodes" in out
    assert main(["show", "sr8000", "--format", "json"]) == 0
    values = json.loads(capsys.readouterr().out)["values"]
    assert all(one["kind"] != "unsourced" for one in values if "kind" in one)


def test_schemas(capsys: Capture) -> None:
    assert {"parallel-io", "array-io"} <= set(schema_names())
    for name in ("parallel-io", "array-io"):
        assert main(["schema", name]) == 0
        assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(json_schema(name)))


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_run_says_which_engine(engine: str, capsys: Capture) -> None:
    command = ["run", "sr8000", "sr8000-write-fv", "--set", "workload.array.size=8 MiB"]
    assert main([*command, "--engine", engine]) == 0
    out = capsys.readouterr().out
    assert f"{engine} engine; input " in out
    assert "view, by stride" in out
    assert "file lock" in out
    assert main([*command, "--engine", engine, "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["engine"] == engine
    assert record["bytes"] == 8 << 20


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["sr8000", "test-read"], "test-read: this is a workload of another system (workload/2)"),
        (["nwt", "sr8000-read-fv"], "sr8000-read-fv: this is a workload of another system (arra"),
        (["sr8000", "sr8000-read"], "sr8000-read: there is no such file, and no workload of tha"),
        (["sr8000", "sr8000-read-fv", "--set", "workload.processes=9"], "9 processes, but sr8000"),
        (
            ["sr8000", "sr8000-read-fv", "--timeline", "t.json"],
            "--timeline: a run on parallel-io/1",
        ),
    ],
)
def test_run_refuses(
    command: list[str],
    message: str,
    capsys: Capture,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    if "processes" in command[-1]:  # A row more for the array to be whole.
        command = [*command, "--set", "workload.array.size=144 KiB"]
    assert main(["run", *command]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert len(captured.err.splitlines()) == 1


def test_one_process_reads(capsys: Capture) -> None:
    command = ["run", "sr8000", "sr8000-read-fv", "--set", "workload.processes=1"]
    assert main([*command, "--set", "workload.array.size=1 MiB"]) == 0
    assert (
        "\n1 process reads 1 MiB in pieces of 16 KiB: view, by stride\n" in capsys.readouterr().out
    )
