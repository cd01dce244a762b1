"""From the typed sections of servers and calls to a plan: names are looked up, routes laid."""

from __future__ import annotations

import hashlib
import json

from simulator.config.calls import Caller, Calls, candidates, library_of
from simulator.config.server import ClientKind, Library, NumericalServer, Servers
from simulator.engine.callplan import CallerPlan, CallPlan, ServerPlan, Target
from simulator.machine.maxmin import LinkSpec
from simulator.machine.numerics import HostSpec, LibrarySpec
from simulator.machine.timeshare import CpuSpec
from simulator.workload.problems import PROBLEMS

_NAMES = {"name", "title", "references"}
"""What people call a file, and what they cite, changes no result."""


def make_call_plan(machine: Servers, calls: Calls, *, seed: int = 0, run: int = 0) -> CallPlan:
    """Flatten servers and calls that fit together (see ``check_calls``)."""
    links = _Links(machine)
    callers: list[CallerPlan] = []
    for one in calls.clients:
        callers += _callers(machine, calls, one, links)
    return CallPlan(
        machine=machine.name,
        workload=calls.name,
        links=tuple(links.specs),
        link_specs=tuple(links.specs.values()),
        servers=tuple(_server(name, one) for name, one in machine.servers.items()),
        callers=tuple(callers),
        duration_ns=calls.duration,
        choice=calls.choose,
        seed=seed,
        run=run,
        digest=call_digest(machine, calls),
    )


def call_digest(machine: Servers, calls: Calls) -> str:
    """Give the SHA-256 of all values; names, titles and sources make no difference."""
    parts = {
        "server": machine.model_dump(mode="json", exclude=_NAMES),
        "calls": calls.model_dump(mode="json", exclude=_NAMES),
    }
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def library_spec(library: Library) -> LibrarySpec:
    """The specification of a library."""
    return LibrarySpec(rate=library.speed, half=library.half, threads=library.threads)


def _server(name: str, section: NumericalServer) -> ServerPlan:
    return ServerPlan(
        name=name,
        cpu=CpuSpec(section.pes, section.gang),
        host=HostSpec(section.conversion, section.accept, section.start),
        favoured=section.favoured,
        at_once=section.at_once,
    )


class _Links:
    """All links, numbered in the order in which they are named."""

    def __init__(self, machine: Servers) -> None:
        self.machine = machine
        self.specs: dict[str, LinkSpec] = {}
        for name, site in machine.sites.items():
            self.specs[f"{name} lan"] = LinkSpec(site.lan, site.lan_latency)
            self.specs[f"{name} line"] = LinkSpec(site.line, site.line_latency)
        for name, server in machine.servers.items():
            self.specs[f"{name} link"] = LinkSpec(server.link)
        self.numbers = {name: number for number, name in enumerate(self.specs)}

    def client(self, name: str, kind: ClientKind) -> str:
        """Add a client's own link; gives its name."""
        link = f"{name} link"
        self.numbers[link] = len(self.specs)
        self.specs[link] = LinkSpec(kind.link)
        return link

    def route(self, link: str, site: str, server: str) -> tuple[int, ...]:
        """From a client with this link at this site to a server."""
        there = self.machine.servers[server].site
        names = [link, f"{site} lan"]
        if there != site:
            names += [f"{site} line", f"{there} line", f"{there} lan"]
        return tuple(self.numbers[name] for name in [*names, f"{server} link"])


def _callers(machine: Servers, calls: Calls, one: Caller, links: _Links) -> list[CallerPlan]:
    kind = machine.clients[one.client]
    numbers = {name: number for number, name in enumerate(machine.servers)}
    made = []
    for number in range(one.count):
        name = f"{one.name}/{number}"
        link = links.client(name, kind)
        targets = tuple(
            Target(
                server=numbers[server],
                library=library_spec(library),
                route=links.route(link, one.site, server),
            )
            for server in candidates(machine, calls, one)
            if (library := library_of(machine, server, one)) is not None
        )
        made.append(
            CallerPlan(
                name=name,
                group=one.name,
                problem=PROBLEMS[one.problem](one.n),
                host=HostSpec(kind.conversion),
                targets=targets,
                every_ns=one.every,
                first_ns=one.first + (one.every * number // one.count if one.spread else 0),
                chance=one.chance,
                continues=one.continues,
            )
        )
    return made
