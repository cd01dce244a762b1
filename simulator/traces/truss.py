"""Lines of truss (Solaris) as tokens, the same as those of strace.

The lines of one event begin with ``pid/lwp:`` (-f, -l), a time since the log's first line (-d), and
how long the call took (-E). A line is written when its call returns. What -v, -r and -w add stands
in lines of its own: sizes of files are taken from them, the rest is passed over.
"""

from __future__ import annotations

from array import array

from simulator.native.interpreted import cython
from simulator.traces.bytesearch import find_byte
from simulator.traces.codes import *
from simulator.traces.names import Names
from simulator.traces.text import Text

PASSED = 0
SECOND = 1_000_000_000
MOST_SECONDS = 4_000_000_000
MOST_PID, MOST_LWP = 1 << 30, 1 << 20
BASE_HEAD = b"Base time stamp:"
ERR_HEAD = b"Err#"
SLEEPING, WAITING = b"(sleeping", b"(waiting for child"
AS_CHILD, ARGC = b"(returning as child", b"argc = "
KILLED = b"*** process killed"
SIZE_FIELD = b" sz="
REGULAR = b" m=0100"


class TrussScanner:
    """Makes tokens of a block."""

    def __init__(self, names: Names, capacity: int) -> None:
        self.text = Text()
        self.names = names
        self.capacity = capacity
        self.tokens = array("q", [0]) * (capacity * WIDTH)
        self.at = 0
        self.stop = 0
        self.lines = 0
        self.holes = 0
        self.steps = 0
        self.pid = -1
        self.base = NULL
        self.numbers = 0
        self.deltas = 0
        """The last number of a line is the time since the line before (-D), no duration."""
        self.specs = array("q", [0])

    def begin(self, start: int, stop: int) -> None:
        """Look at the lines in [start, stop) of the text from now on."""
        self.at = start
        self.stop = stop
        self.lines = 0
        self.steps = 0
        self.holes = find_byte(self.text.bytes, 0, start, stop) < stop

    def scan(self) -> int:
        """Fill the tokens with the next lines; gives how many they are."""
        n = 0
        row = 0
        while self.at < self.stop and n < self.capacity:
            end = find_byte(self.text.bytes, 10, self.at, self.stop)
            kind = self.line(self.at, end, row)
            if kind:
                self.tokens[row + KIND] = kind
                self.tokens[row + NUMBER] = self.lines
                self.tokens[row + START] = self.at
                self.tokens[row + END] = end
                n += 1
                row += WIDTH
            self.lines += 1
            self.at = end + 1
        return n

    def bad(self, row: int, damage: int) -> int:
        """The line is damaged, and how."""
        self.tokens[row + VALUE] = damage
        return DAMAGED

    def line(self, i: int, end: int, row: int) -> int:
        """Read one line into a row of tokens; gives what it is."""
        if end > i and self.text.bytes[end - 1] == 13:
            end -= 1
        if i >= end or self.text.holds(BASE_HEAD, 16, i, end):
            return PASSED
        if self.holes and find_byte(self.text.bytes, 0, i, end) < end:
            return self.bad(row, HOLE)
        self.tokens[row + PID] = self.pid
        self.tokens[row + LWP] = 0
        self.tokens[row + TIME] = NULL
        self.tokens[row + CLOCK] = NO_CLOCK
        self.tokens[row + DURATION] = NULL
        self.tokens[row + OTHER] = 0
        i = self.who(i, end, row)
        if i < 0:
            return self.bad(row, -i)
        start = i
        i = self.times(i, end, row)
        if i == -1:
            return self.continued(start, end, row)
        if i < 0:
            return self.bad(row, UNREADABLE)
        if self.text.holds(KILLED, 18, i, end):
            return ENDED
        return self.call(i, end, row)

    def who(self, i: int, end: int, row: int) -> int:
        """Read ``123:``, ``123/4:`` or ``/4:``; gives what follows, or minus a kind of damage."""
        first = i
        i = self.after_blanks(i, end)
        k = i
        while k < end and 48 <= self.text.bytes[k] <= 57:
            k += 1
        if k >= end or self.text.bytes[k] not in {47, 58} or (k == i and self.text.bytes[k] == 58):
            return first
        self.tokens[row + PID] = 0
        if k > i:
            if self.text.number(i, k) != 1 or self.text.value > MOST_PID:
                return -TOO_LARGE
            self.tokens[row + PID] = self.text.value
        self.tokens[row + LWP] = 1
        if self.text.bytes[k] == 47:
            if self.text.number(k + 1, end) != 1 or not 0 < self.text.value < MOST_LWP:
                return -UNREADABLE
            self.tokens[row + LWP] = self.text.value
            k = self.text.at
        return k + 1 if k < end and self.text.bytes[k] == 58 else -UNREADABLE

    def times(self, i: int, end: int, row: int) -> int:
        """Read as many numbers as a line of this log has; -1 if there is none, -2 if fewer."""
        for k in range(self.numbers):
            wrong = -2 if k else -1
            i = self.after_blanks(i, end)
            if i >= end or not 48 <= self.text.bytes[i] <= 57 or self.text.number(i, end) != 1:
                return wrong
            value = self.text.value
            i = self.text.at
            if i >= end or self.text.bytes[i] != 46 or value > MOST_SECONDS:
                return wrong
            fraction = self.text.nanoseconds(i + 1, end)
            i = self.text.at
            if fraction < 0 or i >= end or self.text.bytes[i] not in {32, 9}:
                return -2
            value = value * SECOND + fraction
            if k == 0 and self.base != NULL:
                self.tokens[row + TIME] = self.base + value
                self.tokens[row + CLOCK] = EPOCH
            elif k == self.numbers - 1 and not self.deltas:
                self.tokens[row + DURATION] = value
        return self.after_blanks(i, end)

    def after_blanks(self, i: int, end: int) -> int:
        """Return where something other than blanks and tabs begins."""
        while i < end and self.text.bytes[i] in {32, 9}:
            i += 1
        return i

    def is_of_name(self, c: int) -> int:
        """Say whether a character may be of the name of a call."""
        return 97 <= c <= 122 or c == 95 or 48 <= c <= 57 or 65 <= c <= 90

    def call(self, i: int, end: int, row: int) -> int:
        """Read ``name(arguments) = result``; what has another form is passed over."""
        start = i
        while i < end and self.is_of_name(self.text.bytes[i]):
            i += 1
        if i - start < 2 or i >= end or self.text.bytes[i] != 40:
            if not self.numbers or self.text.bytes[start - 1] == 32:
                return self.continued(start, end, row)
            return self.bad(row, UNREADABLE)
        self.tokens[row + NAME] = start
        self.tokens[row + NAME_END] = i
        self.tokens[row + WHICH] = self.names.find(self.text, start, i)
        i += 1
        self.tokens[row + ARGS] = i
        close = self.split(i, end, self.moves(self.tokens[row + WHICH]))
        if close < 0:
            return self.bad(row, UNREADABLE)
        self.tokens[row + ARGS_END] = close
        self.tokens[row + COUNT] = self.text.count
        for k in range(MOST_ARGS):
            self.tokens[row + ARG + k] = self.text.arg[k]
        return self.result(self.after_blanks(close + 1, end), end, row)

    def moves(self, call: int) -> int:
        """Say whether a call shows the bytes that it moves."""
        return call >= 0 and self.specs[call * SPECS + MOVING] > 0

    def split(self, i: int, end: int, moves: int) -> int:
        """Find the arguments from ``i`` on; gives where the closing ``)`` is, or -1."""
        depth = n = 0
        i = self.after_blanks(i, end)
        start = i
        self.text.arg[0] = i
        while i < end:
            c = self.text.bytes[i]
            i += 1
            if c == 34:
                i = self.after_shown_bytes(i, end) if moves else self.after_name(i, end)
            elif c in {40, 91, 123}:
                depth += 1
            elif c == 44 and depth == 0:
                n += 1
                i = self.after_blanks(i, end)
                if n < MOST_ARGS:
                    self.text.arg[n] = i
            elif c in {41, 93, 125}:
                depth -= 1
                if depth < 0:
                    self.text.count = n + 1 if i - 1 > start else 0
                    return i - 1 if c == 41 else -1
        return -1

    def after_shown_bytes(self, i: int, end: int) -> int:
        """Return what follows the bytes shown from ``i`` on: two characters each, then a mark."""
        while i < end and self.text.bytes[i] != 34:
            i += 2
        return i + 1

    def after_name(self, i: int, end: int) -> int:
        """Return what follows the closing quotation mark of a name, which no backslash precedes."""
        while i < end and (self.text.bytes[i] != 34 or self.text.bytes[i - 1] == 92):
            i += 1
        return i + 1

    def result(self, i: int, end: int, row: int) -> int:
        """Read what follows the closing bracket of a call."""
        self.tokens[row + RESULT] = NOTHING
        self.tokens[row + VALUE_AT] = i
        if i >= end:
            return CALL
        if self.text.holds(SLEEPING, 9, i, end) or self.text.holds(WAITING, 18, i, end):
            return UNFINISHED
        if self.text.holds(AS_CHILD, 19, i, end):
            i = find_byte(self.text.bytes, 61, i, end)
            if self.text.number(self.after_blanks(i + 1, end), end) != 1:
                return self.bad(row, UNREADABLE)
            self.tokens[row + OTHER] = self.text.value
            return CHILD
        if self.text.holds(ERR_HEAD, 4, i, end):
            return self.error(i + 4, end, row)
        if self.text.holds(ARGC, 7, i, end):
            self.tokens[row + RESULT] = A_NUMBER
            self.tokens[row + VALUE] = 0
            return CALL
        if self.text.bytes[i] != 61:
            return self.bad(row, UNREADABLE)
        i = self.after_blanks(i + 1, end)
        found = self.text.number(i, end)
        if found < 1:
            return self.bad(row, TOO_LARGE if found else UNREADABLE)
        self.tokens[row + RESULT] = A_NUMBER
        self.tokens[row + VALUE] = self.text.value
        self.tokens[row + VALUE_AT] = i
        i = self.after_blanks(self.text.at, end)
        if i < end and self.text.bytes[i] == 91:  # a second number, as of pipe
            value = self.tokens[row + VALUE]
            if self.text.number(self.after_blanks(i + 1, end), end) == 1:
                self.tokens[row + OTHER] = self.text.value
            self.tokens[row + VALUE] = value
        elif i < end:
            return self.bad(row, UNREADABLE)
        return CALL

    def error(self, i: int, end: int, row: int) -> int:
        """Read ``2 ENOENT`` after ``Err#``."""
        while i < end and 48 <= self.text.bytes[i] <= 57:
            i += 1
        i = self.after_blanks(i, end)
        self.tokens[row + RESULT] = AN_ERROR
        self.tokens[row + VALUE] = -1
        self.tokens[row + ERROR] = i
        while i < end and self.is_of_name(self.text.bytes[i]):
            i += 1
        self.tokens[row + ERROR_END] = i
        if i == self.tokens[row + ERROR]:
            return self.bad(row, UNREADABLE)
        return CALL

    def continued(self, i: int, end: int, row: int) -> int:
        """Read a line that adds to the one before: of a regular file's, the size."""
        if self.text.find(REGULAR, 7, i, end) >= 0:
            i = self.text.find(SIZE_FIELD, 4, i, end)
            if i >= 0 and self.text.number(i + 4, end) == 1:
                self.tokens[row + VALUE] = self.text.value
                return LATE
        return PASSED


def run_truss(scanner: TrussScanner) -> int:
    """Let a scanner fill its tokens, with no lock held; gives how many they are."""
    with cython.nogil:
        count = scanner.scan()
    return count
