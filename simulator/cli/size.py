"""``nwtsim size``: the cheapest machine that meets a requirement."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Self, TextIO

from simulator.cli import many, options
from simulator.report.terminal import PacedLine
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.sizing.search import Sized

_TEXT = """\
Find the cheapest configuration of a machine that meets a requirement. REQUIREMENT is a file
(requirement/1): the workloads, the targets that have to hold, also with a failed server or disk,
what can be bought at which price, and what is to be chosen. Print on one screen what to buy, which
target binds, what one step more costs and brings, and the runner-up; --full adds where each price
is from, what is neither cheaper nor better, and the commands that make the runs again.

Configurations are looked at in the order of their price. A bound from the narrowest part discards
many without a run; of long runs short ones tell which are worth a whole one; the answer itself is
run whole. Where the machine's noise, or anything else, is drawn, targets have to hold in each of
several runs; --no-noise leaves that noise out. If nothing meets the requirement the nearest is
told, with the target that it misses and by how much, and the exit code is 1.

Of more than 200,000 combinations not all are looked at, but a sample (Optuna, the extra 'search'),
and steps from the best of it: the answer says that it is the best of so many, and not proven to be
the cheapest of all."""

_EXAMPLES = """\
  nwtsim new requirement --for nfs-lab               (writes my-requirement.yaml)
  nwtsim size my-requirement.yaml
  nwtsim size nwt-1997 --seed 2 --replications 20
  nwtsim size nfs-100-users --full --html answer.html
  nwtsim size scratch-40tb --format json --out answer.json
  nwtsim size very-many.yaml --trials 5000 --search-seed 2"""


_CODES = """\
exit codes: 0 good, 1 nothing meets it (the nearest is told), 2 bad input, 3 the
simulation failed (blocked clients are named), 130 interrupted"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    parser.epilog = f"examples:\n{_EXAMPLES}\n\n{_CODES}"
    parser.add_argument(
        "requirement", metavar="REQUIREMENT", help="a requirement file, or a shipped name"
    )
    parser.add_argument(
        "--replications",
        metavar="N",
        type=_replications,
        help="runs of a configuration where anything is drawn, in each of which the targets have to"
        " hold (default: 5, and with 'share' as many as that takes); where nothing is, one is made",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="print all that is known, and not one screen: prices and their sources, every step,"
        " commands",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="run everything that no bound discards, also what is dearer than the answer",
    )
    parser.add_argument(
        "--trials",
        metavar="N",
        type=_trials,
        help="how many of over 200,000 combinations are looked at (default: 1000)",
    )
    parser.add_argument(
        "--search-seed",
        metavar="N",
        type=options.seed,
        help="of which these are (default: 1); another one that ends at the same answer makes it"
        " more certain",
    )
    options.add_drawn_seed(parser)
    many.add_many(parser)
    options.add_format(parser, "table", "json", "csv")
    options.add_out(parser)
    options.add_html(parser)
    options.add_progress(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.output import placing_if, show
    from simulator.report.size import exit_code, render_size
    from simulator.sizing.size import size

    options.check_noise(arguments)
    with placing_if(arguments.out) as part, placing_if(arguments.html) as html:
        with (
            many.results_of(arguments) as results,
            many.executor_of(arguments) as executor,
            Looked(sys.stderr, executor.processes, wanted=arguments.progress) as line,
        ):
            try:
                sized = size(
                    arguments.requirement,
                    seed=arguments.seed,
                    noise=arguments.noise,
                    replications=arguments.replications,
                    everything=arguments.all,
                    trials=arguments.trials,
                    search_seed=arguments.search_seed,
                    executor=executor,
                    results=results,
                    heard=line.heard,
                )
            except KeyboardInterrupt as stop:
                stop.args = (line.interrupted(str(stop), kept=results is not None),)
                raise
        if html is not None:
            from simulator.report.html.size import size_page

            words = command_of(
                sized, arguments.requirement, arguments.trials, arguments.search_seed
            )
            show(size_page(sized, words), html)
        show(render_size(sized, arguments.format, full=arguments.full), part)
    return exit_code(sized)


def command_of(
    sized: Sized, requirement: object, trials: int | None, search_seed: int | None
) -> list[str]:
    """Return the words that give the same answer."""
    words = ["nwtsim", "size", str(requirement), *sized.evaluator.options()]
    given = ("--trials", trials), ("--search-seed", search_seed)
    words += [word for name, value in given if value is not None for word in (name, str(value))]
    return [*words, *(["--all"] if sized.everything else [])]


class Looked(PacedLine):
    """How many configurations were looked at, the time left, and the best so far."""

    def __init__(self, stream: TextIO, processes: int, *, wanted: bool | None = None) -> None:
        """``processes``: how many configurations are run at one time."""
        super().__init__(stream, wanted=wanted)
        self._processes = processes
        self._began = 0.0, 0
        """When the first was looked at, and how many had been then."""
        self._sized: Sized | None = None

    def __enter__(self) -> Self:
        """Say that nothing is known yet."""
        self.draw("the requirement is read")
        return self

    def heard(self, sized: Sized) -> None:
        """Show what is known, a few times a second; before any run what the search may take."""
        first, self._sized = self._sized is None, sized
        if not self._began[1]:
            self._began = self.clock(), _looked(sized)
        if first and sized.each_s is not None and self.wanted:
            self.draw("")
            self.stream.write(f"{self._before(sized, sized.each_s)}\n")
            self.draw("the first is run; how long the others take is known after it")
        elif not first:
            self.offer(lambda: self._text(sized, left=True))

    def interrupted(self, why: str, *, kept: bool) -> str:
        """Say what an interrupted search has found, and what is kept of it."""
        told = why or "interrupted"
        if self._sized is None or not _looked(self._sized):
            return f"{told} before a configuration was looked at: the same command begins anew"
        goes_on = "long runs are kept: the same command goes on from them"
        keeps = goes_on if kept else "nothing is kept (--no-store)"
        return f"{told}: {self._text(self._sized, left=False)}; {keeps}"

    def _before(self, sized: Sized, each_s: float) -> str:
        """Say what the search takes at most, by an estimate of the first configuration's runs."""
        from simulator.report.progress import rounded
        from simulator.units import format_time

        most = _most(sized) or 1
        whole_s = each_s * most / min(self._processes, most)
        each = format_time(round(each_s * 1e9))
        return (
            f"{counted(most, 'configuration')}, estimated at {each} each: at most about"
            f" {rounded(whole_s)}, less what bounds and short runs discard"
        )

    def _text(self, sized: Sized, *, left: bool) -> str:
        from simulator.report.progress import rounded
        from simulator.report.sizewords import price_text, words_of

        looked, most = _looked(sized), _most(sized)
        said = f"{looked:,} of {most:,} looked at, {len(sized.outcomes):,} run whole"
        began_s, before = self._began
        if left and before < looked < most:
            each_s = (self.clock() - began_s) / (looked - before)
            said += f"; about {rounded(each_s * (most - looked))} left at this pace"
        elif left and looked < most and sized.each_s is not None:
            left_s = sized.each_s * (most - looked) / min(self._processes, most - looked)
            said += f"; at most about {rounded(left_s)} left"
        best, name = sized.winner, "best so far"
        if best is None:
            best, name = sized.nearest, "none meets it so far, the nearest"
        if best is None:
            return said if left else f"{said}; none meets it so far"
        return (
            f"{said}; {name}: {price_text(sized.requirement, best.price)}, {words_of(sized, best)}"
        )


def _looked(sized: Sized) -> int:
    """Return how many configurations were looked at."""
    looked = len(sized.bounds) + len(sized.short.keys() | sized.outcomes.keys())
    return looked + (sized.sampled.dearer if sized.sampled is not None else 0)


def _most(sized: Sized) -> int:
    """Return how many configurations are looked at, at most."""
    if sized.sampled is None:
        return sized.built or 0
    return max(sized.sampled.trials, _looked(sized))


def _trials(text: str) -> int:
    return options.whole(text, 1, 1_000_000)


def _replications(text: str) -> int:
    if not text.isdecimal() or not 2 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of runs; write 2 to 1000")
    return int(text)
