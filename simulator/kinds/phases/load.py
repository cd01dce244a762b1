"""Loading batches of samples, as programs that train a model do: threads read ahead.

Each process has reader threads of its own. Thread h reads batches h, h + readers, ... whole, and is
``prefetch`` batches ahead at most; the process takes the batches in order, and computes on each.
That is the loader of PyTorch (``num_workers``, ``prefetch_factor``), which benchmarks of storage
for training emulate (DLIO, MLPerf Storage).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Drawn, Faults, OnMachine, Phase, Spot, not_written
from simulator.config.quantities import Count, CountOrNone, Flag, Name, Percent, Size, Time
from simulator.config.section import Called, default
from simulator.config.workload_file import Job
from simulator.kinds.dice import LEFT_OUT, Dice
from simulator.mixing import mix
from simulator.plan import codes
from simulator.plan.jobs import PhasePlan
from simulator.units import format_size

MOST_READERS = 1024
MOST_SAMPLES = 1 << 24
"""Of all processes of a job: each is an operation of the plan."""
SAMPLE_BYTES, OPENS_BYTES = 90, 45
"""Memory of a sample in a plan as measured, and of opening and closing it."""
MOST_BYTES = 5 * 10**8
"""Memory of all samples above which it is told."""
READERS = 1

SampleOrder = Annotated[Literal["random", "sequential"], Called("sample-order")]


class Load(Phase):
    """Load batches of samples: reader threads read ahead, the process computes on each batch."""

    rank = 12
    computes = True
    timed = "time"
    threads = "readers"
    later = Phase.later | {"spread", "opens"}

    do: Literal["load"]
    """What it does."""
    file: Name
    """The samples, one behind the other; a file that is shared has those of all processes."""
    record: Size
    """Bytes of a sample."""
    spread: Percent | None = None
    """Standard deviation of the sizes of samples (normal, none above twice the mean), as a
    percentage of the mean; all are equal if left out."""
    batch: Count = default(1, "neutral: each sample by itself")
    """Samples of a batch."""
    batches: Count
    """Batches that each process takes."""
    time: Time
    """Computing on a batch."""
    readers: CountOrNone = default(READERS, "neutral: one thread reads while the process computes")
    """Threads of each process that read ahead; 0: it reads itself."""
    prefetch: Count = default(2, "PyTorch's prefetch_factor")
    """Batches that each of them has read, or is reading, before they are taken."""
    order: SampleOrder = default("random", "what programs that train do")
    """Samples of all processes in an order that is drawn anew when all have been read, or one after
    the other."""
    opens: Flag = default(False, "neutral: samples are in one file")
    """Each sample is a file of its own, opened and closed."""
    path: Name | None = None
    """As in the job, for this phase only."""

    @property
    def helpers(self) -> int:
        """Return how many processes of its own each process has beside it."""
        return self.readers

    # -- checks -----------------------------------------------------------------------------------

    @property
    def draws(self) -> bool:
        """Whether its order is drawn."""
        return self.order == "random"

    def faults(self, spot: Spot) -> Faults:
        """Find files without samples, and more than can be listed."""
        job, file = spot.job, spot.file(self.file)
        if not (file.exists or spot.written(self.file)):
            yield ("file",), not_written(self.file)
        if self.record > file.size:
            about = f"{format_size(self.record)} is more than the file of {format_size(file.size)}"
            yield ("record",), f"{about} has; write less"
        if self.readers > MOST_READERS:
            yield ("readers",), f"{self.readers:,} threads; write at most {MOST_READERS}"
        elif (samples := self.batches * self.batch * job.ranks) > MOST_SAMPLES:
            about = f"{samples:,} samples of all processes, which are listed before the run"
            yield ("batches",), f"{about}; write fewer: at most {MOST_SAMPLES:,} samples"
        if self.readers == 0 and "prefetch" in self.given:
            yield ("prefetch",), "has no effect without readers; leave it out, or write some"
        if file.layout is not None:
            about = f"loads no file with a layout, and files.{self.file} has one"
            yield ("file",), f"{about}; leave the layout out"

    def doubts(self, spot: OnMachine) -> Faults:
        """Find samples whose list takes much memory."""
        samples = self.batches * self.batch * spot.job.ranks
        size = samples * (SAMPLE_BYTES + self.opens * OPENS_BYTES)
        if size > MOST_BYTES:
            about = f"{samples:,} samples of all processes are listed before a run, in some"
            about = f"{about} {size / 1e9:.1f} GB of memory, of each of several runs at a time"
            yield ("batches",), f"{about}; write fewer: what part of an epoch tells"

    @classmethod
    def faults_of(cls, job: Job) -> Faults:
        """Find threads that would start again."""
        once = job.repeat == 1 and job.until is None and job.arrivals is None
        for at, phase in job.every_phase():
            if isinstance(phase, cls) and phase.readers and (not once or "phases" in at[1:]):
                about = "starts its threads once; write more 'batches', and leave out 'repeat'"
                yield (*at, "readers"), f"{about}, 'until', 'arrivals' and loops"

    def misfits(self, spot: OnMachine) -> Faults:
        """Find processes whose data are on several nodes."""
        if spot.job.nodes > 1:
            yield ("do",), "is not for processes whose data are on several nodes; write 'nodes: 1'"

    # -- operations -------------------------------------------------------------------------------

    def lower(self, process: ProcessBuilder) -> None:
        """Add taking the batches in turn; without readers, reading them."""
        process.finish()
        into = process.whole.operations
        if not self.readers:
            samples = self._samples(process)
            for number in range(self.batches):
                self._read(process, samples, number)
                process.append(PhasePlan(kind=codes.COMPUTE, compute_ns=self.time))
            return
        threads = [process.helper(number) for number in range(self.readers)]
        ready = [self._channel(process, number, "ready") for number in range(self.readers)]
        wanted = [self._channel(process, number, "wanted") for number in range(self.readers)]
        for number, thread in enumerate(threads):
            process.add(codes.SEND, offset=wanted[number], count=self.prefetch)
            process.add(codes.START, offset=thread)
        for number in range(self.batches):
            gap = self.time if number else 0
            into.add(codes.RECEIVE, offset=ready[number % self.readers], gap=gap)
            process.add(codes.SEND, offset=wanted[number % self.readers])
        process.append(PhasePlan(kind=codes.COMPUTE, compute_ns=self.time))

    def carry_out(self, process: ProcessBuilder, number: int = 0) -> PhasePlan:
        """Return what a reader thread does: it waits until a batch is wanted, and reads it."""
        ready = self._channel(process, number, "ready")
        wanted = self._channel(process, number, "wanted")
        samples = self._samples(process)
        for batch in range(number, self.batches, self.readers):
            process.add(codes.RECEIVE, offset=wanted)
            self._read(process, samples, batch)
            process.add(codes.SEND, offset=ready)
        process.finish()
        if not process.phases:  # More threads than batches.
            process.append(PhasePlan(kind=codes.COMPUTE))
        return process.phases[-1]

    def _channel(self, process: ProcessBuilder, number: int, what: str) -> int:
        """Return the channel on which a thread and its process count batches; messages are free."""
        caller, thread = process.first + process.rank, process.helper(number)
        ends = (thread, caller) if what == "ready" else (caller, thread)
        return process.whole.counter_of((caller, process.label, number, what), *ends)

    def _samples(self, process: ProcessBuilder) -> Samples:
        """Return the samples that a process reads."""
        whole = process.whole
        file = whole.workload.files[self.file]
        return Samples(
            file=process.file(self.file, path=self.path),
            size=file.size,
            record=self.record,
            spread=self.spread or 0.0,
            step=process.ranks if file.shared else 1,
            rank=process.rank if file.shared else 0,
            drawn=self.order == "random",
            key=whole.key(f"{process.job.name}/{process.label}/samples"),
        )

    def _read(self, process: ProcessBuilder, samples: Samples, batch: int) -> None:
        """Add the reads of a batch."""
        file, threads = samples.file, max(1, self.readers)
        if not self.opens and batch < threads:
            process.add(codes.OPEN, file)
        for offset, size in samples.of_batch(batch, self.batch):
            if self.opens:
                process.add(codes.OPEN, file)
            process.add(codes.READ, file, offset, size)
            if self.opens:
                process.add(codes.CLOSE, file)
        if not self.opens and batch + threads >= self.batches:
            process.add(codes.CLOSE, file)

    # -- random draws, for tests ------------------------------------------------------------------

    @classmethod
    def drawn_keys(cls, dice: Dice) -> Drawn:
        """Draw few batches of small samples."""
        readers = dice.some(LEFT_OUT, 0, 1, 2, 5)
        prefetch = LEFT_OUT if readers == 0 else dice.some(LEFT_OUT, 1, 3)
        sizes = {"record": dice.some("4 kB", "10 kB"), "spread": dice.some(LEFT_OUT, "40 %")}
        batches = {"batch": dice.int(1, 3), "batches": dice.int(1, 6)}
        return {**sizes, **batches, "readers": readers, "prefetch": prefetch, "time": "20 us"}


@dataclass
class Samples:
    """The samples of a file, as one process reads them."""

    file: int
    size: int
    """Bytes of the file."""
    record: int
    spread: float
    step: int
    """Processes that share them,"""
    rank: int
    """and which of these it is."""
    drawn: bool
    key: int

    def of_batch(self, batch: int, many: int) -> Iterator[tuple[int, int]]:
        """Yield the offset and the size of each sample of a batch."""
        record, size, spread = self.record, self.size, self.spread
        count = size // record
        first = (batch * self.step + self.rank) * many
        for number in range(first, first + many):
            epoch, place = divmod(number, count)
            sample = shuffle(count, mix(self.key, epoch))(place) if self.drawn else place
            offset = sample * record
            length = record if not spread else drawn_size(record, spread, mix(self.key, ~sample))
            yield offset, min(length, size - offset)


@lru_cache(maxsize=64)
def shuffle(count: int, key: int) -> Callable[[int], int]:
    """Return an order that is drawn: which of ``count`` things is at a place.

    Products with odd numbers and shifts permute all numbers of some bits; one that is too large is
    permuted again, which ends within the count at last.

    >>> [shuffle(10, 7)(place) for place in range(10)]
    [6, 9, 0, 5, 3, 1, 8, 7, 4, 2]
    """
    bits = max(1, (count - 1).bit_length())
    mask, shift = (1 << bits) - 1, bits // 2 + 1
    first, second, more = (mix(key, number) for number in (1, 2, 3))

    def at(place: int) -> int:
        while True:
            place = (place * (first | 1) + more) & mask
            place ^= place >> shift
            place = place * (second | 1) & mask
            place ^= place >> shift
            if place < count:
                return place

    return at


def drawn_size(mean: int, spread: float, draw: int) -> int:
    """Return a size that is drawn: normal, from one byte to twice the mean.

    >>> [drawn_size(1000, 0.1, draw << 62) for draw in (1, 2, 3)]
    [933, 1000, 1067]
    """
    from statistics import NormalDist

    value = NormalDist(mean, mean * spread).inv_cdf(((draw >> 11) + 0.5) / (1 << 53))
    return max(1, min(round(value), 2 * mean))
