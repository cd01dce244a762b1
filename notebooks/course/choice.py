"""The end of lesson 5: when a call pays, and which server it should go to."""

from __future__ import annotations

import nwtsim

from .exercises import Said
from .messages import far_s

RULES = {
    "load": "load",
    "compute": "load, problem",
    "bandwidth": "line",
    "estimate": "load, problem, line",
}
"""What a rule of the metaserver looks at."""
LINES_MBps = (0.02, 0.1, 0.5, 1.0)
NUMBERS = (200, 500, 1000, 2000)


def worth() -> Said:
    """Show how many times as fast as by itself a far client is that calls: by line, equations."""
    rows = ["line, MB/s   equations" + "".join(f"{n:>8}" for n in NUMBERS)]
    alone = {n: nwtsim.ninf.local_s("supersparc", "murata", n) for n in NUMBERS}
    for line in LINES_MBps:
        gains = "".join(f"{alone[n] / far_s(n, line):8.2f}" for n in NUMBERS)
        rows.append(f"{line:10g}            {gains}")
    return Said("\n".join(rows))


def rules() -> Said:
    """Show the seconds of a call by who calls and what the choice of a server looks at.

    Behind them, how many calls there were, and how many went to which server.
    """
    rows = []
    for rule, looks in RULES.items():
        settings = {"workload.jobs.*.phases.*.choose": rule}
        result = nwtsim.run("ninf", "ninf-choice", settings, seed=1998).numerical
        assert result is not None
        groups = sorted({one.job for one in result.calls})
        if not rows:
            names = "".join(f"{one:>14}" for one in groups)
            rows.append(f"{'looks at':20}{names}   calls  to {', '.join(result.servers)}")
        seconds = "".join(f"{result.step_s('elapsed', one):14.1f}" for one in groups)
        shares = ", ".join(str(len(result.of(server=one))) for one in result.servers)
        rows.append(f"{looks:20}{seconds} {len(result.calls):7}  {shares}")
    return Said("\n".join(rows))
