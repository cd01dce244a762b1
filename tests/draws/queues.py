"""Batch queues drawn at random: small ones, in which much happens at one time."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from simulator.kinds import names
from simulator.kinds.dice import Dice
from simulator.plan.errors import MOST
from simulator.plan.jobs import ChannelPlan, PhasePlan
from simulator.plan.plan import Plan
from simulator.plan.queues import BatchPlan, LimitPlan, PoolPlan, QueuePlan
from tests.engines.hand import Hand

LONG = (1 << 61, (1 << 61) - 1, (1 << 61) - 100)
"""Requested times beyond all that happens."""
USERS = ("ann", "ben", "cas")


class _Drawn:
    """The tables of a plan as they grow."""

    def __init__(self, seed: int, *, computing: bool) -> None:
        self.dice = Dice(Random(f"queues {seed}"))
        self.computing = computing
        self.deep = self.dice.maybe(40)
        """Many jobs wait, most of them for one node."""
        self.busy = 1 if self.deep else self.dice.some(1, 3, 10, 30)
        """About the time between two submissions."""
        self.hand = Hand(node=self.dice.some(1, 2, 3, 4, 5, 6, 8), server=2)
        self.ahead = 0
        if not computing:
            self._storage()

    def _storage(self) -> None:
        """Add what processes use of their own nodes, and of servers."""
        hand, dice = self.hand, self.dice
        hand.part("nic", "node", rate=1e9)
        hand.part("port", "node", rate=1e9)
        hand.part("disk", "server", rate=dice.some(1e9, 5e8), overhead_ns=dice.some(0, 3))
        hand.store("pages", "node", slots=6, workers=1, elastic=dice.maybe())
        hand.path("fs", [hand.kept("pages"), hand.stage("nic", "disk")])
        drain = hand.chain([hand.stage("nic", "disk")])
        hand.path("spool", [hand.stage("nic")], drain=drain)
        for name, path in (("f", "fs"), ("g", "fs"), ("h", "spool")):
            hand.file(name, path, 1000, lead=dice.int(0, 1), length=1000)
        out, into = hand.stage("nic", "port").down
        self.way = hand.chain([replace(hand.stage(), down=(out, replace(into, slot=1)))])

    def time(self) -> int:
        """Draw a time; many are equal."""
        time: int = self.dice.some(0, 1, 2, 5, 10, 10, 20, 20, 40, self.dice.int(1, 90))
        return time

    # -- processes --------------------------------------------------------------------------------

    def process(self, job: str, number: int, work: list[PhasePlan], **fields: object) -> int:
        """Add a process of a queue."""
        name = f"{job}.{number}"
        if self.dice.maybe(20):
            fields["repeat"] = self.dice.int(0 if self.computing else 1, 2)
        return self.hand.process(name, *work, job=job, queued=True, **fields)

    def phases(self, *, moves: bool = False) -> list[PhasePlan]:
        """Draw what a process does alone: computing, reads and writes."""
        dice, found = self.dice, []
        for _ in range(dice.some(0, 1, 1, 1, 2)):
            found.append(PhasePlan(compute_ns=self.time()))
            if not self.computing and dice.maybe(60 if moves else 40):
                rows = [
                    (dice.some("read", "write"), dice.some("f", "g"), dice.some(0, 50), 100)
                    for _ in range(dice.int(1, 3))
                ]
                found.append(self.hand.listed(*rows, *[("write", "h", 0, 30)] * dice.maybe(30)))
        return found

    def movers(self, job: str, what: str, count: int) -> tuple[int, int]:
        """Add processes that bring the data of a job, or take them away."""
        first = len(self.hand.processes)
        for number in range(count):
            work = self.phases(moves=True)
            group = self.dice.int(0, 1) if self.computing else 0
            node = self.dice.int(0, self.hand.groups[group].count - 1)
            self.process(f"{job}.{what}", number, work, group=group, node=node)
        return (first, count) if count else (0, 0)

    def of_job(self, job: str, nodes: int) -> tuple[int, int]:
        """Add the processes of a job."""
        first, dice, hand = len(self.hand.processes), self.dice, self.hand
        count = dice.some(1, 1, 1, 2, 3)
        meets = not self.computing and count > 1 and dice.maybe()
        if meets:
            hand.barriers.append(count)
            hand.channels.append(ChannelPlan(source=first, target=first + 1, top=self.way))
        for number in range(count):
            work, node = self.phases(), dice.int(0, nodes - 1)
            fields: dict[str, int] = {"node": node}
            if meets:
                send = {0: ("send", len(hand.channels) - 1, 0, 50)}
                receive = {1: ("receive", len(hand.channels) - 1)}
                rows = [(send | receive)[number]] if number < 2 else []
                work.append(hand.listed(*rows, ("barrier", len(hand.barriers) - 1)))
                self.hand.process(f"{job}.{number}", *work, job=job, queued=True, **fields)
                continue
            if not self.computing and dice.maybe(30):
                work.append(hand.stream("g", 60, 2, write=dice.maybe()))
                share = dice.int(1, nodes - node)
                fields |= {"nodes": share, "exchange": self.way if share > 1 else -1}
                work = [one for one in work if one.kind != hand.listed().kind or share == 1]
            if not self.computing and dice.maybe(30):
                fields["memory"] = dice.some(50, 200, 500)
            self.process(job, number, work, **fields)
        return first, count

    # -- the queue --------------------------------------------------------------------------------

    def pools(self) -> tuple[PoolPlan, ...]:
        """Draw the pools of the nodes."""
        dice, first, found = self.dice, 0, list[PoolPlan]()
        while left := self.hand.groups[0].count - first:
            count = dice.int(1, left) if len(found) < 2 else left
            found.append(PoolPlan(first=first, count=count, off=self.off()))
            first += count
        if dice.maybe(30):  # Those of the highest numbers are taken first.
            found.reverse()
        memory = 1 if dice.maybe() else 0
        return tuple(replace(one, memory=memory * (row + 1)) for row, one in enumerate(found))

    def off(self) -> tuple[tuple[int, int], ...]:
        """Draw when nodes are off."""
        dice, time, found = self.dice, 0, []
        if dice.maybe(60):
            return ()
        for _ in range(dice.int(1, 3)):
            begin = time + dice.some(0, 10, 20, dice.int(0, 200))
            time = begin + dice.some(1, 10, 30)
            found.append((begin, time))
            time += dice.int(1, 60)
        if dice.maybe(3):
            found[-1] = found[-1][0], MOST
        return tuple(found)

    def requested(self, runs: int) -> int:
        """Draw the time that a job asks for, which may be too short."""
        usual: int = max(1, runs + self.dice.some(0, 0, 0, 10, 30, 150, -5, -runs))
        return LONG[self.dice.int(0, 2)] if self.dice.maybe(5) else usual

    def job(self, number: int, time: int, pools: tuple[PoolPlan, ...], limits: int) -> BatchPlan:
        """Draw a job."""
        dice, name = self.dice, f"job{number}"
        pool = dice.int(0, len(pools) - 1) if dice.maybe(40) else 0
        most = sum(one.count for one in pools[pool:])
        nodes = dice.some(1, 1 + dice.few(most - 1), dice.int(1, most), most - most // 3)
        if self.deep and dice.maybe():
            nodes = 1
        parts = ["in", "out", "own"]
        if dice.maybe(20):
            parts.reverse()
        counts = {"in": dice.some(0, 0, 1, 2), "out": dice.some(0, 0, 0, 1, 2)}
        # One that starts before its data are ordered never gets them: the run is blocked.
        holds = dice.maybe(85 if self.ahead else 60)
        rows = {
            part: self.of_job(name, nodes)
            if part == "own"
            else self.movers(name, part, counts[part])
            for part in parts
        }
        first, count = rows["own"]
        mine = self.hand.processes[first : first + count]
        runs = max(sum(phase.compute_ns for phase in one.phases) * one.repeat for one in mine)
        return BatchPlan(
            name=name,
            submit_ns=time,
            nodes=nodes,
            requested_ns=self.requested(runs),
            first=first,
            count=count,
            pool=pool,
            user=dice.int(0, len(USERS) - 1),
            priority=dice.some(0, 0, 1, 2, 50, -3),
            limits=tuple(row for row in range(limits) if dice.maybe()),
            stage_in=rows["in"],
            stage_out=rows["out"],
            holds=holds,
        )

    def queue(self, name: str) -> QueuePlan:
        """Draw the queue of the group of nodes."""
        dice, pools = self.dice, self.pools()
        self.ahead = dice.some(0, 0, 1, 2)
        rows = [LimitPlan(jobs=dice.int(1, 3)), LimitPlan(nodes=sum(one.count for one in pools))]
        limits = dice.few(2)
        jobs, time = [], dice.some(0, 0, 7)
        for number in range(dice.int(8, 20) if self.deep else dice.int(1, 12)):
            jobs.append(self.job(number, time, pools, limits))
            time += dice.some(0, self.busy, dice.int(0, 2 * self.busy))
        if dice.maybe(30):
            dice.rng.shuffle(jobs)
        return QueuePlan(
            name=name,
            group=0,
            order=dice.some(*names("orders", "reference")),
            backfill=dice.some(*names("backfills", "reference")),
            aging_ns=dice.some(0, 1, 10),
            half_life_ns=dice.some(0, 1, 10, 50),
            ahead=self.ahead,
            pools=pools,
            limits=tuple(rows[:limits]),
            users=USERS,
            jobs=tuple(jobs),
        )


def drawn_queue_plan(seed: int, *, computing: bool = False) -> Plan:
    """Draw a plan with a queue; ``computing``: its processes only compute.

    In some a job can never start, or its data are never brought: the run is then blocked.
    """
    drawn = _Drawn(seed, computing=computing)
    queues = (drawn.queue("batch"),)
    if drawn.dice.maybe(30):
        drawn.hand.process("alone", PhasePlan(compute_ns=50), start_ns=5, job="alone")
    return drawn.hand.plan(queues=queues, seed=seed)
