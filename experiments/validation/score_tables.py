"""Tables of scores: of all studies for docs/validation.md, of one for its page and ``--full``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from simulator.report.lined import Form, ruled
from simulator.shipped import shipped_root
from simulator.study.studies import read_own

from ..mlperf.__main__ import judged as mlperf_judged
from ..mlperf.model import rows as mlperf_rows
from .nulls import NullStudy
from .scores import (
    FORMULAS,
    NEIGHBOUR,
    SIMULATOR,
    Score,
    duel,
    errors_of,
    is_nearer,
    log_error,
    repetition_errors,
    repetitions_in,
    spread,
    study_scores,
    within,
)

if TYPE_CHECKING:
    from simulator.study.ledger import Ledger

    from ..nwt.predictions import Predictions

WANTED = 0.6
"""Share of blind numbers on which the simulator is to be nearer than formulas."""
NOT_KNOWN = "not known"
HEAD = (
    "median (9 of 10) of the log error",
    "numbers",
    "blind",
    "simulator",
    "formulas",
    "neighbour",
    "noise ceiling",
    "nearer than formulas",
    "sign test",
    "within 10 %",
)
ABOUT = """\
A *log error* is the natural logarithm of a predicted number over the printed one, without its
sign: 0.1 is about 10 %. *Blind*: read after machine and workload had been frozen. *Neighbour*:
each number is as the one beside it in the paper. *Noise ceiling*: each repetition of a
measurement, predicted by the mean of the others, and how many are within 10 %; not known where no
repetitions are printed or kept. *Nearer*: the simulator's error is smaller than that of formulas
by more than 0.001 (what is as near is not in the sign test). Numbers of one study depend on each
other, so that p is too small. *Within 10 %*: in the bands of the studies' numbers, or 10 % of
others, by simulator, formulas and neighbour."""


def score_overview(
    studies: Mapping[str, Ledger], nulls: Mapping[str, NullStudy], predictions: Predictions
) -> str:
    """Return the table of all studies, its terms, and what is said of blind numbers."""
    scores = {name: study_scores(one, studies[name].study) for name, one in nulls.items()}
    every = [one for some in scores.values() for one in some]
    others = [("mlperf, open reports", open_scores()), ("real programs", program_scores())]
    if "nwt" in nulls:
        left_out = left_out_scores(studies["nwt"], nulls["nwt"], predictions)
        others.insert(0, ("nwt, left out of the fit", left_out))
    rows = [_row(name, some) for name, some in [*scores.items(), ("together", every), *others]]
    about = " ".join(ABOUT.split())
    blocks = [ruled(HEAD, rows, "github"), about, blind_text(scores), _not_compared()]
    return "\n\n".join(blocks)


def score_blocks(made: NullStudy, ledger: Ledger, form: Form = "simple") -> list[str]:
    """Return a study's scores: quantiles of each, and who is nearer; empty without numbers."""
    scores = study_scores(made, ledger.study)
    if not scores:
        return []
    rows = []
    for name in (SIMULATOR, FORMULAS, NEIGHBOUR):
        found = spread(errors_of(scores, name))
        inside = sum(name in one.inside for one in scores)
        if found.count:
            quantiles = [f"{found.median:.3f}", f"{found.upper:.3f}"]
            rows.append([name, str(found.count), *quantiles, f"{inside} of {len(scores)}"])
    repeated = [error for one in scores for error in one.repetitions]
    if repeated:
        found, near = spread(repeated), sum(map(within, repeated))
        quantiles = [f"{found.median:.3f}", f"{found.upper:.3f}"]
        rows.append(["repetition", str(found.count), *quantiles, f"{near} of {found.count}"])
    head = ["log error of", "numbers", "median", "9 of 10", "within 10 %"]
    return [ruled(head, rows, form, align="lrrrr"), _nearer(scores, bool(repeated))]


def _nearer(scores: Sequence[Score], repeated: bool) -> str:
    parts = []
    for name in (FORMULAS, NEIGHBOUR):
        found = duel(scores, SIMULATOR, name)
        if found.of:
            parts.append(
                f"than {name} on {found.nearer} of {found.of} and farther on {found.farther} "
                f"(sign test: p = {found.p:.2g})"
            )
    text = f"The simulator is nearer {', '.join(parts)}. " if parts else ""
    ceiling = "" if repeated else " Noise ceiling: not known, since no repetition is published."
    return f"{text}Numbers of a study depend on each other, so that p is too small.{ceiling}"


def _row(name: str, scores: Sequence[Score]) -> list[str]:
    of_formulas = duel(scores)
    inside = [_inside(scores, each) for each in (SIMULATOR, FORMULAS, NEIGHBOUR)]
    return [
        name,
        str(len(scores)),
        str(sum(one.blind for one in scores)),
        *(_quantiles(errors_of(scores, each)) for each in (SIMULATOR, FORMULAS, NEIGHBOUR)),
        _ceiling(scores),
        f"{of_formulas.nearer} of {of_formulas.of}" if of_formulas.of else "-",
        f"p = {of_formulas.p:.2g}" if of_formulas.of else "-",
        f"{' / '.join(inside)} of {len(scores)}" if scores else "-",
    ]


def _inside(scores: Sequence[Score], name: str) -> str:
    """Return how many numbers one has within 10 %; a dash if it predicts none."""
    if not errors_of(scores, name):
        return "-"
    return str(sum(name in one.inside for one in scores))


def _quantiles(errors: Sequence[float]) -> str:
    found = spread(errors)
    return f"{found.median:.3f} ({found.upper:.2f})" if found.count else "-"


