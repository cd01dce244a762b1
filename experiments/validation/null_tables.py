"""The simulator beside formulas without a machine: numbers inside, claims borne out, and which."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence

from tabulate import tabulate

from simulator.extras import MissingExtraError
from simulator.report.ledger import shown
from simulator.study.ledger import CALIBRATED, PREDICTED, Ledger

from .nulls import (
    CONTRADICTS,
    HOLDS,
    IN_PART,
    NOTHING,
    NullClaim,
    NullFigure,
    NullStudy,
    has_formulas,
    null_study,
)

TITLE = "Formulas without a machine"
_WIDTH = 100
"""Of the sentences, in characters, beside tables in plain text."""
_ALIKE = 0.05
"""Counts that differ by no larger part are as good as each other."""
_MOST_ROWS = 15
"""A study with more numbers shows, as pages do, those on which simulator and formulas differ."""


def formula_blocks(ledger: Ledger) -> list[str]:
    """Return the blocks of a study as plain text; none if it has no formulas."""
    if not has_formulas(ledger.study.name):
        return []
    try:
        return null_blocks(null_study(ledger))
    except MissingExtraError as error:
        return [f"{TITLE} are not fitted: {error}."]


def null_blocks(made: NullStudy) -> list[str]:
    """Return the tables and sentences about a study, for people."""
    sentences = [_formulas(made), _numbers(made), _claims(made), _only(made)]
    about, numbers, claims, only = (textwrap.fill(one, _WIDTH) for one in sentences)
    return [
        about,
        *_figure_table(made, "simple", _MOST_ROWS),
        numbers,
        _claim_table(made),
        claims,
        only,
    ]


def null_section(made: NullStudy) -> list[str]:
    """Return the same as Markdown, without what is said of each claim."""
    about = f"## {TITLE}\n\n{_formulas(made)}"
    return [about, *_figure_table(made, "github", 0), _numbers(made), _claims(made), _only(made)]


def null_line(all_made: Mapping[str, NullStudy]) -> str:
    """Say in a few sentences what all studies come to, by the simulator and by formulas."""
    new = [one for made in all_made.values() for one in made.predicted]
    claims = [one for made in all_made.values() for one in made.of_role(PREDICTED)]
    alone = {
        name: sum(one.by_simulator_only for one in made.of_role(PREDICTED))
        for name, made in all_made.items()
    }
    each = ", ".join(f"{name} {count}" for name, count in alone.items())
    constants = sum(len(made.model.constants) for made in all_made.values())
    values = sum(made.simulator_values for made in all_made.values())
    numbers = _inside_by_simulator(new), _inside(new)
    return (
        f"Would formulas do? {TITLE} ({constants} constants; the simulator has {values} fitted "
        f"values) were fitted to the same numbers. Of {len(new)} predicted numbers {numbers[0]} "
        f"are inside by the simulator and {numbers[1]} by formulas{_compared(*numbers)}. Of "
        f"{len(claims)} predicted claims {sum(one.by_both for one in claims)} are borne out by "
        f"both, {sum(alone.values())} by the simulator only ({each}), and "
        f"{sum(one.by_formulas_only for one in claims)} by formulas only."
    )


def null_table(all_made: Mapping[str, NullStudy], left_out: Mapping[str, int]) -> str:
    """Return a row for each study, as Markdown: what simulator and formulas have, and of how many.

    ``left_out``: how many numbers the simulator has inside when each is left out of its fit; of
    the studies for which that was done.
    """
    rows = [_row(name, made, left_out.get(name)) for name, made in all_made.items()]
    head = [
        "simulator / formulas",
        "fitted values",
        "fitted numbers inside",
        "predicted numbers inside",
        "inside when left out",
        "predicted claims borne out",
    ]
    return tabulate(rows, headers=head, disable_numparse=True, tablefmt="github")


def _row(name: str, made: NullStudy, left_out: int | None) -> list[str]:
    claims = made.of_role(PREDICTED)
    out = "too few data"
    if made.leaves_out:
        simulator = "-" if left_out is None else left_out
        inside = sum(one.inside(one.left_out) for one in made.fitted)
        out = f"{simulator} / {inside} of {len(made.fitted)}"
    return [
        name,
        f"{made.simulator_values} / {len(made.model.constants)}",
        _both(made.fitted),
        _both(made.predicted) if made.predicted else "none",
        out,
        f"{sum(one.result.holds is True for one in claims)} / "
        f"{sum(one.verdict == HOLDS for one in claims)} of {len(claims)}",
    ]


def _both(figures: Sequence[NullFigure]) -> str:
    return f"{_inside_by_simulator(figures)} / {_inside(figures)} of {len(figures)}"


def _compared(simulator: int, formulas: int) -> str:
    """Say in words what two counts mean.

    >>> _compared(66, 65), _compared(35, 20), _compared(5, 9)
    (', which thus do as well', '', ', which thus do better')
    """
    if formulas > simulator * (1 + _ALIKE):
        return ", which thus do better"
    return ", which thus do as well" if formulas >= simulator * (1 - _ALIKE) else ""


def _formulas(made: NullStudy) -> str:
    given = f" Given, not fitted: {made.model.given}." if made.model.given else ""
    return (
        f"{TITLE} have {len(made.model.constants)} constants (the simulator has "
        f"{made.simulator_values} fitted values): {made.model.about}.{given} They are fitted by "
        f"least squares to the {made.data} numbers to which the simulator's values were fitted."
    )


# -- numbers ------------------------------------------------------------------------------------


def _inside_by_simulator(figures: Sequence[NullFigure]) -> int:
    return sum(one.result.inside for one in figures)


def _inside(figures: Sequence[NullFigure]) -> int:
    return sum(one.inside(one.rate) for one in figures)


def _numbers(made: NullStudy) -> str:
    parts = [
        f"{what}: {_inside_by_simulator(some)} of {len(some)} by the simulator, "
        f"{_inside(some)} by formulas{_compared(_inside_by_simulator(some), _inside(some))}"
        for what, some in (("fitted", made.fitted), ("predicted", made.predicted))
        if some
    ]
    return f"Numbers inside their bands - {'; '.join(parts)}. {_left_out(made)}"


def _left_out(made: NullStudy) -> str:
    fitted = made.fitted
    if not made.leaves_out:
        return (
            f"None can be left out of the fit: there are {made.data} data for "
            f"{len(made.model.constants)} constants."
        )
    known = [one for one in fitted if one.left_out is not None]
    inside = sum(one.inside(one.left_out) for one in known)
    rest = len(fitted) - len(known)
    lost = f", {rest} are not determined by the others" if rest else ""
    twice = "" if made.model.study == "nwt" else " The simulator's fit is not repeated like that."
    return (
        f"Each left out of the formulas' fit in turn: {inside} of {len(fitted)} are "
        f"inside{lost}.{twice}"
    )


def _figure_table(made: NullStudy, form: str, most: int) -> list[str]:
    if made.model.study == "nwt":  # Its cells stand in tables of their own, also left out.
        return []
    figures = list(made.figures)
    if len(figures) > most:
        figures = [one for one in figures if one.result.inside != one.inside(one.rate)]
    rows = [_figure_row(one) for one in figures]
    head = [
        "figure",
        "role",
        "paper",
        "band",
        "simulator",
        "verdict",
        "formulas",
        "verdict",
        "left out",
    ]
    if not made.leaves_out:
        rows, head = [row[:-1] for row in rows], head[:-1]
    table = tabulate(rows, headers=head, disable_numparse=True, tablefmt=form)
    if len(figures) == len(made.figures):
        return [table]
    about = f"Of {len(made.figures)} numbers, those that only one of both has inside its band:"
    return [about, table] if figures else []


def _figure_row(one: NullFigure) -> list[str]:
    figure = one.result.figure
    return [
        figure.id,
        figure.role if one.took_part or figure.role == PREDICTED else "dependent",
        shown(figure.value, 4),
        f"{shown(figure.low, 4)} - {shown(figure.high, 4)}",
        shown(one.result.simulated, 4),
        "inside" if one.result.inside else "OUTSIDE",
        shown(one.rate, 4),
        _verdict(one, one.rate),
        f"{shown(one.left_out, 4)} {_verdict(one, one.left_out)}".removeprefix("- ")
        if one.took_part
        else "",
    ]


def _verdict(one: NullFigure, rate: float | None) -> str:
    if rate is None:
        return "not determined" if one.took_part else NOTHING
    return "inside" if one.inside(rate) else "OUTSIDE"


# -- claims -------------------------------------------------------------------------------------


def _claim_table(made: NullStudy) -> str:
    rows = [
        [
            one.result.claim.id,
            one.result.claim.role,
            HOLDS if one.result.holds else "contradicted",
            one.verdict,
            "\n".join(one.broken),
            "\n".join(one.silent),
        ]
        for one in made.claims
    ]
    head = ["claim", "role", "simulator", "formulas", "contradicting", "saying nothing of"]
    return tabulate(rows, headers=head, disable_numparse=True, tablefmt="simple")


def _claims(made: NullStudy) -> str:
    parts = []
    for role in (CALIBRATED, PREDICTED):
        claims = made.of_role(role)
        verdicts = [one.verdict for one in claims]
        formulas, part, against, silent = map(
            verdicts.count, (HOLDS, IN_PART, CONTRADICTS, NOTHING)
        )
        simulator = sum(one.result.holds is True for one in claims)
        if claims:
            parts.append(
                f"{role}: {simulator} of {len(claims)} by the simulator, {formulas} by formulas, "
                f"which contradict {against}, say nothing of {silent}, and have only some figures "
                f"of {part}"
            )
    return f"Claims borne out, without those by construction - {'; '.join(parts)}."


def _only(made: NullStudy) -> str:
    """Say which claims both bear out, and which only one of both."""

    def named(wanted: Callable[[NullClaim], bool]) -> str:
        return ", ".join(one.result.claim.id for one in made.claims if wanted(one)) or "none"

    simulator, both, formulas = (
        named(wanted)
        for wanted in (
            lambda one: one.by_simulator_only,
            lambda one: one.by_both,
            lambda one: one.by_formulas_only,
        )
    )
    return (
        f"Borne out by the simulator only: {simulator}. By both: {both}. "
        f"By formulas only: {formulas}."
    )
