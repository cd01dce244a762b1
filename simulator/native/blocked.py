"""What ends a run before its time: processes that wait for ever, and limits that are passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.plan.codes import BUFFERS, LOCKS, STORE
from simulator.plan.events import MOST_TIMES, OFTEN
from simulator.result.errors import LimitError, SimulationError

if TYPE_CHECKING:
    from simulator.native.flatten import Flat


def check_ended(flat: Flat) -> None:
    """Raise SimulationError naming the processes that wait for ever, and what for."""
    blocked = [
        f"{row.name} waits for {_waits_for(flat, number)}"
        for number, row in enumerate(flat.plan.processes)
        if flat.clients.process[number * flat.stride + c.X_ENDED] < 0
    ]
    if blocked:
        raise SimulationError(f"processes wait for ever: {'; '.join(blocked)}")


def check_limits(flat: Flat) -> None:
    """Raise LimitError if a time or a size has become larger than a run may have.

    Raise what a loop within an event has heard, such as KeyboardInterrupt.
    """
    for stopped in (flat.clock.stopped, flat.clients.streams.stopped):
        if stopped is not None:
            raise stopped
    what, by = flat.clock.over, flat.clock.over_by
    if what == c.OF_EVENT:
        raise LimitError(OFTEN, times=MOST_TIMES)
    if what >= 0:
        raise LimitError(_named(flat, what % c.OF_BYTES, by), size=what >= c.OF_BYTES)


def _named(flat: Flat, what: int, by: int) -> str:
    """The name of what has passed a limit."""
    plan = flat.plan
    if what == c.OF_PART:  # The rows of what writes parts stand behind those of parts.
        parts = len(plan.parts)
        return plan.parts[by // c.P_ROWS % (parts + 1)].label
    if what == c.OF_FILE:
        return plan.files[by].name
    if what == c.OF_ACTOR:
        return _actor(flat, by)
    rows = ((row, member) for row in plan.buffers for member in range(plan.groups[row.group].count))
    row, member = list(rows)[by // c.U_ROWS]
    return plan.instance_name(plan.parts[row.raid], member)


def _actor(flat: Flat, slot: int) -> str:
    """The name of a process, or of that whose request an actor carries out."""
    actor = flat.frames.actor
    while actor[slot * c.ACTOR + c.ROLE] == c.BRANCH:
        slot = actor[slot * c.ACTOR + c.PARENT_SLOT]
    if actor[slot * c.ACTOR + c.ROLE] == c.PROCESS:
        return flat.plan.processes[slot].name
    return "what a store does by itself"


def _waits_for(flat: Flat, number: int) -> str:
    """What a process waits for that has not ended."""
    actor = number * c.ACTOR
    at = flat.frames.actor[actor + c.TOP]
    if at >= flat.frames.actor[actor + c.BOTTOM]:
        return _request(flat, number)
    plan, x = flat.plan, number * flat.stride
    if flat.clients.process[x + c.X_PLACE] == c.AT_START:
        born = plan.processes[number].born
        return f"mark {born}" if born >= 0 else "another process to start it"
    if flat.clients.process[x + c.X_PLACE] == c.AT_ENDLESS:
        return "time to pass: its phases take none"
    row = flat.clients.process[x + c.X_ROW]
    kind, which = plan.operations.kind[row], plan.operations.offset[row]
    if kind == c.O_LOCK:
        return f"lock {which} (held by {_holder(flat, which)})"
    if kind == c.O_BARRIER:
        come = flat.clients.barrier[4 * which + c.K_COME]
        return f"barrier {which} ({come} of {plan.barriers[which]})"
    if kind == c.O_RECEIVE:
        source = plan.processes[plan.channels[which].source]
        return f"a message of {source.name} (channel {which})"
    return f"{plan.processes[which].name} to end" if kind == c.O_JOIN else f"mark {which}"


def _holder(flat: Flat, lock: int) -> str:
    """The process that holds a lock."""
    return flat.plan.processes[flat.clients.lock[4 * lock + c.K_HOLDER]].name


def _request(flat: Flat, slot: int) -> str:
    """What an actor's request waits for."""
    at = flat.frames.actor[slot * c.ACTOR + c.TOP]
    frame = flat.frames.frame
    if frame[at + c.STATE] == c.FORKED:
        return _branches(flat, slot)
    tier = flat.plan.tiers[frame[at + c.TIER] // c.T_ROWS]
    if tier.kind == STORE:
        return f"blocks of {flat.plan.stores[tier.row].name}"
    if tier.kind == LOCKS:
        return "locks of files"
    if tier.kind == BUFFERS:
        name = flat.plan.store_name(flat.plan.buffers[tier.row], frame[at + c.PLACES + tier.slot])
        return f"requests to merge with at {name}"
    names = [flat.plan.parts[hold.part].label for hold in (*tier.down, *tier.up)]
    return ", ".join(dict.fromkeys(names))


def _branches(flat: Flat, slot: int) -> str:
    """What the branches of an actor's request wait for, each once."""
    actor = flat.frames.actor
    rows = range(0, flat.frames.slots * c.ACTOR, c.ACTOR)
    own = [
        row // c.ACTOR
        for row in rows
        if actor[row + c.ACTIVE]
        and actor[row + c.ROLE] == c.BRANCH
        and actor[row + c.PARENT_SLOT] == slot
    ]
    own.sort(key=lambda one: flat.clock.alarm[one * c.ALARM + c.ALARM_NUMBER])
    return " and ".join(dict.fromkeys(_request(flat, one) for one in own))
