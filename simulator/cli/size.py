"""``nwtsim size``: the cheapest machine that meets a requirement.

Find the cheapest configuration of a machine that meets a requirement. REQUIREMENT is a file
(requirement/1): the workloads, the targets that have to hold, also with a failed server or disk,
what can be bought at which price, and what is to be chosen. Print on one screen what to buy, which
target binds, what one step more costs and brings, and the runner-up; --full adds where each price
is from, what is neither cheaper nor better, and the commands that make the runs again.

Configurations are looked at in the order of their price, or of their total cost of ownership with
'minimise: total'. A bound from the narrowest part discards many without a run; of long runs short
ones tell which are worth a whole one; the answer itself is run whole. Where the machine's noise, or
anything else, is drawn, targets have to hold in each of several runs; --no-noise leaves that noise
out. If nothing meets the requirement the nearest is told, with each target that it misses, by how
much, and what to try next; the exit code is 1.

Of more than 200,000 combinations not all are looked at, but a sample (Optuna, the extra 'search'),
and steps from the best of it: the answer says that it is the best of so many, and not proven to be
the cheapest of all.

Of several machines in one requirement ('alternatives') each is searched by itself, and the best of
each is told.

Examples:
  nwtsim new requirement --for nfs-lab               (writes my-requirement.yaml)
  nwtsim size my-requirement.yaml
  nwtsim size nwt-1997 --seed 2 --replications 20
  nwtsim size nfs-100-users --full --html answer.html
  nwtsim size scratch-40tb --format json --out answer.json
  nwtsim size very-many.yaml --trials 5000 --search-seed 2
"""

from __future__ import annotations

import argparse
import sys

from simulator.cli import many, options

OPTIONS = {
    "requirement REQUIREMENT": "a requirement file, or a shipped name",
    "--replications N several": "runs of a configuration where anything is drawn, in each of which"
    " the targets have to hold (default: 5); where the requirement asks for a 'probability', the"
    " most that are drawn to find it (default: 500); where nothing is, one is made",
    "--full": "print all that is known, and not one screen: prices and their sources, every step,"
    " commands",
    "--all": "run everything that no bound discards, also what is dearer than the answer",
    "--trials N 1..1000000": "how many of over 200,000 combinations are looked at (default: 1000)",
    "--search-seed N seed": "of which these are (default: 1); another one that ends at the same"
    " answer makes it more certain",
    "drawn-seed no-noise jobs executor store format:table:json:csv out html progress": "",
}
CODES = """\
exit codes: 0 good, 1 nothing meets it (the nearest is told), 2 bad input, 3 the
simulation failed (blocked clients are named), 130 interrupted"""


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.report.progress import SizingLine
    from simulator.report.size import command_of, size_page
    from simulator.sizing.search import size

    options.check_noise(arguments)
    with options.reporting(arguments, arguments.out) as report:
        with (
            many.results_of(arguments) as results,
            many.executor_of(arguments) as executor,
            SizingLine(sys.stderr, executor.processes, wanted=arguments.progress) as line,
        ):
            try:
                sized = size(
                    arguments.requirement,
                    **options.values(arguments, "seed noise replications trials search_seed"),
                    everything=arguments.all,
                    executor=executor,
                    results=results,
                    heard=line.heard,
                )
            except KeyboardInterrupt as stop:
                stop.args = (line.interrupted(str(stop), kept=results is not None),)
                raise
        words = arguments.requirement, arguments.trials, arguments.search_seed
        report(size_page(sized, command_of(sized, *words)))
    return 0 if sized.winner is not None else 1


def several(text: str) -> int:
    """Read a number of runs."""
    if not text.isdecimal() or not 2 <= int(text) <= 1000:
        raise ValueError(f"{text!r} is no number of runs; write 2 to 1000")
    return int(text)
