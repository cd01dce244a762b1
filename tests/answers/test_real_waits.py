"""Real programs that wait for what is outside of their log: named as waiting or sleeping."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from simulator.cli.main import main

WAITS = {
    "fcntl": "fcntl.lockf(open('lock', 'w'), fcntl.LOCK_EX)",
    "flock": "fcntl.flock(open('lock2', 'w'), fcntl.LOCK_EX)",
    "read": "os.read(0, 100)",
    "poll": "p = select.poll(); p.register(0, select.POLLIN); p.poll()",
    "rt_sigtimedwait": "signal.sigtimedwait([signal.SIGUSR1], 2)",
    "pselect6": "select.select([], [], [], 2)",
    "clock_nanosleep": "time.sleep(2)",
    "epoll_wait": "select.epoll().poll(2)",
}
SLEEPS = {"rt_sigtimedwait", "pselect6", "clock_nanosleep", "epoll_wait"}
HOLDER = dedent(
    """\
    import fcntl, sys, time
    one, two = open("lock", "w"), open("lock2", "w")
    fcntl.lockf(one, fcntl.LOCK_EX); fcntl.flock(two, fcntl.LOCK_EX)
    print("held", flush=True); time.sleep(3); print("end", flush=True); time.sleep(0.2)
    """
)


@pytest.mark.real("strace")
@pytest.mark.slow
@pytest.mark.parametrize("call", WAITS)
def test_a_wait_for_what_is_not_traced_is_no_computing(call: str, tmp_path: Path, capsys) -> None:
    log = tmp_path / "log"
    program = f"import fcntl, os, select, signal, time\n{WAITS[call]}\n"
    run = ["strace", "-f", "-ttt", "-T", "-o", str(log), sys._base_executable, "-IS", "-c", program]  # type: ignore[attr-defined]
    holder = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(holder, cwd=tmp_path, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.read(5) == b"held\n"
        done = subprocess.run(
            run, cwd=tmp_path, stdin=other.stdout, capture_output=True, check=False
        )
    if b"ptrace" in done.stderr.lower():
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    assert main(["advise", str(log), "--on", "workstation", "--no-limits"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Nothing is worth doing" not in told
    what = "sleeping" if call in SLEEPS else "waiting for others"
    assert what in told.partition(".  ")[0].partition("strace's own")[0]
    if call not in SLEEPS:
        assert "The longest wait: " in told
        assert f"in {call}" in told
