"""Alternatives of an answered requirement: the best of each, and all of them for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.report import sizetrust as trust
from simulator.report import sizewords as words
from simulator.report.page import Entry, Plain, Section
from simulator.report.sizerecord import commands, configuration_record, csv_rows, size_record
from simulator.report.sizewhy import runner_up as runner_up_of
from simulator.sizing.alternatives import others, runner_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.sizing.sized import Sized


def runner_up_text(sized: Sized) -> str:
    """State in what the runner-up is not as the answer, and what it costs; nothing without one."""
    found = runner_up(sized)
    if found is None or sized.winner is None:
        return ""
    whose, one = found
    if whose is sized:
        return runner_up_of(sized, sized.winner)
    why = words.dearer_text(sized, one, sized.winner)
    return f"Runner-up: {words.words_of(whose, one)}: {words.costs(whose, one)}; {why}."


def best_of_others(sized: Sized) -> Iterator[str]:
    """Yield the best of each other alternative, and how far from the targets it is."""
    for name, other in others(sized).items():
        winner, nearest = other.winner, other.nearest
        one = winner or nearest
        if one is None:
            yield f"{name}: {words.nothing_meets(other)} {words.beyond_budget(other)}".rstrip()
            continue
        target, spare = words.nearest_target(other, one)
        what = words.words_of(other, one).removeprefix(f"{name}: ")
        found = f"{what}: {words.costs(other, one)}"
        at = f"{spare} ({target})"
        if winner is None:
            text = f"{name}: {words.nothing_meets(other)} Nearest: {found}; {at}."
            yield f"{text} {words.beyond_budget(other)}".rstrip()
            continue
        best = f"Best of those looked at of {name}" if other.sampled else f"Best of {name}"
        why = f"; {words.dearer_text(sized, one, sized.winner)}" if sized.winner else ""
        yield f"{best}: {found}{why}; {at}. {trust.headline(other, one)}".rstrip()


def looked_at(sized: Sized) -> Iterator[str]:
    """Yield how many configurations there are, of each alternative by itself, that of sized first.

    Behind the first it is told what a percentage means.
    """
    own = f"{sized.alternative}: " if sized.alternative else ""
    yield f"{own}{trust.looked_at(sized)} {trust.chance(sized)}"
    for name, other in others(sized).items():
        yield f"{name}: {trust.looked_at(other)}"


def sections_of_others(sized: Sized) -> Iterator[Section]:
    """Yield what the best of each other alternative is made of, and how to run it again."""
    for name, other in others(sized).items():
        one = other.winner or other.nearest
        if one is None or not other.outcome(one).runs:
            continue
        text = f"{name}: {words.sum_text(other, one)}; {words.prices_text(other, one)}. Again:"
        again = Entry(text, "", [Plain("\n".join(commands(other, one)))], 2)
        yield Section("", [again], heading="The best of the other alternatives", whole=True)


# -- for programs ---------------------------------------------------------------------------------


def record(sized: Sized) -> dict[str, Any]:
    """Return the record of the answer; with alternatives that of each of them too."""
    found, second = size_record(sized), runner_up(sized)
    if second is not None and second[0] is not sized:
        found["runner_up"] = configuration_record(*second)
    each = {name: size_record(one) for name, one in sized.alternatives.items()}
    return {**found, "alternatives": each}


def rows(sized: Sized) -> list[list[Any]]:
    """Return the head, and a row for each configuration that was looked at.

    With alternatives one after the other, in the columns of the choices of all.
    """
    if not sized.alternatives:
        return csv_rows(sized)
    tables = {name: csv_rows(one) for name, one in sized.alternatives.items()}
    choices = {name: one.offer.names for name, one in sized.alternatives.items()}
    every = [*dict.fromkeys(choice for names in choices.values() for choice in names)]
    found: list[list[Any]] = []
    for name, (head, *lines) in tables.items():
        rest = head[1 + len(choices[name]) :]
        found = found or [["alternative", "number", *every, *rest]]
        for number, *cells in lines:
            texts = dict(zip(choices[name], cells, strict=False))
            others_ = cells[len(choices[name]) :]
            found.append([name, number, *(texts.get(one, "") for one in every), *others_])
    return found
