"""A rate and an overhead for reading and for writing, in one direction at a time or in both."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.answers.levers import levers_of
from simulator.config import ConfigError
from simulator.config.formats import MACHINE
from simulator.config.machine_file import Machine
from simulator.config.section import Choice, Named, fields_of
from simulator.config.sources import provenance
from simulator.inputfile import Text
from simulator.run import load_plan, run_plan

MACHINE_TEXT = """
format: machine/2
name: apart
parts:
  cpu: {{kind: cpu, call_overhead: 0 s, copy_rate: 1000 GB/s}}
  flash: {{kind: {kind}, rate: 1 GB/s, overhead: {overhead}}}
filesystems:
  home: [flash]
"""
WORKLOAD = """
format: workload/2
name: both
files: {source: {size: 1 MB, exists: true}, copy: {size: 1 MB}}
jobs:
  - {name: job, record: 100 kB, phases: [{do: read, file: source}, {do: write, file: copy}]}
"""


def elapsed(overhead: str, kind: str, engine: str) -> tuple[int, int]:
    machine = Text(MACHINE_TEXT.format(kind=kind, overhead=overhead), "apart")
    plan = load_plan(machine, Text(WORKLOAD, "both"))
    result = run_plan(plan, engine=engine, debug=True)  # type: ignore[arg-type]
    return result.mean_calls_ns("read"), result.mean_calls_ns("write")


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("kind", ["queue", "delay"])
def test_each_direction_takes_its_own(kind: str, engine: str) -> None:
    read, write = elapsed("{read: 80 us, write: 1 ms}", kind, engine)
    usual = elapsed("0 s", kind, engine)
    assert (read - usual[0], write - usual[1]) == (10 * 80_000, 10 * 1_000_000)


def test_its_lever_moves_both() -> None:
    text = MACHINE_TEXT.format(kind="queue", overhead="{read: 80 us, write: 1 ms}")
    machine = MACHINE.parse(text, "apart", ())[0]
    lever = next(
        one for one in levers_of(machine) if (one.resource, one.what) == ("flash", "overhead")
    )
    path, moved = lever.settings("twice")[0]
    assert (path, moved) == ("machine.parts.flash.overhead", "{read: 40 us, write: 500 us}")


BESIDE = """
format: machine/2
name: beside
parts:
  cpu: {{kind: cpu, call_overhead: 0 s, copy_rate: 1000000 GB/s}}
  flash: {{{part}}}
filesystems:
  home: [flash]
"""
TWO = """
format: workload/2
name: two
files: {source: {size: 100 MB, exists: true}, target: {size: 100 MB}}
jobs:
  - {name: reader, record: 1 MB, phases: [{do: read, file: source}]}
  - {name: writer, record: 1 MB, phases: [{do: write, file: target}]}
