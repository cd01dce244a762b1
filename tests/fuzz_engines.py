"""The engines on plans drawn at random, for as long as asked; see ``--help``.

The tests do the same with a thousand plans (``engines/test_drawn_plans.py``); this is for a night.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shlex
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol

from tqdm import tqdm

from tests.engines.child import ENGINES, Child
from tests.engines.compare import complaint_of

TEXT = """\
Carry out plans drawn at random on the reference engine and on the native engine, each in a process
of its own, and compare the whole results (every time, count and byte). A plan is a function of its
seed: a machine of nodes, devices, parts, stores and paths, and one to 60 processes that share
files, with noise, or without it and then often in lockstep. What a run must conserve is checked as
well."""

EXAMPLES = """\
examples:
  make fuzz-engines                       10,000 plans: ten minutes or so
  make fuzz-engines N=0                   until Ctrl-C, which says where to go on
  make fuzz-engines N=0 SEED=250000       go on there
  python -m tests.fuzz_engines --plans 1 --seed 17     one plan again

Where engines differ it prints the seed, the command that repeats it, and the first differences.
exit codes: 0 all agree, 1 a difference, 2 bad input, 130 interrupted"""

DEFAULT_PLANS = 10_000
INTERRUPTED = 130
STOPPING = (signal.SIGINT, signal.SIGTERM)
"""Ctrl-C, and what ``timeout 8h make ...`` sends."""


class Engine(Protocol):
    """Who answers for an engine: a :class:`tests.engines.child.Child`, or a test's own."""

    name: str

    def ask(self, plan: str) -> None:
        """Begin to carry out a plan."""

    def answer(self) -> str:
        """Its record."""


@dataclass
class Outcome:
    """How a comparison ended."""

    agreed: int = 0
    blocked: int = 0
    """Of those that agreed: how many ended with clients that wait for ever."""
    endless: int = 0
    """And how many have more events than any run that ends."""
    failed: int | None = None
    """The seed of the plan that the engines did not agree on."""
    complaint: str = ""
    interrupted: bool = False


# -- comparing ----------------------------------------------------------------------------------


def compare(engines: Sequence[Engine], seeds: Iterable[int], outcome: Outcome) -> None:
    """Ask all engines for the plan of each seed, until there is a difference."""
    for seed in seeds:
        for engine in engines:
            engine.ask(str(seed))
        distinct: dict[str, str] = {}  # equal texts, which are most, are read once
        for engine in engines:
            distinct.setdefault(engine.answer(), engine.name)
        records = {name: json.loads(answer) for answer, name in distinct.items()}
        outcome.complaint = complaint_of(records)
        if outcome.complaint:
            outcome.failed = seed
            break
        outcome.agreed += 1
        record = records[engines[0].name]
        outcome.blocked += "blocked" in record
        outcome.endless += "endless" in record


# -- the command --------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, and say how it went; returns the exit code."""
    arguments = _parser().parse_args(argv)
    first, plans = arguments.seed, arguments.plans
    outcome, began = Outcome(), time.monotonic()
    try:
        with ExitStack() as stack:
            engines = start(stack, arguments.engines)
            names = ", ".join(one.name for one in engines)
            last = f" to {first + plans - 1}" if plans else " on"
            print(f"Comparing {names}: seeds from {first}{last}", flush=True)
            compare(engines, shown(first, plans), outcome)
    except KeyboardInterrupt:
        outcome.interrupted = True
    return report(outcome, first, time.monotonic() - began)


def start(stack: ExitStack, names: Sequence[str] = ENGINES) -> list[Engine]:
    """Start the engines; the stack ends them."""
    engines: list[Engine] = []
    for name in names:
        child = Child(name)
        stack.callback(child.close)
        engines.append(child)
    return engines


def shown(first: int, plans: int) -> Iterator[int]:
    """The seeds, without end if there are 0 plans, with progress on a terminal."""
    seeds = range(first, first + plans) if plans else itertools.count(first)
    with tqdm(seeds, total=plans or None, unit="seed", leave=False, disable=None) as bar:
        yield from bar


def report(outcome: Outcome, first: int, elapsed_s: float) -> int:
    """Say how a comparison went that began with a seed; returns the exit code."""
    print(f"{outcome.agreed} plans agree ({outcome.agreed / elapsed_s:.1f} a second)")
    if outcome.blocked:
        print(f"{outcome.blocked} of them end with clients that wait for ever")
    if outcome.endless:
        print(f"{outcome.endless} of them have no end: processes that go on until others end keep")
        print("these from ending")
    if outcome.failed is not None:
        again = [sys.executable, "-m", "tests.fuzz_engines", "--plans", "1"]
        print(f"\nseed {outcome.failed}:\n{outcome.complaint}")
        print(f"again: {shlex.join([*again, '--seed', str(outcome.failed)])}")
        return 1
    print(f"to go on: make fuzz-engines SEED={first + outcome.agreed}")
    return INTERRUPTED if outcome.interrupted else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz_engines",
        description=TEXT,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--plans",
        metavar="N",
        type=_whole,
        default=DEFAULT_PLANS,
        help=f"how many plans; 0: until Ctrl-C (default: {DEFAULT_PLANS})",
    )
    parser.add_argument(
        "--seed", metavar="SEED", type=_whole, default=0, help="of the first plan (default: 0)"
    )
    parser.add_argument(
        "--engines",
        metavar="NAMES",
        type=_engines,
        default=ENGINES,
        help=f"which of {','.join(ENGINES)}; of one alone only what every run must conserve is"
        " checked (default: all)",
    )
    return parser


def _engines(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    if unknown := [name for name in names if name not in ENGINES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is no engine; write some of {ENGINES}")
    return names


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 on; write one")
    return int(text)


def _stop(*_: object) -> None:
    """Interrupt once: what then is to be said and ended is not interrupted again."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    for one in STOPPING:
        signal.signal(one, _stop)
    sys.exit(main())
