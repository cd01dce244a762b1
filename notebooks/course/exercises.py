"""Exercises with numbers of the student's own, checked by running the simulator.

A wrong answer gets a hint, and who gives up gets the answer with its explanation. What was done is
kept in the file :data:`KEPT` beside the notebook, which in a browser is the browser's own memory.
"""

from __future__ import annotations

import html
import json
import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KEPT = Path("course-progress.json")
RIGHT, GIVEN_UP = "right", "given up"

Numbers = Mapping[str, Any]


class Said(str):
    """A sentence for the student; a page shows it in a box."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the sentence, for where there is no page."""
        return str(self)

    def _repr_html_(self) -> str:
        style = "border-left: 4px solid #0072B2; padding: 0.3em 0.8em; white-space: pre-wrap"
        return f'<div role="status" style="{style}">{html.escape(self)}</div>'


@dataclass(frozen=True)
class Exercise:
    """A question with a number as its answer."""

    question: str
    """With the names of drawn numbers in braces."""
    unit: str
    hint: str
    explanation: str
    """With ``{answer}`` too."""
    draw: Callable[[random.Random], Numbers]
    truth: Callable[[Numbers], float]
    """Runs the simulator: drawn numbers -> the answer."""
    relative: float = 0.0
    """How far an answer may be off, as a share of the right one,"""
    absolute: float = 0.0
    """or in its unit."""

    def holds(self, answer: float, truth: float) -> bool:
        """Whether an answer is near enough."""
        return abs(answer - truth) <= max(self.relative * abs(truth), self.absolute)

    def within(self) -> str:
        """Return how far an answer may be off, in words."""
        if self.relative:
            return f" (within {100 * self.relative:g} %)"
        return f" (within {self.absolute:g} {self.unit})" if self.absolute else ""


class Lesson:
    """The exercises of a lesson for one student, numbered from 1."""

    def __init__(self, name: str, student: str, exercises: tuple[Exercise, ...]) -> None:
        self.name = name
        self.student = student
        self.exercises = exercises
        self._wrong = dict.fromkeys(range(1, len(exercises) + 1), 0)
        self._truths: dict[int, float] = {}

    def ask(self, number: int) -> Said:
        """Return the question, with this student's numbers."""
        one = self._of(number)
        asked = one.question.format(**self.numbers(number))
        how = f"Answer in {one.unit}{one.within()}: lesson.answer({number}, ...)"
        return Said(f"Exercise {number}. {asked}\n{how}")

    def answer(self, number: int, value: object) -> Said:
        """Check an answer by running the simulator; a wrong one gets a hint."""
        one = self._of(number)
        if value is ...:
            return Said(f"Write your answer in place of the dots, in {one.unit}.")
        if isinstance(value, bool) or not isinstance(value, int | float):
            return Said(f"{value!r} is no number; write one like 12.5, in {one.unit}.")
        if one.holds(value, self.truth(number)):
            self._keep(number, RIGHT)
            return Said(f"Right. {self.told(number)}")
        self._wrong[number] += 1
        after = f"\nOr: lesson.give_up({number})" if self._wrong[number] > 1 else ""
        return Said(f"Not yet. Hint: {one.hint.format(**self.numbers(number))}{after}")

    def give_up(self, number: int) -> Said:
        """Return the answer and why it is that."""
        if self.kept().get(str(number)) != RIGHT:
            self._keep(number, GIVEN_UP)
        return Said(self.told(number))

    def progress(self) -> Said:
        """Say which exercises are done."""
        kept = self.kept()
        rows = [f"{number}: {kept.get(str(number), 'open')}" for number in self._wrong]
        done = sum(one == RIGHT for one in kept.values())
        return Said("\n".join([f"{done} of {len(rows)} right", *rows]))

    def solutions(self) -> Said:
        """Return all questions with their answers, for the teacher."""
        texts = [f"{self.ask(one)}\n{self.told(one)}" for one in self._wrong]
        return Said("\n\n".join(texts))

    def told(self, number: int) -> str:
        """Return the answer with its explanation."""
        one, truth = self._of(number), self.truth(number)
        answer = f"{truth:,.0f}" if float(truth).is_integer() else f"{truth:.3g}"
        return one.explanation.format(answer=f"{answer} {one.unit}", **self.numbers(number))

    def numbers(self, number: int) -> Numbers:
        """Return this student's numbers of an exercise: the same in every session."""
        seed = f"{self.student} {self.name} {number}"
        return self._of(number).draw(random.Random(seed))

    def truth(self, number: int) -> float:
        """Return the right answer, as simulated."""
        if number not in self._truths:
            self._truths[number] = self._of(number).truth(self.numbers(number))
        return self._truths[number]

    def kept(self) -> dict[str, str]:
        """Return what this student has done in this lesson."""
        return dict(_read().get(self.name, {}).get(self.student, {}))

    def _of(self, number: int) -> Exercise:
        if number not in self._wrong:
            raise ValueError(f"there is no exercise {number}; there are 1 to {len(self._wrong)}")
        return self.exercises[number - 1]

    def _keep(self, number: int, how: str) -> None:
        kept = _read()
        kept.setdefault(self.name, {}).setdefault(self.student, {})[str(number)] = how
        with suppress(OSError):  # A folder that may only be read: then for this session only.
            KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def _read() -> dict[str, Any]:
    """Return what was kept; nothing, if there is no such file or it is damaged."""
    try:
        found = json.loads(KEPT.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
