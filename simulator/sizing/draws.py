"""Draws of a configuration: runs of all loads in all states, until its probability is known.

A draw has the seed of a replication, and a machine whose values with a range in its file are drawn
from that. Values that the configuration sets itself are held. Of long runs the first may be whole;
all others are short, and multiplied by whole over short of that one, or of the reference.
"""

from __future__ import annotations

import hashlib
import math
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simulator.sizing.happened import BUSIEST, HAPPENED
from simulator.sizing.probability import FEW_DRAWS, PRECISION, Draw, Probability
from simulator.sizing.targets import (
    Judged,
    Outcome,
    column_of,
    measured_of,
    name_of,
    slack,
    weighted,
)
from simulator.study.ranges import uncertain_of
from simulator.study.replications import DEFAULT_SEED, seed_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from simulator.config.settings import Setting
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.evaluate import Evaluator, How
    from simulator.sizing.ready import Ready
    from simulator.sizing.rows import Row, Wanted
    from simulator.study.executors import Executor
    from simulator.study.ranges import Group

    Rows = dict[tuple[str, str], Row]

EACH_LOOK = 16
"""Draws after each of which it is looked whether the probability is known."""
MOST_UNKNOWN = 64
"""The most draws of a configuration that is not the answer."""
KNOWN: dict[How, float] = {"known": PRECISION, "nearest": 0.1}
"""How well a probability is to be found, either way, by the ways of which it is."""
WORTH_S = 1.0
"""Least time of the draws that may be left for which processes are started."""
Values = list[list[float | None]]
"""The figures of each target in each state, a list of draws for each."""


