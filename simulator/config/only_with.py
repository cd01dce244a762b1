"""Rules of choices: values that can be bought only beside some values of other choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from simulator.config.errors import Fault
from simulator.errors import did_you_mean
from simulator.units import shown

if TYPE_CHECKING:
    from simulator.config.requirement_file import Choice


def faults_of_rules(choices: Mapping[str, Choice]) -> Iterator[Fault]:
    """Find rules about values, or about choices, that there are not."""
    for name, choice in choices.items():
        others = [one for one in choices if one != name]
        for value, rules in choice.only_with.items():
            at = ("choices", name, "only_with", value)
            if value not in choice.texts:
                yield at, _none(f"value of {name}", value, choice.texts)
            for other, allowed in rules.items():
                if other not in others:
                    yield (*at, other), _none("other choice", other, others)
                    continue
                texts = choices[other].texts
                for one in allowed:
                    if one not in texts:
                        yield (*at, other), _none(f"value of {other}", one, texts)


def _none(what: str, name: str, known: list[str]) -> str:
    return f"there is no {what} {shown(name)}; {did_you_mean(name, known)}"
