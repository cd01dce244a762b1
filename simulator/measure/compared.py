"""Whether a folder still is what a machine file says: each probe of its notes, made again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from simulator.errors import InputError
from simulator.measure.notes import Seen, differ, noticed, seen_in, seen_of
from simulator.measure.probing import Measurement

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.inputfile import Source

Verdict = Literal["as before", "slower", "faster", "its other group", "not known"]
CHANGED: tuple[Verdict, ...] = ("slower", "faster")


@dataclass(frozen=True, slots=True)
class Change:
    """A probe as it was, and as it is."""

    then: Seen
    now: Seen
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
    """What a machine file says of probes."""

    name: str
    """Of the file, as messages call it."""
    title: str
    seen: tuple[Seen, ...]


def before(source: Source) -> Before:
    """Read what a machine file says of probes; ConfigError if it is wrong, InputError if nothing.

    Only notes that ``nwtsim measure`` wrote say something.
    """
    from simulator.config.formats import MACHINE
    from simulator.run import load

    machine: Machine = load(MACHINE, source)
    found: dict[tuple[str, bool], Seen] = {}
    for one in machine.origin.sources.values():
        for seen in seen_in(one.note):
            found.setdefault((seen.probe, seen.other), seen)
    name = getattr(source, "name", None) or str(source)
    if not found:
        raise InputError(
            f"{source}: no note in it says what a probe took; name a machine file that"
            " 'nwtsim measure DIR -o FILE' wrote"
        )
    return Before(name, machine.title or machine.name, tuple(found.values()))


def compared(earlier: Before, measurement: Measurement) -> list[Change]:
    """Return the probes that were made then and now, in the order in which they are made."""
    changes = []
    for measured in measurement.measured:
        now = tuple(seen_of(measured))
        then = [one for one in earlier.seen if one.probe == measured.probe.name]
        if then and now:
            changes.append(_change(then, now))
    return changes


def _change(then: Sequence[Seen], now: Sequence[Seen]) -> Change:
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
    """Say whether this is another machine than the one that was measured."""
    return any(one.verdict in CHANGED for one in changes)
