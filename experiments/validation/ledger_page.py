"""Page of one study, docs/validation/STUDY.md: its figures and claims, each with its verdict."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from simulator.report.ledger import Repeated, freedom_text, marked, simulated_text
from simulator.report.lined import ruled
from simulator.report.scales import shown
from simulator.study.ledger import FigureResult, Ledger, SentenceResult
from simulator.study.study_file import BY_CONSTRUCTION, CALIBRATED, UNDEMANDING, Sentence
from simulator.wording import command_line

T = TypeVar("T")
RANDOM = "[random machines](../assumptions.md#claims-that-demand-nothing)"
"""Head of the column with the share of them that bears a claim out."""
_MOST_ROWS = 40
"""Number of figures above which a page lists only those outside of their bands, by cause."""
_MOST_LISTED = 3
"""Number of figures of one cause above which only the nearest and the farthest are listed."""
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?<!,)")
_TOLD = {
    CALIBRATED: "Calibrated",
    BY_CONSTRUCTION: "By construction",
    UNDEMANDING: "Undemanding (random machines that bear them out)",
}
"""Verdicts that prove little, and their words on a page, which names their claims only."""


def study_page(ledger: Ledger, *more: str) -> str:
    """Return one study as Markdown: degrees of freedom, figures, claims, and ``more``."""
    study = ledger.study
    blocks = [
        f"# {study.title}",
        f"{study.paper}. Written by `make validation` (seed {ledger.seed}, {ledger.engine} "
        "engine). Verdicts: [validation.md](../validation.md); how far to trust them: "
        f"[README](../../experiments/{study.name}/README.md).",
        f"{_marked(ledger)}\n\n```text\n{freedom_text(ledger)}\n```",
        *_figures(ledger),
        "## Claims",
        _claims(ledger),
        *more,
    ]
    return unpadded("\n\n".join(blocks)) + "\n"


def _marked(ledger: Ledger) -> str:
    """Count the values marked as calibrated and assumed in the machines' files."""
    return (
        f"{len(ledger.calibrated)} places of the machine's files are marked calibrated and "
        f"{len(ledger.assumed)} assumed."
    )


def _figures(ledger: Ledger) -> list[str]:
    if not ledger.figures:
        return []
    if len(ledger.figures) > _MOST_ROWS:
        return ["## Figures", *_outside(ledger)]
    fitted = [one for one in ledger.figures if one.verdict == CALIBRATED and one.expected]
    rows = [
        [
            cell(f"{one.figure.id}: {one.figure.what}, {one.figure.unit}"),
            shown(one.figure.value, 4),
            _band(one),
            simulated_text(one),
            _error(one),
            _verdict(one, one.figure.contradicted),
        ]
        for one in ledger.figures
        if one not in fitted
    ]
    head = ["figure", "paper", "band, if not 10 %", "simulated", "error", "verdict"]
    tables = [table(rows, head)] if rows else []
    if fitted:
        tables.append(
            f"Calibrated, and inside their bands: {len(fitted)} of {len(ledger.figures)}, the "
            f"farthest {_noted(max(fitted, key=_distance))}; {_full(ledger)} lists all."
        )
    return ["## Figures", *tables]


def _outside(ledger: Ledger) -> Iterator[str]:
    """Yield the figures outside of their bands, each cause with all that it explains."""
    groups: dict[str, list[FigureResult]] = {}
    for one in ledger.figures:
        if not one.inside:
            groups.setdefault(_verdict(one, one.figure.contradicted), []).append(one)
    inside = sum(one.inside for one in ledger.figures)
    yield (
        f"Of {len(ledger.figures)} figures {inside} are inside their bands (10 %, unless given; "
        f"{_full(ledger)} lists all). The others by cause, printed and simulated:"
    )
    yield "\n".join(
        f"- {why.removeprefix('**contradicted**: ')}: {_listed(figures)}"
        for why, figures in alike(groups).items()
    )


def _full(ledger: Ledger) -> str:
    return f"`{command_line('nwtsim', 'reproduce', ledger.study.name, '--full')}`"


def _listed(figures: Sequence[FigureResult]) -> str:
    """Return the figures of a cause; of many the one nearest to the paper and the farthest."""
    if len(figures) <= _MOST_LISTED:
        return "; ".join(map(_noted, figures))
    ordered = sorted(figures, key=_distance)
    return f"{len(figures)}, from {_noted(ordered[0])} to {_noted(ordered[-1])}"


def _noted(one: FigureResult) -> str:
    notes = filter(None, (_error(one), _band(one) and f"band {_band(one)}"))
    text = f"`{one.figure.id}` {shown(one.figure.value, 4)} {one.figure.unit}"
    return f"{text}, {simulated_text(one)} ({'; '.join(notes)})"


def _distance(one: FigureResult) -> float:
    """Return how far a figure is from the printed number, as a factor."""
    value = one.figure.value
    return abs(math.log(one.simulated / value)) if value and one.simulated > 0 else math.inf


def alike(groups: Mapping[str, Sequence[T]]) -> dict[str, list[T]]:
    """Return groups of figures with causes that differ only in their numbers joined to one.

    >>> alike({"at 56 MB/s": ["a"], "at 141 MB/s": ["b"], "at 9 s": ["c"]})
    {'at 56 to 141 MB/s': ['a', 'b'], 'at 9 s': ['c']}
    """
    joined: dict[str, list[str]] = {}
    for why in groups:
        joined.setdefault(_NUMBER.sub("0", why), []).append(why)
    return {
        _ranges(causes): [one for why in causes for one in groups[why]]
        for causes in joined.values()
    }


