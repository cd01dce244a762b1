"""Validation with real programs: traced, predicted, advised, cured and timed on this machine.

    python -m experiments.reality DIR -o twenty.json
    python -m experiments.reality DIR --suite unseen -o unseen.json
    python -m experiments.reality DIR --suite ten -o ten.json
    python -m experiments.reality DIR --suite more -o more.json
    python -m experiments.reality DIR --suite further -o further.json
    python -m experiments.reality DIR --suite fresh -o fresh.json
    python -m experiments.reality DIR --suite earlier -o results.json

It measures the folder's file system (``nwtsim measure``), and then takes the twenty programs, or
the eight, the ten, ten more, ten further or ten fresh ones, that came later: each is run by turns
as it is and with its cures (medians of ``--rounds``), traced, replayed on the measured machine, and
advised. Of the earlier suite's sixteen programs six are only replayed. All files are in one new
folder inside of DIR, which is removed at the end, also after an error or a signal. It needs Linux
and strace; a program whose compiler or interpreter is not installed is left out, and named.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from simulator.errors import InputError
from simulator.measure.folder import own_folder
from simulator.output import placing_if, show

from ..validation import reality
from ..validation import twenty as of_twenty
from ..validation.timed import Record
from ..validation.unseen import FRESH, FURTHER, MORE, TEN, UNSEEN
from . import fresh, further, more, suite, ten, twenty, unseen
from .answers import measured, predicted
from .program import Program, missing
from .runs import Bench, Runs

SIZE = 3 << 29
"""Maximum bytes of all files."""
INTERRUPTED = 130
TEXTS: dict[str, Callable[[Record], str]] = {
    "twenty": of_twenty.twenty_text,
    "unseen": UNSEEN.text,
    "ten": TEN.text,
    "more": MORE.text,
    "further": FURTHER.text,
    "fresh": FRESH.text,
    "earlier": reality.reality_text,
}
FORMATS = {
    "twenty": of_twenty.FORMAT,
    "unseen": UNSEEN.format,
    "ten": TEN.format,
    "more": MORE.format,
    "further": FURTHER.format,
    "fresh": FRESH.format,
    "earlier": reality.FORMAT,
}
FROZEN = {
    "twenty": twenty.frozen,
    "unseen": unseen.frozen,
    "ten": ten.frozen,
    "more": more.frozen,
    "further": further.frozen,
    "fresh": fresh.frozen,
}
LATER: dict[str, Callable[[float], tuple[Program, ...]]] = {
    "unseen": unseen.unseen_programs,
    "ten": ten.ten_programs,
    "more": more.more_programs,
    "further": further.further_programs,
    "fresh": fresh.fresh_programs,
}


def main(words: Sequence[str] | None = None) -> int:
    """Run everything; return the exit code."""
    options = _options(words)
    if sys.platform != "linux" or shutil.which("strace") is None:
        print("error: this needs Linux and strace (on Debian: apt install strace)", file=sys.stderr)
        return 2
    try:
        given = options.machine and options.machine.read_text(encoding="utf-8")
        with placing_if(options.out) as part:
            with own_folder(options.folder.resolve(), SIZE) as folder:
                found = everything(folder.resolve(), options, given)  # Programs run in others.
            if part is not None:
                show(json.dumps(found, indent=1, ensure_ascii=False) + "\n", part)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:
        about = str(error) or "interrupted; all files are removed"
        print(f"\n{about}", file=sys.stderr)
        return INTERRUPTED
    show(TEXTS[options.suite](found))
    if found["interrupted"]:
        print(found["interrupted"], file=sys.stderr)
        return INTERRUPTED
    return 0


def everything(folder: Path, options: argparse.Namespace, given: str | None) -> dict[str, Any]:
    """Measure unless a machine is ``given``, run, trace and ask; return the results' record."""
    machine, load = folder / "machine.yaml", os.getloadavg()[0]
    _say("measuring the file system")
    if given is None:
        facts = measured(folder, machine, quick=options.quick)
    else:
        facts = {"machine": given}
        machine.write_text(given, encoding="utf-8")
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(machine, options.keep / machine.name)
    earlier = options.suite == "earlier"
    slow, only = (_chosen(one, options.only) for one in _programs(options.suite, options.scale))
    results: tuple[list[dict[str, Any]], ...] = [], []
    skipped: list[dict[str, Any]] = []
    interrupted = ""
    for number, program in enumerate((*slow, *only), 1):
        lacking = missing(program)
        if lacking:
            skipped.append({"program": program.name, "missing": lacking})
            continue
        _say(f"{number} of {len(slow) + len(only)}: {program.name}")
        advise = not earlier or program in slow
        try:
            found = one(program, folder, machine, options, advise=advise)
        except InputError as error:  # Unanswered questions are reported, and count as wrong.
            skipped.append({"program": program.name, "failed": str(error)})
            continue
        except KeyboardInterrupt as error:  # Keep the results so far.
            left = (*slow, *only)[number - 1 :]
            interrupted = str(error) or "interrupted"
            skipped += [{"program": other.name, "failed": interrupted} for other in left]
            break
        results[program in only].append(found)
    _say("")
    record = {
        "format": FORMATS[options.suite],
        "host": _host(facts) | {"load": [load, os.getloadavg()[0]]},
        "rounds": options.rounds,
        "scale": options.scale,
        "measure": facts.get("probes", []),
        "programs": results[0],
        "predicted": results[1],
        "skipped": skipped,
        "interrupted": interrupted,
    }
    return record if earlier else record | {"frozen": FROZEN[options.suite]()}