def _ceiling(scores: Sequence[Score]) -> str:
    """Return what repetitions come to, and of how many numbers there are some."""
    known = [one for one in scores if one.repetitions]
    if not known:
        return NOT_KNOWN if scores else "-"
    errors = [error for one in known for error in one.repetitions]
    some = "" if len(known) == len(scores) else f", of {len(known)} numbers"
    return f"{_quantiles(errors)}, {sum(map(within, errors))} of {len(errors)}{some}"


# -- numbers that no study predicts ---------------------------------------------------------------


def left_out_scores(ledger: Ledger, null: NullStudy, predictions: Predictions) -> list[Score]:
    """Return the scores of the NWT's cells, each predicted by a fit to the others."""
    simulator, formulas = (
        {one.cell.id: one for one in model.left_out if one.determined}
        for model in predictions.models
    )
    repeated = repetitions_in(ledger.study)
    scores = []
    for one in null.fitted:
        id_, printed = one.result.figure.id, one.result.figure.value
        if printed is None:
            continue
        made = {
            SIMULATOR: simulator[id_].rates[0] if id_ in simulator else None,
            FORMULAS: formulas[id_].rates[0] if id_ in formulas else None,
            NEIGHBOUR: one.neighbour.value if one.neighbour else None,
        }
        rates = {name: rate for name, rate in made.items() if rate is not None}
        errors = {name: log_error(rate, printed) for name, rate in rates.items()}
        scores.append(
            _by_errors(id_, errors, repetition_errors(repeated.get(id_, ())), blind=False)
        )
    return scores


def open_scores() -> list[Score]:
    """Return the scores of MLPerf Storage's open reports, which could be seen."""
    return [
        _by_errors(
            f"{one.group}-{number}",
            {SIMULATOR: one.simulated, FORMULAS: one.formula},
            (),
            blind=False,
        )
        for number, one in enumerate(mlperf_judged(mlperf_rows("open.csv")))
    ]


def program_scores() -> list[Score]:
    """Return the scores of real programs that were frozen before any was predicted."""
    scores = []
    for suite in ("twenty", "unseen"):
        path = shipped_root("experiments") / "reality" / f"{suite}.json"
        found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        for one in (*found.get("programs", ()), *found.get("predicted", ())):
            seen = one["observed"]
            error = log_error(one["predicted_s"], seen["median_s"])
            repeated = repetition_errors(seen["runs_s"])
            scores.append(_by_errors(one["program"], {SIMULATOR: error}, repeated, blind=True))
    return scores


def _by_errors(
    id_: str, errors: Mapping[str, float], repeated: tuple[float, ...], *, blind: bool
) -> Score:
    """Return a score whose band is 10 %."""
    inside = frozenset(name for name, error in errors.items() if within(error))
    return Score(id_, errors, inside, repeated, blind)


def _not_compared() -> str:
    """State which blind numbers are not in the table."""
    rest = len(mlperf_rows("predictions.csv")) - len(mlperf_rows("open.csv"))
    return (
        f"Not in the table: {rest} reports of MLPerf Storage are predicted blind (frozen in "
        "`experiments/mlperf/predictions.csv`), and their results are not here to be compared; "
        "those that are open were seen. Of real programs there are no formulas."
    )


# -- blind numbers --------------------------------------------------------------------------------


def blind_text(scores: Mapping[str, Sequence[Score]]) -> str:
    """State on how many blind numbers the simulator beats formulas, and where it does not, why."""
    blind = [one for some in scores.values() for one in some if one.blind]
    found = duel(blind)
    if not found.of:
        return "No blind number is predicted by formulas too."
    share = found.nearer / found.of
    text = (
        f"**Blind numbers:** of {found.of} that both predict, the simulator is nearer than "
        f"formulas on {found.nearer} ({100 * share:.0f} %; wanted: {100 * WANTED:.0f} %), farther "
        f"on {found.farther}, as near on {found.alike} (sign test: p = {found.p:.2g})."
    )
    lines = [line for name, some in scores.items() for line in _missing(name, some)]
    if share >= WANTED or not lines:
        return text
    head = (
        "Where it is not nearer, the mechanism that the model lacks, or whose values are assumed:"
    )
    return "\n".join([f"{text} {head}", "", *lines])


def mechanisms(study: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the mechanisms that a study's model lacks, each with patterns of numbers' ids."""
    path = shipped_root("experiments") / study / "mechanisms.yaml"
    listed = read_own(path.read_text(encoding="utf-8")) if path.is_file() else ()
    return [(one["mechanism"], tuple(one["numbers"])) for one in listed]


def mechanism_of(study: str, id_: str) -> str:
    """Return the first mechanism that names a number; empty without one."""
    for mechanism, patterns in mechanisms(study):
        if any(fnmatchcase(id_, each) for each in patterns):
            return mechanism
    return ""


def _missing(study: str, scores: Sequence[Score]) -> Iterator[str]:
    """Yield a line for each mechanism: the blind numbers on which the simulator is not nearer."""
    counted = dict[str, list[Score]]()
    for one in scores:
        if one.blind and {SIMULATOR, FORMULAS} <= one.errors.keys() and not is_nearer(one):
            counted.setdefault(mechanism_of(study, one.id) or "not known", []).append(one)
    for mechanism, some in sorted(counted.items(), key=lambda one: -len(one[1])):
        found = duel(some)
        apart = f"{found.farther} farther, {found.alike} as near"
        yield f"- {study}, {len(some)} numbers ({apart}): {mechanism}"
