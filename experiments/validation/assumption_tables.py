"""Strength of claims on machines drawn from assumptions: a table, JSON, Markdown.

All is made from the record of a sweep, stored in ``experiments/<study>/assumptions.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from textwrap import wrap
from typing import Any

from simulator.report.lined import ruled
from simulator.shipped import shipped_root
from simulator.study.study_file import load_study_file

from .assumptions import digests
from .ledger_page import cell
from .strength import exact_interval

Record = Mapping[str, Any]
Table = Callable[[Sequence[Sequence[str]], Sequence[str]], str]
HEAD = ("claim", "role", "holds on", "95 % interval", "what breaks it", "and the assumption")
WEAK = 0.95
"""Share of machines below which a claim is weak: its broken conditions are listed."""
MOST_FIGURES = 5
"""Number of figures that are inside on some machines above which only two are named."""
FEW = 10
"""Number of plausible machines below which a warning is added."""
STORED = "assumptions.json"


def render_assumptions(records: Sequence[Record], form: str) -> str:
    """Return sweeps as ``table`` or ``json`` text."""
    if form == "json":
        made = records[0] if len(records) == 1 else records
        return json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    return "\n\n".join(_text(one) for one in records) + "\n"


def stored_record(study: str) -> Record | None:
    """Return the record that ``make assumptions`` has stored for a study; None if there is none.

    Roles of claims are those of today.
    """
    path = shipped_root("experiments") / study / STORED
    if not path.is_file():
        return None
    record: Record = json.loads(path.read_text(encoding="utf-8"))
    roles = {one.id: one.role for one in load_study_file(study).claims}
    claims = [{**one, "role": roles.get(one["id"], one["role"])} for one in record["claims"]]
    return {**record, "claims": claims}


def stale_files(record: Record) -> list[str]:
    """Return the files of a study that have changed since its sweep."""
    now, then = digests(record["study"]), record["files"]
    return sorted(name for name in {*now, *then} if now.get(name) != then.get(name))


def assumption_section(study: str) -> list[str]:
    """Return the stored sweep of a study as Markdown, with weak claims only; may be empty."""
    one = stored_record(study)
    if one is None:
        return []
    strong = any(not _is_weak(claim) for claim in one["claims"])
    weak = {**one, "claims": [claim for claim in one["claims"] if _is_weak(claim)]}
    refuted = [claim for claim in weak["claims"] if claim["of"] and _is_refuted(claim)]
    weak["claims"] = [claim for claim in weak["claims"] if claim not in refuted]
    head = "## On other machines\n\nHow to read it: [assumptions.md](../assumptions.md)."
    blocks = [head, *_blocks(weak, _github)]
    if refuted:
        blocks.append(
            f"Contradicted on all of them, as here: {', '.join(one['id'] for one in refuted)}."
        )
    if strong:
        blocks.append(f"All others that can be tested hold on {100 * WEAK:.0f} % of them or more.")
    if stale := stale_files(one):
        files = ", ".join(f"`{name}`" for name in stale)
        blocks.append(f"**Stale**: since this sweep was run, {files} changed.")
    return blocks


def _is_refuted(claim: Mapping[str, Any]) -> bool:
    return not claim["expected"] and not claim["passed"]


def _is_weak(claim: Mapping[str, Any]) -> bool:
    return not claim["of"] or claim["share"] < WEAK


def _text(record: Record) -> str:
    return "\n\n".join([str(record["title"]), *_blocks(record, _plain)])


def _plain(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    widths = [None, None, None, None, 36, 40][: len(head)]
    folded = [
        [text if width is None else "\n".join(wrap(text, width)) for text, width in pairs]
        for pairs in (zip(row, widths, strict=True) for row in rows)
    ]
    return ruled(head, folded)


def _github(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    escaped = [[cell(text) for text in row] for row in rows]
    return ruled(head, escaped, "github")


def _blocks(record: Record, table: Table) -> list[str]:
    blocks = ["\n".join(_machines(one, record) for one in record["machines"])]
    if record["claims"]:
        blocks.append(table([_row(one) for one in record["claims"]], HEAD))
        blocks += _warnings(record["machines"])
    blocks += [_figures(record["figures"])] if record["figures"] else []
    for text, count in list(record["skipped"].items())[:5]:
        blocks.append(f"Could not be tried on {count} machines: {text}")
    return blocks


def _machines(drawn: Mapping[str, Any], record: Record) -> str:
    """State the outcome of the drawn machines."""
    site = f"{drawn['site']}: " if drawn["site"] else ""
    text = f"{site}{drawn['drawn']} machines drawn"
    if not drawn["site"]:
        text += f" over {record['varied']} assumptions (seed {record['seed']})"
    text += f", {drawn['plausible']} plausible."
    if drawn["not_fitted"]:
        worst = list(drawn["figures_not_fitted"].items())[:3]
        figures = ", ".join(f"{name} on {count}" for name, count in worst)
        text += f" {drawn['not_fitted']} cannot be fitted ({figures})."
    if drawn["invalid"]:
        why, count = next(iter(drawn["why_invalid"].items()))
        text += f" {drawn['invalid']} cannot be built or run ({count}: {why})."
    return text


def _warnings(machines: Sequence[Mapping[str, Any]]) -> list[str]:
    """State the uncertainty due to few plausible machines."""
    few = [one for one in machines if 0 < one["plausible"] < FEW]
    warnings = []
    for one in few:
        site = f"{one['site']}: " if one["site"] else ""
        count = one["plausible"]
        known = f"{100 * exact_interval(count, count)[0]:.0f} %"
        warnings.append(
            f"Warning: {site}only {count} machines are plausible. A claim that holds on all {count}"
            f" may hold on as few as {known} of all plausible machines (95 % confidence)."
        )
    return warnings


def _row(one: Mapping[str, Any]) -> list[str]:
    low, high = one["interval_95"]
    expected = "" if one["expected"] else ", listed as contradicted"
    if not one["of"]:
        return [one["id"], one["role"] + expected, "no machine", "", "", ""]
    share = f"{one['passed']} of {one['of']}"
    row = [one["id"], one["role"] + expected, share, f"{100 * low:.0f} - {100 * high:.0f} %"]
    if one["share"] >= WEAK:
        return [*row, "", ""]
    broken = "; ".join(f"{text} ({count})" for text, count in list(one["broken"].items())[:2])
    return [*row, broken, _divider(one["divider"])]


def _divider(one: Mapping[str, Any] | None) -> str:
    if one is None:
        return ""
    better, worse = one["better"], one["worse"]
    return (
        f"{one['assumption']}: {better['passed']} of {better['of']} {_where(better)},"
        f" {worse['passed']} of {worse['of']} {_where(worse)}"
    )


def _where(side: Mapping[str, Any]) -> str:
    where = str(side["where"])
    return where if where.startswith(("up to", "from")) else f"with {where}"


def _figures(figures: Sequence[Mapping[str, Any]]) -> str:
    """State the shares of machines with predicted figures inside their bands, the weakest first."""
    counted = [one for one in figures if one["of"]]
    always = sum(one["passed"] == one["of"] for one in counted)
    never = sum(one["passed"] == 0 for one in counted)
    between = [one for one in counted if 0 < one["passed"] < one["of"]]
    listed = [f"{one['id']} {one['passed']} of {one['of']}" for one in between]
    if len(listed) > MOST_FIGURES:
        listed = [f"{len(listed)}, of which {listed[0]} and {listed[-1]} are the ends"]
    text = (
        f"Of {len(counted)} predicted numbers {always} are inside their bands on all plausible"
        f" machines, {never} on none"
    )
    return f"{text}; on some: {', '.join(listed)}." if listed else f"{text}."
