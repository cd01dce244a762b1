"""Plans by hand: a machine that a person can calculate with, and machines drawn at random.

On the machine of ``machine()`` every part has another round number of ns for a byte and
another overhead, so that a wrong part in a sum shows. All rates are 1e9 over a whole number.
"""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from simulator.engine.plan import (
    ChannelPlan,
    FilePlan,
    JobPlan,
    LanPlan,
    MachinePlan,
    NoisePlan,
    PhasePlan,
    Plan,
    VolumeGroup,
)
from simulator.machine.disk import DiskSpec
from simulator.machine.pe import PeSpec
from simulator.machine.ssu import SsuSpec
from simulator.machine.station import ServiceSpec
from simulator.machine.volumes import VolumeFile
from simulator.runtime.fortran import POLICIES, FixedLengths, Lengths, ListedLengths
from simulator.runtime.listed import CLOSE, OPEN, PASS, PAUSE, WAIT, CallTable
from simulator.runtime.records import MARK, READ, SEEK, WRITE

if TYPE_CHECKING:
    from collections.abc import Sequence

UNIT = 100
TRIGGERS = ("mark", "eager", "close", "rewrite")


def per_byte(ns: float, overhead_ns: int = 0) -> ServiceSpec:
    """A service of ``ns`` for a byte; 0 for one that only has an overhead."""
    return ServiceSpec(1e9 / ns if ns else math.inf, overhead_ns)


PE = PeSpec(copy_rate=1e9, record_overhead_ns=10, call_overhead_ns=100, turn_overhead_ns=1000)
PORT = per_byte(2, 5)
READ_CHANNEL = per_byte(3, 20)
WRITE_CHANNEL = per_byte(4, 30)
PATH = per_byte(6, 40)
DISK = DiskSpec(rate=1e9 / 8, overhead_ns=50, seek_ns=700, turn_ns=600)
POSITIONING = 700 + 600 // 2
LINK = per_byte(10, 200)
SERVER = per_byte(0, 400)


def ssu(
    slots: int = 4, *triggers: str, share: int | None = None, release: str = "none", **changes: Any
) -> SsuSpec:
    """An SSU of ``slots`` units of 100 B; ``share`` in units, no limit unless given."""
    spec = SsuSpec(
        capacity=slots * UNIT,
        unit=UNIT,
        share=(slots if share is None else share) * UNIT,
        release=release,  # type: ignore[arg-type]
        triggers=frozenset(triggers),  # type: ignore[arg-type]
        workers=1,
        high_mark=1.0,
        low_mark=1.0,
    )
    return replace(spec, **changes)


def machine(**changes: Any) -> MachinePlan:
    """The machine to calculate with: one of everything, and an SSU of four units."""
    plan = MachinePlan(
        name="by-hand",
        pes=64,
        pe=PE,
        port=PORT,
        ssu=ssu(),
        channels=ChannelPlan(count=1, read=READ_CHANNEL, write=WRITE_CHANNEL),
        lan=LanPlan(link=LINK, fair=False, rpc_size=60, server=SERVER),
        paths=1,
        path=PATH,
        volumes=(VolumeGroup(name="disk", count=1, spec=DISK),),
    )
    return replace(plan, **changes)


def a_file(length: int = 0, *, size: int | None = None, **changes: Any) -> FilePlan:
    """A file of ``length`` bytes on volume 0, not striped."""
    where = VolumeFile(volumes=0, stripes=1, base=0, first=0)
    whole = length if size is None else size
    return replace(FilePlan(name="f", length=length, size=whole, where=where), **changes)


def records(*lengths: int) -> ListedLengths:
    """Records of so many bytes of user data."""
    return ListedLengths(lengths)


def extent(lengths: Lengths) -> int:
    """Bytes in the file of such records, their lengths included."""
    return sum(lengths.length(i) + 2 * MARK for i in range(lengths.count))


def phase(work: str, *lengths: int, file: int = 0, **changes: Any) -> PhasePlan:
    """Read or write records with a buffer that holds them all."""
    return replace(
        PhasePlan(work=work, file=file, lengths=records(*lengths), buffer=10_000),  # type: ignore[arg-type]
        **changes,
    )


def compute(ns: int) -> PhasePlan:
    return PhasePlan(work="compute", compute_ns=ns)


def job(*phases: PhasePlan, **changes: Any) -> JobPlan:
    """A job of one PE that starts at 0."""
    plan = JobPlan(name="job", first_pe=0, pes=1, start_ns=0, repeat=1, phases=phases)
    return replace(plan, **changes)


def plan(*jobs: JobPlan, files: Sequence[FilePlan] = (), **changes: Any) -> Plan:
    """Jobs on the machine to calculate with; ``changes`` are the machine's.

    PEs are dealt out in the order of the jobs, and jobs of one name are numbered.
    """
    placed, pe = [], 0
    for number, one in enumerate(jobs):
        name = one.name if len(jobs) == 1 else f"{one.name}{number}"
        placed.append(replace(one, name=name, first_pe=pe))
        pe += one.pes
    return Plan(machine=machine(**changes), files=tuple(files), jobs=tuple(placed))


