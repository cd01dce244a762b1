"""The page of a run: the answer, where the time went, and what the numbers rest on.

It is made of the outcome of the run alone: the text, the JSON and the page show the same numbers.
With ten thousand processes it is as long as with ten.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simulator.report.causes import causes_text
from simulator.report.html.advise import advice_sections, first_advice
from simulator.report.html.assumptions import made_by, sources, warnings
from simulator.report.html.cells import table
from simulator.report.html.diagram import diagram, ways
from simulator.report.html.limits import limits_answer, limits_table
from simulator.report.html.markup import tag
from simulator.report.html.overtime import over_time
from simulator.report.html.page import Section, page, paragraphs
from simulator.report.html.uses import Uses
from simulator.report.html.where import where
from simulator.report.jobs import jobs_table
from simulator.report.outcome import answer, bottleneck
from simulator.units import format_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simulator.config.machine_file import Machine
    from simulator.config.sources import FromFile
    from simulator.report import page as model
    from simulator.report.html.markup import Child
    from simulator.report.outcome import Outcome

MOST_ADVICE = 3
"""Advices on the page of a run; that of 'nwtsim advise' has more."""


@dataclass(frozen=True, slots=True)
class RunPage:
    """A finished run, and what its page says beside its numbers."""

    outcome: Outcome
    machine: Machine
    files: Sequence[FromFile]
    """The machine, and the workload if there is one: their values have sources."""
    warned: Sequence[str] = ()
    """Warnings that the command has printed."""
    command: Sequence[str] = ()
    """The words of the command."""

    def text(self) -> str:
        """Return the page."""
        return self.with_sections()

    def with_sections(self, first: Iterable[str] = (), more: Iterable[Section] = ()) -> str:
        """Return the page with more lines in its answer, and more sections after the first."""
        outcome, result = self.outcome, self.outcome.result
        title = f"{result.workload} on {result.machine}: {format_time(result.elapsed_ns)}"
        about = [outcome.title, outcome.header_line()]
        causes = [] if outcome.limits is not None else causes_text(result, outcome.plan)[:1]
        helps = first_advice(outcome.advised)
        lines = [*limits_answer(outcome.limits), *helps, *causes, *first]
        made: Child = [*paragraphs(lines), *paragraphs(answer(result).splitlines())]
        before, *after = self._sections()
        return page(title, list(filter(None, about)), made, [before, *more, *after])

    def _sections(self) -> list[Section]:
        outcome, result, plan = self.outcome, self.outcome.result, self.outcome.plan
        uses = Uses(result, plan)
        _, before, *after = outcome.shown()
        told = [*causes_text(result, plan), *bottleneck(result).splitlines()]
        return [
            Section("Where the time went", [where(result, plan), paragraphs(told)]),
            Section("What limits", limits_table(outcome.limits, outcome.command)),
            *([] if outcome.advised is None else advice_sections(outcome.advised, MOST_ADVICE)),
            Section("Jobs", table(jobs_table(result), headed=True)),
            *_sections([before]),
            Section("Block diagram", diagram(self.machine, uses)),
            Section("What requests go through", ways(self.machine, uses, plan)),
            Section("Over time", over_time(result, plan)),
            *_sections(after),
            Section("Assumptions", self._assumptions()),
            Section("How this was made", made_by(self.command, self._about())),
        ]

    def _assumptions(self) -> Child:
        outcome = self.outcome
        return [
            paragraphs(outcome.notes()),
            tag("h3", "Warnings"),
            warnings(self.warned),
            sources(outcome.sources, self.files),
        ]

    def _about(self) -> dict[str, str]:
        result = self.outcome.result
        return {
            "machine": result.machine,
            "workload": result.workload,
            "seed": str(result.seed) if result.noisy else "none",
            "engine": result.engine,
            "digest of the input": result.digest,
            "events": f"{result.events:,}",
        }


def _sections(shown: Iterable[model.Section]) -> list[Section]:
    """Return sections that are a table each."""
    return [
        Section(one.title, [table(each, headed=True) for each in one.tables()]) for one in shown
    ]
