"""Write the golden files, or say what differs from them: ``python -m tests.golden.freeze``.

What the files hold and when they may change: :mod:`tests.golden.cases`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simulator.native import native_build
from simulator.reference.run import run_reference
from tests.golden.cases import CASES
from tests.golden.compare import told
from tests.golden.composed import by_part, composed_record
from tests.golden.inputs import OLD_KINDS, Inputs, from_json, inputs_of, to_json
from tests.golden.running import ENGINES, record_of

HERE = Path(__file__).resolve().parent


def inputs_file(study: str, folder: Path = HERE) -> Path:
    """Where the inputs of a study are."""
    return folder / "inputs" / f"{study}.json"


def results_file(study: str, folder: Path = HERE) -> Path:
    """Where the records of a study are."""
    return folder / "results" / f"{study}.json.gz"


def frozen_inputs(study: str, folder: Path = HERE) -> dict[str, Inputs]:
    """Name -> inputs of the cases of a study, as frozen."""
    return from_json(_read(inputs_file(study, folder)))


def frozen_results(study: str, folder: Path = HERE) -> dict[str, Any]:
    """Name -> record of the cases of a study, as frozen."""
    results: dict[str, Any] = _read(results_file(study, folder))
    return results


def as_read(record: Any) -> Any:
    """A record as it is after it was written and read."""
    return json.loads(json.dumps(record))


def frozen_record(inputs: Inputs) -> dict[str, Any]:
    """What is to be frozen of a case: of the study's first engine, or the one that keeps spans."""
    engine = "reference" if inputs.spans else ENGINES[inputs.study][0]
    record: dict[str, Any] = as_read(record_of(inputs, engine))
    return record


def text_of(value: Any, levels: int) -> str:
    """JSON with the values of the first levels on lines of their own, and so a list of texts."""
    if levels and value and isinstance(value, dict):
        inner = [f"{json.dumps(key)}: {text_of(one, levels - 1)}" for key, one in value.items()]
        return "{\n" + ",\n".join(inner) + "\n}"
    if value and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in value) + "\n]"
    return json.dumps(value, ensure_ascii=False)


def _read(path: Path) -> Any:
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def _write(path: Path, record: Any, levels: int) -> None:
    """Write a file; the same record gives the same bytes, and leaves an equal file alone."""
    if path.exists() and _read(path) == as_read(record):
        return
    data = f"{text_of(record, levels)}\n".encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    partial.write_bytes(gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data)
    partial.replace(path)


def freeze(study: str, folder: Path = HERE) -> None:
    """Run all cases of a study and write its files."""
    inputs = [inputs_of(case) for case in CASES[study].values()]
    results = {one.name: frozen_record(one) for one in inputs}
    _write(inputs_file(study, folder), to_json(study, inputs), 2)
    _write(results_file(study, folder), results, 3)


def freeze_converted(folder: Path = HERE) -> list[str]:
    """Run the NWT's cases as composed machines; write anew, and return, those that differ."""
    results, moved = frozen_results("nwt", folder), []
    for name, one in frozen_inputs("nwt", folder).items():
        got = as_read(composed_record(one, run_reference))
        if told(by_part(results[name], got), got):
            counts = {one: got["cache"][one] for one in results[name]["cache"]}
            results[name] = {**got, "cache": counts}
            moved.append(name)
    _write(results_file("nwt", folder), results, 3)
    return moved


def check(study: str, folder: Path = HERE) -> list[str]:
    """Run all cases of a study as they were frozen; what differs, a text for each case."""
    inputs, results = frozen_inputs(study, folder), frozen_results(study, folder)
    wrong = []
    for name, case in CASES[study].items():
        if name not in inputs or name not in results:
            wrong.append(f"{study} {name}: is not frozen")
        elif inputs_of(case) != inputs[name]:
            wrong.append(f"{study} {name}: its inputs are not those that are frozen")
    wrong += [
        f"{study} {name}: is frozen, but no case" for name in results if name not in CASES[study]
    ]
    for name, one in inputs.items():
        if name in results and (about := told(results[name], frozen_record(one))):
            wrong.append(f"{study} {name}:\n{about}")
    return wrong


def main(words: Sequence[str] | None = None, folder: Path = HERE) -> int:
    """Freeze or check; 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.freeze", description=__doc__)
    parser.add_argument(
        "studies", nargs="*", metavar="STUDY", help=f"of {', '.join(tuple(OLD_KINDS))}; all"
    )
    parser.add_argument("--check", action="store_true", help="write nothing; say what differs")
    options = parser.parse_args(words)
    if options.studies == ["nwt"] and not options.check:
        print("nwt: written anew:", ", ".join(freeze_converted(folder)) or "none")
        return 0
    if unknown := [one for one in options.studies if one not in tuple(OLD_KINDS)]:
        parser.error(f"no study {unknown[0]!r}; there are {', '.join(tuple(OLD_KINDS))}")
    failed = False
    for study in options.studies or tuple(OLD_KINDS):
        began = time.process_time()
        wrong = check(study, folder) if options.check else freeze(study, folder)
        spent = time.process_time() - began
        failed |= bool(wrong)
        print(*(wrong or ()), sep="\n", end="\n" if wrong else "")
        what = f"{len(wrong)} differ" if wrong else "the same" if options.check else "written"
        print(f"{study}: {len(CASES[study])} cases, {what}; {spent:.1f} s, engine {native_build()}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
