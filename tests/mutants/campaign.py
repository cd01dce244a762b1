"""All mutants, some at a time: the tests named for each, then all quick ones, then a check.

A mutant is killed by a test that fails with it and passes without it, so at the end each test that
killed one is run in copies without any.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.copies import Copy
from tests.mutants.listed import ROOT, Mutant
from tests.mutants.running import BROKEN, HUNG, PASSED, Runner, Verdict, seconds_since

KILLED, SURVIVED, WRONG = "killed", "survived", "wrong"
QUICK = ("-m", "not slow")
QUICK_LIMIT_S = 1800


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    result: str
    """``killed``, ``survived``, or ``wrong``: its tests do not run, or fail without it too."""
    by: str = ""
    """The first test that noticed it, or why it is wrong."""
    hung: bool = False
    """It was killed since its tests did not come to an end."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is made."""

    jobs: int = 2
    limit_s: int = 60
    """CPU time of the tests named for a mutant."""
    named_only: bool = False
    """Do not run all quick tests when the named ones pass."""


class Campaign:
    """Mutants, and the copies in which they are made."""

    def __init__(self, folder: Path, options: Options, runner: Runner, source: Path = ROOT) -> None:
        """``folder``: where the copies of ``source`` are to be."""
        self.folder = folder
        self.source = source
        self.options = options
        self.runner = runner
        self._free: dict[bool, SimpleQueue[Copy]] = {True: SimpleQueue(), False: SimpleQueue()}

    def run(self, mutants: Sequence[Mutant], tell: Callable[[Outcome], None]) -> list[Outcome]:
        """Return the outcomes in the order of the mutants; ``tell`` hears of each as it comes."""
        for kind in {one.needs_sources for one in mutants}:
            for number in range(self.options.jobs):
                name = f"{'sources' if kind else 'compiled'}{number}"
                copy = Copy(self.source, self.folder / name, compiled=not kind)
                self._free[kind].put(copy)
        outcomes: dict[str, Outcome] = {}
        with ThreadPoolExecutor(self.options.jobs) as pool:
            try:
                tasks = [pool.submit(self._try, one) for one in mutants]
                for task in as_completed(tasks):
                    made = task.result()
                    outcomes[made.mutant.id] = made
                    tell(made)
            except KeyboardInterrupt:
                self.runner.stop()
                pool.shutdown(cancel_futures=True)
                raise
        return self.checked([outcomes[one.id] for one in mutants])

    def _try(self, mutant: Mutant) -> Outcome:
        began = time.monotonic()
        with self._copy(mutant.needs_sources) as copy, copy.having(mutant):
            found = self.runner.run(copy.folder, (*QUICK, *mutant.tests), self.options.limit_s)
            if found.outcome == PASSED and not self.options.named_only:
                tests = all_quick(copy.folder, interpreted=mutant.needs_sources)
                found = self.runner.run(copy.folder, tests, QUICK_LIMIT_S)
                if found.outcome == HUNG:  # Not the named ones: they may only be slow.
                    about = f"its tests pass, and all quick ones take too long: {found.test}"
                    return Outcome(mutant, WRONG, about, seconds=seconds_since(began))
        return outcome_of(mutant, found, seconds_since(began))

    @contextmanager
    def _copy(self, kind: bool) -> Iterator[Copy]:
        copy = self._free[kind].get()
        try:
            yield copy
        finally:
            self._free[kind].put(copy)

    def checked(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Return outcomes, of which those are wrong whose test fails without the mutant too."""
        shares = []
        for kind in (True, False):
            tests = killers(one for one in outcomes if one.mutant.needs_sources == kind)
            jobs = range(self.options.jobs)
            shares += [(tests[job :: len(jobs)], kind) for job in jobs if tests[job :: len(jobs)]]
        bad: dict[bool, set[str]] = {True: set(), False: set()}
        with ThreadPoolExecutor(self.options.jobs) as pool:
            for (_, kind), found in zip(shares, pool.map(self._failing, shares), strict=True):
                bad[kind].update(found)
        return [
            replace(one, result=WRONG, by=f"{one.by} fails without it")
            if one.result == KILLED and one.by in bad[one.mutant.needs_sources]
            else one
            for one in outcomes
        ]

    def _failing(self, share: tuple[Sequence[str], bool]) -> set[str]:
        """Return those of some tests that fail in a copy without mutants."""
        tests, kind = share
        with self._copy(kind) as copy:
            found = self.runner.run(copy.folder, tests, QUICK_LIMIT_S, all_of_them=True)
        if found.outcome == PASSED:
            return set()
        return set(found.failed or tests)  # None has failed: they cannot be run.


def all_quick(folder: Path, *, interpreted: bool) -> tuple[str, ...]:
    """Return what makes pytest run all quick tests of a copy.

    Left out are those of the list of mutants and of compiling; and with interpreted modules those
    that ``make test-pure`` leaves out, which would take hours.
    """
    left_out = ["selftest/test_mutants.py", "project/test_setup.py"]
    makefile = folder / "Makefile"
    if interpreted and makefile.exists():
        found = re.search(r"^ABOVE := ((?:.*\\\n)*.*)$", makefile.read_text(encoding="utf-8"), re.M)
        assert found is not None
        left_out += found[1].replace("\\\n", " ").split()
    return (*QUICK, "tests", *(f"--ignore=tests/{name}" for name in left_out))


def outcome_of(mutant: Mutant, found: Verdict, seconds: float) -> Outcome:
    """Return what the tests of a mutant mean for it."""
    if found.outcome == PASSED:
        return Outcome(mutant, SURVIVED, seconds=seconds)
    if found.outcome == BROKEN:
        last = (found.output.strip().splitlines() or [""])[-1]
        return Outcome(mutant, WRONG, f"its tests do not run: {last}", seconds=seconds)
    return Outcome(mutant, KILLED, found.test, found.outcome == HUNG, seconds)


def killers(outcomes: Iterable[Outcome]) -> list[str]:
    """Return the tests that killed, each once, in the order of their files."""
    return sorted({one.by for one in outcomes if one.result == KILLED and "::" in one.by})
