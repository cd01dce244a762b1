"""Comparison of the simulator with formulas: numbers inside, and confirmed claims."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median

from simulator.extras import MissingExtraError
from simulator.report.lined import ruled
from simulator.report.scales import shown
from simulator.study.ledger import Ledger
from simulator.study.study_file import CALIBRATED, PREDICTED, UNDEMANDING
from simulator.wording import counted

from .nulls import (
    HOLDS,
    NOTHING,
    NullClaim,
    NullFigure,
    NullStudy,
    has_formulas,
    null_study,
)
from .score_tables import score_blocks

TITLE = "Formulas without a machine"
_ALIKE = 0.05
"""Relative difference up to which two counts are equivalent."""
_NONE_ALONE = "Confirmed by the simulator only: none; by formulas only: none."
_MOST_ROWS = 15
"""Number of figures above which a study lists only those on which both models differ."""


def formula_blocks(ledger: Ledger) -> list[str]:
    """Return the blocks of a study as plain text; empty without formulas."""
    if not has_formulas(ledger.study.name):
        return []
    try:
        made = null_study(ledger)
        return [*null_blocks(made), *score_blocks(made, ledger)]
    except MissingExtraError as error:
        return [f"{TITLE} are not fitted: {error}."]


def null_blocks(made: NullStudy) -> list[str]:
    """Return the tables and sentences about a study, for people."""
    sentences = [_formulas(made), _numbers(made), _claims(made), _only(made)]
    about, numbers, claims, only = sentences
    return [
        about,
        *_figure_table(made),
        numbers,
        _claim_table(made),
        claims,
        only,
    ]


def null_section(made: NullStudy) -> list[str]:
    """Return the same as Markdown, without the text on each claim."""
    about = f"## {TITLE}\n\n{_formulas(made)}"
    told = (one for one in (_claims(made), _only(made)) if one != _NONE_ALONE)
    return [about, _numbers(made), " ".join(told)]


def beyond_formulas(all_made: Mapping[str, NullStudy]) -> str:
    """State the simulator's correct predictions that formulas miss, and vice versa."""
    new = [one for made in all_made.values() for one in made.predicted]
    claims = [one for made in all_made.values() for one in made.of_role(PREDICTED)]
    silent = [one for one in claims if not one.decided]
    more = [one.result.figure.id for one in new if one.result.inside and not one.inside(one.rate)]
    less = [one.result.figure.id for one in new if not one.result.inside and one.inside(one.rate)]
    inside = _inside_by_simulator(new)
    are = "is" if 1 in (inside, len(new)) else "are"
    alone = [one.result.claim.id for one in claims if one.by_simulator_only]
    theirs = [one.result.claim.id for one in claims if one.by_formulas_only]
    constants = sum(len(made.model.constants) for made in all_made.values())
    values = sum(made.simulator_values for made in all_made.values())
    return (
        f"**Predicted beyond formulas:** {inside} of "
        f"{counted(len(new), 'predicted number')} {are} within the band; formulas manage "
        f"{_inside(new)} ({constants} constants, fitted to the same numbers as the simulator's "
        f"{values} values, in the best forms that we found, having seen all numbers), the "
        f"neighbours in the paper {_persisting(new)}. Only the simulator is within it on "
        f"{_ids(more)}, only formulas on {_ids(less)}. Of "
        f"{counted(len(claims), 'predicted claim')} the simulator is right on "
        f"{_confirmed(claims)}; only the simulator on {_ids(alone)}, only formulas on "
        f"{_ids(theirs)}. Formulas say nothing of {len(silent)}, of which "
        f"{_confirmed(silent)} are confirmed: no proof against formulas, which with more constants "
        "might do as well."
    )


def _ids(ids: Sequence[str]) -> str:
    """Return a count of names, and the names.

    >>> _ids([]), _ids(["a", "b"])
    ('none', '2 (a, b)')
    """
    return f"{len(ids)} ({', '.join(ids)})" if ids else "none"


def _median_error(made: NullStudy) -> float:
    """Return the median error of formulas fitted to the other numbers."""
    errors = [
        abs(one.left_out / one.result.figure.value - 1)
        for one in made.fitted
        if one.left_out is not None and one.result.figure.value
    ]
    return median(errors) if errors else math.nan


def _compared(simulator: int, formulas: int) -> str:
    """Return the meaning of two counts, in words.

    >>> _compared(66, 65), _compared(35, 20), _compared(5, 9)
    (', which thus do as well', '', ', which thus do better')
    """
    if formulas > simulator * (1 + _ALIKE):
        return ", which thus do better"
    return ", which thus do as well" if formulas >= simulator * (1 - _ALIKE) else ""


