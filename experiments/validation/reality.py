"""Results of ``python -m experiments.reality``: predictions and measured times.

python -m experiments.validation.reality RESULTS --page docs/validation/reality.md
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from simulator.output import placing
from simulator.report.lined import ruled

from .ledger_page import unpadded
from .timed import Record, error, far, left_out, load, mean_error, seconds
from .twenty import RESULTS as TWENTY
from .twenty import by_cause, target_table, targets, twenty_section
from .unseen import LATER, found_suites

FORMAT = "reality/1"
HEADING = "# Real programs"
EARLIER = "## Sixteen earlier programs"
RESULTS = Path(__file__).resolve().parents[2] / "experiments" / "reality" / "results.json"
"""In a checkout only; not part of an installation."""
CAUSES = "causes.yaml"
"""File with the causes of missed predictions, by program."""
_SUITES = """\
`make reality` measures a folder's file system (`nwtsim measure`), runs each program as it is and with its cures by turns, traces it, and asks
`nwtsim advise --no-limits` about the trace on that machine. Programs, the expert's cures or answers, and what counts (`criteria.yaml`;
`NAME-criteria.yaml` of `--suite NAME`) were committed before the first prediction. Timed are medians without a tracer; *cured* is the program with the
expert's cure, *promised* what the advice that means it promises (the program as it is, where none does). All runs and processor times are in
`experiments/reality/*.json`."""
_TARGETS = """\
Errors are geometric means; what misses its target is bold. *Single runs*: their distance from the median of their program, by the machine alone, and how
many are beyond 25 %. *Load*: the average when the suite began and at its end; *digest*: of programs, cures and criteria."""
_ABOUT = """\
`--suite earlier`. {computing}. A *hit*: the advice ranked first means the cure that was
quickest when timed, or one whose quartiles overlap with it."""
_SCALED = "The computing of a trace is scaled (`--think scale=X`) so that it adds up to the user time of the run without strace"
_RECORDED = "Traces are those of `nwtsim trace record`, which takes out what strace adds"
_PREDICTED_HEAD = ("program", "observed", "predicted", "error")
_ADVICE_HEAD = (*_PREDICTED_HEAD, "advice ranked first", "best cure when timed", "verdict")


def load_reality(path: Path) -> Record:
    """Read a file of results; ValueError if it is not one."""
    found: Record = json.loads(path.read_text(encoding="utf-8"))
    if found.get("format") != FORMAT:
        raise ValueError(f"{path}: is no file of results ({FORMAT})")
    return found


def reality_text(found: Record) -> str:
    """Write both tables, and their interpretation, in Markdown."""
    blocks = [_host(found)]
    if programs := found["programs"]:
        blocks += [_table(_ADVICE_HEAD, [_advice_row(one) for one in programs]), _hits(programs)]
    if predicted := found["predicted"]:
        rows = [_predicted_row(one) for one in predicted]
        blocks += [_table(_PREDICTED_HEAD, rows), _order(predicted)]
    blocks += left_out(found["skipped"])
    return "\n\n".join(blocks) + "\n"


def _host(found: Record) -> str:
    host = found["host"]
    return (
        f"{host['processors']} processors ({host['architecture']}), {host['system']},"
        f" {host['filesystem']}, {host['date']}; medians of {found['rounds']} runs.{load(host)}"
    )


def _hits(programs: Sequence[Record]) -> str:
    hits = sum(map(hit, programs))
    missed = ", ".join(f"*{one['program']}*" for one in programs if not hit(one))
    return (
        f"{hits} of {len(programs)} hits{f' (missed: {missed})' if missed else ''}. Predicted "
        f"elapsed times: geometric mean error {_mean(programs)}."
    )


def _order(predicted: Sequence[Record]) -> str:
    order = "right" if in_order(predicted) else "wrong"
    return (
        f"{len(predicted)} programs of which nothing was used to measure the machine, their traces "
        f"replayed: order {order}, geometric mean error {_mean(predicted)}."
    )


def reality_page(path: Path = RESULTS) -> str:
    """Return the page, with its heading."""
    if not path.exists():
        return f"{HEADING}\n\nNot measured: `make reality` writes `{path.name}`.\n"
    found = load_reality(path)
    causes_file = path.parent / CAUSES
    causes = yaml.safe_load(causes_file.read_text("utf-8")) if causes_file.exists() else {}
    programs, predicted = found["programs"], found["predicted"]
    said = [_host(found), *([_hits(programs)] if programs else [])]
    text = " ".join([*said, *([_order(predicted)] if predicted else [])])
    scaled = any("think_scale" in one for one in (*programs, *predicted))
    about = _ABOUT.format(computing=_SCALED if scaled else _RECORDED)
    asked = [one for one in programs if not hit(one) or _far(one)]
    asked += [one for one in predicted if _far(one)]
    lines = by_cause(
        (f"*{one['program']}* ({error(one)})", causes[one["program"]])
        for one in asked
        if one["program"] in (causes or {})
    )
    general = [causes["all"]] if "all" in (causes or {}) else []
    told = ["Causes of misses, and of errors above 25 %:", "\n".join(lines)] if lines else []
    frozen = twenty_section(path.parent / TWENTY.name)
    later = filter(None, [one.section(path.parent) for one in LATER])
    table = target_table(found_suites(path.parent))
    suites = [_SUITES, *([*table, _TARGETS] if table else []), frozen, *later]
    blocks = [HEADING, *suites, EARLIER, about, text, *general, *told]
    return unpadded("\n\n".join(blocks)) + "\n"


def reality_summary(path: Path = RESULTS) -> str:
    """Return in one line the results of the predictions; empty without results."""
    if not path.exists():
        return ""
    found = load_reality(path)
    programs, predicted = found["programs"], found["predicted"]
    hits = sum(map(hit, programs))
    others = f"; the times of {len(predicted)} others {_mean(predicted)}" if predicted else ""
    return (
        f"Real programs: {_met(path.parent)}{hits} of {len(programs)} slow ones get the advice "
        f"first that was best when timed; their predicted times are off by {_mean(programs)}, the "
        f"geometric mean{others}."
    )


def _met(folder: Path) -> str:
    """Return how many targets each suite has met; empty without results."""
    met = [
        f"{name} {sum(met for *_, met in targets(programs, file))}"
        for name, found, file in found_suites(folder)
        if (programs := [*found["programs"], *found["predicted"]])
    ]
    return (
        f"of its five targets each suite has met: {', '.join(met)}. Of earlier ones " if met else ""
    )


def _far(one: Record) -> bool:
    return far(one["predicted_s"], one["observed"]["median_s"])


def best_cures(one: Record) -> list[Record]:
    """Return the cures that were best when timed: the quickest, and those within its quartiles."""
    quickest = min(one["cures"], key=lambda cure: float(cure["median_s"]))
    return [
        cure
        for cure in one["cures"]
        if cure is quickest or cure["quartiles_s"][0] <= quickest["quartiles_s"][1]
    ]


def advised_cure(one: Record) -> Record | None:
    """Return the cure meant by the first advice; None if there is none."""
    if not one["advice"]:
        return None
    advice = one["advice"][0]
    names = [advice["pattern"]]
    if "buffer" in advice["how"].lower():  # An advice may have a buffer beside its own cure.
        names.insert(0, f"{advice['pattern']} + buffer")
    means = (cure for name in names for cure in one["cures"] if name in cure["patterns"])
    return next(means, None)


def hit(one: Record) -> bool:
    """Return whether the first advice means a cure that was best when timed."""
    advised = advised_cure(one)
    return advised is not None and any(advised is cure for cure in best_cures(one))


def in_order(predicted: Sequence[Record]) -> bool:
    """Return whether the predicted order of the programs is the observed one.

    The order of programs with overlapping quartiles is arbitrary.
    """
    ordered = sorted(predicted, key=lambda one: float(one["observed"]["median_s"]))
    return all(
        one["predicted_s"] <= other["predicted_s"]
        or one["observed"]["quartiles_s"][1] >= other["observed"]["quartiles_s"][0]
        for number, one in enumerate(ordered)
        for other in ordered[number + 1 :]
    )


def _mean(programs: Sequence[Record]) -> str:
    return f"{100 * mean_error(programs):.0f} %"


def _advice_row(one: Record) -> list[str]:
    best = best_cures(one)[0]
    return [
        *_predicted_row(one),
        one["advice"][0]["pattern"] if one["advice"] else "nothing",
        f"{best['cure']}: {seconds(best['median_s'])}",
        "hit" if hit(one) else "miss",
    ]


def _predicted_row(one: Record) -> list[str]:
    return [
        f"{one['program']}: {one['about']}",
        seconds(one["observed"]["median_s"]),
        seconds(one["predicted_s"]),
        error(one),
    ]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return ruled(head, rows, "github", "lrrr" + "l" * (len(head) - 4))


def main(words: Sequence[str] | None = None) -> int:
    """Write the page; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m experiments.validation.reality")
    parser.add_argument("results", type=Path, help="results of python -m experiments.reality")
    parser.add_argument("--page", type=Path, required=True, help="the page to write")
    options = parser.parse_args(words)
    with placing(options.page) as part:
        part.write_text(reality_page(options.results), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
