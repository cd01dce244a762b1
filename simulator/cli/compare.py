"""``nwtsim compare``: why one run takes longer than another.

Explain the difference of two runs, column by column of their accounts: where processes waited,
where they were served, how long they computed. The columns add up to the difference of the elapsed
times to the nanosecond. Each of A and B is a machine (with --workload), a workload (with
--machine), a result that 'run' or 'replay' wrote with --format json, or a store of calls
(.parquet). MACHINE WORKLOAD, as for 'run', is the same run on both sides, to be changed on one of
them with --b-set.

Examples:
  nwtsim compare nwt test-write --b-set arrays=2
  nwtsim compare workstation nfs-lab --workload copy-file
  nwtsim compare test-write test-write-120MB --machine nwt --format json
  nwtsim compare before.json after.json --html page.html
  nwtsim compare before.json nwt --workload test-write --b-set clients=40
  nwtsim compare before.parquet after.parquet        (what 'run --store' wrote)
"""

from __future__ import annotations

import argparse
import errno
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from simulator.cli import options
from simulator.report import terminal
from simulator.wording import command_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simulator.answers.compare import Differing
    from simulator.answers.sides import Side
    from simulator.run import EngineName, Inputs

    Make: TypeAlias = Callable[[], tuple[Side, Inputs | None]]
    """Makes a side that was read."""

Sort = Literal["machine", "workload", "result", "store"]

