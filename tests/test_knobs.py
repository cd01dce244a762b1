"""Short names follow the files: each value has one, and it stands for that value."""

from __future__ import annotations

import pytest

from simulator.config.errors import ConfigError
from simulator.config.formats import load_machine, load_workload, parse_machine
from simulator.config.identity import digest_of
from simulator.config.knobs import are_full, knobs_of, resolved
from simulator.config.settings import Setting
from simulator.config.textfile import written_format
from simulator.shipped import shipped_root

MACHINES = [
    path.stem
    for path in sorted((shipped_root("configs") / "machines").glob("*.yaml"))
    if written_format(path, "machine") == "machine/2"
]


@pytest.mark.parametrize("name", MACHINES)
def test_each_knob_of_a_shipped_machine_sets_the_value_that_it_shows(name: str) -> None:
    machine = load_machine(name)
    knobs = knobs_of(machine)
    assert len(knobs) > 10
    for knob in dict.fromkeys(knobs.values()):
        again = load_machine(name, [(knob.path, knob.value)])
        assert digest_of(again) == digest_of(machine), knob


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
    # What has the name itself comes before what has it as a plural.
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
