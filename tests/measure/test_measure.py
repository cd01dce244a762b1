"""Measuring a folder: the derivation on known machines, real probes, and what is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.cli.main import main
from simulator.config.formats import MACHINE
from simulator.measure.derived import committing, derive
from simulator.measure.facts import Facts, facts_of
from simulator.measure.fitting import Line, Point, Samples, line, saturation
from simulator.measure.folder import FolderError, own_folder
from simulator.measure.machine import machine_name
from simulator.measure.probe import KIB, MIB, Kind, Limits, Measured, Probe, Sample, probes_of
from simulator.measure.probing import Measurement, possible, probed
from simulator.report.measurement import unknown
from simulator.study.measurement import checked, machine_text, simulated
from tests.measure.lab import FACTS

LINUX = pytest.mark.skipif(not hasattr(os, "preadv"), reason="needs fork and preadv")
LIMITS = Limits(256 * MIB, 60.0, 4, quick=True)
TINY = Limits(8 * MIB, 0.2, 2, quick=True)
KNOWN = """
format: machine/2
name: known
nodes: {{pc: 1}}
parts:
  cpu: {{kind: cpu, at: pc, copy_rate: 1000000 MB/s, call_overhead: 1 us, record_overhead: 0 s}}
  memory:
    kind: delay
    at: pc
    overhead: {{read: 0 s, write: 2 us}}
    rate: {{read: 10 GB/s, write: 4 GB/s}}
  lookup: {{kind: queue, at: pc, servers: 2, overhead: 5 us}}
  latency: {{kind: delay, at: pc, overhead: {{read: {read}, write: {write}}}}}
  device:
    kind: queue
    at: pc
    rate: {{read: 2 GB/s, write: 1 GB/s}}
    overhead: {{read: {each_read}, write: {each_write}}}
stores:
  pages: {{at: pc, capacity: 8 GiB, extent: 16 MiB, read_ahead: 128 KiB, writers: 16}}
filesystems:
  home:
    tiers: [[memory], pages, latency, device]
    metadata: [{{work: lookup, costs: {{{costs}}}}}]
