"""The report of one run: for people, and as JSON for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from simulator.report.explain import explain
from simulator.report.versions import versions
from simulator.report.where import Kinds, masters, where_text
from simulator.units import format_rate, format_time
from simulator.wording import about_size, counted, percent

if TYPE_CHECKING:
    from simulator.config import Machine
    from simulator.engine.plan import Plan
    from simulator.engine.result import ClientResult, Result, Transfer

MOST_LISTED = 8
"""Clients with a line each; more are added up."""
WIDTH = 100

_UNITS = {
    "prestaged": "prestaged",
    "fetched": "fetched from disk",
    "created": "new",
    "read_back": "read back from disk to be changed",
    "released": "released once on disk",
    "evicted": "replaced by others",
}
"""What happened to units, in words."""


def run_json(result: Result, plan: Plan) -> str:
    """Write a result for programs; the same run gives the same text."""
    record = {**result.to_json(), "noise": plan.noisy, "versions": versions()}
    return json.dumps(record, indent=2) + "\n"


def run_text(result: Result, plan: Plan, machine: Machine) -> str:
    """Write a result for people."""
    blocks = [
        _header(result, plan, machine),
        _rates(result, plan),
        _bottleneck(result, plan),
        *map(_wrapped, explain(result, plan)),
        f"Where the time went\n\n{where_text(result, plan)}",
        _others(result, plan),
        _cache(result),
        _provenance(machine),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _header(result: Result, plan: Plan, machine: Machine) -> str:
    seed = f"seed {plan.seed}" if plan.noisy else "no seed: service times do not vary"
    title = f" ({machine.title})" if machine.title else ""
    names = f"{result.workload} on {result.machine}{title}"
    return f"{names}\n{seed}; {result.engine} engine; input {result.digest[:12]}"


# -- rates ----------------------------------------------------------------------------------


def _rates(result: Result, plan: Plan) -> str:
    clients = masters(result, plan)
    lines = []
    if len(clients) <= MOST_LISTED:
        for client in clients:
            for work, done in (("read", client.read), ("wrote", client.write)):
                if done.bytes:
                    lines.append(f"{client.name} {work} {_transfer(done)}")
    if len(clients) > 1:
        for work, past in (("read", "read"), ("write", "wrote")):
            lines += _together(result, clients, work, past)
    lines.append(f"elapsed {format_time(result.elapsed_ns)}{_afterwards(result, plan)}")
    return "\n".join(lines)


def _transfer(done: Transfer) -> str:
    rate = format_rate(done.rate)
    return f"{about_size(done.bytes)} in {format_time(done.elapsed_ns)}: {rate}"


def _together(result: Result, clients: list[ClientResult], work: str, past: str) -> list[str]:
    transfers = [client.read if work == "read" else client.write for client in clients]
    rates = sorted(one.rate for one in transfers if one.bytes)
    if not rates:
        return []
    moved = about_size(sum(one.bytes for one in transfers))
    lines = [f"{len(rates)} clients together {past} {moved}: {format_rate(result.rate(work))}"]
    if len(clients) > MOST_LISTED:
        lines.append(f"slowest {format_rate(rates[0])}, fastest {format_rate(rates[-1])}")
    return lines


def _afterwards(result: Result, plan: Plan) -> str:
    after = result.end_ns - result.elapsed_ns
    copied = any(phase.path == "svio" for job in plan.jobs for phase in job.phases)
    what = "the remote copy afterwards took" if copied else "write-back continued for another"
    texts = [f"; {what} {format_time(after)}"] if after else []
    if result.prestage_ns:
        texts.append(f"; prestaging is not included ({format_time(result.prestage_ns)})")
    return "".join(texts)


# -- parts ----------------------------------------------------------------------------------


def _bottleneck(result: Result, plan: Plan) -> str:
    kinds = Kinds(plan)
    busy = {name: part.utilisation(result.end_ns) for name, part in result.parts.items()}
    lines = []
    if busy:
        busiest = max(busy, key=lambda name: busy[name])
        what = kinds.what(kinds.kind(busiest))
        lines.append(
            f"busiest resource: {busiest} ({what}), {100 * busy[busiest]:.1f} % of the time"
        )
    clients = masters(result, plan)
    waits: dict[str, int] = {}
    for client in clients:
        for part, (wait_ns, _) in client.parts.items():
            waits[part] = waits.get(part, 0) + wait_ns
    longest = max(waits, key=lambda part: waits[part], default="")
    if longest and waits[longest]:
        share = percent(waits[longest], sum(client.elapsed_ns for client in clients))
        what = kinds.what(kinds.kind(longest))
        lines.append(f"longest wait: {longest} ({what}), {share} of client time")
    else:
        lines.append("longest wait: none; no request had to queue")
    return "\n".join(lines)


def _others(result: Result, plan: Plan) -> str:
    """Say what the PEs did that share their master's data."""
    listed = {client.name for client in masters(result, plan)}
    others = [client for client in result.clients if client.name not in listed]
    if not others:
        return ""
    idle = percent(sum(c.idle_ns for c in others), sum(c.elapsed_ns for c in others))
    names = others[0].name if len(others) == 1 else f"{others[0].name} to {others[-1].name}"
    return f"The PEs that share data with their master ({names}) wait for it {idle} of the time."


def _cache(result: Result) -> str:
    counts = result.cache
    lookups = counts["hits"] + counts["misses"]
    if not lookups:
        return ""
    share = percent(counts["hits"], lookups)
    told = [f"{counts['hits']:,} of {lookups:,} accesses hit ({share})"]
    for key, words in _UNITS.items():
        if counts[key]:
            told.append(f"{counted(counts[key], 'unit')} {words}")
    if counts["written_back"]:
        size = about_size(counts["written_back_bytes"])
        told.append(f"{counted(counts['written_back'], 'write-back')}, {size} in total")
    if counts["rewrites_waited"]:
        told.append(f"{counted(counts['rewrites_waited'], 'write')} went back and waited for one")
    return _wrapped(f"SSU cache: {'; '.join(told)}.")


def _provenance(machine: Machine) -> str:
    from simulator.config import unproven

    kinds = {kind: len(listed) for kind, listed in unproven(machine).items() if listed}
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return f"Unsourced values of the machine: {told} (nwtsim show lists them)." if told else ""


def _wrapped(text: str) -> str:
    import textwrap

    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)
