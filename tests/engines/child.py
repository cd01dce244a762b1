"""An engine in a process of its own that stays: the name of a plan in, a line of JSON out.

One that crashes or hangs takes nobody with it. Its program is
``python -m tests.engines.child ENGINE``; names and records are those of
``tests/engines/records.py``.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Timer

ENGINES = ("reference", "native")
ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 600.0


class Child:
    """The other end of the process: ask for a plan, then read the answer."""

    def __init__(self, engine: str, *, patience_s: float = PATIENCE_S) -> None:
        self.patience_s = patience_s
        self._process = subprocess.Popen(
            [sys.executable, "-X", "utf8", "-m", "tests.engines.child", engine],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            process_group=0,  # Ctrl-C is the parent's alone
        )
        if not self._line():
            raise RuntimeError(f"the {engine} engine does not start: it {self._end()}")
        self.name = engine

    def ask(self, plan: str) -> None:
        """Have a plan carried out."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # then the answer says so
            self._process.stdin.write(f"{plan}\n")
            self._process.stdin.flush()

    def answer(self) -> str:
        """The record of the plan asked for; a broken one if the process has ended."""
        return self._line().strip() or json.dumps({"broken": f"it {self._end()}"})

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.communicate()

    def _line(self) -> str:
        assert self._process.stdout is not None
        watch = Timer(self.patience_s, self._process.kill)
        watch.start()
        try:
            return self._process.stdout.readline()
        finally:
            watch.cancel()

    def _end(self) -> str:
        code = self._process.wait()
        if code == -signal.SIGKILL:
            return f"was killed, perhaps because there was no answer for {self.patience_s:g} s"
        return f"died of {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"


def main(engine: str) -> None:
    """Answer until there are no more names."""
    faulthandler.enable()
    from tests.engines.records import plan_named, record, stop_the_endless

    stop_the_endless()
    print("ready", flush=True)
    for name in sys.stdin:
        print(record(engine, plan_named(name.strip())), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
