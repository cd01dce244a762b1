"""The mean time of positioning, one value for the seeks and the rotation of a disk.

Reports rank positioning as one thing, and measurements seldom tell seeks from rotations: setting or
fitting ``disk.positioning`` multiplies all its times by one factor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from simulator.config.section import Section, fields_of
from simulator.units import Nanoseconds

POSITIONING = "positioning"
TIMES = ("seek", "rotation", "track_seek", "full_seek")
"""The keys of a disk that positioning consists of."""


def positioning_times(section: Section) -> dict[str, int]:
    """Return the times of positioning of a part, in ns; empty if it has none."""
    values = {key: getattr(section, key, None) for key in TIMES}
    return {key: value for key, value in values.items() if value}


def positioned(parts: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Section]]:
    """Yield the parts that have times of positioning, or sections in them, by their places."""
    for name, section in parts.items():
        if not isinstance(section, Section):
            continue
        if positioning_times(section):
            yield (name,), section
        inner = {key: getattr(section, key) for key in fields_of(type(section))}
        yield from (((name, *at), one) for at, one in positioned(inner))


def mean_positioning(times: Mapping[str, int]) -> Nanoseconds:
    """Return the mean time to a random place: the seek, and half a rotation.

    A seek that grows linearly with its distance takes, over a third of the disk on the average,
    ``track_seek + (full_seek - track_seek) / 3``.

    >>> mean_positioning({"seek": 8_000_000, "rotation": 8_000_000})
    12000000
    >>> mean_positioning({"track_seek": 1_000_000, "full_seek": 16_000_000})
    6000000
    """
    return Nanoseconds(round(_mean(times)))


def _mean(times: Mapping[str, int]) -> Fraction:
    track, full = times.get("track_seek", 0), times.get("full_seek", 0)
    seek = times.get("seek", 0) if not full else Fraction(2 * track + full, 3)
    return Fraction(seek) + Fraction(times.get("rotation", 0), 2)


def with_mean(times: Mapping[str, int], mean: int) -> dict[str, int]:
    """Return the times multiplied so that their mean is another one; ValueError if all are 0.

    >>> with_mean({"seek": 8_000_000, "rotation": 8_000_000}, 6_000_000)
    {'seek': 4000000, 'rotation': 4000000}
    """
    now = _mean(times)
    if not now:
        raise ValueError("has no seek and no rotation that could be multiplied; set these")
    return {key: round(time * mean / now) for key, time in times.items()}


def is_positioning(path: str) -> bool:
    """Return whether a full path is that of the positioning of a part."""
    return path.startswith("machine.parts.") and path.endswith(f".{POSITIONING}")


def texts_with_mean(texts: Mapping[str, str], mean: str, leaf: Any) -> dict[str, str]:
    """Return the texts of times multiplied as :func:`with_mean` does; ValueError if one is wrong.

    ``leaf`` reads and writes a time.
    """
    times = {key: leaf.read(text) for key, text in texts.items()}
    return {key: leaf.show(time) for key, time in with_mean(times, leaf.read(mean)).items()}