OPTIONS = {
    "a A": "a machine, a workload, a result or a store",
    "b B ?": "what it is compared with (default: the run of A, with other settings)",
    "--machine M": "the machine on which workloads run",
    "--workload W": "the workload that runs on machines",
    "--set PATH=VALUE setting*": "a value of the machine or the workload on both sides, as for"
    " 'run'",
    "--a-set PATH=VALUE setting*": "a value of the machine or the workload in A, as for 'run'",
    "--b-set PATH=VALUE setting*": "a value of the machine or the workload in B, as for 'run'",
    "seed": "",
    "--b-seed N seed": "another seed for B",
    "engine format:table:json:csv full html out": "",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.answers.compare import compare
    from simulator.report.compare import compare_page

    asked = _asked(arguments)
    with options.reporting(arguments, arguments.out) as report:
        heard = terminal.Messages()
        makes = [one.ready(arguments, asked, heard) for one in asked]  # Mistakes, before any run.
        (a, of_a), (b, of_b) = (make() for make in makes)
        found = compare(a, b, _differing(a, b, of_a, of_b))
        report(compare_page(found, heard.warnings, _command(arguments)))
    return 0


def _command(arguments: argparse.Namespace) -> list[str]:
    """Return the words of a command that makes the same comparison."""
    words = ["nwtsim", "compare", arguments.a, *([] if arguments.b is None else [arguments.b])]
    given = "machine workload seed b_seed settings a_settings b_settings engine"
    return [*words, *options.words_of(arguments, given)]


@dataclass(frozen=True, slots=True)
class _ComparedSide:
    """One side as it was asked for: a file, or a run."""

    sort: Sort
    """``machine`` for any run."""
    word: str
    workload: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    seed: int | None = None

    def ready(
        self,
        arguments: argparse.Namespace,
        asked: Sequence[_ComparedSide],
        heard: terminal.Messages,
    ) -> Make:
        """Read the file, or what runs; what was ``heard`` of the other side is not repeated."""
        if self.sort == "store":
            from simulator.replay.comparison import store_side

            return lambda: (store_side(Path(self.word)), None)
        if self.sort == "result":
            from simulator.answers.sides import read_side

            side = read_side(Path(self.word))
            return lambda: (side, _proven(side, asked))
        return self._runs(arguments.engine, heard)

    def _runs(self, engine: EngineName, heard: terminal.Messages) -> Make:
        from simulator.answers.sides import side_of
        from simulator.result.record import record_of
        from simulator.run import prepare_run

        made = prepare_run(
            self.word,
            self.workload,
            self.settings,
            seed=self.seed,
            engine=engine,
            hears=heard.listener,
        )
        words = ["nwtsim", "run", self.word, self.workload]
        words += [word for path, text in self.settings for word in ("--set", f"{path}={text}")]
        words += ["--seed", str(self.seed)] if self.seed is not None else []

        def make() -> tuple[Side, Inputs]:
            with terminal.watching() as watching:
                result = made.result(watch=watching)
            return side_of(record_of(result), command_line(*words)), made.inputs

        return make


def _asked(arguments: argparse.Namespace) -> tuple[_ComparedSide, _ComparedSide]:
    """Return what the two sides are; InputError if the words do not say that."""
    from simulator.errors import InputError

    words = [arguments.a, arguments.a if arguments.b is None else arguments.b]
    sorts = [_sort(word) for word in words]
    machine, workload = arguments.machine, arguments.workload
    if sorts == ["machine", "workload"]:
        if machine or workload:
            option = "--machine" if machine else "--workload"
            raise InputError(f"{option}: {words[0]} {words[1]} name both already; omit the option")
        machine, workload = words
        words, sorts = [machine, machine], ["machine", "machine"]
    elif sorts == ["workload", "machine"]:
        raise InputError(f"{words[0]} is a workload: write MACHINE WORKLOAD, {words[1]} {words[0]}")
    elif arguments.b is None and sorts[0] in ("result", "store"):
        raise InputError(f"{words[0]}: with what is it to be compared? Write B after it")
    _check_used(arguments, sorts, machine, workload)
    asked = []
    for side, word, sort in zip("ab", words, sorts, strict=True):
        own = getattr(arguments, f"{side}_settings")
        if sort in ("result", "store"):
            if own:
                raise InputError(f"--{side}-set: {word} is a {sort}, which has no settings")
            asked.append(_ComparedSide(sort, word))
            continue
        on, work = (word, workload) if sort == "machine" else (machine, word)
        seed = arguments.seed
        if side == "b" and arguments.b_seed is not None:
            seed = arguments.b_seed
        asked.append(_ComparedSide("machine", on, work, (*arguments.settings, *own), seed))
    return asked[0], asked[1]


def _check_used(
    arguments: argparse.Namespace, sorts: list[Sort], machine: str | None, workload: str | None
) -> None:
    """Raise InputError for an option that is lacking, or that no side uses."""
    from simulator.errors import InputError

    if "machine" in sorts and workload is None:
        raise InputError(f"{arguments.a}: which workload? Add one, like --workload copy-file")
    if "workload" in sorts and machine is None:
        raise InputError(f"{arguments.a}: on which machine? Add one, like --machine workstation")
    runs = {"machine", "workload"} & set(sorts)
    given = {
        "--machine": arguments.machine is not None and "workload" not in sorts,
        "--workload": arguments.workload is not None and "machine" not in sorts,
        "--set": bool(arguments.settings) and not runs,
        "--seed": arguments.seed is not None and not runs,
        "--b-seed": arguments.b_seed is not None and sorts[1] in ("result", "store"),
        "--engine": arguments.engine != "auto" and not runs,
    }
    for option, unused in given.items():
        if unused:
            raise InputError(f"{option}: nothing that is compared here uses it; omit the option")


def _sort(word: str) -> Sort:
    """Return what a word names; InputError if nothing."""
    from simulator.config.formats import MACHINE, WORKLOAD
    from simulator.config.load import written_format
    from simulator.errors import InputError, did_you_mean, nearby
    from simulator.inputfile import open_input

    nouns: tuple[Literal["machine", "workload"], ...] = ("machine", "workload")
    for noun in nouns:
        if (written_format(word, noun) or "").startswith(f"{noun}/"):
            return noun
    path = Path(word)
    try:
        with open_input(path) as file:
            head = file.read(64)
    except (OSError, ValueError) as error:
        if path.name != word or (isinstance(error, OSError) and error.errno != errno.ENOENT):
            about = getattr(error, "strerror", None) or error
            raise InputError(f"{word}: {about}{nearby(path)}") from None
        names = [*MACHINE.shipped(), *WORKLOAD.shipped()]
        raise InputError(
            f"{word}: there is no such file, and no such machine or workload comes with the"
            f" program{nearby(path) or f'; {did_you_mean(word, names)}'}"
        ) from None
    if head.startswith(b"PAR1"):
        return "store"
    if path.suffix == ".json" or head.lstrip().startswith(b"{"):
        return "result"
    raise InputError(
        f"{word}: this is no machine, workload, result (--format json) or store (--store)"
    )


def _proven(side: Side, others: Sequence[_ComparedSide]) -> Inputs | None:
    """Return the files that have the digest of a result; None if none of those known have it.

    They may be shipped ones, or those of the other side.
    """
    from simulator.config.errors import ConfigError
    from simulator.config.formats import MACHINE, WORKLOAD
    from simulator.errors import InputError
    from simulator.run import load_inputs

    known = [(one.word, one.workload) for one in others if one.sort == "machine"]
    if side.machine in MACHINE.shipped() and side.workload in WORKLOAD.shipped():
        known.insert(0, (side.machine, side.workload))
    for machine, workload in known:
        try:
            inputs = load_inputs(machine, workload, noisy=side.seed is not None)
            if inputs.plan(seed=side.seed).digest == side.digest:
                return inputs
        except (ConfigError, InputError):
            continue
    return None


def _differing(
    a: Side, b: Side, of_a: Inputs | None, of_b: Inputs | None
) -> tuple[Differing, ...] | None:
    """Return the values that differ; None if those of a side are not known."""
    if of_a is None or of_b is None:
        return () if a.digest and a.digest == b.digest else None
    from simulator.answers.compare import differing

    return differing((of_a.machine, of_a.workload), (of_b.machine, of_b.workload))