class Draws:
    """Draws of one configuration."""

    def __init__(self, evaluator: Evaluator, one: Configuration, *, whole: bool) -> None:
        """With ``whole`` the first run of each load in each state is whole, however long it is."""
        self.evaluator = evaluator
        self.whole = whole
        self.runs = self.shortened = 0
        offer = evaluator.loads.offer
        self.places = [
            (state, index, target)
            for state in evaluator.states
            for index, target in evaluator.timed
            if state in target.in_states
        ]
        """The targets in their states."""
        self.values: Values = [[] for _ in self.places]
        self.firsts: dict[tuple[str, str], Row] = {}
        """The first row of each load in each state."""
        self._shorts: dict[tuple[str, str], Row] = {}
        """The first rows by short runs."""
        self._settings = {state: offer.settings_in(one, state) for state in evaluator.states}
        self._alone: dict[tuple[str, str], Ready] = {}
        """Loads in states: runs of each differ in what is drawn alone, and share their plans."""
        self._groups = {
            (state, load.name): ranged(load, settings)
            for state, settings in self._settings.items()
            for load in evaluator.loads.loads
        }
        self._varies = {
            (state, load.name): bool(self._groups[state, load.name])
            or (evaluator.seed is not None and evaluator.is_drawn(load, settings))
            for state, settings in self._settings.items()
            for load in evaluator.loads.loads
        }
        self.names = tuple(
            dict.fromkeys(
                value.path
                for groups in self._groups.values()
                for group in groups
                for value in group.values
            )
        )
        self._found: list[Draw] = []

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_alone": {}}

    @property
    def probability(self) -> Probability:
        """The probability, by the draws that were made."""
        modelled = any(column_of(target) for _, _, target in self.places)
        return Probability(
            tuple(self._found),
            self.evaluator.error if modelled else None,
            tuple(path.partition(".")[2] for path in self.names),
            any(self._varies.values()),
            self.evaluator.requirement.confidence,
        )

    def until(
        self, wanted: float | None, *, to: float | None, executor: Executor | None = None
    ) -> Probability:
        """Make draws until it is sure whether the probability is as ``wanted``.

        That is looked for at 1, 2, 4, ... draws, ``MOST_UNKNOWN`` at most, and is so at all of
        these looks together. If it is to be known ``to`` a precision draws go on until it is so; if
        a number of draws was asked for, until it is sure which side of ``wanted`` it is on too;
        or until there are as many as may be made. ``executor``: where they are made if that takes a
        while; how many processes it has does not change the answer.
        """
        looks = MOST_UNKNOWN.bit_length()
        tail = (1 - self.evaluator.requirement.confidence) / looks
        most = self._most if to == PRECISION else min(MOST_UNKNOWN, self._most)
        with closing(self._draws(most, executor)) as draws:
            for rows in draws:
                self._take(rows)
                found, count = self.probability, len(self._found)
                if not found.varies or count >= most:
                    break
                at = to if count % EACH_LOOK == 0 else None
                if at is not None and found.is_known(at) and self._tells(found):
                    break
                if to is None and wanted is not None and count & (count - 1) == 0:
                    low, high = found.bounds(tail)
                    if high < wanted or low >= wanted:
                        break
        return self.probability

    def _draws(self, most: int, executor: Executor | None) -> Generator[Rows]:
        """Yield the rows of draws, in their order."""
        began = time.process_time()
        yield self.rows(0)
        others, left_s = range(1, most), (time.process_time() - began) * (most - 1)
        if executor is None or left_s < WORTH_S:
            yield from map(self.rows, others)
            return
        self.evaluator.close()
        made: dict[int, Rows] = {}
        with closing(executor.map(self.rows, others, executor.processes)) as answers:
            for number in others:
                while number not in made:
                    made |= [next(answers)]
                yield made.pop(number)

    def _tells(self, found: Probability) -> bool:
        """Return whether draws decide what is wanted, if their number was asked for."""
        return self.evaluator.given is None or found.decides(self.evaluator.wanted)

    @property
    def _most(self) -> int:
        short = self.evaluator.short
        long = short is not None and short.long - {*short.divisions}
        if long and self.evaluator.given is None:
            return FEW_DRAWS
        return self.evaluator.draws

    def rows(self, number: int) -> Rows:
        """Run all loads in all states once more; draw 0 is made before the others."""
        return {
            (state, load.name): self._row(state, load, number)
            for state in self._settings
            for load in self._asked(state)
        }

    def _asked(self, state: str) -> Iterator[Ready]:
        """Yield the loads that targets are of in a state."""
        for load in self.evaluator.loads.loads:
            if any(at == state and load.is_asked(one) for at, _, one in self.places):
                yield load

    def firsts_wanted(self) -> Iterator[Wanted]:
        """Yield the first run of each load in each state, of loads that are made short."""
        short = self.evaluator.short
        for state, settings in self._settings.items():
            for load in self._asked(state):
                if short is not None and load.name in short.divisions:
                    drawn = self._drawn((state, load.name), 0)
                    yield load.name, (*drawn, *settings), self._seed(load, 0)

    def worst_wanted(self) -> Iterator[Wanted]:
        """Yield the worst run of each such load in each state, without what is drawn of values."""
        short = self.evaluator.short
        for state, settings in self._settings.items():
            for load in self._asked(state):
                if short is not None and load.name in short.divisions:
                    yield load.name, settings, self._seed(load, 0)

    def _drawn(self, at: tuple[str, str], number: int) -> list[Setting]:
        """Return the values of a load in a state that are drawn for a draw."""
        return [
            setting
            for group in self._groups[at]
            for setting in group.at([self._chance(number, one.path) for one in group.values])
        ]

    def _seed(self, load: Ready, number: int) -> int | None:
        """Return the seed of a draw: the first is the run that was made whole before, if one was.

        Without a wanted probability that is the worst one.
        """
        short = self.evaluator.short
        if self.evaluator.wanted is None and short is not None and load.name in short.divisions:
            first = self.evaluator.order_of(load)[0]
            number = {0: first, first: 0}.get(number, number)
        return self.evaluator.seed_of(number)

    def _take(self, rows: Rows) -> None:
        """Take the next draw, by its rows."""
        number = len(self._found)
        made = [at for at in rows if not number or self._varies[at]]
        self.runs += len(made)
        if number or not self.whole:
            short = self.evaluator.short
            self.shortened += sum(short is not None and at[1] in short.divisions for at in made)
        furthest = {True: math.inf, False: math.inf}
        for place, (state, _, target) in enumerate(self.places):
            loads = self.evaluator.asked(target)
            of = [(one.weight, rows[state, one.name][name_of(target)]) for one in loads]
            figure = weighted([(weight, each) for weight, each in of if each is not None])
            self.values[place].append(figure)
            room = 0.0 if figure is None else slack(target, figure)
            modelled = bool(column_of(target))
            furthest[modelled] = min(furthest[modelled], room)
        chances = tuple(self._chance(number, name) for name in self.names)
        self._found.append(Draw(furthest[True], furthest[False], chances))

    def _row(self, state: str, load: Ready, number: int) -> Row:
        """Return the figures of a run of a load in a state, whole or made short."""
        at, evaluator = (state, load.name), self.evaluator
        if number and not self._varies[at]:
            return self.firsts[at]
        settings = (*self._drawn(at, number), *self._settings[state])
        seed, short, load = self._seed(load, number), evaluator.short, self._of_state(at, load)
        if short is None or load.name not in short.divisions:
            row = evaluator.row(load, load.plan(settings, seed), told=not number)
        else:
            told = not number and not self.whole
            row = evaluator.row(load, short.plan(load, settings, seed), told=told)
            if not number:
                self._shorts[at] = row
            if not number and self.whole:
                row = evaluator.row(load, load.plan(settings, seed))
            else:
                row = self._scaled(at, load, row)
        if not number:
            self.firsts[at] = row
        return row

    def _of_state(self, at: tuple[str, str], load: Ready) -> Ready:
        """Return a load of which all plans are of one state."""
        if at not in self._alone:
            self._alone[at] = load if len(self._settings) == 1 else load.alone()
        return self._alone[at]

    def _scaled(self, at: tuple[str, str], load: Ready, row: Row) -> Row:
        """Multiply the figures of a short run by whole over short."""
        short = self.evaluator.short
        assert short is not None
        found: dict[str, Any] = dict(row)
        for index, target in self.evaluator.timed:
            if not load.is_asked(target):
                continue
            name, ratio = name_of(target), short.ratios.get((load.name, index), 1.0)
            if self.whole:
                whole, less = self.firsts[at][name], self._shorts[at][name]
                ratio = whole / less if whole is not None and less else ratio
            found[name] = None if row[name] is None else row[name] * ratio
        return found

    def _chance(self, number: int, path: str) -> float:
        """Return the quantile at which a value is drawn, the same of all configurations."""
        first = DEFAULT_SEED if self.evaluator.seed is None else self.evaluator.seed
        text = f"{seed_of(first, number)}/value/{path}"
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        return (int.from_bytes(digest, "little") + 0.5) / 2**64


