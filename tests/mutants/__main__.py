"""The mutation run; see ``--help``, and docs/testing.md."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from tests.mutants.campaign import KILLED, Campaign, Options, Outcome
from tests.mutants.listed import Mutant, MutantError, load
from tests.mutants.report import RESULTS, digest, line, save, summary, table
from tests.mutants.running import Runner, seconds_since

TEXT = """\
Put one error at a time into a copy of the project, and run the tests that should notice it; if they
pass, all quick tests. An error that no test notices survives, and is printed. A test that does not
come to an end in its CPU time counts as one that noticed the error ("hung")."""

EXAMPLES = """\
examples:
  make mutants                                  all
  make mutants ARGS="--only 'native-*'"         some, by their names
  python -m tests.mutants --list                their names, and what is wrong in each

exit codes: 0 all killed, 1 a survivor, 2 bad input, 130 interrupted"""

INTERRUPTED = 130


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
    options = Options(arguments.jobs, arguments.limit, arguments.named_only)
    began, sources = time.monotonic(), digest(every)
    try:
        with tempfile.TemporaryDirectory(prefix="nwtsim-mutants-") as folder:
            campaign = Campaign(Path(folder), options, Runner())
            outcomes = campaign.run(mutants, Told(len(mutants)))
    except KeyboardInterrupt:
        print("interrupted; the copies are removed", file=sys.stderr)
        return INTERRUPTED
    print(f"\n{table(outcomes)}\n\n{summary(outcomes)} in {seconds_since(began):.0f} s")
    if len(mutants) == len(every):
        save(outcomes, sources)
        print(f"written: {RESULTS.name}")
    return 0 if all(one.result == KILLED for one in outcomes) else 1


class Told:
    """Prints each outcome as it comes."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.done = 0

    def __call__(self, outcome: Outcome) -> None:
        """Print one."""
        self.done += 1
        print(f"[{self.done:3}/{self.count}] {line(outcome)}", flush=True)


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
    parser.add_argument("--named-only", action="store_true", help="do not go on to all quick tests")
    return parser


def _stop(*_: object) -> None:
    """Interrupt once: what then is ended and removed is not interrupted again."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, _stop)
    sys.exit(main())
