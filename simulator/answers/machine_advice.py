"""Machine changes as advice: the levers that matter, with what they save."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.answers.advise import Advice, Change, Cure, Finding
from simulator.answers.lever_words import phrase, twice_words

if TYPE_CHECKING:
    from simulator.answers.limits import Limit, Limits

MACHINE = "machine"
"""The pattern of advice to change the machine."""


def machine_advice(limits: Limits, command: Callable[[Change], tuple[str, ...]]) -> list[Advice]:
    """Return the levers that matter as advice; ``command`` gives the words of a run with one."""
    return [_advice(one, command) for one in limits.matter]


def _advice(one: Limit, command: Callable[[Change], tuple[str, ...]]) -> Advice:
    change = Change(one.twice.settings)
    finding = Finding(MACHINE, f"What limits: {phrase(one.lever)}.", (), subject=one.lever.name)
    cure = Cure(f"{one.lever.resource}: {twice_words(one.lever, one.twice.settings)}", change)
    return Advice(finding, cure, one.twice.elapsed_ns, one.saves_ns, command(change))
