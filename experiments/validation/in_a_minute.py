"""Opening of docs/validation.md: a summary for reviewers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from simulator.report.ledger import tally_table
from simulator.study.ledger import Ledger
from simulator.study.studies import tally
from simulator.study.study_file import BY_CONSTRUCTION, PREDICTED, UNDEMANDING

from ..nwt.predictions import Predictions
from .ablations import AblationResults
from .assumption_tables import Record, stale_files, stored_record
from .demanding import stale_inputs, stored_demanding
from .null_tables import beyond_formulas
from .nulls import NullStudy
from .oracle_table import Figure
from .reality import reality_summary
from .score_tables import score_overview
from .seeds import Seeds
from .strength import exact_interval

HALF = 0.5
"""Share of plausible machines below which a claim depends on our assumptions."""


def in_a_minute(
    studies: Mapping[str, Ledger],
    nulls: Mapping[str, NullStudy],
    matrices: Sequence[AblationResults],
    predictions: Predictions,
    seeds: Seeds,
    oracles: Sequence[Figure],
) -> str:
    """Return scores, limits of formulas, the table of all studies, a line per kind of evidence."""
    lines = [
        *_demanding(studies),
        *_held_out(studies, nulls),
        _seeds(seeds),
        _ablations(matrices),
        *_strength(studies),
        f"Theory: {sum(one.ok for one in oracles)} of {len(oracles)} figures of queueing theory "
        f"and other exact results agree; {sum(one.native is not None for one in oracles)} of them "
        "are computed by both engines, those of services by one, which alone supports them.",
        *filter(None, [reality_summary(), mutants_summary()]),
    ]
    return "\n\n".join(
        [
            score_overview(studies, nulls, predictions),
            beyond_formulas(nulls),
            tally_table([tally(one) for one in studies.values()], "github"),
            "\n".join(f"- {line}" for line in lines),
        ]
    )


def _demanding(studies: Mapping[str, Ledger]) -> list[str]:
    """State which claims random machines bear out too, each with its share."""
    claims = [
        one
        for made in studies.values()
        for one in made.study.claims
        if one.role in (PREDICTED, UNDEMANDING) and not one.elsewhere
    ]
    if not claims:
        return []
    records = [one for one in map(stored_demanding, studies) if one is not None]
    old = [one["study"] for one in records if stale_inputs(one)]
    stale = f" Files changed since they were drawn for {', '.join(old)}." if old else ""
    few = sum(one.role == PREDICTED for one in claims)
    return [
        f"Random machines, with all rates and times off by some factor within a decade: fewer than "
        f"half of them bear out {few} of {len(claims)} claims to which nothing was fitted. These "
        "are *predicted*; the others are *undemanding*, and counted apart (the page of a study has "
        f"each share).{stale}"
    ]


def _held_out(studies: Mapping[str, Ledger], nulls: Mapping[str, NullStudy]) -> list[str]:
    """State the results for numbers that were read after all had been frozen."""
    count, said = 0, []
    for name, made in studies.items():
        if ids := set(made.study.held_out):
            found = [one for one in nulls[name].figures if one.result.figure.id in ids]
            count += len(found)
            after = ", whose form was chosen after" if nulls[name].model.chosen_after else ""
            simulated = sum(one.result.inside for one in found)
            formulas = sum(one.inside(one.rate) for one in found)
            said.append(
                f"{name}, {len(found)} numbers, {simulated} inside by the simulator, {formulas} by "
                f"formulas{after}"
            )
    if not said:
        return []
    return [
        f"Held out: {count} numbers were read after machine and workloads had been frozen "
        f"({'; '.join(said)}). "
        "All others could be seen when models were made: *predicted* says that no value was fitted "
        "to them."
    ]


def _seeds(seeds: Seeds) -> str:
    said = [f"{one.all_inside} of {seeds.count} ({one.manner} draws)" for one in seeds.counts]
    return (
        f"NWT, seeds with which the means of all {len(seeds.cells)} cells are in the range of the "
        f"paper's runs: {', '.join(said)}."
    )


def _ablations(matrices: Sequence[AblationResults]) -> str:
    lines = [one for made in matrices for one in made.turned if not one.ablation.breaks]
    claims = len({one.claim for one in lines})
    facts = [one for made in matrices for one in made.moved]
    still = sum(not one.moved for one in facts)
    return (
        f"Ablations: {sum(one.ok for one in lines)} of {len(lines)} changes of {claims} claims, "
        f"of whatever role, turn the verdict; of {len(facts)} facts that the papers print {still} "
        "move none. That is a test of the rules, and no evidence for the model: the changes were "
        "chosen to turn them."
    )


def _strength(studies: Mapping[str, Ledger]) -> list[str]:
    """State the claims that hold on few of the plausible machines.

    Only confirmed claims of the papers count, as in the tally.
    """
    stored = {name: stored_record(name) for name in studies}
    records = [one for one in stored.values() if one is not None]
    ours = {one.id for made in studies.values() for one in made.study.claims if one.elsewhere}
    confirmed = [
        claim
        for one in records
        for claim in one["claims"]
        if claim["expected"] and claim["role"] != BY_CONSTRUCTION
    ]
    claims = [one for one in confirmed if one["id"] not in ours]
    others = [one for one in confirmed if one["id"] in ours]
    if not claims:
        return []
    weak = [one["id"] for one in claims if one["share"] is not None and one["share"] < HALF]
    said = f"; on fewer than half: {', '.join(weak)}" if weak else ""
    every = [one["of"] for one in claims if one["share"] == 1]
    predicted = [one["share"] == 1 for one in claims if one["role"] == PREDICTED]
    rest = [name for name, one in stored.items() if one is None]
    old = [name for name, one in stored.items() if one is not None and stale_files(one)]
    lacking = f" No other machines were drawn for {', '.join(rest)}." if rest else ""
    lacking += f" Files changed since they were drawn for {', '.join(old)}." if old else ""
    return [
        f"Assumptions: {len(every)} of {len(claims)} claims that are confirmed, without those by "
        f"construction, hold on every plausible machine that was drawn{_at_least(every)}{said}. Of "
        f"{len(predicted)} predicted ones {sum(predicted)} do."
        f"{_not_counted(others)}{_numbers(records)}{lacking}"
    ]


def _not_counted(claims: Sequence[Record]) -> str:
    """State the same for claims that are not in the papers' words, each by itself if it fails."""
    if not claims:
        return ""
    failing = [one for one in claims if one["share"] != 1]
    each = ", ".join(f"{one['id']} on {one['passed']} of {one['of']}" for one in failing)
    text = f" Of {len(claims)} not in the papers' words {len(claims) - len(failing)} do"
    return f"{text}; the others hold on fewer: {each}." if each else f"{text}."


