"""A folder compared with a machine file: each probe of its notes, made again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from simulator.errors import InputError
from simulator.measure.notes import ProbeTimes, differ, noticed, seen_in, seen_of
from simulator.measure.probing import Measurement

Verdict = Literal["as before", "slower", "faster", "its other group", "not known"]
CHANGED: tuple[Verdict, ...] = ("slower", "faster")


@dataclass(frozen=True, slots=True)
class Change:
    """A probe as it was, and as it is."""

    then: ProbeTimes
    now: ProbeTimes
    noticed: float | None
    """The factor from which on they are different by more than their spreads explain; None if the
    probe was made too few times to tell."""
    verdict: Verdict

    @property
    def factor(self) -> float:
        """The new median over the old one."""
        return self.now.median / self.then.median


@dataclass(frozen=True, slots=True)
class Before:
    """The probes in the notes of a machine file."""

    name: str
    """Of the file, as messages call it."""
    title: str
    seen: tuple[ProbeTimes, ...]


def before(name: str, title: str, notes: Iterable[str]) -> Before:
    """Read what the notes of a machine file say of probes; InputError if that is nothing.

    Only notes that ``nwtsim measure`` wrote say something.
    """
    found: dict[tuple[str, bool], ProbeTimes] = {}
    for note in notes:
        for seen in seen_in(note):
            found.setdefault((seen.probe, seen.other), seen)
    if not found:
        raise InputError(
            f"{name}: no note in it says what a probe took; name a machine file that"
            " 'nwtsim measure DIR -o FILE' wrote"
        )
    return Before(name, title, tuple(found.values()))


def compared(earlier: Before, measurement: Measurement) -> list[Change]:
    """Return the probes that were made then and now, in the order in which they are made."""
    changes = []
    for measured in measurement.measured:
        now = tuple(seen_of(measured))
        then = [one for one in earlier.seen if one.probe == measured.probe.name]
        if then and now:
            changes.append(_change(then, now))
    return changes


def _change(then: Sequence[ProbeTimes], now: Sequence[ProbeTimes]) -> Change:
    """Compare usual groups; where they differ, each also with the other group of the other."""
    usual, new = min(then, key=lambda one: one.other), now[0]
    factor = noticed(usual, new)
    verdict: Verdict = "as before"
    if factor is None:
        verdict = "not known"
    elif differ(usual, new):
        crossed = [(one, new) for one in then if one.other] + [(usual, one) for one in now[1:]]
        alike = any(noticed(*pair) and not differ(*pair) for pair in crossed)
        slower = new.median > usual.median
        verdict = "its other group" if alike else "slower" if slower else "faster"
    return Change(usual, new, factor, verdict)


def is_changed(changes: Sequence[Change]) -> bool:
    """Return whether this is another machine than the one that was measured."""
    return any(one.verdict in CHANGED for one in changes)