def _formulas(made: NullStudy) -> str:
    given = f" Given, not fitted: {made.model.given}." if made.model.given else ""
    about = (
        f"{TITLE} have {len(made.model.constants)} constants (the simulator has "
        f"{made.simulator_values} fitted values): {made.model.about}.{given}"
    )
    if not made.model.constants:
        return f"{about} Nothing is fitted."
    return (
        f"{about} They are fitted by least squares to the {made.data} numbers to which the "
        "simulator's values were fitted."
    )


# -- numbers ------------------------------------------------------------------------------------


def _inside_by_simulator(figures: Sequence[NullFigure]) -> int:
    return sum(one.result.inside for one in figures)


def _inside(figures: Sequence[NullFigure]) -> int:
    return sum(one.inside(one.rate) for one in figures)


def _persisting(figures: Sequence[NullFigure]) -> int:
    return sum(one.persists for one in figures)


def _numbers(made: NullStudy) -> str:
    parts = [
        f"{what}: {_inside_by_simulator(some)} of {len(some)} by the simulator, "
        f"{_inside(some)} by formulas{_compared(_inside_by_simulator(some), _inside(some))}"
        for what, some in (("fitted", made.fitted), ("predicted", made.predicted))
        if some
    ]
    return f"Numbers inside their bands - {'; '.join(parts)}. {_as_before(made)}{_left_out(made)}"


def _as_before(made: NullStudy) -> str:
    """State the number of predicted numbers that persistence places inside."""
    new = made.predicted
    if not new:
        return ""
    text = (
        f"If each predicted number is as its neighbour in the paper {_persisting(new)} of "
        f"{len(new)} are inside"
    )
    last = [one for one in new if one.neighbour is not None and one.neighbour.before]
    if last:
        text += (
            f"; of the {len(last)} that were printed for the year before {_persisting(last)} are "
            f"as then, {_inside_by_simulator(last)} as simulated, {_inside(last)} as by formulas"
        )
    return f"{text}. "


def _left_out(made: NullStudy) -> str:
    fitted = [one for one in made.fitted if one.took_part]
    if not made.model.constants:
        return "None can be left out of a fit: there is none."
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
        "Each left out of the formulas' fit in turn: median error "
        f"{_median_error(made) * 100:.1f} %, {inside} of {len(fitted)} are inside{lost}; "
        f"{_persisting(fitted)} if each is as its neighbour in the paper.{twice}"
    )


def _figure_table(made: NullStudy) -> list[str]:
    if made.model.study == "nwt":  # Its cells stand in tables of their own, also left out.
        return []
    figures = list(made.figures)
    if len(figures) > _MOST_ROWS:
        figures = [one for one in figures if one.result.inside != one.inside(one.rate)]
    rows = [_figure_row(one) for one in figures]
    models = ["simulator", "verdict", "formulas", "verdict", "left out"]
    head = ["figure", "role", "paper", "band", *models]
    if not made.leaves_out:
        rows, head = [row[:-1] for row in rows], head[:-1]
    table = ruled(head, rows)
    if len(figures) == len(made.figures):
        return [table]
    about = f"Of {len(made.figures)} numbers, those that only one of both has inside its band:"
    return [about, table] if figures else []


def _figure_row(one: NullFigure) -> list[str]:
    figure = one.result.figure
    return [
        figure.id,
        figure.role,
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
    head = ["claim", "role", "simulator", "formulas"]
    rows, said = [], []
    for one in made.claims:
        holds = HOLDS if one.result.holds else "contradicted"
        name = one.result.claim.id
        rows.append([name, one.result.claim.role, holds, one.verdict])
        for what, relations in (("contradict", one.broken), ("say nothing of", one.silent)):
            if relations:
                said.append(f"{name}: formulas {what} {'; '.join(relations)}")
    table = ruled(head, rows)
    return "\n".join([table, *(["", *said] if said else [])])


def _claims(made: NullStudy) -> str:
    parts = []
    for role in (CALIBRATED, PREDICTED, UNDEMANDING):
        claims = made.of_role(role)
        both = [one for one in claims if one.decided]
        if claims:
            parts.append(
                f"{role} {len(both)} of {len(claims)} ({_confirmed(both)} / {_by_formulas(both)})"
            )
    return (
        "Claims that formulas decide (confirmed by the simulator / by formulas): "
        f"{', '.join(parts) or 'none'}."
    )


def _confirmed(claims: Sequence[NullClaim]) -> int:
    return sum(one.result.holds is True for one in claims)


def _by_formulas(claims: Sequence[NullClaim]) -> int:
    return sum(one.verdict == HOLDS for one in claims)


def _only(made: NullStudy) -> str:
    """State the claims confirmed by one only."""
    simulator = [one.result.claim.id for one in made.claims if one.by_simulator_only]
    formulas = [one.result.claim.id for one in made.claims if one.by_formulas_only]
    return (
        f"Confirmed by the simulator only: {', '.join(simulator) or 'none'}; by formulas only: "
        f"{', '.join(formulas) or 'none'}."
    )
