"""Ten machines of today, each with a bound that is computed from its file before the run.

A bound is the least time: bytes over the narrowest resource, or requests over those that it can
serve. No run may be faster on either engine, and where one resource limits none is more than a
tenth slower.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from simulator.run import EngineName, load_plan, run_plan
from tests.families.numbers_of import Files, number

FOLDER = Path(__file__).parent / "today"
SLACK = 0.10
"""How much of its rate a run may lose where one resource limits."""


def narrowest(*shares: tuple[str, str, str]) -> Callable[[Files], float]:
    """Return a bound: bytes over the least capacity of these (part, direction, group)."""

    def bound(files: Files) -> float:
        return files.bytes / min(files.capacity(*share) for share in shares)

    return bound


def small_reads(files: Files) -> float:
    """Each read takes a channel of the flash for its overhead and its bytes."""
    size = number(files.jobs["jobs"][0]["record"])
    each = files.of("nvme", "overhead") + size / files.of("nvme", "rate")
    return files.calls * each / files.members("nvme")


def connections(files: Files) -> float:
    """Each process has a connection; all have what the account has."""
    all_of_them = min(files.of("connection", "rate") * files.processes, files.capacity("account"))
    return files.bytes / all_of_them


def recalls(files: Files) -> float:
    """Each file is mounted and comes whole, once, however little is read of it, and how often."""
    whole = number(files.jobs["files"]["result"]["size"])
    assert whole == number(files.machine["stores"]["cache"]["block"])
    each = files.of("drive", "mount") + whole / files.of("drive", "rate")
    return files.processes * each / files.members("drive")


def drained(files: Files) -> float:
    """The checkpoint is in the flash of its node, and then goes to the servers."""
    return files.bytes / files.capacity("nvme") + files.bytes / files.capacity("ost")


def commits(files: Files) -> float:
    """Each synchronous write crosses the controller's bus, and waits for nothing else."""
    size = number(files.jobs["jobs"][0]["record"])
    return files.calls * (files.of("bus", "overhead") + size / files.of("bus", "rate"))


def past_the_cache(files: Files) -> float:
    """What the controller's cache cannot keep dirty has to be on the disks."""
    cache = files.machine["stores"]["cache"]
    kept = number(cache["capacity"]) * number(cache["dirty"])
    return (files.bytes - kept) / files.capacity("array")


def creates(files: Files) -> float:
    """The metadata server works on so many at one time."""
    tier = files.machine["filesystems"]["scratch"]["metadata"][1]
    count = files.processes * files.jobs["jobs"][0]["phases"][0]["count"]
    return count * number(tier["costs"]["create"]) / files.members(tier["work"])


@dataclass(frozen=True)
class Case:
    """A machine, its jobs, and the least time that they can take."""

    machine: str
    jobs: str
    least_s: Callable[[Files], float]
    slack: float = SLACK
    whole: bool = False
    """The bound is for the whole run, with what goes on after the processes."""


FLASH = (("ost", "", ""), ("nic", "", "oss"), ("nic", "", "client"))
CASES = (
    Case("flash-lustre", "flash-lustre-jobs", narrowest(*FLASH)),
    Case("nfs-100", "nfs-100-jobs", narrowest(("ssd", "", ""), ("nic", "", "server"))),
    Case("object-store", "object-store-jobs", connections),
    Case("object-store", "object-store-many-jobs", connections),
    Case("gpu-nodes", "gpu-nodes-jobs", small_reads),
    Case("tape-archive", "tape-archive-jobs", recalls),
    Case("burst-drain", "burst-drain-jobs", drained, whole=True),
    Case("laptop", "laptop-jobs", narrowest(("ssd", "write", ""))),
    Case("laptop", "laptop-read-jobs", narrowest(("ssd", "read", ""))),
    Case("raid-battery", "raid-battery-jobs", commits),
    Case("raid-battery", "raid-battery-stream-jobs", past_the_cache),
    Case("slow-mds", "slow-mds-jobs", creates),
    Case("ior", "ior-own-jobs", narrowest(("ost", "", ""))),
    # Locks come on top here, and no bound knows of them: the run must not be faster.
    Case("ior", "ior-shared-jobs", narrowest(("ost", "", "")), slack=0.2),
)


def seconds(case: Case, engine: EngineName) -> float:
    """Carry out a case, with all identities checked; return how long it takes."""
    plan = load_plan(FOLDER / f"{case.machine}.yaml", FOLDER / f"{case.jobs}.yaml")
    result = run_plan(plan, engine=engine, debug=True)
    return (result.end_ns if case.whole else result.elapsed_ns) / 1e9


@pytest.mark.parametrize("engine", ["native", pytest.param("reference", marks=pytest.mark.slow)])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.jobs.removesuffix("-jobs"))
def test_it_is_as_fast_as_its_narrowest_resource_and_never_faster(
    case: Case, engine: EngineName
) -> None:
    least = case.least_s(Files(FOLDER / f"{case.machine}.yaml", FOLDER / f"{case.jobs}.yaml"))
    taken = seconds(case, engine)
    assert taken >= least * (1 - 1e-9)
    assert taken <= least / (1 - case.slack)


def test_each_machine_and_each_job_of_the_folder_is_used() -> None:
    used = {name for case in CASES for name in (case.machine, case.jobs)}
    assert {path.stem for path in FOLDER.glob("*.yaml")} == used
    assert len({case.machine for case in CASES}) >= 10