def _programs(name: str, scale: float) -> tuple[tuple[Program, ...], tuple[Program, ...]]:
    """Return a suite's programs with cures, and those that are predicted only."""
    if name == "earlier":
        return suite.slow_programs(scale), suite.predicted_programs(scale)
    if name == "twenty":
        return twenty.cured_programs(scale), twenty.predicted_programs(scale)
    found = LATER[name](scale)
    cured = tuple(one for one in found if one.ways[1:])  # They come first.
    return cured, found[len(cured) :]


def one(
    program: Program, folder: Path, machine: Path, options: argparse.Namespace, *, advise: bool
) -> dict[str, Any]:
    """Run a program with all cures, trace it and ask; return its record."""
    bench = Bench(program, folder)
    try:
        bench.run(program.slow)  # Warms libraries and folders.
        slow, *cures = bench.by_turns(options.rounds)
        commands = advise and options.commands
        answer = predicted(bench, machine, advise=advise, commands=commands, keep=options.keep)
    finally:
        bench.remove()
    record: dict[str, Any] = {
        "program": program.name,
        "about": program.about,
        "observed": _times(slow),
        "calls": answer.calls,
        "traced_s": answer.traced_s,
        "untraced_s": answer.untraced_s,
        "predicted_s": answer.predicted_s,
    }
    if not advise:
        return record
    return record | {
        "language": program.language,
        "named": {"patterns": list(program.slow.patterns), "words": program.slow.words},
        "advice": answer.advice,
        "seen": answer.seen,
        "commands": answer.commands,
        "cures": [
            {
                "cure": one.way.what,
                "patterns": list(one.way.patterns),
                "words": one.way.words,
                **_times(one),
            }
            for one in cures
        ],
    }


def _times(runs: Runs) -> dict[str, Any]:
    low, high = runs.quartiles_s
    return {
        "median_s": runs.median_s,
        "quartiles_s": [low, high],
        "runs_s": runs.elapsed_s,
        "processor_s": runs.processor_s,
    }


def _chosen(programs: Sequence[Program], word: str) -> list[Program]:
    return [one for one in programs if word in one.name]


def _host(facts: dict[str, Any]) -> dict[str, Any]:
    return {
        "processors": os.cpu_count(),
        "architecture": platform.machine(),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "filesystem": facts.get("filesystem", ""),
        "date": facts.get("date", ""),
    }


def _say(what: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{what:<60}", end="" if what else "\r", file=sys.stderr, flush=True)
    elif what:
        print(what, file=sys.stderr, flush=True)


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.reality", description=(__doc__ or "").split("\n", maxsplit=1)[0]
    )
    add = parser.add_argument
    add("folder", nargs="?", type=Path, default=Path(), metavar="DIR", help="where to run (here)")
    add("--suite", choices=tuple(TEXTS), default="twenty", help="which programs (twenty)")
    add("-o", "--out", type=Path, metavar="FILE", help="write the results to this file (JSON)")
    add("--rounds", type=int, default=5, metavar="N", help="runs of each way (5)")
    add("--scale", type=float, default=1.0, metavar="X", help="more or less work (1)")
    add("--only", default="", metavar="WORD", help="programs with it in their names")
    add("--commands", action="store_true", help="run each command that the advice prints, too")
    add("--quick", action="store_true", help="a quick measurement of the file system")
    add("--machine", type=Path, metavar="FILE", help="this machine file; nothing is measured")
    add("--keep", type=Path, metavar="DIR", help="a folder in which machine and logs stay")
    found = parser.parse_args(words)
    if found.rounds < 1 or not 0 < found.scale <= 100:
        parser.error("--rounds is 1 or more, --scale is above 0 and at most 100")
    return found


if __name__ == "__main__":
    sys.exit(main())
