"""The page of published studies: paper beside simulated, each number with its source, and claims.

Of several studies each has its sections, which begin with its name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from simulator.report import ledger as words
from simulator.report.first_screen import claims_sentence, failed_sentence, fitted_sentence
from simulator.report.html.page import bars, bulleted
from simulator.report.html.svg import Piece
from simulator.report.page import Block, Browser, Column, Page, Plain, Section, Table, ValueInWords
from simulator.report.scales import shown
from simulator.study.ledger import CONTRADICTED, FigureResult, Ledger
from simulator.study.studies import tally
from simulator.study.study_file import CALIBRATED, PREDICTED
from simulator.wording import counted as many

MOST_BARS = 40
"""Figures of a picture; those that are furthest off, of more."""
WIDEST = 4.0
"""Ratios beyond this one, and below its inverse, are drawn at the edge."""
_BAND = 4
_COLOURS = {CALIBRATED: 1, PREDICTED: 2, CONTRADICTED: 5}
_OTHER = 7
_MARK = 0.012
"""Width of what stands for a simulated figure."""


def study_page(made: Sequence[words.Repeated], command: Sequence[str]) -> Page:
    """Return the page of one or several studies."""
    ledgers = [one.ledger for one in made]
    about = {"seed": f"{ledgers[0].seed}", "engine": ", ".join({one.engine for one in ledgers})}
    browser = partial(Browser, command=command, made=about)
    if len(made) == 1:
        (one,) = ledgers
        lines = [*one.heart, *_told(one)]
        sections = [*_sections(made[0], "")]
        return Page(one.study.title, [one.study.paper], lines, sections, browser=browser)
    tallies = [tally(one) for one in ledgers]
    head = [Column(name.replace(" ", "_"), name) for name in words.HEAD]
    first = Table("studies", "All studies", head, words.tally_rows(tallies))
    lines = [f"{one.study.title}: {claims_sentence(one)}" for one in ledgers]
    sections = [part for one in made for part in _sections(one, f"{one.ledger.study.name}: ")]
    names = ", ".join(one.study.name for one in ledgers)
    title = f"Published studies beside the simulator: {names}"
    shown = [Section(first.title, [first]), *sections]
    return Page(title, [], lines, shown, browser=browser)


def _told(ledger: Ledger) -> list[str]:
    """State how much is fitted, what becomes of the claims, and which verdicts are not expected."""
    told = [fitted_sentence(ledger), claims_sentence(ledger), failed_sentence(ledger)]
    return [*filter(None, told)]


def _sections(made: words.Repeated, name: str) -> Iterator[Section]:
    """Yield the sections of a study; their titles begin with ``name``, if there are others."""
    ledger = made.ledger
    study, key = ledger.study, name.replace(": ", "-")
    intro = [study.title, study.paper, *ledger.heart, *_told(ledger)] if name else []
    verdicts = words.verdicts_sentence(ledger)
    yield Section(f"{name}Paper and simulated", [*intro, *_compared(ledger, key), verdicts])
    yield Section(f"{name}Claims", [_claims(ledger, key)])
    for number, (title, lines) in enumerate(words.why(ledger).items()):
        texts = [[id_, about, told] for id_, about, told in lines]
        head = [Column("id", "id"), Column("about", ""), Column("why", "why", "sentence")]
        yield Section(f"{name}{title}", [Table(f"{key}why-{number}", title, head, texts)])
    yield Section(f"{name}What fits and formulas say", [*map(_text, made.fits)])
    yield Section(f"{name}Beside the paper's numbers", [*map(_text, ledger.blocks)])
    freedom = [
        words.freedom_sentence(ledger),
        bulleted(study.tuned, len(study.tuned), "more choice"),
    ]
    details = [_text(ledger.details)] if ledger.details else []
    yield Section(f"{name}What was fitted and chosen", [*freedom, *details])
    both = (("calibrated", ledger.calibrated), ("assumed", ledger.assumed))
    tables = [_values(key, kind, some) for kind, some in both]
    yield Section(f"{name}Values of the machine without a printed source", tables)
    yield Section(f"{name}Rules of the claims", [Plain(made.rules.strip())])


def _text(block: str) -> Block:
    """Return a block of a terminal page: what has lines of its own keeps them."""
    return Plain(block) if "  " in block else " ".join(block.split())


# -- figures ------------------------------------------------------------------------------------


def _compared(ledger: Ledger, key: str) -> list[Block]:
    """Draw the figures, and list them, by the tables of the first screen if it has some."""
    if not ledger.figures:
        return []
    left = {one.figure.id: one for one in ledger.figures}
    tables = {
        title: [(label, left.pop(id_)) for label, id_ in some.items()]
        for title, some in ledger.study.screen.tables.items()
    }
    rest = [(one.figure.what, one) for one in left.values()]
    tables["Other figures" if tables else "Figures"] = rest
    labels = {one.figure.id: one.figure.what for one in ledger.figures}
    for title, some in ledger.study.screen.tables.items():
        labels |= {id_: f"{title}: {label}" if title else label for label, id_ in some.items()}
    named = [(labels[one.figure.id], one) for one in ledger.figures]
    listed = enumerate(tables.items())
    return [_picture(named), *(_figures(f"{key}figures-{n}", *one) for n, one in listed)]


_FIGURES = (
    Column("what", "what"),
    Column("paper", "paper", "figure"),
    Column("simulated", "simulated", "figure"),
    Column("ratio", "simulated / paper", "figure"),
    Column("error", "error", "figure"),
    Column("unit", "unit"),
    Column("verdict", "verdict"),
    Column("band", "counts as equal"),
    Column("source", "in the paper"),
    Column("figure", "figure"),
)


def _figures(name: str, title: str, lines: Sequence[tuple[str, FigureResult]]) -> Table:
    made = [_row(label, one) for label, one in lines]
    out = [place for place, (_, one) in enumerate(lines) if not one.expected]
    return Table(name, title, _FIGURES, made, noun="figure", most=len(made), marked=out)


def _row(label: str, one: FigureResult) -> list[Any]:
    given, paper = one.figure, one.figure.value
    ratio = one.simulated / paper if paper else None
    return [
        label,
        ValueInWords(paper, shown(paper, 4)),
        ValueInWords(one.simulated, words.simulated_text(one)),
        ValueInWords(ratio, "" if ratio is None else f"{ratio:.3f}"),
        ValueInWords(None if ratio is None else ratio - 1, words.error_text(one)),
        given.unit,
        words.marked(one),
        f"{shown(given.low, 4)} - {shown(given.high, 4)}",
        given.ref if label == given.what else given.what,
        given.id,
    ]


def _picture(results: Sequence[tuple[str, FigureResult]]) -> Block:
    """Draw how far simulated figures are from the paper's, each beside what counts as equal."""
    drawn = [one for one in results if _middle(one[1]) > 0 and one[1].simulated > 0]
    if not drawn:
        return ""
    off = sorted(drawn, key=lambda one: -abs(math.log(one[1].simulated / _middle(one[1]))))
    kept = [one for one in drawn if one in off[:MOST_BARS]]
    ratios = [end / _middle(one) for _, one in kept for end in (*_ends(one), one.simulated)]
    far = max(max(one, 1 / one) if one > 0 else WIDEST for one in ratios)
    edge = next((one for one in (1.25, 1.5, 2.0) if far <= one), WIDEST)
    listed = [(label, _numbers(one), _pieces(one, edge)) for label, one in kept]
    caption = (
        f"Simulated over printed, on a logarithmic scale from 1/{edge:g} to {edge:g}; the line is"
        " 1. Light blue: what counts as equal; orange: fitted, green: predicted, red:"
        " contradicted, grey: others."
    )
    if len(kept) < len(results):
        caption += f" {len(kept)} of {many(len(results), 'figure')}, those furthest off."
    return bars(listed, "Paper and simulated. ", caption, mark=0.5)


