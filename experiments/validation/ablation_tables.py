"""What removing a mechanism does to each claim, as a table, JSON or Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from tabulate import tabulate

from .ablations import Matrix

CLAIMS = ("claim", "without", "verdict", "verdict without", "conditions that turn", "")
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
    rows = ((claims, CLAIMS), (facts, FACTS))
    return [table(found, head) for found, head in rows if found or head == CLAIMS]


def summary(made: Matrix) -> str:
    """Say how many ablations turn their claims, and which claims have none."""
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
    return text
