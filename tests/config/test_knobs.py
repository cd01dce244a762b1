"""Short names follow the files: each value has one, and it stands for that value."""

from __future__ import annotations

import pytest

from simulator.config.errors import ConfigError
from simulator.config.formats import load_machine, load_workload, parse_machine
from simulator.config.knobs import are_full, knobs_of, resolved
from simulator.config.load import written_format
from simulator.config.rates import EachWay
from simulator.config.settings import Setting
from simulator.inputfile import Text
from simulator.run import load_inputs
from simulator.shipped import shipped_root

MACHINES = [
    path.stem
    for path in sorted((shipped_root("configs") / "machines").glob("*.yaml"))
    if written_format(path, "machine") == "machine/2"
]
LONG = ("nwt", "ninf", "lustre-lab")
"""Machines with a hundred knobs, each of which is a machine to load."""


def test_a_count_has_the_name_of_what_it_counts() -> None:
    machine = parse_machine(
        """
format: machine/2
name: small
nodes: {client: 3, disks: 2}
parts:
  disk: {kind: disk, rate: 1 MB/s}
filesystems:
  home: [disk, ]
"""
    )
    knobs = knobs_of(machine)
    assert knobs["client"].path == "machine.nodes.client.count"
    assert knobs["disk"].path == "machine.parts.disk.count"
    assert knobs["disks"].path == "machine.nodes.disks.count"
    assert "clients" not in knobs


def test_names_of_a_workload_are_those_of_all_jobs() -> None:
    machine, workload = load_machine("workstation"), load_workload("copy-file")
    settings: list[Setting] = [("record", "4 KiB"), ("clients", "3"), ("disk.rate", "9 MB/s")]
    assert not are_full(settings)
    full = resolved(settings, machine, workload)
    assert full == [
        ("workload.jobs.*.record", "4 KiB"),
        ("workload.jobs.*.processes", "3"),
        ("machine.parts.disk.rate", "9 MB/s"),
    ]
    assert are_full(full)
    assert resolved(full, machine, workload) == full
    assert knobs_of(machine, workload)["record"].value == "1 MiB"
    assert knobs_of(None, workload)["source.size"].path == "workload.files.source.size"


def test_all_unknown_names_are_told_at_once() -> None:
    with pytest.raises(ConfigError) as error:
        resolved([("wheels", "4"), ("disk.rat", "1")], load_machine("workstation"), None)
    assert sorted(problem.file for problem in error.value.problems) == [
        "--set disk.rat=1",
        "--set wheels=4",
    ]
    assert "did you mean 'disk.rate'?" in str(error.value)
    with pytest.raises(ConfigError, match=r"copy-file has no 'disk.rate'"):
        resolved([("disk.rate", "1 MB/s")], None, load_workload("copy-file"))


# -- plurals ------------------------------------------------------------------------------------

COUNTS = """
format: machine/2
name: counts
nodes: {client: {count: 3}, j90: 2, entry: 4, oss: 2, disks: 2, target: {count: 2, per: client}}
parts:
  lan: {kind: queue, rate: 1 MB/s}
  paths: {kind: queue, rate: 1 MB/s, count: 2}
  tape: {kind: tape, rate: 1 MB/s, mount: 1 s}
  disk: {kind: disk, rate: 1 MB/s}
filesystems:
  home: [[lan], disk]
  archive: [tape]
"""


def test_plurals_are_of_what_is_counted_and_has_one() -> None:
    knobs = knobs_of(parse_machine(COUNTS))
    names = {"client", "j90", "entry", "oss", "disks", "target", "lan", "paths", "tape", "disk"}
    counts = {name for name, one in knobs.items() if one.path.endswith(".count")}
    # A disk and a tape are counted anyway, the LAN would have to be; clients are processes.
    assert counts == names | {"entries", "targets", "tapes"}
    assert knobs["entries"] == knobs["entry"]
    assert knobs["disks"].path == "machine.nodes.disks.count"


@pytest.mark.parametrize("name", MACHINES)
def test_no_plural_of_a_shipped_machine_is_odd(name: str) -> None:
    knobs = knobs_of(load_machine(name))
    odd = [one for one in knobs if one.endswith(("ss", "0s", "lans")) and one != "oss"]
    assert odd == []


# -- names that mean several values -------------------------------------------------------------


