"""The nodes of a batch queue: which are free, which job may have how many, and who has used them.

docs/composition.md, "Queues". Orders and backfills are kinds (``simulator/kinds/orders``,
``simulator/kinds/backfills``); they see a queue through a :class:`Look`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from simulator.plan.queues import BatchPlan, LimitPlan, PoolPlan, QueuePlan

Shares: TypeAlias = dict[int, int]
"""Pool -> number of its nodes, in the order in which they are taken."""


@dataclass(slots=True, eq=False)
class BatchJob:
    """A job of a queue; times are -1 until they have come."""

    row: int
    plan: BatchPlan
    key: tuple[int, int, int] = (0, 0, 0)
    """Its place among those that wait."""
    is_staged: bool = False
    """True once its data are being brought."""
    ready_ns: int = -1
    start_ns: int = -1
    end_ns: int = -1
    done_ns: int = -1
    shares: Shares = field(default_factory=dict)
    nodes: list[int] = field(default_factory=list)
    """Its nodes: members of the group."""

    @property
    def may_start(self) -> bool:
        """True if it need not wait for its data."""
        return not (self.plan.holds and self.plan.stage_in[1] and self.ready_ns < 0)

    def expected_end_ns(self, now: int) -> int:
        """Return when it is expected to end; one that runs longer than requested, any time now."""
        return max(self.start_ns + self.plan.requested_ns, now + 1)


class Pool:
    """Nodes of equal memory and hours.

    >>> from simulator.plan.queues import PoolPlan
    >>> pool = Pool(PoolPlan(first=4, count=3))
    >>> pool.take(2), pool.free
    ([4, 5], 1)
    >>> pool.give([4]); pool.take(2)
    [4, 6]
    """

    def __init__(self, plan: PoolPlan) -> None:
        self.plan = plan
        self._free = list(range(plan.first, plan.first + plan.count))
        """A heap."""
        heapify(self._free)

    @property
    def free(self) -> int:
        """Number of nodes without a job, on or off."""
        return len(self._free)

    def take(self, count: int) -> list[int]:
        """Take the free nodes with the lowest numbers."""
        return [heappop(self._free) for _ in range(count)]

    def give(self, nodes: Sequence[int]) -> None:
        """Give nodes back."""
        for node in nodes:
            heappush(self._free, node)


class Limit:
    """Running jobs, and their nodes, of those that count against a limit."""

    def __init__(self, plan: LimitPlan) -> None:
        self._plan = plan
        self._jobs = 0
        self._nodes = 0

    def admits(self, job: BatchPlan) -> bool:
        """Return whether one more job may run."""
        return self._jobs < self._plan.jobs and self._nodes + job.nodes <= self._plan.nodes

    def add(self, jobs: int, nodes: int) -> None:
        """Count a job that starts, or with negative numbers one that ends."""
        self._jobs += jobs
        self._nodes += nodes


class Usage:
    """Node-nanoseconds that each user has used.

    Those of ended jobs are halved at each multiple of the half-life.

    >>> usage = Usage(1, half_life_ns=100)
    >>> usage.begin(0, 2, now=50); usage.of(0, 60)
    20
    >>> usage.end(0, 2, begin=50, now=90); [usage.of(0, now) for now in (99, 100, 200, 300)]
    [80, 40, 20, 10]
    """

    def __init__(self, users: int, half_life_ns: int) -> None:
        self._half_life_ns = half_life_ns
        self._ended = [0] * users
        self._halvings = [0] * users
        """Number of those that were carried out."""
        self._nodes = [0] * users
        """Nodes in use."""
        self._begins = [0] * users
        """The sum of the times at which each of these was taken."""

    def of(self, user: int, now: int) -> int:
        """Return the usage of a user."""
        self._halve(user, now)
        return self._ended[user] + self._nodes[user] * now - self._begins[user]

    def begin(self, user: int, nodes: int, now: int) -> None:
        """Count nodes that a job takes."""
        self._nodes[user] += nodes
        self._begins[user] += nodes * now

    def end(self, user: int, nodes: int, begin: int, now: int) -> None:
        """Add the usage of a job that has had nodes from a time on."""
        self.begin(user, -nodes, begin)
        self._halve(user, now)
        self._ended[user] += nodes * (now - begin)

    def _halve(self, user: int, now: int) -> None:
        """Carry out the halvings that are due."""
        if self._half_life_ns:
            due = now // self._half_life_ns
            self._ended[user] >>= due - self._halvings[user]
            self._halvings[user] = due


class Order(ABC):
    """Which waiting job is first: the one with the least key; then the one submitted first."""

    moves = False
    """True if keys change while jobs wait."""

    def __init__(self, plan: QueuePlan, usage: Usage) -> None:
        self.plan = plan
        self.usage = usage

    @abstractmethod
    def key(self, job: BatchPlan, now: int) -> int:
        """Return the key of a job that waits."""


class Backfill(ABC):
    """Which jobs start, and so may pass others."""

    @abstractmethod
    def start(self, look: Look) -> None:
        """Start jobs of a queue that is looked through."""


class Look:
    """A queue that is looked through, at one time."""

    def __init__(
        self,
        now: int,
        waiting: list[BatchJob],
        nodes: Nodes,
        start: Callable[[BatchJob, Shares], None],
    ) -> None:
        """``waiting``: jobs in their order; ``start``: carries out the start of one."""
        self.now = now
        self.pools = nodes.pools
        self._waiting = waiting
        self._nodes = nodes
        self._start = start

    def candidates(self) -> Iterator[BatchJob]:
        """Yield the jobs that may start, in order.

        Those whose limits are reached at that moment are left out, and all if no node is free.
        """
        for job in self._waiting:
            if not self._nodes.free:
                return
            if job.may_start and self._nodes.admit(job.plan):
                yield job

    def cut(self) -> None:
        """Leave out the jobs behind the last that fits: none of them can start now."""
        while self._waiting and not self.fits(self._waiting[-1]):
            self._waiting.pop()

    def open_pools(self, job: BatchJob, time: int) -> list[int]:
        """Return the pools with the memory for a job that are on from a time on as it requests."""
        return self._nodes.open_pools(job.plan, time)

    def opening_times(self) -> list[int]:
        """Return the times later than now at which a pool goes on."""
        ends = (end for pool in self.pools for _, end in pool.plan.off)
        return [end for end in ends if end > self.now]

    def expected_ends(self) -> list[tuple[int, Shares]]:
        """Return when running jobs are expected to end, in order, and their nodes."""
        jobs = self._nodes.running
        ends = [(job.expected_end_ns(self.now), job.shares) for job in jobs.values()]
        return sorted(ends, key=lambda end: end[0])

    def shares(self, job: BatchJob) -> Shares:
        """Return the nodes of each pool that a job would take now, if it fits."""
        missing, shares = job.plan.nodes, Shares()
        for pool in self.open_pools(job, self.now):
            shares[pool] = min(missing, self.pools[pool].free)
            missing -= shares[pool]
            if not missing:
                break
        return shares

    def fits(self, job: BatchJob) -> bool:
        """Return whether there are nodes for a job now."""
        if job.plan.nodes > self._nodes.free:
            return False
        open_now = self.open_pools(job, self.now)
        return sum(self.pools[pool].free for pool in open_now) >= job.plan.nodes

    def start(self, job: BatchJob, shares: Shares | None = None) -> None:
        """Start a job, on so many nodes of each pool; by default of the first that are free."""
        self._start(job, self.shares(job) if shares is None else shares)


class Nodes:
    """All nodes of a queue, the jobs that run on them, and the limits of these."""

    def __init__(self, plan: QueuePlan) -> None:
        self.pools = [Pool(pool) for pool in plan.pools]
        self.free = plan.count
        """Number of all nodes without a job, on or off."""
        self._limits = [Limit(limit) for limit in plan.limits]
        self.usage = Usage(len(plan.users), plan.half_life_ns)
        self.running: dict[int, BatchJob] = {}
        """By their rows."""

    def admit(self, job: BatchPlan) -> bool:
        """Return whether the limits of a job let it start."""
        return all(self._limits[row].admits(job) for row in job.limits)

    def open_pools(self, job: BatchPlan, time: int) -> list[int]:
        """Return the pools for a job that are on from a time on as it requests."""
        plans = enumerate((pool.plan for pool in self.pools[job.pool :]), job.pool)
        length = job.requested_ns
        return [row for row, plan in plans if not plan.off or plan.is_open(time, length)]

    def start(self, job: BatchJob, shares: Shares, now: int) -> None:
        """Give a job its nodes."""
        plan = job.plan
        job.start_ns, job.shares = now, shares
        for pool, count in shares.items():
            job.nodes += self.pools[pool].take(count)
        self.running[job.row] = job
        self.free -= plan.nodes
        self.usage.begin(plan.user, plan.nodes, now)
        for row in plan.limits:
            self._limits[row].add(1, plan.nodes)

    def end(self, job: BatchJob, now: int) -> None:
        """Take the nodes of a job back."""
        plan, first = job.plan, 0
        job.end_ns = now
        for pool, count in job.shares.items():
            self.pools[pool].give(job.nodes[first : first + count])
            first += count
        del self.running[job.row]
        self.free += plan.nodes
        self.usage.end(plan.user, plan.nodes, job.start_ns, now)
        for row in plan.limits:
            self._limits[row].add(-1, -plan.nodes)
