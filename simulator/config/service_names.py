"""What services of a machine must agree on with its nodes, parts and sites."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.config.errors import Fault, Path, unknown_name
from simulator.config.services import MessageServer, NumericalServer, ProcessServer
from simulator.kinds.parts.link.section import Link
from simulator.kinds.parts.processor.section import Processor
from simulator.kinds.parts.timeshare.section import TimeShare

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine
    from simulator.config.part import Part
    from simulator.config.services import AnyService


def service_faults(machine: Machine) -> Iterator[Fault]:
    """Find services where there is nothing for them, twice at one place, or at unknown sites."""
    for name, part in machine.parts.items():
        if isinstance(part, Processor):
            for keys, about in part.faults():
                yield ("parts", name, *keys), about
    yield from _sites(machine)
    yield from _owners(machine)
    seen: dict[tuple[str, str], str] = {}
    for name, service in machine.services.items():
        at: Path = ("services", name)
        if name in machine.parts or name in machine.stores:
            yield at, f"{name!r} is the name of a part or store too; write another"
        if service.at not in machine.nodes:
            yield (*at, "at"), unknown_name(service.at, "a group of nodes", machine.nodes)
            continue
        other = seen.setdefault((service.kind, service.at), name)
        if other != name and not isinstance(service, NumericalServer):
            about = f"{service.at} has the {service.kind} {other!r} already; leave one of them out"
            yield (*at, "at"), about
        yield from _needs(machine, at, service)


def _sites(machine: Machine) -> Iterator[Fault]:
    for name, site in machine.sites.items():
        for key, link in (("network", site.network), ("line", site.line)):
            if link is None:
                continue
            if link not in machine.parts:
                links = [one for one, part in machine.parts.items() if isinstance(part, Link)]
                yield ("sites", name, key), unknown_name(link, "a part of kind link", links)
            elif not isinstance(machine.parts[link], Link):
                about = f"{link} is a {machine.parts[link].kind}; write a part of 'kind: link'"
                yield ("sites", name, key), about
            elif machine.parts[link].at is not None:
                about = f"{link} is one of each node; write a link without 'at'"
                yield ("sites", name, key), about


def _owners(machine: Machine) -> Iterator[Fault]:
    """Find nodes with two parts of which a service needs one."""
    owners: dict[tuple[str, str], str] = {}
    for name, part in machine.parts.items():
        if isinstance(part, Processor | TimeShare | Link):
            for group in part.at or ():
                other = owners.setdefault((part.kind, group), name)
                if other != name:
                    about = f"{group} has the {part.kind} {other!r} already; a node has one"
                    yield ("parts", name, "at"), f"{about}; write another group"


def _needs(machine: Machine, at: Path, service: AnyService) -> Iterator[Fault]:
    group = service.at
    polling = isinstance(service, MessageServer | ProcessServer)
    if polling and _part_at(machine, Processor, group) is None:
        about = f"no processor is at {group}; write one in parts"
        yield (*at, "at"), f"{about}, like '{{kind: processor, at: {group}, update: 600 ns}}'"
    elif isinstance(service, ProcessServer):
        servers = [one.at for one in machine.services_of(MessageServer).values()]
        sound = all(_part_at(machine, Processor, one) is not None for one in servers)
        if group not in servers and sound:  # Else the message server is the mistake.
            about = f"no message server is at {group}, by which a process server is asked"
            yield (*at, "at"), f"{about}; write one in services"
    elif isinstance(service, NumericalServer):
        if machine.nodes[group].count > 1 or machine.nodes[group].per is not None:
            about = f"{group} has more than one node; write a group of one for each server"
            yield (*at, "at"), about
        elif _part_at(machine, TimeShare, group) is None:
            about = f"no part of kind timeshare is at {group}; write one in parts"
            yield (*at, "at"), f"{about}, like '{{kind: timeshare, at: {group}, pes: 4}}'"
    site = getattr(service, "site", None)
    if site is not None and site not in machine.sites:
        yield (*at, "site"), unknown_name(site, "in sites", machine.sites)


def _part_at(machine: Machine, kind: type[Part], group: str) -> str | None:
    """Return the part of a kind that the nodes of a group have."""
    for name, part in machine.parts.items():
        if isinstance(part, kind) and part.at is not None and group in part.at:
            return name
    return None
