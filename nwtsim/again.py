"""Data to repeat a run with other settings; it has no open files, so that it can be pickled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.answers.again import Again
    from simulator.config.machine_file import Machine
    from simulator.config.settings import Setting
    from simulator.inputfile import Text
    from simulator.plan.plan import Plan
    from simulator.run import EngineName, Inputs, Run


class RunAgain(NamedTuple):
    """A run of a machine file and a workload file that have been read."""

    inputs: Inputs
    seed: int | None
    engine: EngineName
    command: tuple[str, ...]
    """Words of its command; empty if a file was given as a text."""

    def again(self) -> Again:
        """Return the prepared run."""
        from simulator.answers.again import InputsAgain

        return InputsAgain(self.inputs, seed=self.seed, engine=self.engine)


class ReplayAgain(NamedTuple):
    """A replay on a machine file that has been read."""

    machine: Text
    settings: tuple[Setting, ...]
    plan_on: Callable[[Machine], Plan]
    engine: EngineName

    def again(self) -> Again:
        """Return the prepared replay."""
        from simulator.answers.again import LoweredAgain, machine_variants

        return LoweredAgain(
            machine_variants(self.machine, self.settings), (), self.plan_on, self.engine
        )


def run_again(asked: Run) -> RunAgain:
    """Return the data to repeat a run, with the texts of its files instead of their names."""
    from dataclasses import replace

    from simulator.config.formats import MACHINE, WORKLOAD
    from simulator.config.load import read_file

    machine, workload = asked.inputs.sources
    texts = read_file(MACHINE, machine), read_file(WORKLOAD, workload)
    inputs = replace(asked.inputs, sources=texts)
    return RunAgain(inputs, asked.seed, asked.engine, command_of(asked, "run"))


def command_of(asked: Run, name: str) -> tuple[str, ...]:
    """Return the words of a command about a run; empty if a file was given as a text."""
    from simulator.inputfile import Text

    if any(isinstance(one, Text) for one in asked.inputs.sources):
        return ()
    words = ["nwtsim", name, *map(str, asked.inputs.sources)]
    for path, value in asked.inputs.settings:
        words += ["--set", f"{path}={value}"]
    if asked.seed is not None:
        words += ["--seed", str(asked.seed)]
    if asked.engine != "auto":
        words += ["--engine", asked.engine]
    return tuple(words)
