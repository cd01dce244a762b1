"""Changes of the machine as advice: levers that were moved, farther, and two at a time.

What limits moves each lever to twice as good. Where that stops short of a threshold - a read-ahead
that does not reach the next request, a second bottleneck that is as narrow - it saves nothing, and
four or sixteen times as much, or two levers together, may. A lever that is a *setting* is moved on
as long as that saves more; hardware only as far as it has to be.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from simulator.answers.advise import Advice, Change, Cure, Finding, Ran
from simulator.answers.again import LONG, SHORT, work_of
from simulator.answers.levers import level_of
from simulator.answers.ranking import worth

if TYPE_CHECKING:
    from simulator.answers.advise import Level
    from simulator.answers.again import Again
    from simulator.answers.levers import Lever, Move
    from simulator.answers.limits import Limit, Limits
    from simulator.config.settings import Setting
    from simulator.result.result import Result

Commands = Callable[[Change], tuple[str, ...]]
"""Makes the words of a command of a change."""
MOST_OF_MACHINE = 3
"""Changes that are told beside cures of a trace."""
FARTHER: tuple[tuple[Move, int], ...] = (("four", 4), ("sixteen", 16))
MOST_PAIRED = 4
"""Levers that are moved two at a time: those that save most, and of these the busiest."""
_STEPPED = ("capacity", "number")
"""Aspects that act from some value on; a rate or a time that limits helps a little by a little."""
_KINDS = {
    "bandwidth": "the bandwidth of {resource} limits",
    "latency": "the {noun} of {resource} limits",
    "wait": "requests wait for {resource}",
    "capacity": "the capacity of {resource} limits",
    "number": "the number of {resource} limits",
    "event": "the {noun} of {resource} limits",
}
_TIMES = {2: ("Half", "Twice"), 4: ("A quarter of", "4 times"), 16: ("A sixteenth of", "16 times")}


def advice_of(limits: Limits, command: Commands) -> list[Advice]:
    """Return all levers that matter as advice, which what limits has run; ``command`` does one."""
    return [_advice(one, command) for one in limits.matter]


def _advice(one: Limit, command: Commands) -> Advice:
    lever, twice = one.lever, one.twice
    cure = _cure(_how(lever, twice.settings, 2), (lever,), twice.settings)
    finding = Finding("machine", _found(lever), (cure,), resource=lever.name)
    return Advice.of(finding, cure, twice.ran, one.base, command(cure.change))


class Upgrades(NamedTuple):
    """Changes to try beyond twice as much, as far as the number of runs allows."""

    again: Again
    limits: Limits
    base: Result
    """The run that ``limits`` has perturbed."""
    command: Commands

    def findings(self) -> list[Finding]:
        """Return findings about levers that may help if moved farther, and about pairs of them."""
        return [*self._farther(), *self._pairs()]

    def run(self, change: Change) -> Ran | None:
        """Run with a change of the machine; None if the machine cannot be like that."""
        result = self.again.run(change.settings)
        if result is None:
            return None
        return Ran.of(result, self.limits.measure.of(result).time_ns)

    def advice(self, *, wanted: bool | None) -> tuple[list[Advice], list[str]]:
        """Return all changes that matter, and sentences about what was not tried.

        ``wanted``: try them though all runs together take long (None: unless they take seconds).
        """
        found = {one.finding.resource: one for one in advice_of(self.limits, self.command)}
        findings = self.findings()
        runs = sum(len(one.cures) for one in findings)
        if not wanted and runs * work_of(self.base) > (SHORT if wanted is None else LONG):
            return list(found.values()), [_NOT_TRIED.format(runs=runs)] if runs else []
        for finding in findings:
            better = self._best(finding, found)
            if better is not None:
                found[finding.resource] = better
        return list(found.values()), []

    # -- what is tried ------------------------------------------------------------------------

    def _farther(self) -> list[Finding]:
        """Return levers that are moved farther: settings, and what twice as much does not help."""
        whole = self.limits.elapsed_ns
        found = []
        for one in self.limits.limits:
            lever = one.lever
            enough = worth(one.saves_ns, whole) and _level((lever,)) == "hardware"
            if enough or lever.aspect not in _STEPPED:
                continue
            cures = [
                _cure(_how(lever, settings, times), (lever,), settings)
                for move, times in FARTHER
                if (settings := lever.settings(move))
            ]
            found.append(Finding("machine", _found(lever), tuple(cures), resource=lever.name))
        return found

    def _pairs(self) -> list[Finding]:
        """Return pairs of levers, of which alone none matters."""
        if self.limits.first is not None:
            return []
        levers = sorted(self.limits.limits, key=lambda one: (-one.saves_ns, -(one.busy or 0.0)))
        found = []
        for first, second in combinations(levers[:MOST_PAIRED], 2):
            one, other = first.lever, second.lever
            settings = (*first.twice.settings, *second.twice.settings)
            ways = _how(one, first.twice.settings, 2), _how(other, second.twice.settings, 2)
            cure = _cure(" ".join(ways), (one, other), settings)
            told = f"{_found(one).rstrip('.')}, and {_found(other)} Neither alone saves 1 %."
            both = f"{one.name} and {other.name}"
            found.append(Finding("machine", told, (cure,), resource=both))
        return found

    def _best(self, finding: Finding, found: dict[str, Advice]) -> Advice | None:
        """Run the cures of a finding; return the first after which none is better by 1 %."""
        now, best = Ran.of(self.base, self.limits.elapsed_ns), found.get(finding.resource)
        better = None
        for cure in finding.cures:
            ran = self.run(cure.change)
            if ran is None:
                continue
            one = Advice.of(finding, cure, ran, now, self.command(cure.change))
            saves = one.saves_ns - (best.saves_ns if best is not None else 0)
            if not worth(saves, now.elapsed_ns):
                continue
            best = better = one
            if cure.level == "hardware":
                break
        return better


_NOT_TRIED = (
    "4 and 16 times as much of what has a limit, and two changes of the machine at a time, were not"
    " tried, since that takes up to {runs} more runs (--limits does)."
)


def _cure(how: str, levers: Sequence[Lever], settings: Sequence[Setting]) -> Cure:
    return Cure(how, Change(settings=tuple(settings)), level=_level(levers))


def _level(levers: Sequence[Lever]) -> Level:
    """Return what levers change."""
    return level_of(*(value.path for lever in levers for value in lever.values))


def _found(lever: Lever) -> str:
    told = _KINDS[lever.kind].format(resource=lever.resource, noun=lever.noun)
    return f"{told} ({lever.name})."


def _how(lever: Lever, settings: Sequence[Setting], times: int) -> str:
    less, more = _TIMES[times]
    if lever.aspect == "event":
        words = f"Without the {lever.noun} of {lever.resource}"
    elif lever.aspect == "number":
        words = f"{more} as many ({lever.name})"
    elif lever.what == "dirty" and times == 2:
        words = f"A higher dirty limit of {lever.resource}"
    else:
        words = f"{less if lever.aspect == 'overhead' else more} the {lever.noun}"
        words += f" of {lever.resource}"
    new = dict(settings)
    values = ", ".join(
        f"{value.path} {value.text} -> {new[value.path]}"
        for value in lever.values
        if value.path in new
    )
    return f"{words}: {values}."
