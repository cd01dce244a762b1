"""Random programs of a few ranks, and the counters that Darshan keeps of them, call by call."""

from collections import Counter
from itertools import pairwise

import numpy as np

from simulator.traces.sampled.counts import BINS, TOPS, Streams


def program(random, ranks):
    """Return the calls of each rank on one file: (write, offset, size)."""
    style = random.choice(["segments", "strided", "random", "back", "log"])
    way = random.choice(["read", "write", "both"])
    sizes = random.choice([64, 100, 101, 4096, 65536, 1 << 20], random.integers(1, 4)).tolist()
    calls, made = int(random.integers(1, 30)), []
    for rank in range(ranks):
        offset, mine = (rank * calls * max(sizes) if style == "segments" else rank * sizes[0]), []
        for _ in range(calls):
            size = int(random.choice(sizes))
            if style == "random":
                offset = int(random.integers(0, 1000)) * 512
            elif style == "back" and mine and random.random() < 0.3:
                offset = int(random.integers(0, offset + 1))
            write = way == "write" or (way == "both" and bool(random.random() < 0.4))
            mine.append((write, offset, size))
            offset += size * (ranks if style == "strided" else 1)
            offset += int(random.integers(0, 9)) * 128 if style == "log" else 0
        made.append(mine)
    return made


def counted(calls_of_ranks, alignment):
    """Count the calls as darshan-posix.c does, one after the other."""
    counts, sizes, strides, most = Counter(), Counter(), Counter(), {}
    for calls in calls_of_ranks:
        last = {"READ": 0, "WRITE": 0}
        for write, offset, size in calls:
            way, past = ("WRITE", "WRITTEN") if write else ("READ", "READ")
            counts[f"{way}S"] += 1
            counts[f"BYTES_{past}"] += size
            counts[f"SEQ_{way}S"] += offset > last[way]
            counts[f"CONSEC_{way}S"] += offset == last[way] + 1
            if offset > last[way] and last[way] and offset > last[way] + 1:
                strides[offset - last[way] - 1] += 1
            counts["FILE_NOT_ALIGNED"] += bool(offset % alignment)
            name = next((b for b, top in zip(BINS, TOPS, strict=False) if size <= top), BINS[-1])
            counts[f"SIZE_{way}_{name}"] += 1
            sizes[size] += 1
            most[f"MAX_BYTE_{past}"] = max(most.get(f"MAX_BYTE_{past}", 0), offset + size - 1)
            last[way] = offset + size - 1
        counts["RW_SWITCHES"] += sum(a[0] != b[0] for a, b in pairwise(calls))
    counts["FILE_ALIGNMENT"] = alignment
    for what, many in (("ACCESS", sizes), ("STRIDE", strides)):
        for number, (value, count) in enumerate(many.most_common(4), 1):
            counts[f"{what}{number}_{what}"], counts[f"{what}{number}_COUNT"] = value, count
    return {name: value for name, value in (counts | Counter(most)).items() if value}


def streams(calls_of_ranks):
    """Return the calls as streams."""
    rows = [(rank, *call) for rank, calls in enumerate(calls_of_ranks) for call in calls]
    return Streams(*map(np.array, zip(*rows, strict=True)))


def each(streams):
    """Return the streams of each rank."""
    columns = [np.split(getattr(streams, name), streams.first[1:]) for name in Streams.__slots__]
    return [Streams(*parts) for parts in zip(*columns, strict=True)]
