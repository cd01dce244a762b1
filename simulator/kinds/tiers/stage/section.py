"""A stage: parts that data stream through together, on one node or from one to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from simulator.config.errors import Path
from simulator.config.lowering.walk import Walk
from simulator.config.part import IN, OUT, READ, WRITE, Part
from simulator.config.quantities import Name, SmallSize
from simulator.config.section import FULL, Section
from simulator.config.tier import Step, Tier, WalkError
from simulator.plan.codes import STAGE
from simulator.plan.paths import Hold


class StageItem(Section):
    """A part in a stage; a plain name is the part."""

    shorthand = {"text": "part"}
    naming = {"part": "stage", "to": "group"}

    part: Name
    """The part."""
    to: Name | None = None
    """Of a network: the group of nodes that it leads to, where the next tiers do not tell."""


StageItems = Annotated[tuple[StageItem, ...], FULL]


class Stage(Tier):
    """Parts that data stream through, held at once; with a network of packets each by itself."""

    rank = 2
    twice = False
    shorthand = {"list": "stage"}

    stage: StageItems
    """The parts."""
    header: SmallSize | None = None
    """Bytes of each message beside its data: with it, requests and answers travel too."""

    def steps(self, at: Path) -> Iterator[Step]:
        """Return the stage."""
        yield stage_step(self.stage, self.header, (*at, "stage"))


def stage_step(items: Sequence[StageItem], header: int | None, at: Path) -> Step:
    """Return a step past parts together; with a header there is a message each way."""
    parts = [(item.part, item.to) for item in items]
    names = [part for part, _ in parts]
    return Step(names, lambda walk: add_stage(walk, parts, header or 0, at))


# -- on a walk ------------------------------------------------------------------------------------

Parts = Sequence[tuple[str, str | None]]
"""The parts of a stage, each with the group that it leads to if that is said."""
Holds = tuple[Hold, ...]
Pass = tuple[Holds, Holds]
"""What is passed on the way down, and on the way up."""
Hop = tuple[Pass, Pass]
"""The ports of one network where a request leaves, and where it arrives; none where a node has
none."""


def _at_once(hops: Sequence[Hop], others: Sequence[Pass]) -> Pass:
    """Return the parts of a stage that are held at once: those of networks first."""
    down = [hold for hop in hops for end, _ in hop for hold in end]
    up = [hold for hop in hops for _, end in reversed(hop) for hold in end]
    return (
        (*down, *(hold for one, _ in others for hold in one)),
        (*up, *(hold for _, one in others for hold in one)),
    )


def add_stage(walk: Walk, items: Parts, header: int, at: Path) -> None:
    """Add a stage of parts."""
    machine = walk.tables.machine
    parts = [(name, machine.parts[name]) for name, _ in items]
    if walk.io.is_device(parts, at):
        walk.reach(parts[0][0], at)
        return
    _refuse_together(parts, at)
    source = walk.here
    hops = _hops(walk, items, at)
    ports = [hold for hop in hops for end, _ in hop for hold in end]
    remote = len(ports) > 1 and (
        walk.places[ports[0].slot].group == walk.places[ports[-1].slot].group
    )
    others: list[Pass] = []
    for index, (name, part) in enumerate(parts):
        if not part.network:
            slot = walk.reach(name, (*at, index) if len(items) > 1 else at, source)
            ways = (READ, WRITE) if (name, slot) in walk.kept_on else (WRITE, READ)
            there, back = (walk.hold(name, slot, way) for way in ways)
            others.append(((there,), (back,)))
    packets = any(part.packets for _, part in parts)
    down, up = _one_by_one(walk, hops, others, source) if packets else _at_once(hops, others)
    if walk.dealt and (len(parts) > 1 or parts[0][1].stands_alone):
        name, part = parts[0]
        which = f"{len(parts)} parts" if len(parts) > 1 else f"{name}, which is {_what(part)}"
        about = f"pieces cannot be dealt out to {which}; write stages of one part each"
        raise WalkError(at, about)
    fields: dict[str, Any] = {
        "down": down,
        "up": up,
        "header": header or walk.header,
        "packets": packets,
        **walk.dealt,
    }
    walk.add(STAGE, remote_only=remote, **fields)


def _hops(walk: Walk, items: Parts, at: Path) -> list[Hop]:
    """Go where the networks of a stage lead; return their ports."""
    machine = walk.tables.machine
    beside = [name for name, _ in items if not machine.parts[name].network]
    hops = []
    for index, (name, to) in enumerate(items):
        where = (*at, index) if len(items) > 1 else at
        if machine.parts[name].network:
            if walk.dealt:
                about = f"{name} is a network, over which no pieces are dealt out"
                raise WalkError(where, f"{about}; write its stage before the pieces")
            begin = walk.here
            walk.hop(name, to, where, beside)
            out, home = (tuple(walk.port(name, begin, way)) for way in (OUT, IN))
            into, back = (tuple(walk.port(name, walk.here, way)) for way in (IN, OUT))
            hops.append(((out, home), (into, back)))
        elif to is not None:
            about = f"{name} is no network: it leads nowhere; write '{name}' alone"
            raise WalkError((*where, "to"), about)
    return hops


def _one_by_one(walk: Walk, hops: Sequence[Hop], others: Sequence[Pass], source: int) -> Pass:
    """Return the parts of a stage of packets, which a message passes where they are.

    Those of the sender's node, its port, what stands between the nodes (a switch), the receiver's
    port, those of the receiver's node. Parts of one place are passed as they are written on the
    way down, and backwards on the way up.
    """
    (first, second), *rest = hops
    (out, _), (into, _) = first, hops[-1][1]
    begin = out[0].slot if out else source
    end = into[0].slot if into else walk.here
    near: list[Pass] = []
    between: list[Pass] = []
    far: list[Pass] = []
    for one in others:
        inside = walk.around_all(one[0][0].slot)
        (near if begin in inside else far if end in inside else between).append(one)
    passed = [*near, first, *between, second, *(one for hop in rest for one in hop), *far]
    down = tuple(hold for one, _ in passed for hold in one)
    return down, tuple(hold for _, one in reversed(passed) for hold in reversed(one))


def _refuse_together(parts: Sequence[tuple[str, Part]], at: Path) -> None:
    """Refuse parts that cannot be held together in one stage."""
    for index, (name, part) in enumerate(parts):
        if name in [other for other, _ in parts[:index]]:
            raise WalkError((*at, index), f"{name} is in this stage twice; leave one out")
        if part.stands_alone and len(parts) > 1:
            about = f"{name} is {_what(part)}, and cannot be held together with others, since it is"
            about = f"{about} not known when a transfer ends; write it in a stage of its own"
            raise WalkError((*at, index), about)


def _what(part: Part) -> str:
    """Return what a part is that stands alone."""
    usual = {"all": "a core", "own": "an array", "queue": "a disk with a scheduler"}
    return usual.get(part.order, "shared")