def _middle(one: FigureResult) -> float:
    """Return the printed number, or the middle of the printed range."""
    return sum(_ends(one)) / 2 if one.figure.value is None else one.figure.value


def _ends(one: FigureResult) -> tuple[float, float]:
    return one.figure.low, one.figure.high


def _numbers(one: FigureResult) -> str:
    printed = " - ".join(shown(end, 4) for end in _ends(one))
    if one.figure.value is not None:
        printed = shown(one.figure.value, 4)
    return f"{printed}, simulated {shown(one.simulated, 4)} {one.figure.unit}"


def _pieces(one: FigureResult, edge: float) -> list[Piece]:
    values = (*_ends(one), one.simulated)
    low, high, at = (_place(value / _middle(one), edge) for value in values)
    start = min(max(0.0, at - _MARK / 2), 1 - _MARK)
    colour = _COLOURS.get(one.verdict, _OTHER)
    return [
        Piece(high - low, _BAND, start=low, text="counts as equal"),
        Piece(_MARK, colour, start=start, text=_numbers(one)),
    ]


def _place(ratio: float, edge: float) -> float:
    """Return where a ratio is drawn on a scale that ends at ``edge``.

    >>> _place(0.1, 4.0), _place(1.0, 4.0), _place(2.0, 4.0)
    (0.0, 0.5, 0.75)
    """
    within = min(max(ratio, 1 / edge), edge)
    return 0.5 + math.log(within) / math.log(edge) / 2


# -- claims and values --------------------------------------------------------------------------


def _claims(ledger: Ledger, key: str) -> Table:
    head = [
        Column("claim", "claim"),
        Column("verdict", "verdict"),
        Column("text", "the paper says", "sentence"),
        Column("source", "in the paper"),
        Column("elsewhere", "whose words, if not the paper's", "sentence"),
    ]
    made = [
        [one.claim.id, words.marked(one), one.claim.text, one.claim.ref, one.claim.elsewhere]
        for one in ledger.claims
    ]
    out = [place for place, one in enumerate(ledger.claims) if not one.expected]
    return Table(f"{key}claims", "Claims of the paper", head, made, marked=out, most=len(made))


def _values(key: str, kind: str, values: Sequence[dict[str, str]]) -> Table:
    head = [
        Column("path", "value"),
        Column("value", "is"),
        Column("detail", kind),
        Column("note", "note", "sentence"),
    ]
    made = [[one[column.key] for column in head] for one in values]
    return Table(f"{key}{kind}", f"Values that are {kind}", head, made, most=len(made))
