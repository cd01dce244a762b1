"""What is bought and is not the machine: told before anything runs, or no combination."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.errors import ConfigError
from simulator.inputfile import Text
from simulator.sizing.loads import Loads

MACHINE = """
format: machine/2
name: rack
nodes:
  client: {count: 4, memory: 16 GB}
  server: {count: 2, memory: 64 GB}
  volume: {count: 2, per: server}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s}
  raid: {kind: array, at: volume, disks: 10, level: raid6, rate: 150 MB/s, capacity: 8 TB}
stores:
  pages: {at: client, capacity: 8 GB}
  cache: {at: volume, capacity: 8 GB}
filesystems:
  scratch:
    tiers:
      - pages
      - {stripe: 1 MiB, over: 2, of: volume}
      - {route: [nic], request: 1 MiB}
      - cache
      - raid
"""
JOB = """
format: workload/2
name: job
files: {out: {size: 8 MiB}}
jobs: [{name: job, processes: 4, record: 1 MiB, policy: posix, phases: [{do: write, file: out}]}]
"""
NEED = """\
format: requirement/1
name: need
machine: MACHINE
workloads: {job: {workload: JOB}}
targets: [{workload: job, elapsed: 1 h}]
catalogue:
  server: {price: 9000}
  disk: {price: 300, size: 8 TB}
  memory: {price: 60}
choices:
  servers: {set: server, values: [2, 3], buys: {server: 1}}
  volumes: {set: volume, values: [1, 2, 3], per: servers, buys: {disk: 10}, redundancy: 8+2}
  cache:
    set: cache.capacity
    values: [8 GB, 16 GB]
    per: volumes
    unit: 8 GB
    buys: {memory: 1}
"""
ALONE = """
format: machine/2
name: pc
nodes: {pc: {memory: 32 GB}}
parts:
  raid: {kind: array, at: pc, count: 2, disks: LEVEL, rate: 150 MB/s, capacity: 4 TB}
  flash: {kind: queue, at: pc, rate: 2 GB/s}
stores:
  buffer: {at: pc, capacity: 1 TB}
filesystems:
  home: [[flash], buffer, [flash], raid]
"""
BUY = """\
format: requirement/1
name: buy
machine: MACHINE
workloads: {job: {workload: JOB}}
targets: [{workload: job, elapsed: 1 h}]
catalogue:
  disk: {price: 300, size: 4 TB}
  flash: {price: 500}
