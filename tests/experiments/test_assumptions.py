"""Assumption sweeps: files of assumptions, points, fits, and how often claims hold."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simulator.cli.main import main
from simulator.config.errors import ConfigError, Problem
from simulator.config.formats import WORKLOAD
from simulator.config.sources import unproven
from simulator.experiments.validation import assumption_tables as page
from simulator.experiments.validation.assumed import (
    Assumptions,
    AssumptionsError,
    assumed_studies,
    load_assumptions,
    read_assumptions,
)
from simulator.experiments.validation.assumption_tables import (
    render_assumptions,
    stale_files,
    stored_record,
)
from simulator.experiments.validation.assumptions import digests, sobol_points, sweep
from simulator.experiments.validation.ledger_page import unpadded
from simulator.experiments.validation.plausible import machine_of
from simulator.experiments.validation.ranged import template
from simulator.experiments.validation.refit import Refit, Target, Variable
from simulator.experiments.validation.refit_cells import CellRefit
from simulator.run import load
from simulator.study.change import Settings
from simulator.study.studies import study_names
from simulator.study.study_file import load_study, load_study_file

STUDIES = assumed_studies(study_names())

# -- points ---------------------------------------------------------------------------------------


@pytest.mark.slow  # SciPy takes seconds to import
def test_the_first_points_of_a_power_of_two_are_balanced() -> None:
    points = sobol_points(16, 5, 1998)
    for column in points.T:
        counts, _ = np.histogram(column, bins=16, range=(0, 1))
        assert counts.tolist() == [1] * 16


@pytest.mark.slow
def test_more_points_begin_with_the_fewer_and_another_seed_has_others() -> None:
    assert sobol_points(20, 4, 7)[:9].tolist() == sobol_points(9, 4, 7).tolist()
    assert not np.allclose(sobol_points(9, 4, 7), sobol_points(9, 4, 8))


# -- files ----------------------------------------------------------------------------------------

GOOD = """
format: assumptions/1
points: 8
refit: [{path: machine.gain, to: [level]}]
values:
  - {path: machine.size, low: 1 MB, high: 4 MB, scale: linear, why: unknown}
  - {path: machine.noise, low: 1 %, high: 100 %, why: unknown}
choices:
  - {name: way, path: machine.way, of: [short, long], why: unknown}
left:
  - {path: machine.colour, why: no run sees it}
