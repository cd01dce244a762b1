"""The scanner of logs of system calls, in C++ (scanner.cpp)."""

from typing import TypeAlias

from typing_extensions import Buffer

Texts: TypeAlias = tuple[int, Buffer | bytes, Buffer | bytes]
"""How many, where each ends (the first number is 0), and their bytes."""

class Scanner:
    """Makes tokens of blocks."""

    def __init__(
        self,
        calls: bytes,
        tokens: int,
        times: int = ...,
        deltas: bool = ...,
        base: int | None = ...,
        /,
    ) -> None: ...
    @property
    def at(self) -> int: ...
    @property
    def lines(self) -> int: ...
    @property
    def steps(self) -> int: ...
    def hold(self, block: bytearray, /) -> None: ...
    def release(self) -> None: ...
    def scan(self, start: int, stop: int, line: int, steps: int, /) -> int: ...
    def unread(self) -> list[int]: ...
    def check_cut(self) -> None: ...
    def line_of(self, token: int, /) -> tuple[int, int, int]: ...
    def forks(self) -> list[tuple[int, int, int]]: ...

class Follower:
    """Makes rows of tokens."""

    rows: int
    heads: int
    table_nodes: int
    asks: int
    damage: str
    damaged: int
    skipped: int
    table_lines: int
    unfinished: int
    clock: str | None
    torn_calls: int
    torn_ns: int
    within: int
    durations: int
    call_count: int
    numbers: int
    groups: int
    roots: int
    inherited_calls: int
    inherited_bytes: int
    append_calls: int
    append_bytes: int
    root_calls: int
    mapped_calls: int
    mapped_bytes: int
    ring_calls: int
    ring_submitted: int
    submit_calls: int
    submit_lost: int
    open_requests: int

    def __init__(self, calls: bytes, batch: int, lenient: bool, /) -> None: ...
    def begin(self, truss: bool, /) -> None: ...
    def begin_in(self, path: bytes, /) -> None: ...
    def follow(self, scanner: Scanner, first: int, /) -> int: ...
    def tell(self, pid: int, parent: int, /) -> None: ...
    def is_cloning(self, pid: int, /) -> bool: ...
    def add_steps(self, steps: int, /) -> None: ...
    def take_torn(self) -> int: ...
    def end_log(self) -> bool: ...
    def batch(
        self,
    ) -> tuple[int, dict[str, tuple[Buffer, Buffer | None]], dict[str, Texts]] | None: ...
    def words(self, column: str, known: int, /) -> Texts | None: ...
    def unread(self) -> list[tuple[str, int, int, int]]: ...
