"""Ranges of values: what a file may say, what is drawn from it, and what is held."""

import math
import statistics

import pytest

from simulator.config import ConfigError
from simulator.config.range import Ends, Fitted, read_range
from simulator.config.yamltree import Place, Scalar
from simulator.inputfile import Text
from simulator.report.calibration import fitted_machine
from simulator.run import load_inputs
from simulator.study.calibrate import calibrate
from simulator.study.ranges import Uncertain, uncertain_of
from simulator.study.sample import saltelli

MACHINE = """
format: machine/2
name: disk
parts:
  disk:
    kind: disk
    rate: {RATE}
    seek: {SEEK}
    rotation: {ROTATION}
filesystems: {home: [disk]}
"""
READ = """
format: workload/2
name: reads
files: {input: {size: 1 MB, exists: true}}
jobs:
  - {name: reader, record: 64 kB, phases: [{do: read, file: input, order: random}]}
"""


def groups_of(
    rate: str = "value: 100 MB/s", seek: str = "value: 8 ms", rotation: str = "value: 8 ms"
):
    text = MACHINE
    for key, value in (("RATE", rate), ("SEEK", seek), ("ROTATION", rotation)):
        text = text.replace(key, value)
    inputs = load_inputs(Text(text, "disk.yaml"), Text(READ, "reads.yaml"))
    return uncertain_of(inputs.machine, inputs.workload)


def drawn(one: Uncertain, chance: float) -> float:
    return float(one.at(chance).split()[0])


def test_range_in_percent_is_of_the_value_and_even_in_its_logarithm():
    ((one,), held) = groups_of("value: 100 MB/s, source: assumed, range: 20 %")
    (value,) = one.values
    assert (drawn(value, 0.0), drawn(value, 1.0)) == pytest.approx((80e6, 120e6))
    assert drawn(value, 0.5) == pytest.approx(math.sqrt(80e6 * 120e6))
    assert (value.words(), value.default, held.unsourced >= 2) == ("20 %", False, True)


def test_range_of_two_ends_is_as_written():
    ((one,), _) = groups_of(seek="value: 8 ms, source: assumed, range: [2 ms, 32 ms]")
    (value,) = one.values
    assert [drawn(value, chance) for chance in (0.0, 0.5, 1.0)] == [2e6, 8e6, 32e6]
    assert value.words() == "2.00 ms - 32.0 ms"


def test_range_from_nothing_is_even():
    ((one,), _) = groups_of(seek="value: 8 ms, source: assumed, range: [0 ms, 32 ms]")
    assert [drawn(one.values[0], chance) for chance in (0.0, 0.5, 1.0)] == [0, 16e6, 32e6]


@pytest.mark.parametrize(
    ("source", "low", "high", "told"),
    [
        ("assumed", 50e6, 200e6, "a factor of 2 (default)"),
        ("calibrated x", 90e6, 110e6, "10 % (default)"),
    ],
)
def test_rate_without_a_range_has_a_default_that_says_so(source, low, high, told):
    ((one,), _) = groups_of(f"value: 100 MB/s, source: {source}")
    (value,) = one.values
    assert (drawn(value, 0.0), drawn(value, 1.0)) == pytest.approx((low, high))
    assert (value.words(), value.default) == (told, True)


@pytest.mark.parametrize(
    ("text", "ends", "chances", "drawn"),
    [
        ("4", Ends(2, 9, relative=False), (0.0, 0.5, 1.0), ["2", "4", "9"]),
        ("4", Ends(0.8, 1.2, relative=True), (0.0, 0.5, 1.0), ["3", "4", "5"]),
        ("0.5", Ends(0.2, 0.8, relative=False), (0.0, 0.5, 1.0), ["0.2", "0.4", "0.8"]),
        ("60 %", Ends(40, 90, relative=False), (0.0, 0.5, 1.0), ["40 %", "60 %", "90 %"]),
        ("90 %", Fitted(0.5), (0.5, 0.9), ["90 %", "100 %"]),
        (
            "8 MB",
            Ends(0.5, 2, relative=True),
            (0.0, 0.5, 1.0),
            ["4000000 B", "8000000 B", "16000000 B"],
        ),
    ],
)
def test_value_of_any_dimension_is_drawn_in_its_own_unit(text, ends, chances, drawn):
    one = Uncertain("machine.x", text, "assumed", ends, False)
    assert [one.at(chance) for chance in chances] == drawn


def test_room_of_a_store_stays_a_multiple_of_its_block():
    one = Uncertain("machine.x", "9 MB", "assumed", Ends(0.5, 2, relative=True), False, 3_000_000)
    assert [one.at(chance) for chance in (0.0, 0.4, 1.0)] == [
        "6000000 B",
        "9000000 B",
        "18000000 B",
    ]


@pytest.mark.parametrize("source", ["paper 2.1", "measured with dd"])
def test_what_is_printed_or_measured_is_held(source):
    found, held = groups_of(f"value: 100 MB/s, source: {source}")
    assert (found, held.other) == ([], 0)


def test_both_numbers_of_a_value_go_together():
    text = "value: {read: 100 MB/s, write: 50 MB/s}, source: assumed, range: 50 %"
    ((one,), _) = groups_of(text)
    assert one.values[0].at(1.0) == "{read: 150000000 B/s, write: 75000000 B/s}"


def test_fitted_value_has_the_distribution_that_its_fit_says():
    ((one,), _) = groups_of(
        "value: 100 MB/s, source: calibrated x, range: {error: 2 %, freedom: 7}"
    )
    (value,) = one.values
    assert drawn(value, 0.5) == pytest.approx(100e6)
    # Student's t with 7 degrees of freedom: 97.5 % at 2.3646.
    assert drawn(value, 0.975) == pytest.approx(100e6 * math.exp(0.02 * 2.3646), rel=1e-5)
    assert drawn(value, 0.025) == pytest.approx(100e6 * math.exp(-0.02 * 2.3646), rel=1e-5)


