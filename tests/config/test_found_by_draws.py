"""What drawn files have found: each was accepted, and then failed or did something else."""

from __future__ import annotations

import pytest

from simulator.config import ConfigError
from simulator.config.fitting import fit
from simulator.config.lowering.plan import make_plan
from tests.config.machine_texts import cluster, job, machine, workload
from tests.config.machine_texts import faults as told
from tests.twins.plans.faults import faults

TWO_SYSTEMS = """\
format: machine/2
name: two
nodes: {client: 2, server: 1}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s}
  disk: {kind: disk, at: server, rate: 100 MB/s}
stores:
  cache: {at: server, capacity: 1 GB}
  pages: {at: client, capacity: 1 GB}
filesystems:
  home: {paths: {usual: [[nic], cache, disk], own: [pages, [nic], disk]}}
  scratch: [[nic], disk]
"""


def misfits(machine_text: str, workload_text: str) -> list[str]:
    found = fit(machine(machine_text), workload(workload_text))
    return [f"{one.key}: {one.message}" for one in found if one.severity == "error"]


def test_a_phase_of_metadata_needs_a_path_of_its_files_own_file_system() -> None:
    """It ended with a KeyError."""
    text = """\
format: workload/2
name: w
files: {a: {size: 1 MB, filesystem: scratch}}
jobs: [{name: j, path: own, phases: [{do: stat, file: a}]}]
"""
    about = "'own' is not a path of scratch; it has only one, so leave this out"
    assert misfits(TWO_SYSTEMS, text) == [f"jobs.0.path: {about}"]


@pytest.mark.parametrize(("of_job", "of_phase"), [(", path: own", ""), ("", ", path: own")])
def test_a_prestaged_file_is_in_the_store_of_the_path_by_which_it_is_used(
    of_job: str, of_phase: str
) -> None:
    """That path had a store on each node, and the plan was wrong."""
    text = f"""\
format: workload/2
name: w
files: {{a: {{size: 1 MB, exists: true, prestage: true}}}}
jobs: [{{name: j, record: 1 MB{of_job}, phases: [{{do: read, file: a{of_phase}}}]}}]
"""
    (found,) = misfits(TWO_SYSTEMS, text)
    assert found.startswith("files.a.prestage: each node has its own pages")


def test_programs_on_the_only_node_that_requests_are_forwarded_to_stay_there() -> None:
    """Place 0 was decided from place 0."""
    text = TWO_SYSTEMS.replace("scratch: [[nic]", "scratch: [{forward: server}, [nic]")
    jobs = job("on: server", "phases: [{do: write, file: a}]")
    file = jobs.files["a"].with_value("filesystem", "scratch")
    plan = make_plan(machine(text), jobs.with_value("files", {"a": file}))
    assert faults(plan) == []


def test_locks_on_a_machine_without_stores() -> None:
    """It ended with an IndexError."""
    text = TWO_SYSTEMS[: TWO_SYSTEMS.index("stores:")]
    system = "  home: [{locks: [[nic]], unit: 1 MB}, [nic], disk]\n"
    assert machine(f"{text}filesystems:\n{system}").filesystems["home"].has_locks


def test_data_on_several_nodes_do_not_go_to_a_file_with_a_layout() -> None:
    """Its calls were listed, and the other nodes' data did not cross any network."""
    text = """\
format: workload/2
name: w
files: {a: {size: 1 MB, layout: [{stripe: 10 kB}]}}
jobs: [{name: j, nodes: 2, record: 1 MB, phases: [{do: write, file: a}]}]
"""
    with pytest.raises(ConfigError) as refused:
        workload(text)
    about = "files.a has a layout, and is not for processes whose data are on several nodes"
    assert told(refused.value) == [f"jobs.0.phases.0.file: {about}; write 'nodes: 1' in the job"]


@pytest.mark.parametrize(
    ("system", "key"),
    [
        ("home: [{export: sync}]", "tiers.0"),
        ("home: {paths: {p: {tiers: [[nic], disk], drain: [{request: 1 MB}]}}}", "paths.p.drain.0"),
    ],
)
def test_a_way_without_a_device_is_refused(system: str, key: str) -> None:
    """Both ended with an IndexError."""
    with pytest.raises(ConfigError) as refused:
        cluster(system)
    (found,) = told(refused.value)
    assert found.startswith(f"filesystems.home.{key}: ends without a device")


def test_a_file_of_which_little_is_read_is_as_long_as_it_says() -> None:
    """It had the bytes that were read: recalls of files and reading ahead moved too little."""
    plan = make_plan(machine(), job("phases: [{do: read, file: b, size: 1 MB}]"))
    assert [(one.length, one.size) for one in plan.files] == [(10_000_000, 10_000_000)]