"""


def forgotten(assumptions: Assumptions) -> list[str]:
    """Return the paths of values that are neither varied, nor fitted again, nor left with a reason.

    Of the machine, or those of all sites, and assumed ones of the workloads that the file names.
    """
    named = [path for one in assumptions.dimensions for path in one.paths]
    named += [path for one in assumptions.refits for path in one.paths]
    named += [path for one in assumptions.left for path in one.paths]
    if assumptions.by_calibration:
        listed = load_study(assumptions.study).calibration["parameters"]
        named += [str(one["path"]).removesuffix(".write").removesuffix(".read") for one in listed]
    patterns = [one.replace("machine.", "") for one in named]
    every = [*_of_machines(assumptions), *_of_workloads(assumptions)]
    return [path for path in every if not any(fnmatchcase(path, one) for one in patterns)]


def _of_machines(assumptions: Assumptions) -> Iterator[str]:
    study = load_study_file(assumptions.study)
    for site in tuple(assumptions.sites) or ("",):
        listed = unproven(machine_of(study, site))
        for one in (*listed["assumed"], *listed["calibrated"]):
            yield f"{site}:{one.path}" if site else one.path


def _of_workloads(assumptions: Assumptions) -> Iterator[str]:
    for name in assumptions.workloads:
        for one in unproven(load(WORKLOAD, name))["assumed"]:
            yield f"workload.{one.path}"


@pytest.mark.parametrize("study", STUDIES)
def test_no_assumed_or_calibrated_value_is_forgotten(study: str) -> None:
    assert forgotten(load_assumptions(study)) == []


def test_what_is_forgotten_is_found() -> None:
    full = load_assumptions("nwt")
    assert forgotten(replace(full, values=full.values[1:])) == ["parts.pe.call_overhead"]
    assert "stores.ssu.quota" in forgotten(replace(full, by_calibration=False))
    orion = load_assumptions("orion")
    lacking = forgotten(replace(orion, choices=()))
    assert "workload.jobs.0.phases.0.order" in lacking
    ssken = load_assumptions("ssken")
    assert "riken:parts.ssd.overhead" in forgotten(replace(ssken, values=()))


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("part", [0.0, 0.999])
def test_machines_and_workloads_take_both_ends_of_every_range(study: str, part: float) -> None:
    assumptions, file = load_assumptions(study), load_study_file(study)
    given = assumptions.settings([part] * len(assumptions.dimensions))
    for site in tuple(assumptions.sites) or ("",):
        head = f"{site}:machine." if site else "machine."
        mine = [(path.partition(":")[2] or path, text) for path, text in given if head in path]
        machine_of(file, site, mine)
    for path, text in given:
        if path.startswith("workload."):
            assert any(_takes(name, path, text) for name in assumptions.workloads), path


def _takes(workload: str, path: str, text: str) -> bool:
    try:
        load(WORKLOAD, workload, [(path, text)])
    except ConfigError:
        return False
    return True


@pytest.mark.parametrize("study", STUDIES)
def test_every_figure_that_is_named_is_one_of_the_study_and_has_its_site(study: str) -> None:
    assumptions, file = load_assumptions(study), load_study_file(study)
    ids = {one.id for one in file.figures}
    for one in assumptions.refits:
        assert set(one.to) <= ids
    if assumptions.sites:
        tested = [claim.id for claim in file.claims if not claim.untestable]
        assert all(assumptions.site_of(id_) for id_ in (*ids, *tested))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("points: 8", "points: many"), "points: 'many' is no number of points"),
        (("low: 1 MB, high: 4 MB", "low: 1 MB, high: 4 GB"), "values.0: low '1 MB' and high"),
        (("low: 1 MB, high: 4 MB", "low: 4 MB, high: 1 MB"), "values.0: low '4 MB' is above"),
        (("low: 1 MB, high: 4 MB", "low: 4 MB, high: 4 MB"), "values.0: from '4 MB' to '4 MB'"),
        (("low: 1 %", "low: 0 %"), "values.1: 0 has no logarithm"),
        (("scale: linear", "scale: square"), "scale: 'square' is unknown; write log or linear"),
        (("of: [short, long]", "of: [short]"), "choices.0: of: write at least two options"),
        (("path: machine.way, ", ""), "choices.0: the option 'short' needs a path"),
        (("why: no run sees it", "reason: none"), "left.0: 'reason' is unknown; write one of"),
        (("name: way", "name: size"), "size is listed twice"),
        (("refit: [{", "refit: {a: [{"), "no YAML"),
        (("format: assumptions/1", "format: x"), "begin with 'format: assumptions/1'"),
    ],
)
def test_a_mistake_in_a_file_is_said(change: tuple[str, str], said: str) -> None:
    with pytest.raises(AssumptionsError) as failed:
        read_assumptions(GOOD.replace(*change), "toy")
    assert said in str(failed.value)
    assert all(line.startswith("toy: assumptions.yaml") for line in [str(failed.value)[:40]])


def test_a_point_becomes_settings_and_sides() -> None:
    assumptions = read_assumptions(GOOD, "toy")
    assert assumptions.settings([0.5, 0.5, 0.9]) == (
        ("machine.size", "2.5 MB"),
        ("machine.noise", "10 %"),
        ("machine.way", "long"),
    )
    assert assumptions.sides([0.4, 0.6, 0.1]) == {
        "size": "up to 2.5 MB",
        "noise": "from 10 % on",
        "way": "short",
    }


# -- fits -----------------------------------------------------------------------------------------


def _refit(
    figures: Callable[[Mapping[str, float]], Mapping[str, float]],
    asked: list[tuple[str, ...]] | None = None,
) -> Refit:
    """Fit `a` (2 MB/s) and `b` (10 us) to a `rate` of 3 and a `time` of 50, within 10 %."""

    def simulated(settings: Settings, ids: Any) -> Mapping[str, float]:
        if asked is not None:
            asked.append(tuple(ids))
        numbers = {path: template(text).numbers[0] for path, text in settings}
        every = figures({"a": 2.0, "b": 10.0, "c": 1.0, **numbers})
        return {id_: every[id_] for id_ in ids}

    variables = [Variable(("a",), template("2 MB/s")), Variable(("b",), template("10 us"))]
    targets = [Target("rate", 3.0, 2.7, 3.3), Target("time", 50.0, 45.0, 55.0)]
    return Refit(variables, targets, simulated)


def test_values_are_fitted_again_when_an_assumption_changes() -> None:
    fit = _refit(lambda at: {"rate": 1.5 * at["a"] / at["c"], "time": at["b"] * 5 + at["c"]})
    as_it_is = fit.fit(())
    assert (as_it_is.settings, as_it_is.outside) == ((("a", "2 MB/s"), ("b", "10 us")), ())
    assert as_it_is.evaluations == 3  # of each figure, and of both
    other = fit.fit((("c", "3"),))
    assert other.outside == ()
    (_, a), (_, b) = other.settings
    assert template(a).numbers[0] == pytest.approx(6, rel=0.1)
    assert template(b).numbers[0] == pytest.approx(9.4, rel=0.1)


def test_figures_that_no_value_can_reach_are_named() -> None:
    fit = _refit(lambda at: {"rate": 1.5 * at["a"] / at["c"], "time": 50.0 * at["c"]})
    assert fit.fit((("c", "2"),)).outside == ("time",)


def test_derivatives_are_found_anew_where_those_of_the_shipped_machine_lead_nowhere() -> None:
    def turned(at: Mapping[str, float]) -> Mapping[str, float]:
        a, b = at["a"] / 2, at["b"] / 10
        return {"rate": 3 * a, "time": 50 * b} if at["c"] < 2 else {"rate": 9 * b, "time": 10 * a}

    found = _refit(turned).fit((("c", "3"),))
    assert found.outside == ()
    assert found.evaluations > 8


def test_a_machine_that_one_figure_rules_out_is_not_fitted_further() -> None:
    """`time` depends on `a` and `b`, `rate` on `a` only, and cannot be reached beside c = 100."""

    def figures(at: Mapping[str, float]) -> Mapping[str, float]:
        return {"rate": 1.5 * at["a"] / at["c"], "time": 5 * at["b"] + 0 * at["a"]}

    asked: list[tuple[str, ...]] = []
    fit = _refit(figures, asked)
    fit.prepare()
    asked.clear()
    found = fit.fit((("c", "100"),))
    assert found.outside == ("rate",)
    assert set(asked) == {("rate",)}
    assert dict(found.settings)["a"] == "16 MB/s"  # 8 times the shipped value, as far as it may go


def test_a_figure_that_another_value_moves_elsewhere_rules_no_machine_out() -> None:
    def figures(at: Mapping[str, float]) -> Mapping[str, float]:
        helped = (at["b"] / 10) ** 2 if at["c"] > 2 else 1.0
        return {"rate": 1.5 * min(at["a"], 4) / at["c"] * helped, "time": 5 * at["b"] + at["c"]}

    found = _refit(figures).fit((("c", "2.3"),))
    assert found.outside == ()
    (_, b) = found.settings[1]
    assert template(b).numbers[0] > 10


def test_a_value_that_moves_one_figure_follows_those_that_move_several() -> None:
    """`a` moves both, `b` the time only: the rate is fitted by `a`, then the time by `b`."""
    asked: list[tuple[str, ...]] = []
    fit = _refit(
        lambda at: {"rate": 1.5 * at["a"] / at["c"], "time": at["b"] * 10 / at["a"]}, asked
    )
    fit.prepare()
    asked.clear()
    found = fit.fit((("c", "3"),))
    assert found.outside == ()
    assert list(dict.fromkeys(asked)) == [("rate",), ("time",), ("rate", "time")]
    (_, a), (_, b) = found.settings
    assert template(a).numbers[0] == pytest.approx(6, rel=0.06)
    assert template(b).numbers[0] == pytest.approx(30, rel=0.12)


def test_all_values_are_fitted_together_where_a_figures_own_value_does_not_reach() -> None:
    """Beside c = 2 `b` reaches no more than 80 % of the time; `a` may do the rest."""

    def figures(at: Mapping[str, float]) -> Mapping[str, float]:
        most = 9.3 if at["c"] > 1 else 100.0
        return {"rate": 1.5 * at["a"], "time": min(at["b"], most) * 10 / at["a"]}

    found = _refit(figures).fit((("c", "2"),))
    assert found.outside == ()
    assert found.evaluations > 12


def test_a_fit_ends_where_figures_that_contradict_each_other_are_well_inside() -> None:
    """`a` moves both; 6 % more of one is 6 % less of the other than is printed: no step helps."""
    fit = _refit(lambda at: {"rate": 1.5 * at["a"] * at["c"], "time": 25 * at["a"] / at["c"]})
    found = fit.fit((("c", "1.06"),))
    assert found.outside == ()
    assert found.evaluations <= 4


def test_a_machine_that_cannot_be_run_with_an_assumption_raises_why() -> None:
    def refused(at: Mapping[str, float]) -> Mapping[str, float]:
        if at["c"] > 1:
            raise ConfigError([Problem("toy", 0, 0, "c", "is too much")])
        return {"rate": 1.5 * at["a"], "time": 5 * at["b"]}

    with pytest.raises(ConfigError, match="is too much"):
        _refit(refused).fit((("c", "2"),))


# -- the shipped ones -----------------------------------------------------------------------------


@pytest.mark.few(2)
@pytest.mark.parametrize("study", STUDIES)
def test_a_stored_sweep_has_the_claims_of_the_study_or_is_stale(study: str) -> None:
    record = stored_record(study)
    if record is None or stale_files(record):
        return
    file = load_study_file(study)
    assert {one["id"] for one in record["claims"]} == {
        one.id for one in file.claims if not one.untestable
    }
    assert sum(one["plausible"] for one in record["machines"]) > 0


@pytest.mark.few(2)
@pytest.mark.parametrize("study", STUDIES)
def test_the_page_has_the_stored_sweep_and_says_whether_it_is_stale(root: Path, study: str) -> None:
    text = (root / "docs" / "validation" / f"{study}.md").read_text(encoding="utf-8")
    assert unpadded("\n\n".join(page.assumption_section(study))) in text


def test_digests_are_those_of_the_files_that_a_sweep_depends_on() -> None:
    found = digests("orion")
    assert "experiments/orion/assumptions.yaml" in found
    assert "configs/machines/orion.yaml" in found
    assert "configs/workloads/orion-mesh.yaml" in found
    assert not any("ablations" in name for name in found)


@pytest.mark.slow
def test_the_nwt_is_fitted_again_to_its_cells() -> None:
    fit = CellRefit("nwt")
    slower = (("machine.parts.pe.call_overhead", "250 us"),)
    rate = ("machine.parts.channel.rate", "{read: 400 MB/s, write: 91.8 MB/s}")
    found = fit.fit((*slower, rate))
    assert found.outside == ()
    values = dict(found.settings)
    assert float(values["machine.parts.pe.flush_overhead"].split()[0]) < 2.45e6  # ns; 2.51 ms
    assert values["machine.parts.channel.rate"].startswith("{read: 400 MB/s")  # it is not fitted
    with pytest.raises(ConfigError, match="call_overhead"):
        fit.fit((("machine.parts.pe.call_overhead", "-1 us"),))
    assert fit.fit((("machine.parts.crossbar.rate", "100 MB/s"),)).outside != ()


@pytest.mark.slow
def test_the_same_bytes_with_one_and_two_processes(tmp_path: Path) -> None:
    made = []
    for jobs in (1, 2):
        keep = tmp_path / str(jobs)
        record = sweep("nwt", points=3, runs=1, jobs=jobs, keep=keep).to_json()
        made.append(render_assumptions([record], "json"))
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nwt --assumptions --ablate", "--assumptions: takes no --ablate; omit one"),
        ("nwt --assumptions 4 --format csv", "there are table and json"),
        ("nwt --keep x", "--keep: goes with --assumptions"),
        ("nwt --executor dask", "--executor, --scheduler: go with --assumptions"),
        ("nwt --assumptions --executor processes --scheduler x", "--scheduler: goes with"),
        ("nwt orion --assumptions --keep x", "--keep: takes one study"),
        ("orion --assumptions --engine native", "orion runs on the reference engine only"),
    ],
)
def test_options_that_do_not_go_together(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", *words.split()]) == 2
    assert said in capsys.readouterr().err
