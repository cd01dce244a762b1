"""Run the two months and the changes, and write what ``months.yaml`` keeps of them.

``python -m experiments.nwt.centre.store [SHARE]`` takes some minutes.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import yaml

from simulator.shipped import shipped_root

from .months import calibrate
from .runs import CHANGES, CentreRuns

HEAD = """\
# Constants of experiments/nwt/centre/months.py, fitted by its `calibrate` to table 4.1's rates,
# and figures of one run of the two months, and of changes; all written by
# `python -m experiments.nwt.centre.store`.
"""


def main() -> None:
    """Run all, and write the file."""
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    runs = CentreRuns(full=True, share=share, tell=lambda done: print(f"{done:.0%}", flush=True))
    one = calibrate()
    kept = {
        key: {pes: round(each, 5) for pes, each in value.items()}
        if isinstance(value, dict)
        else round(value, 5)
        for key, value in runs.months().items()
    }
    waits = {
        change.name: {
            name: [round(made.mean, 5), round(made.half, 5)]
            for name in ("wait_h", "mean_MBps")
            for made in (runs.difference(change, name),)
        }
        for change in CHANGES
    }
    saved = runs.saved_percent()
    text = {
        "calibrated": {"small_MB": one.small_MB, "module_MB": one.module_MB, "system": one.system},
        "made": f"{datetime.now(UTC):%Y-%m-%d}",
        "seed": runs.seed,
        "saved_percent": round(saved, 4) if saved is not None else None,
        "changes": waits,
        "run": kept,
    }
    path = shipped_root("experiments") / "nwt" / "centre" / "months.yaml"
    path.write_text(HEAD + yaml.safe_dump(text, sort_keys=False), encoding="utf-8")


if __name__ == "__main__":
    main()
