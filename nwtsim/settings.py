"""Conversion of settings from Python values (keywords, a dict or pairs) to texts of files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from simulator.config.errors import Problem
    from simulator.run import Listener

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value]"
"""A number without a unit, or a text with one: ``8``, ``"8 MB"``; lists and dicts of them."""
Settings: TypeAlias = "Mapping[str, Value] | Iterable[tuple[str, Value]]"
"""Short names or paths, and their values: ``{"disk.rate": "40 MB/s"}``."""
if TYPE_CHECKING:
    from numpy.typing import NDArray

Listed: TypeAlias = "Sequence[Value] | NDArray[Any]"
"""A sequence of values: a list, or a NumPy array of one dimension."""
Values: TypeAlias = "str | Listed | tuple[Listed, str]"
"""Values of one axis of a sweep: values, numbers with their unit, or a text with ranges. ``["1 MB",
"8 MB"]``, ``(np.linspace(50, 200, 4), "MB/s")``, ``"1 MB..8 MB x2"``.
"""

_OURS = ("nwtsim.", "simulator.", "contextlib")
"""Modules between a user's line and a warning."""


class SettingWarning(UserWarning):
    """A valid but suspicious value, such as a setting without effect."""


class CostWarning(UserWarning):
    """A run that takes long or much memory."""


def warn_of(doubt: Problem) -> None:
    """Warn of a suspicious value, at the user's line that called nwtsim."""
    _warn(str(doubt), SettingWarning)


def warn_of_cost(line: str) -> None:
    """Warn of the cost of runs before they start; the result names the engine."""
    from simulator.cost import OF_ENGINE

    if not line.startswith(OF_ENGINE):
        _warn(line, CostWarning)


def listener() -> Listener:
    """Return a listener that converts the messages of a run to warnings."""
    from simulator.run import Listener

    return Listener(warn_of_cost, warn_of)


def _warn(text: str, category: type[UserWarning]) -> None:
    """Warn at the first line outside of this program."""
    import warnings

    from nwtsim.arguments import worded

    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(worded(text), category, stacklevel=level)


def pairs_of(settings: Settings | None, keywords: Mapping[str, Value]) -> list[tuple[str, str]]:
    """Return settings as (name or path, text), those of ``settings`` first; the last one wins.

    TypeError for other types: values are numbers, texts, lists or dicts.

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


def with_unit(values: Values) -> tuple[Listed, str] | None:
    """Return numbers and their unit if values have that form; None for values without a unit."""
    pair = isinstance(values, tuple) and len(values) == 2
    if pair and not isinstance(values[0], str) and hasattr(values[0], "__len__"):
        return values  # type: ignore[return-value]
    return None


def spec_of(values: Values) -> str:
    """Return the values of one axis of a sweep as the command's text.

    >>> spec_of(([50.0, 1 / 3], "MB/s")), spec_of(["1 MB", 2.0]), spec_of("1..8 x2")
    ('50 MB/s, 0.3333333333333333 MB/s', '1 MB, 2', '1..8 x2')
    """
    if isinstance(values, str):
        return values
    pair = with_unit(values)
    numbers, unit = pair if pair is not None else (values, "")
    return ", ".join(f"{_short(one)} {unit}".strip() for one in numbers)


def _short(value: Any) -> str:
    """Return a value as a text, a whole number as one: NumPy's are often floats."""
    text = text_of(value)
    return text.removesuffix(".0") if not isinstance(value, str) else text


def text_of(value: Value) -> str:
    """Return a value as in a file.

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
