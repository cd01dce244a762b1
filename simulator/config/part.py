"""Parts of a machine file, of any kind: places, counts, and variation of service times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Annotated, Any, ClassVar, Literal, TypeVar, cast

from simulator.config.errors import Fault
from simulator.config.quantities import Count, Text
from simulator.config.rates import EachWay, Names, Percents, time_of
from simulator.config.ratetables import LoadEachWay, RateTable, device_service, fastest
from simulator.config.section import Called, Section, default, fields_of
from simulator.config.sources import SINGLE
from simulator.kinds.traits import PartTraits
from simulator.plan.parts import NoisePlan
from simulator.service import ServiceSpec
from simulator.units import Nanoseconds

Duplex = Annotated[Literal["full", "half"], Called("duplex")]
Distribution = Annotated[Literal["lognormal", "exponential"], Called("distribution")]
CPU = "cpu"
"""The kind, and the usual name, of the part that a machine file need not have."""
BOTH, OUT, IN, READ, WRITE = "", "out", "in", "read", "write"
"""The ways of a part: see ``PartPlan.way``."""
Spec = TypeVar("Spec")
UNLIMITED = float("inf")
"""The rate of what only has an overhead."""


class Variation(Section):
    """How much the service times of a part vary, as standard deviations."""

    run: Percents = default(EachWay(0.0, 0.0), "neutral: no variation between runs")
    """Of the factor that one run has for all its requests."""
    request: Percents = default(EachWay(0.0, 0.0), "neutral: no variation between requests")
    """Of the factor of each single request."""
    distribution: Distribution = default(
        "lognormal", "service times are positive and skewed; their logarithms are not"
    )
    """Of single requests; exponential ones vary in every run and have no deviations."""
    stream: Text | None = None
    """Name of the random stream of one resource, with {node} for its node, {i} for its number and
    {way} for its direction; its own name if left out. Equal names give equal draws."""

    @property
    def varies(self) -> bool:
        """Return whether service times vary at all."""
        usual = Variation()
        return (self.run, self.request, self.distribution) != (
            usual.run,
            usual.request,
            usual.distribution,
        )

    @property
    def differs(self) -> str:
        """The key of a deviation that is not the same for reading and writing, or nothing."""
        return next((key for key in ("run", "request") if not getattr(self, key).one), "")

    def plan(self, way: str) -> NoisePlan:
        """Return what an engine takes for one direction."""
        return NoisePlan(
            run_sd=self.run.write if way == WRITE else self.run.read,
            request_sd=self.request.write if way == WRITE else self.request.read,
            exponential=self.distribution == "exponential",
        )


class Part(Section, PartTraits):
    """A resource that requests use."""

    uses: ClassVar[frozenset[str]] = frozenset({"stage", "work"})
    """Where tiers may name it: in a stage, as work, or as the pool of a hold."""
    engine: ClassVar[str] = ""
    """The kind of part that engines take it for; its own if empty."""
    network: ClassVar[bool] = False
    """A request that passes it goes on at another node."""

    naming = {"at": "group"}
    synonyms = {
        "bandwidth": "rate",
        "latency": "overhead",
        "time": "overhead",
        "turn": "rotation",
        "size": "capacity",
    }
    mistaken = {
        "noise": "this kind draws no noise: core, cpu, delay, disk, journal, network, processor,"
        " queue, shared, ssd and tape do; leave it out"
    }

    kind: str
    """Which kind of part this is."""
    at: Names | None = None
    """The groups of nodes that have one on each node; if left out, there is a single one for the
    whole machine."""

    @property
    def devices(self) -> int:
        """Return how many equal devices a node has, if they are a group of their own; else 1."""
        return 1

    def categories(self, name: str) -> tuple[str, ...]:
        """Return the account categories that it needs besides that of its own name."""
        del name
        return ()

    @property
    def alignment(self) -> int:
        """Bytes at whose multiples a file begins that has as many on it, or more; 1: anywhere."""
        return 1

    @property
    def packets(self) -> bool:
        """Return whether it is a network whose ports messages pass one after the other."""
        return False

    @property
    def served_as(self) -> str:
        """Return the kind of part that engines take it for."""
        return self.engine or self.kind

    @property
    def stands_alone(self) -> bool:
        """Return whether nothing can be held together with it."""
        return self.alone

    @property
    def variation(self) -> Variation:
        """Return how its service times vary."""
        return Variation()

    # -- what checks ask, whatever the kind -------------------------------------------------------

    copies = cast("bool | None", False)
    """Whether it is the memory that copies what calls move; None: it may be, and leaves it open."""

    @property
    def copies_at(self) -> float:
        """Bytes per second at which it copies what calls move, if it does."""
        return UNLIMITED

    @property
    def parity_row(self) -> int:
        """Bytes of a row with parity, part of which is written after it was read; 0: none."""
        return 0

    @property
    def room(self) -> int | None:
        """Bytes that one of them has for files, if it says so."""
        return None

    def faults(self) -> Iterator[Fault]:
        """Find what several values decide."""
        yield from self.noise_faults()

    def faults_behind(self, block: int) -> Iterator[Fault]:
        """Find why no buffer cache of such blocks can be in front of it."""
        del block
        yield from ()

    # -- rows of a plan ---------------------------------------------------------------------------

    @property
    def ways(self) -> tuple[str, ...]:
        """Its directions that are rows of their own."""
        return (BOTH,)

    @property
    def structure(self) -> tuple[Any, ...]:
        """Return what paths through it depend on."""
        return (self.served_as, self.at, self.devices, self.ways)

    def row(self) -> dict[str, Any]:
        """Return the fields of its ``PartPlan`` that are its own, if all its rows have the same."""
        raise NotImplementedError

    def row_at(self, way: str, group: str) -> dict[str, Any]:
        """Return these fields of its row of a direction, at the nodes of a group."""
        del way, group
        return self.row()

    def noise_faults(self) -> Iterator[Fault]:
        """Find deviations for each direction of a part whose requests have one queue."""
        key = self.variation.differs
        if key and READ not in self.ways:
            about = "is not the same for reading and writing, which are not served apart"
            apart = "duplex" in fields_of(type(self)) and not self.network
            cure = ", or 'duplex: full' in the part" if apart else ""
            yield ("noise", key), f"{about}; write one percentage{cure}"


class Timed(Part):
    """A part that takes time of its own."""

    mistaken = {}

    noise: Variation | None = None
    """How its service times vary; they do not if left out. Deviations for reading and for writing
    need ``duplex: full``."""

    @property
    def variation(self) -> Variation:
        """Return how its service times vary."""
        return self.noise or Variation()


class Device(Timed):
    """A part that a node may have several of."""

    count: Count = default(1, SINGLE)
    """Equal devices in each node; files are placed on them in turn."""

    @property
    def devices(self) -> int:
        """Return how many equal devices a node has, if they are a group of their own; else 1."""
        return self.count

    @property
    def ways(self) -> tuple[str, ...]:
        """Reading and writing, if each has servers of its own."""
        return (READ, WRITE) if getattr(self, "duplex", "half") == "full" else (BOTH,)


DeviceRate = EachWay | RateTable | LoadEachWay


def rate_of(rates: DeviceRate | None, way: str) -> float:
    """Return the rate of a direction, the highest of a table; without one bytes cost nothing."""
    return UNLIMITED if rates is None else fastest(rates, way)


def services(
    rates: DeviceRate | None, overhead: Nanoseconds | EachWay, way: str = BOTH
) -> dict[str, ServiceSpec]:
    """Return the service of a row, and that of what writes it if it is another."""
    read, write = (_service(rates, overhead, one) for one in (READ, WRITE))
    if way != BOTH:
        return {"service": write if way == WRITE else read}
    return {"service": read} if read == write else {"service": read, "writes": write}


def _service(rates: DeviceRate | None, overhead: Nanoseconds | EachWay, way: str) -> ServiceSpec:
    if rates is None or isinstance(rates, EachWay):
        return ServiceSpec(rate_of(rates, way), time_of(overhead, way))
    return device_service(rates.way(way), time_of(overhead, way))


def spec_of(kind: type[Spec], section: Section, **others: Any) -> Spec:
    """Return what an engine takes of a section: its fields are keys, with ``_ns`` behind times.

    A key that is left out has the default of its field; ``others`` are those of other names.
    """
    values, maker = vars(section), cast("Any", kind)
    keys = {one.name: one.name.removesuffix("_ns") for one in fields(maker)}
    same = {name: values[key] for name, key in keys.items() if values.get(key) is not None}
    made: Spec = maker(**same | others)
    return made


def has_cpu(parts: Mapping[str, object]) -> bool:
    """Return whether one of some parts, typed or plain, is a cpu."""
    values = (
        one if isinstance(one, dict) else getattr(one, "__dict__", {}) for one in parts.values()
    )
    return any(one.get("kind") == CPU for one in values)
