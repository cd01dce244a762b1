"""The first screen of a study: what was printed beside what was simulated, and what that proves.

At most :data:`LINES` lines of :data:`WIDTH` columns. Which figures it shows, and what it calls
them, stands under ``screen:`` in the study's file; the rest is behind ``--full``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.extras import MissingExtraError, need
from simulator.native import has_kernel
from simulator.report.lined import columns, wrapped
from simulator.report.scales import shown
from simulator.study.ledger import CONTRADICTED, NOT_TESTABLE, FigureResult, Ledger
from simulator.study.study_file import (
    BY_CONSTRUCTION,
    CALIBRATED,
    PREDICTED,
    UNDEMANDING,
    Sentence,
)
from simulator.wording import command_line, counted

if TYPE_CHECKING:
    from simulator.experiments.nwt.predictions import Predicted, Predictions

WIDTH = 80
LINES = 40
_NARROWEST = 60
_LABEL = 29
"""Columns of a row's label where four numbers follow it; wider where two do."""
_MOST_ROWS = 16
"""Figures of a study whose file does not name those of its first screen."""
_MOST_CLAIMS = 4
"""Contradicted claims that are told one by one."""
_MOST_FAILED = 5
_OUTSIDE = " (!: not within the paper's runs)"
BAND = "10 % of a number, half a unit of its last digit if that is more, or the printed range"
"""The rule of all studies, for figures; cells with runs have notes of their own."""
_WORDS = {CALIBRATED: "fitted", PREDICTED: "predicted", CONTRADICTED: "contradicted"}


