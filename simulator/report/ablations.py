"""What removing a mechanism does to each claim, as a table, JSON or Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from tabulate import tabulate

from simulator.report.ledger_page import cell
from simulator.study.ablations import Matrix
from simulator.study.coverage import Covered, counts

CLAIMS = ("claim", "without", "verdict", "verdict without", "conditions that turn", "")
CONDITIONS = ("claim", "condition that no ablation breaks", "why", "")
FACTS = ("fact", "section", "another value", "verdicts that it moves", "")


def render_ablations(all_made: Sequence[Matrix], form: str) -> str:
    """Return the ablations of studies as ``table`` or ``json`` text."""
    if form == "json":
        made = [one.to_json() for one in all_made]
        return json.dumps(made[0] if len(made) == 1 else made, indent=2, ensure_ascii=False) + "\n"
    return "\n\n".join(_text(one) for one in all_made) + "\n"


def _text(made: Matrix) -> str:
    def table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
        return tabulate(rows, headers=head, disable_numparse=True, tablefmt="simple")

    return "\n\n".join([made.study.title, *_blocks(made, table), summary(made)])


def ablation_section(made: Matrix) -> str:
    """Return the ablations of one study as Markdown."""

    def table(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
        rows = [[cell(text) for text in row] for row in rows]
        return tabulate(rows, headers=head, disable_numparse=True, tablefmt="github")

    return "\n\n".join([*_blocks(made, table), summary(made)])


def _blocks(
    made: Matrix, table: Callable[[Sequence[Sequence[str]], Sequence[str]], str]
) -> list[str]:
    claims = [
        [
            one.ablation.claim,
            one.ablation.without,
            one.here,
            one.without,
            "; ".join(one.broken),
            "" if one.ok else "NOT TURNED",
        ]
        for one in made.turned
    ]
    facts = [
        [
            one.fact.fact,
            one.fact.ref,
            "; ".join(f"{path} {value}" for path, value in one.fact.change.settings),
            ", ".join(one.moved) or f"none: {one.fact.why}",
            "" if one.ok else "NOT AS EXPECTED",
        ]
        for one in made.moved
    ]
    conditions = [
        [one.claim, one.condition, *_reason(one)]
        for one in made.conditions
        if not one.by_construction and not (one.ablations and one.ok)
    ]
    rows = ((claims, CLAIMS), (facts, FACTS), (conditions, CONDITIONS))
    return [table(found, head) for found, head in rows if found or head == CLAIMS]


def _reason(one: Covered) -> tuple[str, str]:
    """Say why no ablation breaks a condition, and whether that is a mistake."""
    if one.ok:
        return one.why or "it fails as it is", ""
    return one.why, "BROKEN ALL THE SAME" if one.broken else "NO REASON"


def summary(made: Matrix) -> str:
    """Say how many ablations turn their claims, which claims have none, and what they break."""
    turning = [one for one in made.turned if not one.ablation.breaks]
    turned = sum(one.ok for one in turning)
    claims = len({one.ablation.claim for one in turning})
    text = f"{turned} of {len(turning)} ablations of {claims} claims turn the verdict."
    if more := [one for one in made.turned if one.ablation.breaks]:
        text += (
            f" {sum(one.ok for one in more)} of {len(more)} more break a further condition of a"
            " claim that is contradicted as it is."
        )
    if made.moved:
        still = sum(not one.moved for one in made.moved)
        text += f" Of {len(made.moved)} facts {still} move no verdict."
    if made.bare:
        text += f" WITHOUT AN ABLATION: {', '.join(made.bare)}."
    return "\n\n".join([text, _covering(made.conditions)])


def _covering(conditions: Sequence[Covered]) -> str:
    """Say how many conditions of claims are broken by ablations, and which do not count."""
    found = counts(conditions)
    text = (
        f"Of {found.all} conditions, ablations of their own claims break {found.broken}, and"
        f" {found.alone} of these without any other condition of the claim; {found.fail} more fail"
        f" as the study is, and nothing breaks {found.left}."
    )
    if found.by_construction:
        text += (
            f" Not counted: {found.by_construction} conditions of claims by construction. They"
            " check the model, or what was copied from the paper, and have no cause to remove."
        )
    return text