choices:
  arrays: CHOICE
  buffer: {set: buffer.capacity, values: [1 TB, 2 TB], unit: 1 TB, buys: {flash: 1}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the machine and the job."""
    (tmp_path / "rack.yaml").write_text(MACHINE)
    (tmp_path / "job.yaml").write_text(JOB)
    return tmp_path


def need(folder: Path, *changes: tuple[str, str], text: str = NEED) -> Text:
    text = text.replace("MACHINE", str(folder / "rack.yaml"))
    text = text.replace("JOB", str(folder / "job.yaml"))
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return Text(text, "need.yaml")


def told(folder: Path, *changes: tuple[str, str]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        Loads(need(folder, *changes))
    return [str(one) for one in caught.value.problems]


def test_what_agrees_is_not_refused(folder: Path) -> None:
    loads = Loads(need(folder))
    assert not loads.impossible
    assert len(list(loads.offer.configurations())) == loads.offer.size == 12


WRONG = {
    ("redundancy: 8+2", "redundancy: 4+1"): (
        "12: choices.volumes.redundancy: a redundancy of 4+1, of raid, which is RAID 6 of 10"
        " disks; write 'redundancy: 8+2'"
    ),
    ("buys: {disk: 10}, redundancy: 8+2", "buys: {disk: 8}, redundancy: 6+2"): (
        "12: choices.volumes.redundancy: a redundancy of 6+2, of raid, which is RAID 6 of 10"
        " disks; write 'redundancy: 8+2', or 'set: {raid.disks: 8}' too"
    ),
    (", redundancy: 8+2", ""): (
        "12: choices.volumes: a redundancy of none, of raid, which is RAID 6 of 10 disks; write"
        " 'redundancy: 8+2'"
    ),
    ("buys: {disk: 10}", "buys: {disk: 20}"): (
        "12: choices.volumes.values: 40 disk, and raid has 20: 2 x 10 disks; buy 10 for each of"
        " them, or set how many there are (raid.count)"
    ),
    ("size: 8 TB", "size: 4 TB"): (
        "8: catalogue.disk.size: disk of 4 TB, and a disk of raid has a capacity of 8 TB; write"
        " the same, or 'set: {raid.capacity: 4 TB}' in the choice"
    ),
    ("[8 GB, 16 GB]", "[8 GB, 16 GB, 128 GB]"): (
        "15: choices.cache.values: cache has 128 GB of a server, whose memory is 64 GB; write"
        " less, or decide on the memory too ('set: [cache.capacity, server.memory]')"
    ),
    ("per: servers, ", ""): (
        "12: choices.volumes.per: volume is in each server, and servers decides how many there"
        " are; write 'per: servers'"
    ),
    ("    per: volumes\n", ""): (
        "13: choices.cache.per: cache is in each volume, and volumes decides how many there are;"
        " write 'per: volumes'"
    ),
}


@pytest.mark.parametrize(("change", "message"), WRONG.items(), ids=map(str, range(len(WRONG))))
def test_each_contradiction_is_told_where_it_is(
    folder: Path, change: tuple[str, str], message: str
) -> None:
    (one,) = told(folder, change)
    place, _, about = message.partition(": ")
    assert one.endswith(about)
    assert one.split(":")[:2] == ["need.yaml", place]


def test_all_of_them_are_told_at_once(folder: Path) -> None:
    found = told(folder, ("redundancy: 8+2", "redundancy: 4+1"), ("size: 8 TB", "size: 4 TB"))
    assert [one.split(": ")[1] for one in found] == [
        "catalogue.disk.size",
        "choices.volumes.redundancy",
    ]


def test_of_some_combinations_those_are_left_out(folder: Path) -> None:
    """32 GB in each volume: 96 GB in a server of three, whose memory is 64 GB."""
    loads = Loads(need(folder, ("[8 GB, 16 GB]", "[8 GB, 32 GB]")))
    assert loads.impossible == {"cache has 96 GB of a server, whose memory is 64 GB": 2}
    left = {one.levels[1:] for one in loads.offer.configurations()}
    assert ("2", "32 GB") in left
    assert ("3", "32 GB") not in left
    assert len(list(loads.offer.configurations())) == 10


def alone(folder: Path, level: str, choice: str) -> Loads:
    """Load a machine of two arrays, behind a buffer of flash."""
    (folder / "rack.yaml").write_text(ALONE.replace("LEVEL", level))
    return Loads(need(folder, text=BUY.replace("CHOICE", choice)))


@pytest.mark.parametrize(
    ("level", "redundancy", "count"),
    [("8, level: mirror", "mirror", 16), ("5, level: raid5", "4+1", 10)],
)
def test_levels_and_numbers_of_disks(folder: Path, level: str, redundancy: str, count: int) -> None:
    """A buffer on flash, which stands before and behind it, is in no memory."""
    choice = "{values: [1], buys: {disk: %d}, redundancy: %s}"
    assert not alone(folder, level, choice % (count, redundancy)).impossible
    with pytest.raises(ConfigError, match=f"{2 * count} disk, and raid has {count}: 2 x"):
        alone(folder, level, choice % (2 * count, redundancy))


def test_fewer_disks_than_run_are_refused_as_more_are(folder: Path) -> None:
    """Whoever buys disks for arrays buys all that run; two choices may do so together."""
    more = "{options: {one: {set: {raid.count: 1}}, two: {buys: {disk: 5}, redundancy: 4+1}}}"
    with pytest.raises(ConfigError, match=r"options\.two: 5 disk, and raid has 10: 2 x 5 disks"):
        alone(folder, "5, level: raid5", more)
    counted = "{set: raid.count, values: [2, 3], buys: {disk: 10}, redundancy: 4+1}"
    with pytest.raises(ConfigError, match="20 disk, and raid has 10: 2 x 5 disks"):
        alone(folder, "5, level: raid5", counted)
    both = (
        "{values: [1], buys: {disk: 5}, redundancy: 4+1}\n"
        "  more: {options: {none: {set: {raid.count: 1}}, twice: {buys: {disk: 5}}},"
        " redundancy: 4+1}"
    )
    assert not alone(folder, "5, level: raid5", both).impossible


def test_the_command_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "need.yaml"
    file.write_text(need(folder, ("redundancy: 8+2", "redundancy: 4+1")).text)
    assert main(["size", str(file)]) == 2
    assert "need.yaml:12:" in capsys.readouterr().err
    file.write_text(need(folder, ("[8 GB, 16 GB]", "[8 GB, 32 GB]")).text)
    assert main(["size", str(file), "--jobs", "1"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    about = "cache has 96 GB of a server, whose memory is 64 GB"
    assert f"10 can be built (2 contradict the machine: {about})" in said


def test_what_the_machine_refuses_beside_some_values_only_is_left_out(folder: Path) -> None:
    """Stripes over 3 volumes: one server of two volumes, if one of two is gone, has too few."""
    (folder / "rack.yaml").write_text(MACHINE.replace("over: 2", "over: 3"))
    states = (
        (
            "targets: [{workload: job, elapsed: 1 h}]",
            "targets:\n  - {workload: job, elapsed: 1 h}\n"
            "  - {workload: job, elapsed: 2 h, states: a server less}\n"
            "states: {a server less: {less: {servers: 1}}}",
        ),
    )
    load = f"{{workload: {folder / 'job.yaml'}}}"
    loads = Loads(need(folder, *states, (load, load.replace("}", ", per_day: 2}"))))
    few = "filesystems.scratch.tiers.1.over: 3 is more than the"
    assert loads.impossible == {
        f"{few} 2 of volume": 2,
        f"a server less: {few} 2 of volume": 4,
    }


def test_what_the_machine_always_refuses_is_an_error(folder: Path) -> None:
    (folder / "rack.yaml").write_text(MACHINE.replace("over: 2", "over: 9"))
    found = told(folder, ("[2, 3]", "[2]"), ("[1, 2, 3]", "[1, 2]"))
    assert found
    assert all("tiers.1.over: 9 is more than the" in one for one in found)


FLASH_MACHINE = """\
format: machine/2
name: burst
nodes: {client: 2, server: {count: 1, memory: 64 GB}}
parts:
  nic: {kind: network, at: [client, server], rate: 1 GB/s}
  disk: {kind: disk, at: server, rate: 200 MB/s}
  bb: {kind: queue, at: server, rate: 2 GB/s}
stores:
  flash: {at: server, capacity: 1 TB}
filesystems:
  home: [{route: [nic]}, disk]
"""
FLASH_NEED = """\
format: requirement/1
name: need
machine: burst.yaml
workloads: {w: {workload: w.yaml}}
targets: [{workload: w, elapsed: 100 s}]
catalogue: {server: {price: 1000}, flash: {price: 100}}
choices:
  servers: {set: server, values: [1, 2], buys: {server: 1}}
  kind:
    options:
      plain: {}
      buffered:
        set: {machine.filesystems.home: "[{route: [nic]}, [bb], flash, [bb], disk]"}
        buys: {flash: 1}
"""
FLASH_WORK = """\
format: workload/2
name: w
files: {out: {size: 10 MB}}
jobs: [{name: a, record: 1 MB, phases: [{do: write, file: out}]}]
"""


def test_flash_of_a_burst_buffer_is_no_memory_of_its_server(tmp_path: Path) -> None:
    """It is in no file system before an option puts it there, between the same part."""
    (tmp_path / "burst.yaml").write_text(FLASH_MACHINE)
    (tmp_path / "w.yaml").write_text(FLASH_WORK)
    need = tmp_path / "need.yaml"
    need.write_text(FLASH_NEED)
    assert main(["check", str(need)]) == 0
