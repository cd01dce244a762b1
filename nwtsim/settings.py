"""Settings as Python values: keywords, a dict or pairs -> the texts that files would have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from simulator.config.errors import Problem

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value]"
"""A number without a unit, or a text with one: ``8``, ``"8 MB"``; lists and dicts of them."""
Settings: TypeAlias = "Mapping[str, Value] | Iterable[tuple[str, Value]]"
"""Short names or paths, and what to set them to: ``{"disk.rate": "40 MB/s"}``."""


class SettingWarning(UserWarning):
    """A setting that cannot have changed the result."""


def warn_of(doubts: Iterable[Problem]) -> None:
    """Warn of settings, at the line that called the function of nwtsim which calls this."""
    import warnings

    from nwtsim.arguments import worded

    for doubt in doubts:
        warnings.warn(worded(str(doubt)), SettingWarning, stacklevel=3)


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
