"""Services of a machine beside its storage: what all kinds of them have in common.

A kind is a folder ``services/<kind>`` of a plug-in (:mod:`simulator.kinds`), such as that of a
study: its section, its rows of a plan, and its class in the reference engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from simulator.config.errors import Fault, Path, unknown_name
from simulator.config.quantities import Name
from simulator.config.section import Section

if TYPE_CHECKING:
    from simulator.config.machine_file import Machine


class Service(Section):
    """What serves processes beside the storage, on each node of a group."""

    several: ClassVar[bool] = False
    """A group may have more than one of this kind."""
    creates: ClassVar[bool] = False
    """It creates the processes of jobs that are 'launched'."""
    common: ClassVar[Sequence[str]] = ()
    """Account categories that all services of this kind share."""
    unchanged: ClassVar[frozenset[str]] = frozenset()
    """Keys that *what limits* does not try: no run depends on them."""

    kind: str
    """Which kind of service this is."""
    at: Name
    """The group of nodes that it is on."""

    def categories(self, name: str) -> Sequence[str]:
        """Return the account categories of a service of this name."""
        del name
        return ()

    def misfits(self, machine: Machine) -> Iterator[Fault]:
        """Find what the machine lacks for it; ``at`` is one of its groups of nodes."""
        del machine
        return iter(())

    def example(self, name: str) -> str:
        """Return a phase that uses it, as a line of a workload file; empty if none does."""
        del name
        return ""


class Site(Section):
    """A place with a network, and a line to the other places; both are parts of kind ``link``."""

    network: Name
    """Its network."""
    line: Name | None = None
    """Its line to other sites."""


def service_columns(machine: Machine) -> list[str]:
    """Return the categories of accounts that services need; none without services."""
    columns = [one for name, part in machine.parts.items() for one in part.categories(name)]
    for name, service in machine.services.items():
        columns += service.categories(name)
    kinds = {one.kind: one.common for one in machine.services.values()}
    return [*columns, *(one for common in kinds.values() for one in common)]


def service_faults(machine: Machine) -> Iterator[Fault]:
    """Find services where there is nothing for them, twice at one place, or at unknown sites."""
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
        if other != name and not service.several:
            about = f"{service.at} has the {service.kind} {other!r} already; leave one of them out"
            yield (*at, "at"), about
        yield from (((*at, *path), about) for path, about in service.misfits(machine))
        site = getattr(service, "site", None)
        if site is not None and site not in machine.sites:
            yield (*at, "site"), unknown_name(site, "in sites", machine.sites)


def _sites(machine: Machine) -> Iterator[Fault]:
    for name, site in machine.sites.items():
        for key, link in (("network", site.network), ("line", site.line)):
            if link is None:
                continue
            if link not in machine.parts:
                links = [one for one, part in machine.parts.items() if part.kind == "link"]
                yield ("sites", name, key), unknown_name(link, "a part of kind link", links)
            elif machine.parts[link].kind != "link":
                about = f"{link} is a {machine.parts[link].kind}; write a part of 'kind: link'"
                yield ("sites", name, key), about
            elif machine.parts[link].at is not None:
                about = f"{link} is one of each node; write a link without 'at'"
                yield ("sites", name, key), about


def _owners(machine: Machine) -> Iterator[Fault]:
    """Find nodes with two parts of which a node has one."""
    owners: dict[tuple[str, str], str] = {}
    for name, part in machine.parts.items():
        for group in (part.at or ()) if part.single else ():
            other = owners.setdefault((part.kind, group), name)
            if other != name:
                about = f"{group} has the {part.kind} {other!r} already; a node has one"
                yield ("parts", name, "at"), f"{about}; write another group"
