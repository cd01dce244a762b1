"""How an answer was found: how many combinations there are, and what became of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from simulator.config.amounts import show_height
from simulator.config.requirement_durability import DURABILITY
from simulator.report.sizewords import cost_text
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.sized import Sized


def looked_at(sized: Sized) -> str:
    """State how many configurations there are, and what became of them."""
    parts = [_of_how_many(sized)]
    if discarded := len(sized.discarded):
        durable = any(one.figure in DURABILITY for one in sized.requirement.targets)
        what = "capacity, durability," if durable else "capacity,"
        parts.append(f"{what} or a bound of the narrowest part, discards {discarded:,}")
    if left_out := len(sized.left_out):
        divisions = sized.evaluator.short.divisions if sized.evaluator.short else {}
        how = " and ".join(f"{name} to 1/{one.by}" for name, one in divisions.items())
        parts.append(f"runs made short ({how}) leave out {left_out:,} more, a judgement")
    if sized.sampled is not None and sized.sampled.dearer_not_run:
        parts.append(f"{sized.sampled.dearer_not_run:,} were dearer than two that meet everything")
    whole = len(sized.outcomes)
    parts.append(f"{whole:,} {'was' if whole == 1 else 'were'} run whole")
    return f"{'; '.join(parts)}{_not_run(sized)}."


def _not_run(sized: Sized) -> str:
    rest = not_looked_at(sized)
    if not rest:
        return ""
    least = cost_text(sized.requirement, rest[0].cost)
    was, others = ("was", "other one costs") if len(rest) == 1 else ("were", "others cost")
    number = "" if len(rest) == 1 else f"{len(rest):,} "
    return f"; the {number}{others} {least} or more and {was} not run (--all)"


def _crowded(sized: Sized) -> str:
    """State why the first combination that cannot be built cannot; nothing if all can."""
    if sized.built == sized.combinations:
        return ""
    offer = sized.offer
    broken = offer.rules.broken
    allowed = (number for number in range(offer.size) if broken(offer.places_of(number)) is None)
    reasons = (offer.crowded(offer.configuration(number)) for number in allowed)
    first = next((one for one in reasons if one is not None), None)
    return f" (not with {first})" if first is not None else ""


def _of_how_many(sized: Sized) -> str:
    """State how many combinations there are, and how those that were looked at were chosen."""
    there = counted(sized.combinations, "combination")
    sampled = sized.sampled
    if sampled is None:
        why = _contradicting(sized) or _crowded(sized)
        room = sized.requirement.rack_units
        high = sized.offer.too_high
        limit = f"; {high:,} are higher than {show_height(room)}" if room and high else ""
        return f"{there}, of which {sized.built:,} can be built{why}{_ruled_out(sized)}{limit}"
    parts = [
        f"{there}, of which {sampled.sampler} proposed {sampled.proposed:,} (--search-seed"
        f" {sampled.search_seed}), and {sampled.steps_from_the_best:,} are steps from the best of"
        " them"
    ]
    if sized.winner is not None:
        parts.append(
            "no step from the answer, of one choice or of one with the next level of a second, is"
            " cheaper and meets all"
        )
    return "; ".join(parts)


def _contradicting(sized: Sized) -> str:
    """State how many combinations contradict the machine, and why the first does."""
    impossible = sized.evaluator.loads.impossible
    if not impossible:
        return ""
    return f" ({impossible.total():,} contradict the machine: {_first_of(impossible)})"


def _ruled_out(sized: Sized) -> str:
    """State how many combinations rules between choices leave out; nothing if none."""
    found = sized.offer.ruled_out
    return f"; rules leave out {found.total():,} ({_first_of(found)})" if found else ""


def _first_of(reasons: Counter[str]) -> str:
    ((why, _),) = reasons.most_common(1)
    more = len(reasons) - 1
    return f"{why}; and {counted(more, 'other reason')}" if more else why


def not_looked_at(sized: Sized) -> list[Configuration]:
    """Return what can be built and was not looked at, since it cannot be the answer: by price."""
    if sized.sampled is not None:
        return []
    known = sized.known
    return [one for one in sized.order if one.number not in known]
