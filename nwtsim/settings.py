"""Settings as Python values: keywords, a dict or pairs -> the texts that files would have."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from simulator.config.errors import Problem
    from simulator.run import Listener

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value]"
"""A number without a unit, or a text with one: ``8``, ``"8 MB"``; lists and dicts of them."""
Settings: TypeAlias = "Mapping[str, Value] | Iterable[tuple[str, Value]]"
"""Short names or paths, and what to set them to: ``{"disk.rate": "40 MB/s"}``."""


_OURS = ("nwtsim.", "simulator.", "contextlib")
"""Modules that lie between a user's line and a warning."""


class SettingWarning(UserWarning):
    """A value that will hardly be meant, such as a setting that cannot have changed the result."""


class CostWarning(UserWarning):
    """A run that will take long or much memory."""


def warn_of(doubt: Problem) -> None:
    """Warn of a value that will hardly be meant, at the line of a user's that called nwtsim."""
    _warn(str(doubt), SettingWarning)


def warn_of_cost(line: str) -> None:
    """Warn of what runs will cost, before they are made; which engine it is, the result says."""
    from simulator.cost import OF_ENGINE

    if not line.startswith(OF_ENGINE):
        _warn(line, CostWarning)


def listener() -> Listener:
    """Return what makes warnings of all that is told of a run."""
    from simulator.run import Listener

    return Listener(warn_of_cost, warn_of)


def _warn(text: str, category: type[UserWarning]) -> None:
    """Warn at the first line outside of this program that led here."""
    import warnings

    from nwtsim.arguments import worded

    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith(_OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(worded(text), category, stacklevel=level)


def pairs_of(settings: Settings | None, keywords: Mapping[str, Value]) -> list[tuple[str, str]]:
    """Return settings as (name or path, text), those of ``settings`` first; the last one wins.

    TypeError for what are no names and values: values are numbers, texts, lists or dicts.

    >>> pairs_of({"disk.rate": "40 MB/s"}, {"buffer": "8 MB", "clients": 4})
    [('disk.rate', '40 MB/s'), ('buffer', '8 MB'), ('clients', '4')]
    """
    given: Any = settings.items() if isinstance(settings, Mapping) else settings or ()
    listed = hasattr(given, "__iter__") and not isinstance(given, str)
    pairs = [*(given if listed else ()), *keywords.items()]
    if not listed or not all(map(_is_setting, pairs)):
        about = "settings must be a dict or pairs, like {'disk.rate': '40 MB/s'}"
        raise TypeError(f"{about}, not {settings!r}")
    return [(name, text_of(value)) for name, value in pairs]


def _is_setting(pair: object) -> bool:
    return isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)


def text_of(value: Value) -> str:
    """Return a value as a file would have it.

    >>> text_of(True), text_of(["1 s", 2]), text_of({"read": "1 GB/s"})
    ('true', '[1 s, 2]', '{read: 1 GB/s}')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not hasattr(value, "item"):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {text_of(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(text_of, value)) + "]"
    if hasattr(value, "item"):  # A number of NumPy's.
        return text_of(value.item())
    raise TypeError(f"{value!r} is no setting; write a number, or a text with a unit, like '8 MB'")