"""
ONCE = TWO.replace("record: 1 MB", "record: 100 MB")


def ends(part: str, engine: str, workload: str = TWO) -> list[int]:
    """Return when the reader and the writer end, in ms."""
    plan = load_plan(Text(BESIDE.format(part=part), "beside"), Text(workload, "two"))
    result = run_plan(plan, engine=engine, debug=True)  # type: ignore[arg-type]
    return [round(one.elapsed_ns / 1e6) for one in result.processes]


@pytest.mark.parametrize("engine", ["native", "reference"])
class TestBeside:
    """A program that reads 100 MB beside one that writes 100 MB."""

    @pytest.mark.parametrize("kind", ["queue", "disk"])
    def test_a_device_has_one_direction_at_a_time(self, kind: str, engine: str) -> None:
        one = ends(f"kind: {kind}, rate: 100 MB/s", engine)
        each = ends(f"kind: {kind}, rate: {{read: 100 MB/s, write: 99 MB/s}}", engine)
        assert one == [1990, 2000]  # in turn, 10 ms each
        assert each == [2000, 2010]  # 1 s of reading and 1.01 s of writing

    @pytest.mark.parametrize("kind", ["queue", "shared"])
    def test_a_channel_with_full_duplex_serves_both_at_once(self, kind: str, engine: str) -> None:
        part = f"kind: {kind}, duplex: full, rate:"
        assert ends(f"{part} {{read: 100 MB/s, write: 50 MB/s}}", engine) == [1000, 2000]
        assert ends(f"{part} 100 MB/s", engine) == [1000, 1000]

    def test_a_delay_lets_both_pass(self, engine: str) -> None:
        rates = "{read: 100 MB/s, write: 50 MB/s}"
        assert ends(f"kind: delay, rate: {rates}", engine) == [1000, 2000]

    def test_an_overhead_for_each_direction_of_a_disk(self, engine: str) -> None:
        overhead = "{read: 1 ms, write: 5 ms}"
        read, write = ends(f"kind: disk, rate: 100 MB/s, overhead: {overhead}", engine)
        assert (read, write) == (99 * 26 + 11, 100 * 26)  # a turn of both is 11 + 15 ms

    def test_servers_are_those_of_both_directions(self, engine: str) -> None:
        rates = "rate: {read: 100 MB/s, write: 50 MB/s}"
        assert ends(f"kind: queue, servers: 2, {rates}", engine) == [1000, 2000]
        assert ends(f"kind: queue, servers: 1, {rates}", engine) == [2980, 3000]

    def test_transfers_in_both_directions_share_a_rate(self, engine: str) -> None:
        rates = "{read: 100 MB/s, write: 50 MB/s}"
        # 1 s and 2 s alone: both have half of it until the reader ends after 2 s.
        assert ends(f"kind: shared, rate: {rates}", engine, ONCE) == [2000, 3000]

    def test_curves_of_each_direction_are_weighed_by_transfers(self, engine: str) -> None:
        rates = "{read: {1: 100 MB/s, 2: 60 MB/s}, write: 50 MB/s}"
        # Two under way: of its own rate the reader's direction has 0.6, the writer's 1: 0.8 in all,
        # and each half of that. The reader's 1 s takes 2.5 s; the writer has 1 s of its 2 s left.
        assert ends(f"kind: shared, rate: {rates}", engine, ONCE) == [2500, 3500]

    def test_both_curves_count(self, engine: str) -> None:
        rates = "{read: {1: 100 MB/s, 2: 60 MB/s}, write: {1: 50 MB/s, 2: 20 MB/s}}"
        assert ends(f"kind: shared, rate: {rates}", engine, ONCE) == [4000, 5000]  # 0.6 and 0.4


def test_a_tape_has_a_rate_for_each_direction() -> None:
    part = "kind: tape, mount: 1 s, rate: {read: 100 MB/s, write: 50 MB/s}"
    assert ends(part, "reference", ONCE) == ends(part, "native", ONCE) == [2000, 5000]


@pytest.mark.parametrize(
    ("part", "line"),
    {
        "kind: disk, rate: {read: 100 MB/s}": "parts.flash.rate: write is missing; write it like",
        "kind: shared, rate: {read: 1 MB/s, 2: 1 MB/s}": "parts.flash.rate.2: unknown key; ",
        "kind: shared, rate: {read: {0: 1 MB/s}, write: 1 MB/s}": (
            "parts.flash.rate.read.0: '0' is not a number of transfers from 1 to 10000"
        ),
        "kind: disk, rate: 1 MB/s, duplex: full": "parts.flash.duplex: unknown key",
        "kind: queue, rate: 1 MB/s, duplex: both": (
            "parts.flash.duplex: 'both' is unknown; write full or half"
        ),
        "kind: queue, noise: {run: {read: 1 %, write: 2 %}}": (
            "parts.flash.noise.run: is not the same for reading and writing, which are not served"
            " apart; write one percentage, or 'duplex: full' in the part"
        ),
        "kind: disk, rate: 1 MB/s, noise: {request: {read: 1 %, write: 2 %}}": (
            "parts.flash.noise.request: is not the same for reading and writing, which are not"
            " served apart; write one percentage"
        ),
    }.items(),
)
def test_what_is_no_direction_is_refused(part: str, line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        MACHINE.parse(BESIDE.format(part=part), "beside", ())
    assert f": {line}" in str(caught.value)


def test_a_rate_by_load_for_each_direction_has_a_lever() -> None:
    rates = "{read: {1: 100 MB/s, 2: 60 MB/s}, write: 50 MB/s}"
    machine = MACHINE.parse(BESIDE.format(part=f"kind: shared, rate: {rates}"), "beside", ())[0]
    lever = next(one for one in levers_of(machine) if one.name == "flash.rate")
    twice = "{read: {1: 200 MB/s, 2: 120 MB/s}, write: 100 MB/s}"
    assert lever.settings("twice") == (("machine.parts.flash.rate", twice),)


def test_a_report_has_one_line_for_a_device() -> None:
    part = "kind: queue, rate: {read: 100 MB/s, write: 99 MB/s}"
    plan = load_plan(Text(BESIDE.format(part=part), "beside"), Text(TWO, "two"))
    parts = [one.part for one in run_plan(plan).parts.values()]
    assert parts.count("flash") == 1
    assert not [one for one in parts if one.startswith("flash.")]


def test_the_rate_of_a_direction_can_be_set() -> None:
    rate = "{value: {read: 1 MB/s, write: 2 MB/s}, source: paper 1}"
    text = BESIDE.format(part=f"kind: disk, rate: {rate}")
    path = "machine.parts.flash.rate.read"
    machine = MACHINE.parse(text, "beside", [(path, "5 MB/s")])[0]
    assert (machine.parts["flash"].rate.read, machine.parts["flash"].rate.write) == (5e6, 2e6)  # type: ignore[attr-defined]
    (stated,) = (one for one in provenance(machine) if one.path == "parts.flash.rate")
    assert stated.kind != "paper"
    for wrong, about in (
        (f"{path}.first", "parts.flash.rate.read is one number; set it as a whole"),
        (
            "machine.parts.flash.rate.reed",
            "flash.rate.reed=5 MB.s: unknown key; did you mean 'read'",
        ),
        ("machine.parts.flash.seek.read", "parts.flash.seek is one value without keys"),
    ):
        with pytest.raises(ConfigError, match=about):
            MACHINE.parse(text, "beside", [(wrong, "5 MB/s")])


def test_one_rate_of_a_curve_can_be_set() -> None:
    rates = "{read: {1: 100 MB/s, 2: 60 MB/s}, write: 50 MB/s}"
    text = BESIDE.format(part=f"kind: shared, rate: {rates}")
    setting = ("machine.parts.flash.rate.read.2", "90 MB/s")
    rate = MACHINE.parse(text, "beside", [setting])[0].parts["flash"].rate  # type: ignore[attr-defined]
    assert rate.read.points == ((1, 100e6), (2, 90e6))


def test_of_which_kinds_noise_is_drawn() -> None:
    """The others say which draw it, and the documentation names them."""
    parts = fields_of(Machine)["parts"]
    assert isinstance(parts, Named)
    assert isinstance(parts.item, Choice)
    draw = {kind: "noise" in fields_of(one) for kind, one in parts.item.options.items()}
    noisy, others = ([kind for kind in sorted(draw) if draw[kind] is one] for one in (True, False))
    assert "array" in others
    told = f"this kind draws no noise: {', '.join(noisy[:-1])} and {noisy[-1]} do; leave it out"
    for kind in others:
        text = BESIDE.format(part=f"kind: {kind}, noise: {{run: 3 %}}")
        with pytest.raises(ConfigError, match=f"parts.flash.noise: {told}"):
            MACHINE.parse(text, "beside", [])
    names = [f"`{kind}`" for kind in others]
    text = (Path(__file__).parents[2] / "docs/machines.md").read_text(encoding="utf-8")
    assert f"**Noise**: all kinds but {', '.join(names[:-1])} and {names[-1]} may have" in text
