"""Alternatives of a requirement: each is searched by itself, and the cheapest answer is bought.

An order over the prices of all is not needed: the two cheapest of all are among the two of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from simulator.config.errors import ConfigError, Problem
from simulator.config.load import parsed, read_file
from simulator.config.requirement_file import REQUIREMENT
from simulator.sizing.loads import Loads

if TYPE_CHECKING:
    from simulator.config.requirement_file import Requirement
    from simulator.inputfile import Source
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.sized import Sized


def every_loads(source: Source) -> list[Loads]:
    """Return those of each alternative of a requirement; ConfigError lists what is wrong with any.

    Of a requirement without alternatives there are those of its one machine.
    """
    text = read_file(REQUIREMENT, source)
    requirement: Requirement = parsed(REQUIREMENT, text, ())[0]
    found, problems = list[Loads](), list[Problem]()
    for name in requirement.alternatives or ("",):
        try:
            found.append(Loads(text, name))
        except ConfigError as error:
            problems += error.problems
    if not problems:
        nowhere = set.intersection(*({*one.unserved} for one in found))
        problems += [one for name, one in found[0].unserved.items() if name in nowhere]
    if problems:
        raise ConfigError(problems)
    return found


def joined(found: Sequence[Sized]) -> Sized:
    """Return what a search of one alternative found, the best of all, with those of the others."""
    best = min(found, key=lambda one: one.rank)
    if len(found) > 1 or best.alternative:
        best.alternatives = {one.alternative: one for one in found}
    return best


def others(sized: Sized) -> Mapping[str, Sized]:
    """Return what was found of the other alternatives, by their names."""
    return {name: one for name, one in sized.alternatives.items() if one is not sized}


def runner_up(sized: Sized) -> tuple[Sized, Configuration] | None:
    """Return the second of all that meet everything, with the search that found it."""
    found = [(sized, sized.runner_up), *((one, one.winner) for one in others(sized).values())]
    meeting = [(whose, one) for whose, one in found if one is not None]
    return min(meeting, key=lambda each: each[1].order[:2], default=None)
