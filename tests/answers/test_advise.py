"""Advice: cures are run, ranked by what they save, and left out if that is too little."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from simulator.answers.advise import NEVER, Advice, Change, Concerned, Cure, Finding, Ran
from simulator.answers.ranking import advise, first_of, ranked
from simulator.report.advise import advice_page
from simulator.report.forms import written
from simulator.result.jobs import RemainingWork


class Job:
    """A job whose runs take what a table says."""

    base = Ran(1_000, RemainingWork(10, 50), 32_000_000)

    def __init__(
        self, times: dict[str, int | None], left: dict[str, RemainingWork] | None = None
    ) -> None:
        self.times = times
        self.left = left or {}

    def run(self, change: Change) -> Ran | None:
        value = "+".join(value for _, value in change.settings)
        time = self.times[value]
        return None if time is None else Ran(time, self.left.get(value, RemainingWork(10, 50)))

    def command(self, change: Change) -> tuple[str, ...]:
        return ("nwtsim", *(f"{path}={value}" for path, value in change.settings))


def finding(pattern: str, *values: str, path: str = "") -> Finding:
    cures = [Cure(f"do {value}", Change(((path or pattern, value),))) for value in values]
    return Finding(pattern, f"{pattern} was found.", tuple(cures), (Concerned("/f", 3, 10),), 3)


def test_the_best_cure_of_each_finding_counts_and_findings_are_ranked() -> None:
    job = Job({"a": 950, "b": 900, "c": 500, "d": 991, "e": None, "f": 1_100, "c+b": 450})
    findings = [
        finding("one", "a", "b"),
        finding("two", "c", "e"),
        finding("three", "d"),
        finding("four", "e"),
        finding("five", "f"),
    ]
    advised = advise(job, findings, observed_ns=1_200)
    assert [one.finding.pattern for one in advised.advice] == ["two", "one"]
    assert [one.saves_ns for one in advised.advice] == [500, 100]
    assert [one.elapsed_ns for one in advised.advice] == [500, 900]
    assert [one.cure.how for one in advised.advice] == ["do c", "do b"]
    assert advised.both_ns == 450
    left = {one.finding.pattern: one.saves_ns for one in advised.tried}
    assert left == {"three": 9, "four": None, "five": -100}
    assert advised.runs == 6


def test_changes_that_contradict_are_not_run_as_one() -> None:
    job = Job({"a": 900, "b": 800})
    advised = advise(job, [finding("one", "a", path="x"), finding("two", "b", path="x")])
    assert advised.both_ns is None
    assert len(advised.advice) == 2


def test_of_equal_savings_the_first_counts() -> None:
    job = Job({"a": 900, "b": 900, "c": 900, "a+c": 850})
    advised = advise(job, [finding("one", "a", "b"), finding("two", "c")])
    assert [one.cure.how for one in advised.advice] == ["do a", "do c"]


def test_the_text_says_when_nothing_is_worth_doing() -> None:
    job = Job({"a": 995})
    assert "Nothing is worth doing: no pattern was found." in written(
        advice_page(advise(job, [])), "table"
    )
    text = written(advice_page(advise(job, [finding("one", "a")])), "table")
    assert "Nothing is worth doing" in text
    assert "one was found. Curing it saves 5 ns." in " ".join(text.split())


def test_the_record_has_the_agreed_keys() -> None:
    job = Job({"a": 400})
    advised = advise(job, [finding("one", "a")], unknown={"mmap": {"calls": 2}})
    record = json.loads(written(advice_page(advised), "json"))
    assert {"observed_s", "predicted_s", "advice", "unknown"} <= set(record)
    assert record["unknown"] == {"mmap": {"calls": 2}}
    assert record["observed_s"] is None
    (one,) = record["advice"]
    assert {"pattern", "files", "calls", "saves_s", "predicted_s", "how"} <= set(one)
    assert (one["saves_ns"], one["predicted_ns"]) == (600, 400)
    assert one["command"] == ["nwtsim", "one=a"]
    assert "Not known:" in written(advice_page(advised), "table")


# -- program, setting, hardware ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("saved", "order"),
    [
        ((500, 495, 450), "program setting hardware"),  # Nine tenths of the most.
        ((500, 449, 404), "hardware setting program"),
        ((50, 45, 41), "program setting hardware"),  # Within 1 % of 1,000 ns.
        ((50, 39, 28), "hardware setting program"),
    ],
)
def test_what_saves_alike_is_told_by_who_has_to_change_something(
    saved: tuple[int, int, int], order: str
) -> None:
    advice = []
    for saves, level in zip(saved, ("hardware", "setting", "program"), strict=True):
        cure = Cure("do", Change(), level=level)
        advice.append(Advice(Finding("one", "found", (cure,)), cure, 1_000 - saves, saves))
    assert " ".join(one.cure.level for one in ranked(advice, 1_000)) == order


@pytest.mark.parametrize(("inner", "order"), [(450, "inner wider"), (449, "wider inner")])
def test_what_only_the_program_has_to_change_for_is_told_before_what_others_change_for(
    inner: int, order: str
) -> None:
    advice = []
    for saves, how in ((500, "wider"), (inner, "inner")):
        cure = Cure(how, Change(), wider=how == "wider")
        advice.append(Advice(Finding("one", "found", (cure,)), cure, 1_000 - saves, saves))
    assert " ".join(one.cure.how for one in ranked(advice, 1_000)) == order


def test_a_cure_that_is_less_safe_is_told_beside_the_others() -> None:
    safe, unsafe = (
        Cure(how, Change((("x", how),)), risk=risk, kind=risk, beside=NEVER if risk else 0)
        for how, risk in (("a", ""), ("b", "all is lost."))
    )
    found = Finding("one", "found", (unsafe, safe))
    (one,) = advise(Job({"a": 500, "b": 100}), [found]).advice
    assert (one.cure.how, [other.cure.how for other in one.others]) == ("a", ["b"])
    text = " ".join(
        written(advice_page(advise(Job({"a": 500, "b": 100}), [found])), "table").split()
    )
    assert "Instead: b Risk: all is lost." in text
    (alone,) = advise(Job({"a": 995, "b": 100}), [found]).advice
    assert alone.cure.how == "b"
    # One that may be first if it saves twice as much.
    twice = replace(found, cures=(replace(unsafe, beside=2.0), safe))
    first = [advise(Job({"a": saves, "b": 100}), [twice]).advice[0] for saves in (549, 551)]
    assert [one.cure.how for one in first] == ["a", "b"]


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (RemainingWork(31_000_010, 50), "31.0 MB in memory alone, of 32.0 MB written. With a sync"
         " at its end it saves at most 900 ns."),
        (RemainingWork(10, 350), "300 ns of write-back. With a sync at its end it saves 600 ns."),
        (RemainingWork(10, 950), "900 ns of write-back. With a sync at its end it saves nothing."),
        (RemainingWork(0, 0), ""),
    ],
)  # fmt: skip
def test_what_a_later_sync_must_pay_is_said_beside_the_saving(
    left: RemainingWork, told: str
) -> None:
    advised = advise(Job({"a": 100}, {"a": left}), [finding("one", "a")])
    text = " ".join(written(advice_page(advised), "table").split())
    assert (f"More is left for later: {told}" in text) if told else ("later" not in text)
    (one,) = json.loads(written(advice_page(advised), "json"))["advice"]
    assert (one["dirty_bytes"], one["later_s"]) == (
        max(0, left.dirty - 10), max(0, left.behind_ns - 50) / 1e9)  # fmt: skip


def test_computing_is_called_what_limits() -> None:
    advised = advise(Job({"a": 995}), [finding("one", "a")])
    text = written(advice_page(replace(advised, computing=0.98)), "table")
    assert "What limits is computing: 98.0 % of the time is between calls." in text
    assert "computing" not in written(advice_page(replace(advised, computing=0.89)), "table")


def test_the_report_of_a_replay_tells_no_less_safe_cure_first() -> None:
    """It agrees with ``nwtsim advise``, though it runs fewer cures."""
    for beside, saves, wanted in ((NEVER, 100, "a"), (2.0, 100, "b"), (2.0, 700, "a")):
        cures = (
            Cure("a", Change((("x", "a"),))),
            Cure("b", Change((("x", "b"),)), risk="r.", kind="r", beside=beside),
        )
        job = Job({"a": 800, "b": saves})
        found = [Finding("one", "found", cures)]
        first = [first_of(job, found, ()).advice[0], advise(job, found).advice[0]]
        assert [one.cure.how for one in first] == [wanted, wanted]