"""
COSTS = {
    "open": 6, "create": 300, "close": 4, "stat": 5, "lookup": 3, "unlink": 70, "rename": 90,
    "mkdir": 400, "rmdir": 900, "readdir": 12, "setattr": 6,
}  # fmt: skip
"""Microseconds."""


class SimulatedProber:
    """Probes on a simulated machine: what is derived from them has to be this machine again."""

    def __init__(self, machine: str) -> None:
        self._machine = machine
        self._known: dict[Probe, float] = {}

    def sample(self, probe: Probe, repetition: int, seconds: float) -> Sample:
        """Return the same sample each time."""
        del repetition, seconds
        if probe not in self._known:
            self._known[probe] = simulated(self._machine, probe)
        calls = probe.calls * probe.processes
        return Sample(calls, calls * self._known[probe])


def known(
    read: str = "60 us", write: str = "800 us", each_read: str = "30 us", each_write: str = "400 us"
) -> str:
    costs = ", ".join(f"{kind}: {cost} us" for kind, cost in COSTS.items())
    return KNOWN.format(
        read=read, write=write, each_read=each_read, each_write=each_write, costs=costs
    )


def on(machine: str, facts: Facts = FACTS) -> Measurement:
    """All probes on a simulated machine."""
    return Measurement(facts, LIMITS, tuple(probed(SimulatedProber(machine), facts, LIMITS)), "lab")


# -- closed forms -------------------------------------------------------------------------------


def test_a_disturbed_point_hardly_moves_a_line() -> None:
    points = [Point(size, 100e-6 + size / 1e9) for size in (4096, 8192, 16384, 65536, 1 << 20)]
    disturbed = [*points[:2], points[2]._replace(seconds=points[2].seconds * 5), *points[3:]]
    fit = line(disturbed)
    assert fit.latency == pytest.approx(100e-6, rel=0.05)
    assert 1 / fit.per_byte == pytest.approx(1e9, rel=0.05)


def test_a_known_part_is_left_out_and_nothing_is_negative() -> None:
    points = [Point(size, 50e-6 + size / 1e9, size / 1e9) for size in (4096, 1 << 20)]
    assert line(points, flat=True).latency == pytest.approx(50e-6)
    assert line([Point(4096, 1e-6), Point(1 << 20, 1e-3)]).latency >= 0
    assert line([Point(4096, 1e-3), Point(1 << 20, 0.5e-3)]).per_byte == 0
    with pytest.raises(ValueError, match="no points"):
        line([])


def test_saturation_is_seen_when_more_processes_bring_little() -> None:
    assert saturation({1: 100.0, 2: 198.0, 4: 390.0}).reached is False
    full = saturation({1: 100.0, 2: 195.0, 4: 205.0})
    assert (full.reached, full.servers) == (True, 2)
    assert saturation({1: 100.0}).reached is False


def test_quartiles_are_those_of_the_samples() -> None:
    one = Measured(Probe("stat"), [Sample(10, 10 * t) for t in (1.0, 2.0, 3.0, 4.0, 5.0)])
    assert (one.median, one.quartiles) == (3.0, (2.0, 4.0))


# -- a known machine is found again -------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "write", "each_read", "each_write"),
    [(20, 100, 80, 50), (400, 3000, 200, 2000)],
)
def test_a_known_machine_is_derived_from_its_probes(
    read: int, write: int, each_read: int, each_write: int
) -> None:
    machine = known(f"{read} us", f"{write} us", f"{each_read} us", f"{each_write} us")
    found = derive(on(machine))
    assert found.read is not None
    assert found.write is not None
    close = {"rel": 0.1}
    assert found.call.value * 1e6 == pytest.approx(1, **close)
    assert found.write_call.value * 1e6 == pytest.approx(2, **close)
    assert found.read_copy.value / 1e9 == pytest.approx(10, **close)
    assert found.write_copy.value / 1e9 == pytest.approx(4, **close)
    assert found.metadata.value * 1e6 == pytest.approx(5, **close)
    assert found.metadata_servers.value == 2
    assert found.read.overhead.value * 1e6 == pytest.approx(each_read, **close)
    costs = {kind: round(cost.value * 1e6, 1) for kind, cost in found.costs.items()}
    assert costs == pytest.approx(COSTS, rel=0.05, abs=0.1)
    # What is left of the whole: within a part of that.
    whole = 0.05 * (read + each_read)
    assert found.read.latency.value * 1e6 == pytest.approx(read, abs=whole)
    assert found.write.overhead.value * 1e6 == pytest.approx(each_write, **close)
    whole = 0.05 * (write + each_write)
    assert found.write.latency.value * 1e6 == pytest.approx(write, abs=whole)
    assert found.write.rate.value / 1e9 == pytest.approx(1, **close)


def test_its_own_probes_come_out_the_same_on_the_derived_machine() -> None:
    measurement = on(known())
    checks = checked(machine_text(measurement, derive(measurement), "again"), measurement)
    held_out = [one for one in checks if one.measured.probe.held_out]
    assert held_out
    for one in checks:
        assert abs(one.error) < 0.15, one.measured.probe.name


def test_samples_with_spread_give_the_value_of_their_median() -> None:
    class Disturbed(SimulatedProber):
        def sample(self, probe: Probe, repetition: int, seconds: float) -> Sample:
            one = super().sample(probe, repetition, seconds)
            return replace(one, seconds=one.seconds * (9 if repetition == 1 else 1))

    measured = tuple(probed(Disturbed(known()), FACTS, LIMITS))
    found = derive(Measurement(FACTS, LIMITS, measured, "lab"))
    assert found.read is not None
    assert found.read.latency.value * 1e6 == pytest.approx(60, rel=0.1)
    assert "quartiles" in found.read.latency.note


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["journal", "queue", "delay"])
def test_what_a_sync_takes_beside_its_data_is_found_again(kind: str) -> None:
    part = f"  commit: {{kind: {kind}, at: pc, overhead: 4 ms}}\nstores:"
    machine = known("60 us", "80 us", "20 us", "20 us").replace("stores:", part)
    machine = machine.replace("pages, latency", "pages, {sync: commit}, latency")
    measurement = on(machine)
    found = derive(measurement)
    assert found.commit is not None
    assert found.write is not None
    assert found.commit_kind == kind
    assert found.commit.value * 1e3 == pytest.approx(4, rel=0.02)
    assert found.write.latency.value * 1e6 == pytest.approx(80, abs=5)
    assert found.write.rate.value / 1e9 == pytest.approx(1, rel=0.1)
    for one in checked(machine_text(measurement, found, "again"), measurement):
        assert abs(one.error) < 0.15, one.measured.probe.name


def test_a_commit_is_a_sync_less_its_write() -> None:
    def probe(kind: Kind, processes: int, seconds: float) -> Measured:
        calls = 10 * processes
        one = Probe(kind, 4 * KIB, 10, processes)
        return Measured(one, [Sample(calls, calls * seconds)])

    writes = [probe("direct-write", 1, 100e-6), probe("sync-write", 1, 4.1e-3)]
    cached = Line(2e-6, 1e-9)
    for seconds, kind in ((4e-3, "queue"), (1.02e-3, "delay"), (2e-3, "journal")):
        found = Samples([*writes, probe("sync-write", 4, seconds)])
        commit, part = committing(found, cached)
        assert commit is not None
        assert commit.value == pytest.approx(4.1e-3 - 100e-6 - 2e-6 - 4096e-9)
        assert part == kind
    none = Samples([probe("direct-write", 1, 4e-3), probe("sync-write", 1, 4.1e-3)])
    assert committing(none, cached) == (None, "")


@pytest.mark.slow
def test_without_direct_writes_a_sync_is_that_of_the_device() -> None:
    measurement = on(known(), replace(FACTS, direct=False))
    assert "direct-write" not in {one.probe.kind for one in measurement.measured}
    found = derive(measurement)
    assert found.write is not None
    assert found.commit is None
    assert found.write.latency.value * 1e6 == pytest.approx(800, rel=0.1)


# -- what could not be measured -----------------------------------------------------------------


def test_a_file_system_in_memory_has_no_device() -> None:
    facts = replace(FACTS, filesystem="tmpfs")
    measurement = on(known(), facts)
    assert not [one for one in measurement.measured if one.probe.kind == "read"]
    text = machine_text(measurement, derive(measurement), "memory")
    machine = MACHINE.parse(text, "memory", ())[0]
    assert "device" not in machine.parts
    assert all(
        abs(one.error) < 0.15
        for one in checked(text, measurement)
        if "sync" not in one.measured.probe.kind
    )
    assert unknown(measurement) == ["a device, since tmpfs keeps files in memory"]


def test_a_device_that_cannot_be_read_is_assumed_with_a_reason() -> None:
    measurement = on(known(), replace(FACTS, direct=False, drops=False, dirty=None))
    text = machine_text(measurement, derive(measurement), "unread")
    machine = MACHINE.parse(text, "unread", ())[0]
    sources = machine.origin.sources
    assert sources["parts.device.rate"].kind == "assumed"
    assert "reads could not be made to pass the page cache" in sources["parts.device.rate"].note
    assert sources["stores.pages.dirty"].kind == "assumed"
    assert "could not be read" in sources["stores.pages.dirty"].note
    assert "reads of the device" in unknown(measurement)[0]


def test_without_dropping_pages_only_random_reads_are_made() -> None:
    measurement = on(known(), replace(FACTS, drops=None))
    kinds = {one.probe.kind for one in measurement.measured}
    assert "random-read" in kinds
    assert "read" not in kinds
    assert (found := derive(measurement).read) is not None
    assert found.rate.value / 1e9 == pytest.approx(2, rel=0.1)


# -- the command --------------------------------------------------------------------------------


@LINUX
@pytest.mark.slow
def test_the_command_writes_a_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "My disk.yaml"
    words = ["measure", str(tmp_path), "-o", str(out), "--quick", "--size", "16 MiB"]
    words += ["--time", "100 ms", "--processes", "1"]
    assert main([*words, "--progress"]) == 0
    said = capsys.readouterr()
    probes = probes_of(Limits(size=16 * MIB, seconds=0.1, processes=1, quick=True))
    many = 10 * sum(possible(one, facts_of(tmp_path)) for one in probes)
    assert f"{many - 1} of {many} probes" in said.err
    assert "what several processes get together" in said.out
    assert "name: my-disk" in out.read_text()
    assert [one.name for one in tmp_path.iterdir()] == [out.name]
    assert main(words) == 2
    assert "is there already" in capsys.readouterr().err
    assert main([*words, "--force", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["machine"] == out.read_text()


@pytest.mark.parametrize(
    ("words", "about"),
    [
        (["--size", "1 MiB"], "is too little; write '16 MiB' or more"),
        (["--size", "4"], "argument --size: "),
        (["--time", "0 s"], "is no time; write it like '60 s'"),
        (["--processes", "0"], "0"),
    ],
)
def test_mistakes_are_named(
    words: list[str], about: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["measure", str(tmp_path), *words]) == 2
    assert about in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_names_of_machines() -> None:
    assert machine_name("9 lives") == "measured-9-lives"
    assert machine_name("Scratch_2") == "scratch-2"


KILLED = """
import os, signal, sys
from pathlib import Path
from simulator.measure.folder import own_folder
with own_folder(Path(sys.argv[1]), 1 << 20) as made:
    (made / "many0").mkdir()
    (made / "many0" / "f").write_bytes(b"x")
    (made / "out").symlink_to(sys.argv[2])
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    "at",
    [
        "",
        "(made / 'data').write_bytes(b'x')",
        "(made / 'a').mkdir(); (made / 'a/b').mkdir(); (made / 'a/b/f').touch(0o000)",
    ],
)
def test_a_run_is_killed_at_some_point(tmp_path: Path, at: str) -> None:
    code = KILLED.replace('(made / "many0").mkdir()', f"{at}\n    os.kill(os.getpid(), 9)")
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path), "/"], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 1
    with own_folder(tmp_path, MIB):
        assert len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.iterdir())


