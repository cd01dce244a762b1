"""SVIO by hand: printing ends in the SSU; the copy to the front end comes after the job."""

from __future__ import annotations

from simulator.engine.reference import run_reference
from simulator.machine.actor import Actor, Steps
from simulator.machine.crossbar import Port
from simulator.machine.disk import Disk
from simulator.machine.lan import Lan
from simulator.machine.station import Station
from simulator.machine.volumes import Backing, VolumeFile
from simulator.paths.svio import Svio
from tests.actors import act
from tests.plans import DISK, LINK, PATH, PORT, WRITE_CHANNEL, a_file, job, phase, plan


def svio() -> tuple[Svio, Disk]:
    disk = Disk("d0", DISK)
    backing = Backing(Station("paths", PATH), [[disk]], [VolumeFile(0, 1, base=0, first=0)])
    port = Port(Station("ssu.in", PORT), Station("ssu.out", PORT))
    channel = Station("channel", WRITE_CHANNEL)
    return Svio(port, channel, Lan(Station("lan", LINK)), backing, piece_size=60), disk


def test_printing_only_crosses_into_the_ssu() -> None:
    path, disk = svio()
    port = Port(Station("pe.in", PORT), Station("pe.out", PORT))

    def life(actor: Actor) -> Steps:
        yield from path.write(actor, port, 250)

    (client,) = act(life)
    assert client.now == 30 + 4 * 250
    assert client.spent == {"channel": [0, 1030]}
    assert (path.port.inward.bytes, disk.requests) == (250, 0)


def test_the_copy_goes_piece_by_piece_over_the_lan_to_disk() -> None:
    path, disk = svio()

    def life(actor: Actor) -> Steps:
        yield from path.copy_out(actor, 0, 130)

    (copier,) = act(life)
    pieces = [(200 + 10 * n) + (40 + 6 * n) + (50 + 8 * n) for n in (60, 60, 10)]
    assert copier.now == 1000 + sum(pieces)
    assert (disk.requests, disk.bytes) == (3, 130)


COPY = (200 + 400) + (40 + 240) + 1000 + (50 + 320)
"""40 bytes over the LAN and the path to another place of the disk."""


def test_nobody_waits_for_the_copy_after_a_job() -> None:
    printed = plan(job(phase("write", 32, path="svio")), files=[a_file(0, size=40, cached=False)])
    result = run_reference(printed, debug=True)
    assert result.elapsed_ns == (10 + 32) + 1100 + (30 + 160)
    assert result.end_ns == result.elapsed_ns + COPY
    assert result.parts["disk0"].bytes == 40


def test_files_are_copied_one_after_the_other() -> None:
    """Two copies of one job once shared a process's clock, and disturbed each other."""
    where = VolumeFile(volumes=0, stripes=1, base=5000, first=0)
    files = [a_file(0, size=40, cached=False), a_file(0, size=40, cached=False, where=where)]
    phases = [phase("write", 32, file=file, path="svio") for file in (1, 0)]
    result = run_reference(plan(job(*phases), files=files), debug=True)
    assert result.end_ns == result.elapsed_ns + 2 * COPY
    assert result.parts["disk0"].bytes == 80


def test_a_file_printed_twice_is_copied_once() -> None:
    phases = [phase("write", 32, path="svio")] * 2
    files = [a_file(0, size=40, cached=False)]
    result = run_reference(plan(job(*phases, repeat=2), files=files), debug=True)
    assert result.parts["ssu.write"].bytes == 160
    assert result.parts["disk0"].bytes == 40


def test_the_end_of_a_job_is_when_its_copy_begins() -> None:
    files = [a_file(0, size=40, cached=False)]
    late = job(phase("write", 32, path="svio"), start_ns=7000)
    result = run_reference(plan(late, files=files), timeline=True)
    copy = next(span for span in result.spans if span.part == "lan")
    assert copy.start_ns == result.elapsed_ns
