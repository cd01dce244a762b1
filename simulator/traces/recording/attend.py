"""One run of a command: its times, and signals handed on as a terminal and a shell would.

The command runs in this process's group, so that Ctrl-C reaches it without help. A signal that
another process sends to this one only (``kill``) is sent on. Either way the command is waited for,
and only then KeyboardInterrupt is raised.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from simulator.children import blocked
from simulator.errors import InputError
from simulator.host import waited_s
from simulator.stopping import Stopped, TerminalClosed
from simulator.traces.record import Ended

LOOK_S = 0.02
"""How often a child is looked at of whose end nothing is heard."""
_BLOCK = 512
"""Bytes of a block as the system counts what is read from devices."""
_PYTHON_IGNORES = (signal.SIGPIPE, signal.SIGXFSZ)
_STOPPING: dict[int, type[KeyboardInterrupt]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: Stopped,
    signal.SIGHUP: TerminalClosed,
}


def attend(words: Sequence[str], *, traced: bool = False) -> Ended:
    """Run a command to its end; KeyboardInterrupt after its end if a signal has asked for that.

    ``traced``: it is strace, and signals are for the processes that it has made. InputError if the
    command cannot be started.
    """
    heeded = (one for one in _STOPPING if signal.getsignal(one) is not signal.SIG_IGN)
    signals = {signal.SIGCHLD, *heeded}
    with blocked(*(signal.Signals(one).name for one in signals)):
        began = time.perf_counter_ns()
        try:
            child = os.posix_spawnp(
                words[0],
                list(words),
                os.environ,
                setsigmask=[],
                setsigdef=_PYTHON_IGNORES,
            )
        except OSError as error:
            raise InputError(f"{words[0]}: {error.strerror}; name a program that runs") from None
        heard = _heard(child, signals, traced=traced)
        elapsed = time.perf_counter_ns() - began
        waiting = round((waited_s(child) or 0.0) * 1e9)
        _, status, used = os.wait4(child, 0)
    if heard is not None:
        name = signal.Signals(heard).name
        raise _STOPPING[heard](f"ended by {name}; nothing of the record is kept")
    return Ended(
        elapsed,
        round(used.ru_utime * 1e9),
        round(used.ru_stime * 1e9),
        waiting,
        used.ru_inblock * _BLOCK,
        os.waitstatus_to_exitcode(status),
        used.ru_minflt,
    )


def _heard(child: int, signals: set[int], *, traced: bool) -> int | None:
    """Wait for a child's end; return the first signal that has asked for one."""
    heard: int | None = None
    while True:
        about = signal.sigtimedwait(signals, LOOK_S)
        # Another thread may have had the signal of the child's end, and have left it at that.
        if about is None or about.si_signo == signal.SIGCHLD:
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return heard
            continue
        heard = about.si_signo if heard is None else heard
        if about.si_code <= 0:  # From a process; what the terminal sends the child has got, too.
            for one in _children(child) if traced else (child,):
                with suppress(ProcessLookupError):
                    os.kill(one, about.si_signo)


def _children(parent: int) -> list[int]:
    """Return the processes that one has made, and that have not ended."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            after = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(after[1]) == parent:
                found.append(int(path.parent.name))
    return found