def test_another_folder_in_its_place_is_left_alone(tmp_path: Path) -> None:
    """Somebody who may rename there puts a link in its place while it works."""
    theirs, folder = tmp_path / "theirs", tmp_path / "folder"
    theirs.mkdir()
    folder.mkdir()
    (theirs / "data").write_text("theirs")
    with own_folder(folder, MIB) as made:
        (own,) = folder.iterdir()
        own.rename(folder / "moved")
        own.symlink_to(theirs)
        (made / "data").write_text("ours")
        (made / "many").mkdir()
        assert (folder / "moved" / "data").read_text() == "ours"
    assert (theirs / "data").read_text() == "theirs"
    assert [*folder.iterdir()] == [own]
    assert own.is_symlink()


@pytest.mark.parametrize(("mode", "good"), [(0o755, 1), (0o777, 0), (0o1777, 1), (0o775, 0)])
def test_where_others_may_rename(tmp_path: Path, mode: int, good: bool) -> None:
    tmp_path.chmod(mode)
    if good:
        with own_folder(tmp_path, MIB):
            pass
        return
    with (
        pytest.raises(FolderError, match=r"may rename files here \(d.*write --shared-folder"),
        own_folder(tmp_path, MIB),
    ):
        pass
    with own_folder(tmp_path, MIB, shared=True):
        pass
    assert not list(tmp_path.iterdir())


def test_the_working_folder_is_back(tmp_path: Path) -> None:
    before = Path.cwd()
    with own_folder(tmp_path, MIB) as made:
        assert Path.cwd().parent == tmp_path
        assert made.resolve() == Path.cwd()
    assert Path.cwd() == before


def test_what_a_killed_run_left_is_removed_by_the_next(tmp_path: Path) -> None:
    folder, other = tmp_path / "folder", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (other / "kept").touch()
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(other)], check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = folder.iterdir()
    names = {f"{left.name}x", "nwtsim-measure-abc", left.name.replace("-measure-", "-measure-x")}
    for name in names:
        (folder / name).mkdir()
    link = f"{left.name[:-8]}abcdefgh"
    (folder / link).symlink_to(other)
    with own_folder(folder, MIB) as alive, own_folder(folder, MIB):
        assert not left.exists()
        assert alive.exists()
    assert {one.name for one in folder.iterdir()} == {*names, link}
    assert (other / "kept").exists()