def test_values_of_one_fit_are_drawn_with_their_correlation():
    pytest.importorskip("scipy")
    fit = "value: {}, source: calibrated x, range: {{error: 2 %{}}}"
    found, _ = groups_of(
        fit.format("100 MB/s", ""), fit.format("8 ms", ", with: {parts.disk.rate: -0.8}")
    )
    assert [len(one.values) for one in found] == [2]
    points = saltelli(found, 1024, 1)[:1024]
    logs = [[math.log(float(text.split()[0])) for _, text in point] for point in points]
    assert statistics.correlation(*zip(*logs, strict=True)) == pytest.approx(-0.8, abs=0.02)
    for column in zip(*logs, strict=True):
        assert statistics.stdev(column) == pytest.approx(0.02, rel=0.05)


def test_correlations_that_contradict_each_other_are_refused():
    fit = "value: {}, source: calibrated x, range: {{error: 2 %, with: {{{}}}}}"
    with pytest.raises(ConfigError, match=r"disk.yaml:\d+:\d+: .*contradict each other"):
        groups_of(
            fit.format("100 MB/s", "parts.disk.seek: 0.9, parts.disk.rotation: 0.9"),
            fit.format("8 ms", "parts.disk.rotation: -0.9"),
            fit.format("8 ms", ""),
        )


@pytest.mark.parametrize(
    ("seek", "said"),
    [
        ("value: 8 ms, source: assumed, range: 120 %", "'120 %' is no range"),
        ("value: 8 ms, source: assumed, range: 20", "'20' is no range"),
        ("value: 8 ms, source: assumed, range: [1 ms]", "a list of 1 was read"),
        ("value: 8 ms, source: assumed, range: [9 ms, 10 ms]", "not between 9 ms and 10 ms"),
        ("value: 8 ms, source: assumed, range: [1 MB, 10 MB]", "'1 MB' is a size, not a time"),
        ("value: 8 ms, source: assumed, range: {err: 2 %}", "did you mean 'error'"),
        ("value: 8 ms, source: calibrated x, range: {freedom: 2}", "error is missing"),
        (
            "value: 8 ms, source: calibrated x, range: {error: 2 %, with: {parts.disk.rate: 2}}",
            "a correlation of 2 was read",
        ),
        (
            "value: 8 ms, source: calibrated x, range: {error: 2 %, with: {parts.disk.rat: 0.2}}",
            "with: the file has no value 'parts.disk.rat'; did you mean 'parts.disk.rate'?",
        ),
        ("value: 8 ms, source: paper 1, range: 20 %", "only an assumed or calibrated value"),
        ("value: 8 ms, range: 20 %", "write 'source: assumed' too"),
        ("value: 8 ms, source: calibrated x, range: {error: 0 %}", "an error of 0 % was read"),
    ],
)
def test_mistake_in_a_range_is_told_with_its_place(seek, said):
    with pytest.raises(ConfigError, match=r"disk\.yaml:8:\d+: parts\.disk\.seek\.range: ") as error:
        groups_of(seek=seek)
    assert said in str(error.value)
    assert len(error.value.problems) == 1


def test_group_moves_each_value_with_what_is_expected_of_the_other():
    fit = "value: {}, source: calibrated x, range: {{error: 2 %{}}}"
    ((group,), _) = groups_of(
        fit.format("100 MB/s", ""), fit.format("8 ms", ", with: {parts.disk.rate: 0.5}")
    )
    (low, high), (_, other) = group.ends()
    score = statistics.NormalDist().inv_cdf(0.95)
    values = [[float(text.split()[0]) for _, text in point] for point in (low, high, other)]
    assert values[1] == pytest.approx([1e8 * math.exp(0.02 * score), 8e6 * math.exp(0.01 * score)])
    assert values[0] == pytest.approx([1e8 * math.exp(-0.02 * score), 8e6 / math.exp(0.01 * score)])
    assert values[2] == pytest.approx([1e8 * math.exp(0.01 * score), 8e6 * math.exp(0.02 * score)])


@pytest.mark.slow
def test_calibrate_writes_what_its_fit_says(tmp_path):
    pytest.importorskip("scipy")
    found = calibrate("page-cache")
    file = tmp_path / "fitted.yaml"
    file.write_text(fitted_machine(found))
    inputs = load_inputs(str(file), "read-cached")
    groups, _ = uncertain_of(inputs.machine, inputs.workload)
    (group,) = (one for one in groups if len(one.values) > 1)
    by_name = {one.name: one for one in group.values}
    for estimate in found.estimates:
        one = by_name[estimate.parameter.path.removeprefix("machine.")].range
        assert one.error == pytest.approx(estimate.error / estimate.value, rel=1e-3)
        assert one.freedom == found.freedom == 5
    (a, b), score = group.root, found.correlation[0][1]
    assert b[0] * a[0] == pytest.approx(score, abs=1e-3)


def test_share_stays_one():
    place = Place("a.yaml")
    with pytest.raises(ValueError, match="20 % more than 90 % is more than 100 %"):
        read_range(Scalar(place, "20 %"), Scalar(place, "90 %"))


def test_range_changes_neither_the_run_nor_its_digest():
    digests = set()
    for more in ("", ", range: 20 %"):
        text = MACHINE.replace("RATE", f"value: 100 MB/s, source: assumed{more}")
        text = text.replace("SEEK", "value: 8 ms").replace("ROTATION", "value: 8 ms")
        digests.add(load_inputs(Text(text, "a"), Text(READ, "b")).plan().digest)
    assert len(digests) == 1
