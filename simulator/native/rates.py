"""Services of resources as rows of the kernel's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.plan.parts import PartPlan
    from simulator.service import ServiceSpec, SizePoint


def services_of(part: PartPlan) -> tuple[ServiceSpec, ServiceSpec]:
    """Return the service specifications for reading and writing a resource."""
    transfer = getattr(part.spec, "transfer", None)
    read = part.service if transfer is None or part.service.is_table else transfer()
    return read, part.writes if part.writes is not None else read


def rates_of(part: PartPlan) -> dict[str, Any]:
    """Return the fields of a resource's row that follow from its services and latency alone."""
    read, write = services_of(part)
    return {
        "latency_ns": part.latency_ns,
        "overhead_ns": read.overhead_ns,
        "ns_per_byte": read.ns_per_byte,
        "written": part.writes is not None,
        "write_overhead_ns": write.overhead_ns,
        "write_ns_per_byte": write.ns_per_byte,
    }


def has_table(part: PartPlan) -> bool:
    """Return whether a resource's times are tables, which have rows of their own."""
    return part.service.is_table or (part.writes is not None and part.writes.is_table)


def add_services(
    service: ServiceSpec, services: list[dict[str, Any]], points: list[SizePoint]
) -> int:
    """Add the rows of a service by the number of requests under way; return how many."""
    depths = service.depths if service.is_table else ()
    for one in depths:
        services.append(
            {
                "overhead_ns": one.overhead_ns,
                "ns_per_byte": one.ns_per_byte,
                "points": len(points),
                "points_count": len(one.points),
            }
        )
        points.extend(one.points)
    return len(depths)
