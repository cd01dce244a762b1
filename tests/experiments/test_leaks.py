"""Which printed numbers follow from those that values were fitted to: found, and said so."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from simulator.experiments.validation import leaks
from simulator.experiments.validation.leaks import Leaks, same_work, wrong_roles
from simulator.experiments.validation.measured import Measured
from simulator.experiments.validation.persistence import neighbours
from simulator.study.studies import STUDIES
from simulator.study.study_file import StudyFile, load_study_file


@pytest.fixture(scope="module")
def ssken() -> StudyFile:
    return load_study_file("ssken")


def called(study: StudyFile, role: str, *ids: str) -> StudyFile:
    """The study with another role of some numbers."""
    figures = (replace(one, role=role) if one.id in ids else one for one in study.figures)
    return replace(study, figures=tuple(figures))


@pytest.mark.parametrize("name", STUDIES)
def test_no_number_is_called_what_it_is_not(name: str) -> None:
    assert wrong_roles(name) == []


def test_the_numbers_of_ssken_are_what_they_measure(ssken: StudyFile) -> None:
    """27 addends of sums, 7 totals, 12 repeats; of 128 numbers 57 are left to predict."""
    made = Leaks(ssken)
    tested = [one.id for one in ssken.figures if one.role != "by construction"]
    counts = Counter(made.finding(one).how for one in tested)
    assert counts == {"fitted": 25, "addend": 27, "total": 7, "repeat": 12, "": 57}


@pytest.mark.parametrize(
    ("id_", "told"),
    [
        ("data-read-1", "called predicted, is calibrated (addend of figure-4.1.10-read)"),
        ("kyoto-2013-read-i1", "addend of kyoto-2013-read, table-4.2.2-read-large)"),
        ("swarp-close", "called predicted, is dependent (total of swarp-close-coadd, "),
        ("ext4-real", "is dependent (total of ext4-write, ext4-read, ext4-user)"),
        ("fluid-3-write", "called predicted, is dependent (repeat of fluid-1-write)"),
        ("superk-after-close", "is dependent (repeat of superk-before-close)"),
    ],
)
def test_a_number_that_is_called_predicted_again_is_told(
    ssken: StudyFile, monkeypatch: pytest.MonkeyPatch, id_: str, told: str
) -> None:
    monkeypatch.setattr(leaks, "load_study_file", lambda _: called(ssken, "predicted", id_))
    first = wrong_roles("ssken")[0]
    assert first.startswith(f"{id_}: ")
    assert told in first


def test_what_has_a_part_of_its_own_is_no_total(ssken: StudyFile) -> None:
    """All reads of April 2014 have small files besides those of the table."""
    made = Leaks(ssken)
    assert made.parts("kyoto-2014-04-read") == ()
    assert len(made.parts("kyoto-2014-04-write")) == 7


def work(calls: float, moved: float, kind: str = "write") -> Measured:
    return Measured(frozenset(), work={("nfs", kind): (calls, moved)})


def test_the_same_work_is_as_many_bytes_or_as_many_calls() -> None:
    assert same_work(work(511, 1e9), work(1533, 1.04e9))  # Calls that move bytes: only these.
    assert not same_work(work(511, 1e9), work(511, 1.06e9))
    assert same_work(work(80, 5, "close"), work(84, 5, "close"))
    assert not same_work(work(80, 5, "close"), work(80, 50, "close"))
    assert not same_work(work(1, 1), work(1, 1, "read"))
    assert not same_work(Measured(frozenset()), Measured(frozenset()))


# -- persistence --------------------------------------------------------------------------------


def test_a_number_is_like_that_of_the_year_before(ssken: StudyFile) -> None:
    found = neighbours(ssken)
    for month in ("04", "09"):
        one = found[f"kyoto-2014-{month}-read-cat"]
        assert (one.id, one.value, one.before) == ("kyoto-2013-read-cat", 39.1, True)
    # Printed in ms and in s:
    one = found["kyoto-2014-09-unlink"]
    assert (one.id, one.value) == ("kyoto-2013-unlink", pytest.approx(0.854))


def test_a_number_without_a_year_before_is_like_the_one_beside_it(ssken: StudyFile) -> None:
    found = neighbours(ssken)
    assert (found["nfs-write"].id, found["nfs-write"].before) == ("ext4-write", False)
    assert found["swarp-close-weight"].id == "swarp-close-resamp"
    assert "ls-miss" not in found  # No other is the longest of some calls.
    (ninf,) = (one for one in load_study_file("ninf").figures if one.role == "predicted")
    assert neighbours(load_study_file("ninf"))[ninf.id].value == 170


def test_the_first_of_a_table_is_like_the_one_below() -> None:
    found = neighbours(load_study_file("nwt"))
    assert found["read-1pe-600kB"].id == "read-1pe-8MB"
    assert found["write-1pe-600kB"].id == "write-1pe-8MB"