def whole_runs(evaluator: Evaluator, one: Configuration, how: How) -> Iterator[Wanted]:
    """Yield the runs of a configuration that are made whole, of loads that are made short."""
    short = evaluator.short
    if short is None or not evaluator.timed:
        return
    draws = Draws(evaluator, one, whole=True)
    if how in KNOWN:
        yield from draws.firsts_wanted()
    if evaluator.wanted is None:
        yield from draws.worst_wanted()


def ranged(load: Ready, settings: Sequence[Setting]) -> list[Group]:
    """Return the values of a load's machine and workload that have a range in a file.

    Without those that settings have replaced.
    """
    groups, _ = uncertain_of(*load.prepared.load(settings))
    given = [f"{path}." for path in dict((*load.settings, *settings))]
    return [
        group
        for group in groups
        if not any(value.default or _is_given(value.path, given) for value in group.values)
    ]


def _is_given(path: str, given: Sequence[str]) -> bool:
    """Return whether a setting has replaced a value, something in it, or what it is in."""
    return any(one.startswith(f"{path}.") or f"{path}.".startswith(one) for one in given)


def by_draws(
    evaluator: Evaluator, one: Configuration, how: How, executor: Executor | None = None
) -> Outcome:
    """Draw runs of a configuration until it is sure whether its probability is as wanted.

    If it is only to be ``run`` a capacity that is missed ends it before. If it is to be ``known``,
    draws go on to the precision, and the first of long runs is whole. ``executor``: where draws
    are made that take a while.
    """
    found, wanted = [*evaluator.capacity(one)], evaluator.wanted
    keeps = all(item.slack >= 1 for item in found)
    to = KNOWN.get(how) if keeps else None
    if how == "run" and not keeps:
        return Outcome(one.number, tuple(found), complete=False, runs=0)
    draws = Draws(evaluator, one, whole=to is not None)
    timed = bool(evaluator.timed)
    probability = draws.until(wanted, to=to, executor=executor) if timed else None
    for (state, index, target), values in zip(draws.places, draws.values, strict=True):
        judged = Judged(evaluator.requirement.confidence, wanted or 1.0, evaluator.needs(target))
        each = measured_of((index, state), target, values, judged)
        busiest = draws.firsts[state, evaluator.asked(target)[-1].name][BUSIEST]
        found.append(replace(each, busiest=busiest))
    return Outcome(
        one.number,
        tuple(found),
        complete=True,
        runs=draws.runs,
        shortened=draws.shortened,
        happened={at: row[HAPPENED] for at, row in draws.firsts.items()},
        probability=probability if keeps else None,
        wanted=wanted if probability is not None and keeps else None,
    )
