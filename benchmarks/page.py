"""Time of the page with sliders: from the start of ``nwtsim serve`` to answers, and of each point.

Wall-clock seconds, as a person waits for them, without the browser's own.

    python -m benchmarks.page [--rounds N] [--format table|json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import urllib.request
from typing import Any

from benchmarks.table import print_figures

PAIR = {"machine": "nwt", "workload": "test-write"}
BUFFERS = ("64 kB", "256 kB", "1 MB", "2 MB", "4 MB", "6 MB", "8 MB", "12 MB", "16 MB")


def measure(rounds: int = 3) -> dict[str, Any]:
    """Return the median seconds of each kind of question, those of a cold start apart."""
    times: dict[str, list[float]] = {}
    for _ in range(rounds):
        began = time.perf_counter()
        words = [sys.executable, "-m", "simulator", "serve", "--port", "0"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        for name in ("shipped", "machine", "run"):
            _timed(address, {"ask": name, **({} if name == "shipped" else PAIR)})
        times.setdefault("start to first answer, s", []).append(time.perf_counter() - began)
        for name in ("point", "run", "limits"):
            for buffer in BUFFERS:
                taken = _timed(address, {"ask": name, **PAIR, "settings": {"buffer": buffer}})
                times.setdefault(f"{name}, s", []).append(taken)
        process.terminate()
        process.wait()
    return {name: round(statistics.median(some), 4) for name, some in times.items()}


def _timed(address: str, question: dict[str, Any]) -> float:
    body, kind = json.dumps(question).encode(), {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{address}ask", body, kind)
    began = time.perf_counter()
    with urllib.request.urlopen(asked) as answer:
        assert "error" not in json.load(answer)
    return time.perf_counter() - began


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--format", choices=["table", "json"], default="table")
    options = parser.parse_args()
    print_figures(measure(options.rounds), options.format)


if __name__ == "__main__":
    main()