def test_what_two_values_would_share_has_full_paths_and_the_short_name_says_so() -> None:
    machine = load_machine("burst-buffer")
    knobs = knobs_of(machine)
    paths = [f"machine.filesystems.scratch.tiers.{number}.stripe" for number in (1, 5)]
    assert [knobs[path].path for path in paths] == paths
    assert "scratch.stripe" not in knobs
    about = (
        f"--set scratch.stripe=4 MB: 'scratch.stripe' could be {paths[0]} or {paths[1]};"
        " write one of these"
    )
    with pytest.raises(ConfigError) as caught:
        resolved([("scratch.stripe", "4 MB")], machine)
    assert str(caught.value) == about


def test_nodes_of_a_job_and_a_group_called_node_are_told_apart() -> None:
    machine, workload = load_machine("orion"), load_workload("orion-mesh")
    with pytest.raises(ConfigError, match=r"could be node or workload\.jobs\.\*\.nodes; write one"):
        resolved([("nodes", "2")], machine, workload)
    for name in ("node", "workload.jobs.*.nodes"):
        assert resolved([(name, "2")], machine, workload)
    assert resolved([("nodes", "2")], load_machine("nfs-lab"), load_workload("copy-file")) == [
        ("workload.jobs.*.nodes", "2")
    ]


# -- all mistakes at once -----------------------------------------------------------------------

MACHINE = """\
format: machine/2
name: lab
parts:
  disk: {kind: disk, rate: 150 MB, seek: 8 ms}
filesystems:
  home: [disk]
"""
WORKLOAD = """\
format: workload/2
name: copy
files:
  source: {size: 100 XB, exists: true}
jobs:
  - {name: copy, record: 1 MB, phases: [{do: read, file: source}]}
"""
GOOD = MACHINE.replace("150 MB", "150 MB/s"), WORKLOAD.replace("XB", "MB")


def told(machine: str, workload: str, *settings: Setting) -> list[str]:
    """Return the beginnings of the lines about two texts and settings."""
    with pytest.raises(ConfigError) as caught:
        load_inputs(Text(machine, "m"), Text(workload, "w"), settings)
    return [line.partition(": ")[0] for line in str(caught.value).splitlines()]


def test_mistakes_in_files_in_names_and_in_values_are_told_together() -> None:
    settings = [("disk.rat", "5"), ("record", "4"), ("machine.parts.disk.seek", "1"), ("no", "1")]
    names = ["--set disk.rat=5", "--set no=1"]
    values = ["--set machine.parts.disk.seek=1", "--set workload.jobs.*.record=4"]
    assert told(MACHINE, WORKLOAD, *settings) == [*sorted([*names, *values]), "m:4:28", "w:4:18"]
    assert told(GOOD[0], WORKLOAD, *settings) == [*sorted([*names, *values]), "w:4:18"]
    assert told(*GOOD, *settings) == sorted([*names, *values])
    assert told(MACHINE, GOOD[1], ("cpu.copy_rate", "3 kB/s"), ("source.size", "1")) == [
        "--set workload.files.source.size=1",
        "m:4:28",
    ]


def test_names_are_known_in_a_wrong_file_and_can_mend_it() -> None:
    settings = [("disk.rate", "5 MB/s"), ("source.size", "1 MB")]
    inputs = load_inputs(Text(MACHINE, "m"), Text(WORKLOAD, "w"), settings)
    assert inputs.machine.parts["disk"].rate == EachWay(5e6, 5e6)  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["", "- 1\n", "a: [\n"])
def test_of_a_file_without_keys_no_name_is_unknown(text: str) -> None:
    (line,) = told(text, GOOD[1], ("disk.rat", "5"))
    assert line.startswith("m")


def test_values_of_phases_are_set_by_their_paths() -> None:
    """They have no short names, as there may be several; the message has the path, which works."""
    machine, workload = load_machine("ninf"), load_workload("ninf-lan")
    path = "workload.jobs.0.phases.0.every"
    with pytest.raises(ConfigError, match=f"'every' has no short name; write its path, {path}$"):
        resolved([("every", "6 s")], machine, workload)
    assert resolved([(path, "6 s")], machine, workload) == [(path, "6 s")]
    phase = load_workload("ninf-lan", [(path, "6 s")]).jobs[0].phases[0]
    assert phase.every == 6 * 10**9
