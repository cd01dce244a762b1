"""The mutation run: one chosen error at a time, and the tests named for it; docs/testing.md.

A mutant is killed by a test that fails with it and passes without it, so at the end each test that
killed one is run in copies without any.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.listed import ROOT, Mutant, MutantError, load
from tests.mutants.running import BROKEN, HUNG, PASSED, Copy, Verdict, run, stop

TEXT = """\
Put one error at a time into a copy of the project, and run the tests that should notice it. An
error that none of them notices survives, and is printed. A test that does not come to an end in its
CPU time counts as one that noticed the error ("hung")."""

EXAMPLES = """\
examples:
  make mutants                                  all
  make mutants ARGS="--only 'native-*'"         some, by their names
  python -m tests.mutants --list                their names, and what is wrong in each

exit codes: 0 all killed, 1 a survivor, 2 bad input, 130 interrupted"""

INTERRUPTED = 130
RESULTS = Path(__file__).with_name("results.json")
KILLED, SURVIVED, WRONG = "killed", "survived", "wrong"
CHECK_LIMIT_S = 1800


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant."""

    mutant: Mutant
    result: str
    """``killed``, ``survived``, or ``wrong``: it does not compile, its tests do not run, or fail
    without it too."""
    by: str = ""
    """The first test that noticed it, or why it is wrong."""
    hung: bool = False
    """It was killed since its tests did not come to an end."""
    seconds: float = 0.0

    def __str__(self) -> str:
        """Result, seconds, name, file and the test that noticed it."""
        how = "hung" if self.hung else self.result
        head = f"{how:8} {self.seconds:6.1f} s  {self.mutant.id}  {self.mutant.file}"
        return f"{head}\n{'':20}{self.by or self.mutant.breaks}"


class Campaign:
    """Mutants, and the copies in which they are made."""

    def __init__(self, folder: Path, jobs: int, limit_s: int = 60, source: Path = ROOT) -> None:
        """``folder``: where the copies of ``source`` are to be; ``limit_s``: CPU time of tests."""
        self.folder = folder
        self.source = source
        self.jobs = jobs
        self.limit_s = limit_s
        self._free: SimpleQueue[Copy] = SimpleQueue()

    def run(self, mutants: Sequence[Mutant], tell: Callable[[Outcome], None]) -> list[Outcome]:
        """Return the outcomes in the order of the mutants; ``tell`` hears of each as it comes."""
        for number in range(self.jobs):
            self._free.put(Copy(self.source, self.folder / f"copy{number}"))
        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                tasks = [pool.submit(self._try, one) for one in mutants]
                for task in as_completed(tasks):
                    tell(task.result())
                return self._checked([task.result() for task in tasks])
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                stop()
                raise

    def _try(self, mutant: Mutant) -> Outcome:
        began = time.monotonic()
        copy = self._free.get()
        try:
            with copy.having(mutant) as error:
                if error:
                    return Outcome(mutant, WRONG, f"it does not compile: {error}")
                found = run(copy.folder, mutant.tests, self.limit_s)
        finally:
            self._free.put(copy)
        return outcome_of(mutant, found, time.monotonic() - began)

    def _checked(self, outcomes: Sequence[Outcome]) -> list[Outcome]:
        """Return outcomes, of which those are wrong whose test fails without the mutant too."""
        tests, bad = killers(outcomes), set[str]()
        if tests:
            found = run(self._free.get().folder, tests, CHECK_LIMIT_S, all_of_them=True)
            if found.outcome != PASSED:  # If none has failed, they cannot be run.
                bad = set(found.failed or tests)
        return [
            replace(one, result=WRONG, by=f"{one.by} fails without it")
            if one.result == KILLED and one.by in bad
            else one
            for one in outcomes
        ]


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


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return how many mutants there were, and name those that were not killed."""
    left = [one for one in outcomes if one.result != KILLED]
    lines = [f"{len(outcomes)} mutants, {len(outcomes) - len(left)} killed"]
    for one in left:
        about = one.mutant.breaks if one.result == SURVIVED else one.by
        lines.append(f"{one.result}: {one.mutant.id} ({one.mutant.file}): {about}")
    return "\n".join(lines)


def save(outcomes: Sequence[Outcome], every: Sequence[Mutant], path: Path = RESULTS) -> None:
    """Write which test noticed each mutant when it was last put in; null for none."""
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    now = {one.mutant.id: one.by if one.result == KILLED else None for one in outcomes}
    noticed = {one.id: now.get(one.id, before.get(one.id)) for one in every}
    path.write_text(f"{json.dumps(noticed, indent=1, ensure_ascii=False)}\n", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """Run mutants and say what became of them; returns the exit code."""
    arguments = _parser().parse_args(argv)
    try:
        every = load()
        mutants = chosen(every, arguments.only)
    except MutantError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if arguments.list:
        print("\n".join(f"{one.id:36} {one.file}\n{'':36} {one.breaks}" for one in mutants))
        return 0
    began, done = time.monotonic(), []

    def tell(outcome: Outcome) -> None:
        done.append(outcome)
        print(f"[{len(done):3}/{len(mutants)}] {outcome}", flush=True)

    try:
        with tempfile.TemporaryDirectory(prefix="nwtsim-mutants-") as folder:
            campaign = Campaign(Path(folder), arguments.jobs, arguments.limit)
            outcomes = campaign.run(mutants, tell)
    except KeyboardInterrupt:
        print("interrupted; the copies are removed", file=sys.stderr)
        return INTERRUPTED
    print(f"\n{summary(outcomes)} in {time.monotonic() - began:.0f} s")
    save(outcomes, every)
    print(f"written: {RESULTS.name}")
    return 0 if all(one.result == KILLED for one in outcomes) else 1


def chosen(mutants: Sequence[Mutant], only: Sequence[str]) -> list[Mutant]:
    """Return the mutants of some names, which may have ``*``; MutantError for a name of none."""
    lost = [name for name in only if not any(fnmatchcase(one.id, name) for one in mutants)]
    if lost:
        raise MutantError(f"--only: there is no mutant {', '.join(lost)}; see --list")
    return [one for one in mutants if not only or any(fnmatchcase(one.id, name) for name in only)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants",
        description=TEXT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--list", action="store_true", help="list the mutants and end")
    parser.add_argument(
        "--only", metavar="NAME", nargs="+", default=[], help="those of these names; * is any text"
    )
    parser.add_argument("--jobs", metavar="N", type=int, default=2, help="how many at a time (2)")
    parser.add_argument(
        "--limit", metavar="S", type=int, default=60, help="CPU seconds of the named tests (60)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
