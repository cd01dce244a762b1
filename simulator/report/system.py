"""One run on a system that is not the NWT, as the commands need it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Protocol

from simulator.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simulator.config.document import Document
    from simulator.config.systems import System


class SystemRun(Protocol):
    """A finished run and its reports."""

    def to_json(self) -> str:
        """The record for programs; the same run gives the same text."""
        ...

    def to_text(self) -> str:
        """The report for people, which also says which engine ran."""
        ...


class EngineError(InputError):
    """An engine was asked for that does not know the system."""


def run_system(
    system: System,
    machine: str,
    workload: str,
    *,
    settings: Iterable[tuple[str, str]],
    seed: int | None,
    engine: str,
    debug: bool = False,
) -> SystemRun:
    """Run a workload on a system's machine; EngineError if the engine does not know it."""
    check_engine(system.machine, engine, native=system.native)
    run = _named(system.run)
    made: SystemRun = run(
        machine, workload, settings=list(settings), seed=seed, engine=engine, debug=debug
    )
    return made


def check_engine(what: str, engine: str, *, native: bool = False) -> None:
    """Refuse the native engine where there is only the reference engine."""
    if engine == "native" and not native:
        raise EngineError(
            f"--engine native: {what} runs on the reference engine only; omit the option"
        )


def draw_machine(system: System, machine: Document) -> str:
    """The block diagram of a system's machine."""
    text: str = _named(system.draw)(machine)
    return text


def _named(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
