"""What a lever is called in sentences: what limits, and what twice as good means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.answers.levers import Lever
    from simulator.config.settings import Setting

_PHRASES = {
    "bandwidth": "bandwidth of {resource}",
    "latency": "latency of {resource}",
    "wait": "waiting for {resource}",
    "capacity": "capacity of {resource}",
}
_NUMBERS = {
    "count": "number of {resource} nodes",
    "over": "number of members that {resource} stripes a file over",
    "window": "requests at one time of {resource}",
    "writers": "write-backs at one time of {resource}",
    "prefetch": "blocks that {resource} reads ahead",
    "at_once": "calls at one time of {resource}",
}
_TWICE = {
    "rate": "twice the {what} ({now} -> {new})",
    "overhead": "half the {what} ({now} -> {new})",
    "number": "twice as many ({what} {now} -> {new})",
    "capacity": "twice the {what} ({now} -> {new})",
}
_HIGHER = "a higher dirty limit ({now} -> {new})"


def phrase(lever: Lever) -> str:
    """Name what limits if a lever helps: ``bandwidth of disk``."""
    key = lever.what.partition(" ")[0]
    return _PHRASES.get(lever.kind, _NUMBERS.get(key, lever.name)).format(resource=lever.resource)


def twice_words(lever: Lever, settings: Sequence[Setting]) -> str:
    """Say what settings do that make a lever twice as good: ``half the seek (8 ms -> 4 ms)``."""
    now, new = values_of(lever, settings)
    words = _HIGHER if lever.what == "dirty" else _TWICE[lever.aspect]
    return words.format(what=lever.what.replace("_", " "), now=now, new=new)


def values_of(lever: Lever, settings: Sequence[Setting]) -> tuple[str, str]:
    """Return the values of a lever as they are, and as some settings have them."""
    new = dict(settings)
    several = len(lever.values) > 1
    nows, news = [], []
    for value in lever.values:
        key = f"{value.path.rpartition('.')[2]} " if several else ""
        nows.append(f"{key}{value.text}")
        news.append(f"{key}{new.get(value.path, value.text)}")
    return ", ".join(nows), ", ".join(news)