def first_screen(ledger: Ledger) -> str:
    """Return the first screen; fits a study with repeated runs without each cell in turn."""
    if any(one.figure.runs for one in ledger.figures):
        lacking = cannot_predict()
        made = None if lacking else _predictions(ledger)
        tables, notes = _cell_tables(ledger, made), _cell_notes(ledger, made, lacking)
    else:
        tables, notes = _figure_table(ledger), _wrapped(fitted_sentence(ledger))
    blocks = [
        _wrapped(ledger.study.screen.title or ledger.study.title),
        tables,
        notes,
        _wrapped(*ledger.heart, claims_sentence(ledger)),
        _wrapped(*filter(None, [failed_sentence(ledger)])),
        _next(ledger),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _wrapped(*paragraphs: str) -> list[str]:
    return [line for one in paragraphs for line in wrapped(one, WIDTH).split("\n")]


def study_line(ledger: Ledger) -> str:
    """Return one line of a study: how much of what was not fitted came out as printed."""
    from simulator.study.studies import tally

    one = tally(ledger)
    failed = "" if ledger.passed else "; FAILED"
    return (
        f"{one.study:<9} right as predicted: {one.inside} of {one.numbers} numbers, {one.holding} "
        f"of {one.claims} claims; {one.contradicted} contradicted{failed}"
    )


# -- tables -------------------------------------------------------------------------------------


def cannot_predict() -> str:
    """State why it is not computed what a fit to the other numbers predicts of each; or nothing."""
    if not has_kernel():
        return "takes minutes without a C++ compiler"
    try:
        need("scipy")
    except MissingExtraError as error:
        return f"is not computed: {error}"
    return ""


def _predictions(ledger: Ledger) -> Predictions:
    """Return what the fits predict."""
    from simulator.experiments.nwt.predictions import predictions

    return predictions(ledger.study.name)


def _cell_tables(ledger: Ledger, made: Predictions | None) -> list[str]:
    """Return the paper's tables: mean, range of the runs, fitted and predicted."""
    figures = {one.figure.id: one for one in ledger.figures}
    left_out = {one.cell.id: one for one in made.models[0].left_out} if made else {}
    lines, head = [], " paper  all its runs    fitted*"
    head += " predicted**" if made else ""
    for title, rows in ledger.study.screen.tables.items():
        lines.append(f"{title:<{_LABEL + 2}}{head}".rstrip())
        lines += [_cell(label, figures[name], left_out.get(name)) for label, name in rows.items()]
        head = ""
    return lines


def _cell(label: str, one: FigureResult, left_out: Predicted | None) -> str:
    figure = one.figure
    text = (
        f"  {label:<{_LABEL}}{figure.value:6.1f}  {figure.low:5.1f} -{figure.high:6.1f}"
        f"{one.simulated:9.1f}{_mark(one.inside)}"
    )
    if left_out is None:
        return text.rstrip()
    if not left_out.rates:
        return f"{text}{'-':>10}"
    return f"{text}{left_out.rates[0]:10.1f}{_mark(left_out.inside)}".rstrip()


def _mark(inside: bool) -> str:
    return "  " if inside else " !"


def _figure_table(ledger: Ledger) -> list[str]:
    """Return a study's figures: what is contradicted first where there are too many."""
    named = ledger.study.screen.tables
    figures = {one.figure.id: one for one in ledger.figures}
    if named:
        rows = [(label, figures[name]) for some in named.values() for label, name in some.items()]
    else:
        rows = [(one.figure.what, one) for one in ledger.figures[:_MOST_ROWS]]
    if not rows:
        return []
    width = min(WIDTH, max(_NARROWEST, columns(WIDTH))) - 36
    lines = [f"{'':<{width}}    paper   simulated  verdict"]
    for label, one in rows:
        figure = one.figure
        printed = shown(figure.value, 4) if figure.value is not None else "-"
        first, *more = textwrap.wrap(f"{label}, {figure.unit}", width, subsequent_indent="  ")
        lines.append(
            f"{first:<{width}}{printed:>9}{shown(one.simulated, 4):>12}  "
            f"{_WORDS.get(one.verdict, one.verdict)}"
        )
        lines += more
    if len(rows) < len(ledger.figures):
        lines.append(f"and {len(ledger.figures) - len(rows)} more: --full")
    return lines


# -- notes --------------------------------------------------------------------------------------


def _cell_notes(ledger: Ledger, made: Predictions | None, lacking: str) -> list[str]:
    count = len(ledger.figures)
    fitted = fitted_sentence(ledger)
    if made is None:
        told = f"What a fit to the other numbers predicts of each {lacking}."
        return _marked("*", f"{fitted} {told}")
    simulator, formulas = made.models
    off, off_without = (each.median_error for each in (simulator, formulas))
    near, near_without = (each.in_mean for each in (simulator, formulas))
    marks = any(not one.inside for one in simulator.left_out)
    return [
        *_marked("*", fitted),
        *_marked(
            "**",
            f"The same, each fitted to the other {count - 1} numbers only{_OUTSIDE * marks}: off "
            f"by {off * 100:.1f} % in the median, formulas without a machine by "
            f"{off_without * 100:.1f} %; {near} and {near_without} of {count} lie in the 95 % "
            "interval of the paper's mean.",
        ),
    ]


def _marked(mark: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=f"{mark:>2} ", subsequent_indent="   ")


def fitted_sentence(ledger: Ledger) -> str:
    """State how many values are fitted to the numbers, and what their agreement proves."""
    if any(one.figure.runs for one in ledger.figures):
        return (
            f"{ledger.fitted} values are fitted to these {len(ledger.figures)} numbers, so that "
            "agreement proves little."
        )
    one = ledger.freedom
    data = counted(one.data, "independent number")
    text = (
        f"{counted(one.fitted, 'value')} of the machine and {counted(one.tuned, 'choice')} were "
        f"made to fit {data}, so that agreement proves little where it says fitted."
    )
    if not one.fitted:
        chosen = f"{counted(one.tuned, 'choice')} were" if one.tuned else "no choice was"
        text = f"No value of the machine is fitted to the {data}; {chosen} made having seen them."
    predicted = [each for each in ledger.figures if each.figure.role == PREDICTED]
    if predicted:
        inside = sum(each.inside for each in predicted)
        are = "is" if 1 in (inside, len(predicted)) else "are"
        text += f" {inside} of {counted(len(predicted), 'predicted number')} {are} within the band."
    return f"{text} The band is {BAND}."


# -- claims -------------------------------------------------------------------------------------


def claims_sentence(ledger: Ledger) -> str:
    """State what becomes of the paper's claims, in a sentence."""
    of_paper = [one for one in ledger.claims if not one.claim.elsewhere]
    of: Mapping[str, list[str]] = {
        word: [_about(ledger, one.claim) for one in of_paper if one.verdict == v]
        for v, word in (
            (PREDICTED, "predicted"),
            (UNDEMANDING, "undemanding"),
            (CALIBRATED, "fitted"),
            (CONTRADICTED, "contradicted"),
            (BY_CONSTRUCTION, "by construction"),
            (NOT_TESTABLE, "not testable"),
        )
    }
    said = [f"{len(some)} {word}" for word, some in of.items() if some]
    wrong = list(dict.fromkeys(of["contradicted"]))
    text = f"{counted(len(of_paper), 'claim')} of the paper: {', '.join(said)}."
    if wrong:
        more = len(wrong) - _MOST_CLAIMS
        some = wrong[:_MOST_CLAIMS] + ([f"and {more} more"] if more > 0 else [])
        text += f" Contradicted: {'; '.join(some).removesuffix('.')}."
    return text


def _about(ledger: Ledger, claim: Sentence) -> str:
    known = ledger.study.screen.about.get(claim.id)
    return known or textwrap.shorten(claim.text, 70, placeholder=" ..")


def failed_sentence(ledger: Ledger) -> str:
    """Name the verdicts that are not expected; nothing if there are none."""
    wrong = [one.figure.id for one in ledger.figures if not one.expected]
    wrong += [one.claim.id for one in ledger.claims if not one.expected]
    if not wrong:
        return ""
    more = len(wrong) - _MOST_FAILED
    some = wrong[:_MOST_FAILED] + ([f"and {more} more"] if more > 0 else [])
    return f"FAILED: not the expected verdict: {', '.join(some)}"


def _next(ledger: Ledger) -> list[str]:
    name = ledger.study.name
    known: Iterable[tuple[str, str]] = ledger.study.screen.next.items() or (
        (command_line("nwtsim", "reproduce", name, "--full"), "all figures and claims"),
        (command_line("nwtsim", "reproduce", name, "--ablate"), "what makes each claim fail"),
        (command_line("nwtsim", "show", ledger.study.machine), "the machine, with sources"),
    )
    given = [one for one in known if _finds_its_files(one[0])]
    width = max(len(command) for command, _ in given)
    return [
        f"{'Next' if index == 0 else '':<7}{command:<{width}}  {what}"
        for index, (command, what) in enumerate(given)
    ]


def _finds_its_files(command: str) -> bool:
    """Tell whether the files of a command stand here, as in the folder of a clone only."""
    return all(Path(word).is_file() for word in command.split() if "/" in word)
