"""Rules between choices: which are per others, and which values stand only beside which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from simulator.config.errors import Fault
from simulator.errors import did_you_mean
from simulator.units import shown

if TYPE_CHECKING:
    from simulator.config.requirement_file import Choice

Choices = Mapping[str, "Choice"]


def above(choices: Choices, name: str) -> list[str]:
    """Return the choices that one is per, those that these are per too."""
    seen: list[str] = []
    waiting = [name]
    while waiting:
        one = choices.get(waiting.pop())
        more = [each for each in (one.per if one else None) or () if each not in seen]
        seen += more
        waiting += more
    return seen


def faults_of_rules(choices: Choices) -> Iterator[Fault]:
    """Find choices that are per what they cannot be, and rules about values that there are not."""
    for name in choices:
        yield from _of_per(choices, name)
        yield from _of_values(choices, name)


def _of_per(choices: Choices, name: str) -> Iterator[Fault]:
    at, per = ("choices", name, "per"), choices[name].per or ()
    for other in per:
        if other not in choices or other == name:
            yield at, no("other choice", other, [one for one in choices if one != name])
        elif name in above(choices, name):
            yield at, f"{name} is per {other}, which is per {name} again"
        elif twice := [one for one in per if other in above(choices, one)]:
            yield at, f"{twice[0]} is per {other} already; leave {other} out"


def _of_values(choices: Choices, name: str) -> Iterator[Fault]:
    others = [one for one in choices if one != name]
    for value, rules in choices[name].only_with.items():
        at = ("choices", name, "only_with", value)
        if value not in choices[name].texts:
            yield at, no(f"value of {name}", value, choices[name].texts)
        for other, allowed in rules.items():
            if other not in others:
                yield (*at, other), no("other choice", other, others)
                continue
            texts = choices[other].texts
            for one in allowed:
                if one not in texts:
                    yield (*at, other), no(f"value of {other}", one, texts)


def no(what: str, name: str, known: Iterable[str]) -> str:
    """Return the message that there is nothing of a name."""
    return f"there is no {what} {shown(name)}; {did_you_mean(name, known)}"
