"""A run of numerical servers for people and programs; the drawing of servers and their sites."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tabulate import tabulate

from simulator.config.callplan import make_call_plan
from simulator.config.server import Servers
from simulator.config.sources import provenance
from simulator.engine.callresult import STEPS
from simulator.engine.servers import CLIENTS, LATENCY, serve
from simulator.report.system import check_engine
from simulator.report.values import summary
from simulator.report.versions import versions
from simulator.serve import DEFAULT_SEED, load_inputs
from simulator.wording import counted, percent

if TYPE_CHECKING:
    from simulator.config.document import Document
    from simulator.engine.callplan import CallPlan
    from simulator.engine.callresult import CallsResult

LEAST_SHARE = 0.001
"""Links that carried less of what they could have are not listed, and parts below it neither."""


@dataclass(frozen=True, slots=True)
class ServingRun:
    """A finished run with what it was made from."""

    machine: Servers
    plan: CallPlan
    result: CallsResult
    asked: str
    """The engine that was asked for."""

    def to_json(self) -> str:
        """The record for programs; the same run gives the same text."""
        return json.dumps({**self.result.to_json(), "versions": versions()}, indent=2) + "\n"

    def to_text(self) -> str:
        """The report for people."""
        result = self.result
        blocks = [
            _header(self),
            _groups(result),
            _servers(result),
            _links(result),
            f"Where the time of all calls went\n\n{_where(result)}",
            f"{summary(provenance(self.machine))}: nwtsim show {self.machine.name}",
        ]
        return "\n\n".join(filter(None, blocks)) + "\n"


def run_servers(
    machine: str,
    workload: str,
    *,
    settings: Iterable[tuple[str, str]] = (),
    seed: int | None = None,
    engine: str = "auto",
    debug: bool = False,
) -> ServingRun:
    """Have clients call servers; there is only the reference engine for these."""
    check_engine("server/1", engine)
    servers, calls = load_inputs(machine, workload, settings)
    plan = make_call_plan(servers, calls, seed=DEFAULT_SEED if seed is None else seed)
    return ServingRun(servers, plan, serve(plan, debug=debug), engine)


# -- the report ---------------------------------------------------------------------------------


def _header(run: ServingRun) -> str:
    plan, machine = run.plan, run.machine
    why = " (auto: the only one for server/1)" if run.asked == "auto" else ""
    title = f" ({machine.title})" if machine.title else ""
    out = sum(call.ended_ns > plan.duration_ns for call in run.result.calls)
    return (
        f"{plan.workload} on {plan.machine}{title}\n"
        f"seed {plan.seed}; {run.result.engine} engine{why}; input {plan.digest[:12]}\n"
        f"calls start for {plan.duration_ns / 1e9:g} s; {counted(out, 'call')} then still in "
        f"progress, the last of which ends after {run.result.end_ns / 1e9:.1f} s"
    )


def _groups(result: CallsResult) -> str:
    """A row for each group of clients; the times of a call are means."""
    record = result.to_json()["groups"]
    if not record:
        return "no call was started"
    rows = [
        [
            name,
            str(one["clients"]),
            str(one["calls"]),
            f"{one['rate_Mops']:.4g}",
            f"{one['throughput_MBps']:.3g}",
            *(f"{one[f'{step}_s']:.2f}" for step in STEPS),
        ]
        for name, one in record.items()
    ]
    head = ["clients", "number", "calls", "Mop/s", "MB/s", "call, s", *STEPS[1:]]
    return _table(head, rows)


def _servers(result: CallsResult) -> str:
    rows = [
        [
            name,
            str(one.pes),
            str(one.calls),
            percent(one.used_ns, one.pes * result.duration_ns),
            f"{one.load_mean:.2f}",
            f"{one.load_peak:.2f}",
        ]
        for name, one in result.servers.items()
    ]
    return _table(["server", "PEs", "calls", "used", "load, mean", "load, peak"], rows)


def _links(result: CallsResult) -> str:
    used = {name: result.link_utilisation(name) for name in result.links}
    rows = [
        [name, f"{result.links[name].rate / 1e6:.4g}", percent(share, 1)]
        for name, share in used.items()
        if share >= LEAST_SHARE and name.removesuffix(" link") not in result.callers
    ]
    return _table(["link", "MB/s", "used"], rows) if rows else ""


def _where(result: CallsResult) -> str:
    """Parts by the time of calls at them: alone, and what sharing adds."""
    whole = sum(wait + service for wait, service in result.parts.values())
    rows = [
        [_part(name), percent(service, whole), percent(wait, whole)]
        for name, (wait, service) in sorted(result.parts.items(), key=lambda one: -sum(one[1]))
        if wait + service >= LEAST_SHARE * whole
    ]
    return _table(["resource", "alone", "shared"], rows)


def _part(name: str) -> str:
    words = {CLIENTS: "the clients' own conversion", LATENCY: "latency of first bytes"}
    return words.get(name, name)


def _table(head: list[str], rows: list[list[str]]) -> str:
    align = ["left", *["right"] * (len(head) - 1)]
    return tabulate(rows, headers=head, disable_numparse=True, colalign=align)


# -- the drawing --------------------------------------------------------------------------------


def draw_servers(machine: Document) -> str:
    """Draw the sites of a machine, each with its servers, and the lines between them."""
    assert isinstance(machine, Servers)
    values = {one.path: one.value for one in provenance(machine)}
    boxes = {site: _site(machine, values, site) for site in machine.sites}
    width = max(len(line) for lines in boxes.values() for line in lines) + 4
    lines = ["lines between sites", "  |"]
    for site, (first, *rest) in boxes.items():
        line = f"{values[f'sites.{site}.line']}, {values[f'sites.{site}.line_latency']}"
        lines += [
            f"  |  +{f'- {site} '.ljust(width - 2, '-')}+",
            f"  +--| {first.ljust(width - 4)} |  line {line}",
            *(f"  |  | {one.ljust(width - 4)} |" for one in rest),
            f"  |  +{'-' * (width - 2)}+",
        ]
    return "\n".join([*lines, "", *_clients(machine, values)])


def _site(machine: Servers, values: Mapping[str, str], site: str) -> list[str]:
    lines = [f"LAN {values[f'sites.{site}.lan']}, {values[f'sites.{site}.lan_latency']}"]
    for name, server in machine.servers.items():
        if server.site == site:
            at = f"servers.{name}"
            link, conversion = values[f"{at}.link"], values[f"{at}.conversion"]
            lines.append(f"server {name}: {counted(server.pes, 'PE')}, link {link}")
            lines.append(f"  conversion {conversion} on a PE")
            lines += [
                f"  {library}: {one.problem}, {values[f'{at}.libraries.{library}.speed']} on "
                f"{counted(one.threads, 'PE')}"
                for library, one in server.libraries.items()
            ]
    return lines


def _clients(machine: Servers, values: Mapping[str, str]) -> list[str]:
    return [
        f"client {name}: link {values[f'clients.{name}.link']}, "
        f"conversion {values[f'clients.{name}.conversion']}"
        for name in machine.clients
    ]
