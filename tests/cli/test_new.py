"""``nwtsim new``: each file that it writes is right, and what its comments offer is right too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.formats import MACHINE, WORKLOAD
from simulator.config.starters import starter_machine, starter_workload
from simulator.inputfile import Text
from simulator.run import load_inputs, run_plan
from tests.docs.elided import is_shown
from tests.docs.extending import ROOT, ran

MACHINES = list(MACHINE.shipped())
BUFFERED = "#    policy: gfortran"


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def with_everything(text: str) -> str:
    """Remove the sign in front of all lines that can be added."""
    return re.sub(r"^#(?=  +\S)(?!   nwtsim)", "", text, flags=re.MULTILINE)


def test_a_beginner_comes_from_nothing_to_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "machine"]) == 0
    assert "nwtsim new workload --for my-machine.yaml" in capsys.readouterr().out
    assert main(["new", "workload", "--for", "my-machine.yaml"]) == 0
    told = capsys.readouterr().out.splitlines()[-1].split()
    assert told[:2] == ["nwtsim", "run"]
    assert main(["check", "my-machine.yaml", "my-workload.yaml"]) == 0
    capsys.readouterr()
    assert main([*told[1:], "--full"]) == 0
    told_of_run = capsys.readouterr()
    assert "busiest resource: disk" in told_of_run.out
    assert "(nwtsim show my-machine.yaml)" in told_of_run.out
    assert told_of_run.err == ""


def test_a_first_machine_has_at_most_ten_lines() -> None:
    text = starter_machine("mine", "mine.yaml", 4)
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert len(lines) <= 10
    assert "name: mine" in lines
    assert all(len(line) <= 100 for line in text.splitlines())


def test_what_the_comments_of_the_first_machine_offer_is_right() -> None:
    machine = Text(with_everything(starter_machine("mine", "mine.yaml", 4)), "mine.yaml")
    read = load_inputs(machine, "copy-file").machine
    assert {"ssd", "lan", "nfsd", "raid"} <= set(read.parts)
    assert list(read.filesystems) == ["home", "fast", "remote"]
    for name in read.filesystems:
        settings = [(f"workload.files.{file}.filesystem", name) for file in ("source", "copy")]
        inputs = load_inputs(machine, "copy-file", settings)
        assert run_plan(inputs.plan()).elapsed_ns > 0
        assert inputs.doubts == []


@pytest.mark.few(4)
@pytest.mark.parametrize("name", MACHINES)
def test_a_workload_fits_each_shipped_machine_also_with_all_that_it_offers(name: str) -> None:
    machine = MACHINE.parse(MACHINE.shipped()[name].read_text("utf-8"), name, ())[0]
    text = starter_workload("job", "job.yaml", machine, name)
    plain = load_inputs(name, Text(text, "job.yaml"))
    assert plain.doubts == []
    assert run_plan(plain.plan()).elapsed_ns > 0
    full = load_inputs(name, Text(with_everything(text), "job.yaml"))
    assert len(full.workload.jobs[0].phases or ()) > len(plain.workload.jobs[0].phases or ())
    assert full.workload.jobs[0].repeat == 3


def test_the_workload_uses_what_the_machine_has() -> None:
    computing = "format: machine/2\nname: silent\n"
    served = (
        "format: machine/2\nname: served\nnodes: {node: 4, server: 1}\n"
        "parts:\n"
        "  own: {kind: link, at: [node, server], rate: 10 MB/s}\n"
        "  pes: {kind: timeshare, at: server, pes: 4}\n"
        "services:\n"
        "  solver: {kind: numerical-server, at: server, conversion: 4 MB/s, accept: 20 ms,"
        " start: 300 ms,\n"
        "    libraries: {lib: {problem: linpack, threads: 4, speed: 750 Mflop/s}}}\n"
        "  callers: {kind: numerical-client, at: node, conversion: 15 MB/s}\n"
    )
    for text, wanted in ((computing, "do: compute"), (served, "do: solve")):
        machine = MACHINE.parse(text, "m", ())[0]
        made = starter_workload("job", "job.yaml", machine, "m")
        assert wanted in made
        assert run_plan(load_inputs(Text(text, "m"), Text(made, "job.yaml")).plan()).elapsed_ns > 0


@pytest.mark.parametrize("kind", [MACHINE, WORKLOAD], ids=["machine", "workload"])
def test_a_copy_keeps_everything_but_the_name(kind: object) -> None:
    assert kind in (MACHINE, WORKLOAD)
    what = "machine" if kind is MACHINE else "workload"
    for name, path in (MACHINE if kind is MACHINE else WORKLOAD).shipped().items():
        assert main(["new", what, "--from", name]) == 0
        old = path.read_text("utf-8").splitlines()
        new = Path(f"my-{name}.yaml").read_text("utf-8").splitlines()
        changed = [(one, other) for one, other in zip(old, new, strict=True) if one != other]
        assert changed == [(f"name: {name}", f"name: my-{name}")]
        assert main(["check", f"my-{name}.yaml"]) == 0


def test_a_file_that_is_there_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    mine = Path("my-machine.yaml")
    mine.write_text("mine\n")
    assert main(["new", "machine"]) == 2
    told = capsys.readouterr().err
    assert told == "my-machine.yaml: is there already; write another -o FILE, or --force\n"
    assert mine.read_text() == "mine\n"
    assert main(["new", "machine", "--force"]) == 0
    assert "format: machine/2" in mine.read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("machine --from workstatoin", "workstatoin: there is no such file, .* 'workstation'"),
        ("machine --from copy-file", "copy-file: this is a workload, not a machine"),
        ("machine --for nfs-lab", "--for: a machine is made for no other machine; omit"),
        ("workload --for nowhere", "nowhere: there is no such file"),
        ("workload --for missing.yaml", "missing.yaml: "),
        ("machine -o 'my machine.yaml'", r"my machine.yaml: name: 'my machine' names files of"),
        ("workload --from mesh-checkpoint --for workstation", "mesh-checkpoint:.*process server"),
        ("machine -o no/such/folder.yaml", "there is no such folder"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(
    words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    import shlex

    assert main(["new", *shlex.split(words)]) == 2
    error = capsys.readouterr().err
    assert re.search(told, error), error
    assert list(Path().iterdir()) == []


def test_the_shipped_files_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    for what, kind in (("machine", MACHINE), ("workload", WORKLOAD)):
        assert main(["new", what, "--from", "?"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines] == list(kind.shipped())
        assert all(len(line.split()) > 3 for line in lines)


@pytest.mark.slow
def test_a_machine_and_a_job_of_your_own(tmp_path: Path) -> None:
    """As docs/start.md has it."""
    text = (ROOT / "docs" / "start.md").read_text("utf-8")
    (block,) = re.findall(r"## A machine and a job of.*?```console\n(.*?)```", text, re.DOTALL)
    for line, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        told = ran(line.replace("--out", "--no-plot --no-progress --out"), tmp_path)
        assert is_shown(shown, told if line.startswith("nwtsim run") else "")
    assert len((tmp_path / "swept" / "points.csv").read_text().splitlines()) == 1 + 6