# -- at random ------------------------------------------------------------------------------


class Draw:
    """Draws of a plan: a thin cover of a Random, real or Hypothesis's own."""

    def __init__(self, rng: Random, *, exact: bool = False, listed: int = 0) -> None:
        self.rng = rng
        self.exact = exact
        """Only whole ns for a byte and even times: nothing is ever rounded."""
        self.listed = listed
        """Percent of the jobs that have listed calls as well."""
        self.calls = CallTable()

    def int(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def some(self, *choices: Any) -> Any:
        return choices[self.rng.randint(0, len(choices) - 1)]

    def maybe(self, percent: int = 50) -> bool:
        return self.rng.randint(1, 100) <= percent

    def service(self) -> ServiceSpec:
        if self.maybe(5):
            return per_byte(0, self.some(0, 8))
        ns = self.some(1, 2, 3, 5, 8, 20)
        if not self.exact and self.maybe():
            ns *= self.some(0.3, 0.77, 1.13)
        return per_byte(ns, self.some(0, 2, 10, 50, 300))

    def disk(self) -> DiskSpec:
        far = self.maybe(20) and not self.exact
        return DiskSpec(
            rate=1e9 / self.some(2, 6, 10, 40),
            overhead_ns=self.some(0, 20),
            seek_ns=self.some(0, 100, 500),
            turn_ns=self.some(0, 60),
            mount_ns=self.some(0, 0, 0, 2000),
            capacity=10_000 if far else 0,
            track_seek_ns=10 if far else 0,
            full_seek_ns=700 if far else 0,
            rotation_drawn=self.maybe(20) and not self.exact,
        )

    def ssu(self, slots: int | None = None) -> SsuSpec:
        unit = self.some(8, 32, 100, 256)
        count = self.int(1, 6) if slots is None else slots
        high = self.int(0, 10)
        return SsuSpec(
            capacity=count * unit,
            unit=unit,
            share=self.int(1, count + 1) * unit,
            release=self.some("none", "whole", "full"),
            triggers=frozenset(name for name in TRIGGERS if self.maybe()),  # type: ignore[arg-type]
            workers=self.int(1, 4),
            high_mark=high / 10,
            low_mark=self.int(0, high) / 10,
        )

    def machine(self) -> MachinePlan:
        call = self.some(0, 10, 100)
        lan = LanPlan(
            link=self.service(),
            fair=self.maybe() and not self.exact,
            rpc_size=self.some(16, 100, 1000),
            server=self.service(),
        )
        groups = [
            VolumeGroup(name=name, count=self.int(1, 4), spec=self.disk())
            for name in "abc"[: self.int(1, 3)]
        ]
        return MachinePlan(
            name="random",
            pes=200,
            pe=PeSpec(1e9 / self.some(1, 2, 4), self.some(0, 6), call, self.some(0, 200)),
            port=self.service(),
            ssu=self.ssu(),
            channels=self.channels(),
            lan=lan,
            paths=self.int(1, 4),
            path=self.service(),
            volumes=tuple(groups),
            noise={kind: self.noise() for kind in NOISY},
        )

    def channels(self) -> ChannelPlan:
        count = self.int(1, 3)
        read, write = self.service(), self.service()
        return ChannelPlan(count=count, read=read, write=write, ports=self.some(1, 1, count))

    def noise(self) -> NoisePlan:
        return NoisePlan(run_sd=self.some(0.0, 0.1), request_sd=self.some(0.0, 0.05, 0.3))

    def lengths(self) -> Lengths:
        if self.maybe(40):
            return FixedLengths(self.int(0, 150), self.int(0, 8), self.some(None, 7))
        return ListedLengths([self.int(0, 300) for _ in range(self.int(1, 5))])

    def phase(self, file: int) -> PhasePlan:
        """Read or write a file; files 0, 4, ... are printed to, 3, 7, ... are on NFS."""
        if self.maybe(10):
            return compute(self.some(0, 10, 1000))
        path = ("svio", "scfs", "scfs", "nfs")[file % 4]
        return PhasePlan(
            work="write" if path == "svio" else self.some("read", "write"),
            file=file,
            lengths=self.lengths(),
            buffer=self.some(1, 5, 30, 100, 256, 700),
            policy=self.some(*POLICIES),
            path=path,  # type: ignore[arg-type]
        )

    def job(self, number: int, first_pe: int, files: int) -> JobPlan:
        return JobPlan(
            name=f"job{number}",
            first_pe=first_pe,
            pes=self.some(1, 1, 1, 2, 3, 5),
            start_ns=self.some(0, 0, 100, 7_000),
            repeat=self.some(1, 1, 2),
            phases=tuple(self.phase(self.int(0, files - 1)) for _ in range(self.int(0, 3))),
        )

    def with_calls(self, job: JobPlan, files: int) -> JobPlan:
        """The job with a phase of listed calls; it may begin at a mark of an earlier job."""
        if files < 2 or not self.maybe(self.listed):
            return job
        marks = self.calls.marks
        first = len(self.calls)
        for _ in range(self.int(0, 12)):
            self.call(files, marks)
        phase = PhasePlan(work="calls", first_call=first, calls=len(self.calls) - first)
        born = self.int(0, marks - 1) if marks and self.maybe(30) else -1
        return replace(job, phases=(*job.phases, phase), pes=1, born=born)

    def call(self, files: int, marks: int) -> None:
        """One listed call; those of marks wait for jobs before this one, of number < ``marks``."""
        kind = self.some(
            SEEK, READ, READ, READ, WRITE, WRITE, WRITE, OPEN, CLOSE, PASS, WAIT, PAUSE
        )
        gap = self.some(0, 0, 10, 1000)
        if kind == WAIT and not marks:
            kind = PASS
        if kind == PASS:
            self.calls.add(PASS, offset=self.calls.marks, gap=gap)
            self.calls = replace(self.calls, marks=self.calls.marks + 1)
        elif kind == WAIT:
            self.calls.add(WAIT, offset=self.int(0, marks - 1), gap=gap)
        else:
            file = self.int(0, files - 1)
            file += file % 4 == 0
            file = min(file, files - 1) or 1
            file -= file % 4 == 0
            size = self.int(0, 1) if kind == CLOSE else self.some(0, 3, 40, 150, 700)
            self.calls.add(kind, file, self.int(0, 500), size, gap=gap)

    def reach(self, number: int) -> int:
        """How far listed calls go in a file."""
        ends = [
            self.calls.offset[i] + self.calls.size[i]
            for i, kind in enumerate(self.calls.kind)
            if self.calls.file[i] == number and kind in (READ, WRITE)
        ]
        return max(ends, default=0)

    def file(self, number: int, machine: MachinePlan, phases: Sequence[PhasePlan]) -> FilePlan:
        """A file as long as its readers need; one that nobody wrote before may be shorter."""
        used = [p for p in phases if p.file == number and p.lengths is not None]
        size = max((extent(p.lengths) for p in used if p.lengths), default=0)
        size = max(size, self.reach(number))
        needed = max((extent(p.lengths) for p in used if p.lengths and p.work == "read"), default=0)
        group = self.int(0, len(machine.volumes) - 1)
        cached = number % 4 in (1, 2)
        where = VolumeFile(
            volumes=group,
            stripes=self.some(1, 1, 2, 4, 7),
            base=number * 100_000,
            first=self.int(0, machine.volumes[group].count - 1),
        )
        length = self.int(needed, size)
        prestaged = cached and self.maybe()
        return FilePlan(
            name=f"file{number}",
            length=length,
            size=size,
            where=where,
            prestaged=prestaged,
            cached=cached,
            path="nfs" if number % 4 == 3 else "scfs",
        )

    def plan(self, most_jobs: int = 20, **changes: Any) -> Plan:
        """A machine and up to ``most_jobs`` jobs that share up to eight files."""
        parts = replace(self.machine(), **changes)
        count = self.int(1, 8)
        jobs: list[JobPlan] = []
        pe = 0
        for number in range(self.int(1, most_jobs)):
            job = self.with_calls(self.job(number, pe, count), count)
            if job.pes == 1 and pe and self.listed and self.maybe(20):
                job = replace(job, first_pe=self.int(0, pe - 1))
            jobs.append(job)
            pe = max(pe, job.first_pe + job.pes)
        phases = [one for job in jobs for one in job.phases]
        files = tuple(self.file(number, parts, phases) for number in range(count))
        return Plan(
            machine=parts,
            files=files,
            jobs=tuple(jobs),
            seed=self.int(0, 99),
            noisy=self.maybe(30) and not self.exact,
            calls=self.calls if self.listed else None,
        )


NOISY = ("pe", "crossbar", "ssu", "lan", "frontend", "storage")


def any_plan(seed: int) -> Plan:
    """The plan of a seed: few clients or many, in lockstep or not, with and without noise."""
    rng = Random(seed)
    draw = Draw(rng, exact=rng.random() < 0.3, listed=rng.choice((0, 0, 50)))
    most = draw.some(1, 2, 4, 4, 8, 8, 8, 8, 20, 20, 60, 200)
    plan = draw.plan(most, ssu=draw.ssu(draw.some(None, None, None, 40)))
    runs = draw.int(0, 3)
    plan = plan.with_run(draw.int(0, max(0, runs - 1)), runs)
    return replace(plan, noisy=draw.maybe(60))