def _numbers(records: Sequence[Record]) -> str:
    """State the shares of these machines with predicted numbers inside."""
    figures = [one for record in records for one in record["figures"] if one["of"]]
    if not figures:
        return ""
    always = sum(one["passed"] == one["of"] for one in figures)
    never = sum(one["passed"] == 0 for one in figures)
    return (
        f" Of {len(figures)} predicted numbers {always} are inside on every plausible machine, "
        f"{never} on none."
    )


def _at_least(machines: Sequence[int]) -> str:
    """State the significance of claims that hold on all of a number of machines."""
    if not machines:
        return ""
    fewest, most = min(machines), max(machines)
    shares = [f"{100 * exact_interval(one, one)[0]:.0f} %" for one in (fewest, most)]
    counted = f"{most}" if fewest == most else f"{fewest} to {most}"
    known = " to ".join(dict.fromkeys(shares))
    return f" ({counted}: with 95 % confidence at least {known} of all plausible machines)"


# -- the last mutation run; see docs/testing.md ----------------------------------------------------

RESULTS = Path(__file__).resolve().parents[2] / "tests" / "mutants" / "results.json"
"""Written by a complete run of ``make mutants``; only in a checkout."""


def mutants_summary(path: Path = RESULTS) -> str:
    """Return in one line the number of mutants, and those that no test detected; may be empty."""
    if not path.is_file():
        return ""
    mutants = json.loads(path.read_text(encoding="utf-8"))
    left = [name for name, test in mutants.items() if test is None]
    lost = f", and not {', '.join(left)}" if left else ""
    return (
        "Errors put into the model by hand, one at a time ([testing.md](testing.md)): "
        f"tests detected {len(mutants) - len(left)} of {len(mutants)}{lost}."
    )
