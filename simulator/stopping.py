"""SIGTERM and SIGHUP end a command as Ctrl-C does: finished work is kept, and reported."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

INTERRUPTED = 130
NOTHING = "nothing is kept, and the same command starts over"


class Stopped(KeyboardInterrupt):
    """Termination requested by another process."""

    code = 128 + 15


class TerminalClosed(Stopped):
    """Termination because the terminal has closed."""

    code = 128 + 1


_STOPPED = {"SIGTERM": Stopped, "SIGHUP": TerminalClosed}
TERMINATION = tuple(_STOPPED)
"""Signals that end a command."""


def raise_on_termination() -> None:
    """Make these signals raise :class:`Stopped`, once: cleaning up is not interrupted."""
    for name in _STOPPED:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # No nohup.
            signal.signal(number, _stop)


def end_on_termination() -> None:
    """Make these signals, blocked until now, end a child process at once."""
    for name in _STOPPED:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_DFL)
        if number is not None and hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})


def exit_code_of(stop: KeyboardInterrupt) -> int:
    """Return the exit code of a command that was ended."""
    return stop.code if isinstance(stop, Stopped) else INTERRUPTED


def interrupt_message(stop: KeyboardInterrupt, so_far: str = "") -> str:
    """Return what ended a command, and its finished work unless reported already, in words."""
    said = str(stop) or "interrupted"
    if said not in ("interrupted", *(f"ended by {name}" for name in _STOPPED)):
        return said
    return f"{said}; {so_far or NOTHING}"


@contextmanager
def on_interrupt(so_far: Callable[[], str]) -> Iterator[None]:
    """Add the finished work to the message of an interrupt."""
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.args = (interrupt_message(stop, so_far()),)
        raise


class DeferredInterrupt:
    """An interrupt of a part of a command, deferred until the rest of the result is printed."""

    def __init__(self) -> None:
        self.stop: KeyboardInterrupt | None = None

    def __enter__(self) -> Self:
        """Begin the part."""
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        """Defer an interrupt."""
        self.stop = error if isinstance(error, KeyboardInterrupt) else None
        return self.stop is not None

    def end(self, so_far: str) -> None:
        """Raise the interrupt, if there was one, with a message on the finished work."""
        if self.stop is not None:
            self.stop.args = (interrupt_message(self.stop, so_far),)
            raise self.stop


def _stop(number: int, _: object) -> None:
    name = signal.Signals(number).name
    for one in _STOPPED:
        signal_number = getattr(signal, one, None)
        if signal_number is not None and signal.getsignal(signal_number) is _stop:
            signal.signal(signal_number, signal.SIG_IGN)
    raise _STOPPED[name](f"ended by {name}")