def _ranges(causes: Sequence[str]) -> str:
    """Return a cause with the least and the largest of each number of causes that are alike."""
    numbers = iter(zip(*map(_NUMBER.findall, causes), strict=True))

    def range_of(_: re.Match[str]) -> str:
        each = next(numbers)
        low, high = min(each, key=_value), max(each, key=_value)
        return low if low == high else f"{low} to {high}"

    return _NUMBER.sub(range_of, causes[0])


def _value(number: str) -> float:
    return float(number.replace(",", ""))


def _band(one: FigureResult) -> str:
    """Return the band of a figure, empty if it is 10 % of the printed number."""
    figure = one.figure
    band = f"{shown(figure.low, 4)} - {shown(figure.high, 4)}"
    if figure.value and band == f"{shown(0.9 * figure.value, 4)} - {shown(1.1 * figure.value, 4)}":
        return ""
    return band


def _error(one: FigureResult) -> str:
    return f"{one.simulated / one.figure.value - 1:+.1%}" if one.figure.value else ""


def _claims(ledger: Ledger) -> str:
    tried = [one for one in ledger.claims if not one.claim.untestable]
    plain = {role: [one for one in tried if one.verdict == role and one.expected] for role in _TOLD}
    named = {role: ", ".join(map(_named, some)) for role, some in plain.items() if some}
    claims = [(one.claim, one) for one in tried if one.verdict not in named or not one.expected]
    rows = [
        [
            claim.id,
            cell(_where(one.claim)),
            cell(claim.text),
            _verdict(one, claim.contradicted),
            str(claim.borne_out or ""),
        ]
        for claim, one in claims
    ]
    head = ["claim", "section", "the paper says", "verdict", RANDOM]
    lines = [f"{_TOLD[role]}: {ids}." for role, ids in named.items()]
    missing = sum(bool(one.claim.untestable) for one in ledger.claims)
    lines += [f"Not testable, since something is missing: {missing}."] if missing else []
    if named:
        command = command_line("nwtsim", "reproduce", ledger.study.name, "--full")
        lines.append(f"`{command}` prints each.")
    return "\n\n".join(filter(None, [table(rows, head) if rows else "", " ".join(lines)]))


def _named(one: SentenceResult) -> str:
    """Return the name of a claim, its share of random machines, and what of it is ours."""
    claim = one.claim
    ours = "our words" if claim.elsewhere else "our threshold" if claim.ours else ""
    notes = [str(note) for note in (claim.borne_out, ours) if note]
    return f"{claim.id} ({', '.join(notes)})" if notes else claim.id


def _where(claim: Sentence) -> str:
    """Return the section of a claim, and what of it is not the paper's: thresholds, or words."""
    if not claim.elsewhere:
        return f"{claim.ref}. **The threshold is ours**: {claim.ours}" if claim.ours else claim.ref
    return f"{claim.ref}. **Not the paper's words**, and not counted: {claim.elsewhere}"


def _verdict(one: FigureResult | SentenceResult, why: str) -> str:
    """Return a verdict, in bold if it is a contradiction, with its known reasons."""
    if one.verdict != "contradicted":
        return one.verdict if one.expected else f"{one.verdict} (**listed as contradicted**)"
    return f"**contradicted**: {cell(why)}" if why else "**contradicted, not expected**"


def repeated(ledger: Ledger) -> Repeated:
    """Return a study with the results of fits and formulas, and the rules of its claims."""
    from ..nwt.prediction_tables import predicted_blocks
    from .null_tables import formula_blocks

    fits = [*predicted_blocks(ledger), *formula_blocks(ledger)]
    return Repeated(ledger, fits, claim_rules(ledger))


def claim_rules(ledger: Ledger, width: int = 100) -> str:
    """Return the rule of each testable claim, its conditions and its figures, as plain text."""
    blocks = ["Rules of the claims"]
    for one in ledger.claims:
        claim = one.claim
        if claim.untestable:
            continue
        figures = ", ".join(f"{key} {shown(value, 4)}" for key, value in one.figures.items())
        conditions = "; ".join(each.text for each in claim.conditions)
        lines = (f"{claim.rule}: {conditions}", f"({figures})")
        share = f"; {claim.borne_out} random machines bear it out" if claim.borne_out else ""
        ours = f"; the threshold is ours: {claim.ours}" if claim.ours else ""
        blocks += [
            f"{claim.id}: {marked(one)}{share}{ours}",
            *(
                textwrap.fill(line, width, initial_indent="  ", subsequent_indent="  ")
                for line in lines
            ),
        ]
    return "\n".join(blocks) + "\n"


def cell(text: str) -> str:
    """Return a text on one line, without characters that end a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    """Return a table as Markdown."""
    return ruled(head, rows, "github")


def unpadded(page: str) -> str:
    """Return a page with minimal blanks in its tables.

    >>> print(unpadded("| a    |   b |"))
    | a | b |
    """
    return "\n".join(_narrow(line) if line.startswith("|") else line for line in page.split("\n"))


def _narrow(row: str) -> str:
    if not set(row) - set("|-: "):
        return re.sub("--+", "---", row).replace(" ", "")
    return re.sub(r" *(?<!\\)\| *", " | ", row).strip().replace("|  |", "| |")
