"""SIGTERM and SIGHUP: they end a command as Ctrl-C does, with what is done kept."""

from __future__ import annotations

import signal

INTERRUPTED = 130


class Stopped(KeyboardInterrupt):
    """An end that another process has asked for."""

    code = 128 + 15


class HungUp(Stopped):
    """An end since the terminal has gone."""

    code = 128 + 1


_STOPPED = {"SIGTERM": Stopped, "SIGHUP": HungUp}


def hear() -> None:
    """Have these signals raise :class:`Stopped`, once: what is cleaned up then goes on."""
    for name in _STOPPED:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # No nohup.
            signal.signal(number, _stop)


def be_deaf() -> None:
    """Let these signals end a process at once that another one has started."""
    for name in _STOPPED:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_DFL)


def code_of(stop: KeyboardInterrupt) -> int:
    """Return the exit code of a command that was ended."""
    return stop.code if isinstance(stop, Stopped) else INTERRUPTED


def _stop(number: int, _: object) -> None:
    name = signal.Signals(number).name
    for one in _STOPPED:
        heard = getattr(signal, one, None)
        if heard is not None and signal.getsignal(heard) is _stop:
            signal.signal(heard, signal.SIG_IGN)
    raise _STOPPED[name](f"ended by {name}")
