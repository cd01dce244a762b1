"""Ranges of values around what is written: ``range:`` beside an assumed or calibrated value.

``range: [1 ms, 5 ms]`` are its ends, ``range: 20 %`` is a fifth of the value each way, and
``range: {error: 2 %, freedom: 7, with: {parts.disk.seek: 0.3}}`` is what a fit says: the standard
error, the degrees of freedom, and the correlation with other values that were fitted with it.
"""

from __future__ import annotations

from collections.abc import Mapping as PlainMapping
from collections.abc import Sequence as Sequence_
from dataclasses import dataclass, field
from fractions import Fraction

from simulator.config.yamltree import Mapping, Node, Scalar, Sequence
from simulator.errors import did_you_mean
from simulator.units import (
    LONGEST,
    NUMBER,
    PERCENT,
    QUANTITY,
    RATE,
    SIZE,
    SPEED,
    TIME,
    Dimension,
    complaint,
    parse_count,
    parse_number,
    parse_percent,
    shown,
)

_DIMENSIONS = (SIZE, TIME, RATE, PERCENT, SPEED, NUMBER)
_LIKE = "write it like 'range: 20 %' or 'range: [1 ms, 5 ms]'"
_FIT = ("error", "freedom", "with")
_WHOLE = 100
"""Percent: what no share is more than."""
HAVE_ONE = ("assumed", "calibrated")
"""Kinds of sources of values that may have a range."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The two ends of a value; all between them is equally likely, by its logarithm."""

    low: float
    high: float
    relative: bool
    """Whether they are parts of the value, which may then be several numbers; else numbers in the
    base unit of the value: bytes, ns, bytes per second, percent."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a fit says of a value: its logarithm is distributed as Student's t."""

    error: float
    """Standard error, as a part of the value."""
    freedom: int = 0
    """Degrees of freedom of the fit; 0: so many that the distribution is normal."""
    correlations: PlainMapping[str, float] = field(default_factory=dict)
    """Path of another value in the same file -> the correlation of the two estimates."""


Range = Ends | Fitted


def quantity(
    text: str, dimensions: Sequence_[Dimension] = _DIMENSIONS
) -> tuple[Fraction, Dimension] | None:
    """Read a number with its unit, in its base unit; None for what is none.

    >>> quantity("20 MB")[0], quantity("60 %")[0], quantity("all")
    (Fraction(20000000, 1), Fraction(60, 1), None)
    """
    match = QUANTITY.fullmatch(text) if len(text) <= LONGEST else None
    for dimension in dimensions if match else ():
        if match and match[2] in dimension.scales:
            return Fraction(match[1]) * dimension.scales[match[2]], dimension
    return None


def read_range(node: Node, value: Node) -> Range:
    """Read the range of a value; ValueError says what is wrong with it."""
    if isinstance(node, Mapping):
        return _fitted(node)
    if isinstance(node, Sequence):
        return _ends(node, value)
    assert isinstance(node, Scalar)
    try:
        share = parse_percent(node.text)
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise ValueError(f"{shown(node.text)} is no range; {_LIKE}, below 100 %")
    now = quantity(value.text) if isinstance(value, Scalar) else None
    if now is not None and now[1] is PERCENT and float(now[0]) * (1 + share) > _WHOLE:
        more = f"{node.text} more than {now[0]} %"
        raise ValueError(f"{more} is more than 100 %; write both ends, like [40 %, 100 %]")
    return Ends(1 - share, 1 + share, relative=True)


def _ends(node: Sequence, value: Node) -> Ends:
    texts = [one.text for one in node.items if isinstance(one, Scalar)]
    if len(texts) != 2 or len(node.items) != 2:
        raise ValueError(f"a list of {len(node.items)} was read; {_LIKE}")
    now = quantity(value.text) if isinstance(value, Scalar) else None
    if now is None:
        raise ValueError("the value is not one number; write the range in percent, like 20 %")
    ends = []
    for text in texts:
        read = quantity(text)
        if read is None or read[1] is not now[1]:
            raise ValueError(complaint(text, now[1]))
        if read[1] is PERCENT and read[0] > _WHOLE:
            raise ValueError(f"{shown(text)} is more than 100 %; write 0 % to 100 %")
        ends.append(read[0])
    if not ends[0] <= now[0] <= ends[1] or ends[0] == ends[1]:
        about = f"the value is not between {texts[0]} and {texts[1]}"
        raise ValueError(f"{about}; write the lower end first, and the value inside")
    return Ends(float(ends[0]), float(ends[1]), relative=False)


def _fitted(node: Mapping) -> Fitted:
    for key in node.entries:
        if key not in _FIT:
            raise ValueError(f"{shown(key)} is unknown; {did_you_mean(key, _FIT)}")
    if "error" not in node.entries:
        raise ValueError("error is missing; write it like '{error: 2 %, freedom: 7}'")
    error = parse_percent(_text(node.entries["error"], "2 %"))
    if not error:
        raise ValueError("an error of 0 % was read; write more, or leave the range out")
    freedom = 0
    if "freedom" in node.entries:
        freedom = parse_count(_text(node.entries["freedom"], "7"))
    others = node.entries.get("with", Mapping(node.place, {}, {}))
    if not isinstance(others, Mapping):
        raise ValueError("with: write the correlations by paths, like '{parts.disk.seek: 0.3}'")
    correlations = {}
    for path, inner in others.entries.items():
        text = _text(inner, "0.3").strip()
        sign, digits = (-1, text[1:]) if text[:1] == "-" else (1, text.removeprefix("+"))
        number = sign * parse_number(digits)
        if not -1 <= number <= 1:
            raise ValueError(f"with: a correlation of {text} was read; write one from -1 to 1")
        correlations[path] = number
    return Fitted(error, freedom, correlations)


def _text(node: Node, like: str) -> str:
    if not isinstance(node, Scalar):
        raise ValueError(f"a list or mapping was read; write it like {like!r}")
    return node.text
