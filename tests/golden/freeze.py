"""Write the frozen results anew, or say what differs: ``python -m tests.golden.freeze``.

What the files hold and when they may change: :mod:`tests.golden.cases`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tests.engines.compare import differences
from tests.golden.cases import ENGINES, HERE, Case, cases_of
from tests.golden.record import record

MOST_TOLD = 8


def results_file(study: str, folder: Path = HERE) -> Path:
    """Where the records of a study are."""
    return folder / "results" / f"{study}.json.gz"


def results_of(study: str, folder: Path = HERE) -> dict[str, Any]:
    """Name -> record of the cases of a study, as frozen."""
    found: dict[str, Any] = json.loads(gzip.decompress(results_file(study, folder).read_bytes()))
    return found


def told(expected: Any, got: Any) -> str:
    """The first differences on a line each; empty if there are none."""
    lines = []
    for path, one, other in islice(differences(expected, got), MOST_TOLD + 1):
        whole = type(one) is int and type(other) is int
        more = f" ({other - one:+d})" if whole else ""
        lines.append(f"{path}: frozen {one!r:.80}, got {other!r:.80}{more}")
    if len(lines) > MOST_TOLD:
        lines[-1] = "..."
    return "\n".join(lines)


def frozen(case: Case) -> dict[str, Any]:
    """What is to be frozen of a case: of the study's first engine."""
    return record(case, ENGINES[case.study][0])


def freeze(study: str, folder: Path = HERE) -> list[str]:
    """Run all cases of a study and write its results; returns the names of those that differ."""
    path = results_file(study, folder)
    old = results_of(study, folder) if path.exists() else {}
    new = {name: frozen(case) for name, case in cases_of(study, folder).items()}
    moved = [name for name, one in new.items() if old.get(name) != one]
    if moved or list(old) != list(new):
        lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in new.items()]
        data = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data, 9, mtime=0))
    return moved


def check(study: str, folder: Path = HERE) -> list[str]:
    """Run all cases of a study; what differs, a text for each case."""
    cases, results = cases_of(study, folder), results_of(study, folder)
    wrong = [f"{study} {name}: is not frozen" for name in cases if name not in results]
    wrong += [f"{study} {name}: is frozen, but no case" for name in results if name not in cases]
    for name, case in cases.items():
        if name in results and (about := told(results[name], frozen(case))):
            wrong.append(f"{study} {name}:\n{about}")
    return wrong


def main(words: Sequence[str] | None = None, folder: Path = HERE) -> int:
    """Freeze or check; 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.freeze", description=__doc__)
    parser.add_argument(
        "studies", nargs="*", metavar="STUDY", choices=[*ENGINES, []], help="(default: all)"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs")
    options = parser.parse_args(words)
    failed = False
    for study in options.studies or ENGINES:
        found = check(study, folder) if options.check else freeze(study, folder)
        failed |= bool(found) and options.check
        print(*found, sep="\n", end="\n" if found else "")
        what = "differ" if options.check else "written anew"
        print(f"{study}: {len(cases_of(study, folder))} cases, {len(found) or 'none'} {what}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
