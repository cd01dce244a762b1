"""Lines of strace as tokens: rows of numbers that say where in the block each thing stands.

A block is looked at without any state, so that several can be looked at at once. What precedes a
call (pid, time, instruction pointer, ...) is recognised by its form, line by line. Stacks (``-k``),
dumps (``-e read``), and what strace says of itself are passed over.
"""

from __future__ import annotations

from array import array

from simulator.native.interpreted import cython
from simulator.traces.arrays import Longs
from simulator.traces.bytesearch import (
    find_byte,
    move_bytes,
)
from simulator.traces.codes import *
from simulator.traces.leader import Leader
from simulator.traces.names import Names
from simulator.traces.outcome import Outcome
from simulator.traces.syscalls import forks
from simulator.traces.text import Text

PASSED = 0
UNFINISHED_MARK = b"<unfinished ...>"
DETACHED_MARK = b"<detached ...>"
CHANGED_MARK = b"<pid changed to "
RESUMED_MARK = b" resumed>"
RESUMED_HEAD, SIGNAL_HEAD = b"<... ", b"--- "
EXITED_HEAD, KILLED_HEAD = b"+++ exited with ", b"+++ killed by "
SUPERSEDED_HEAD = b"+++ superseded by execve in pid "
MODE_HEAD = b"[ Process PID="
HEADINGS = b"% time seconds shortest longest usecs/call calls errors syscall "
"""The columns of the table that ``-C`` writes, each with a blank behind it."""
HEADINGS_SIZE = len(HEADINGS)
TITLE_HEAD, TITLE_TAIL = b"System call usage summary for ", b" mode:"
STRACE_HEAD, PROCESS_HEAD, ATTACHED_TAIL = b"strace: ", b"Process ", b" attached"
ATTACHED_HEAD = b"strace: Process "


class Scanner:
    """Makes tokens of a block."""

    def __init__(self, names: Names, capacity: int) -> None:
        self.text = Text()
        self.names = names
        self.capacity = capacity
        self.of_name = array("q", [self.text.is_of_name(c) for c in range(256)])
        self.tokens = array("q", [0]) * (capacity * WIDTH)
        self.at = 0
        self.stop = 0
        self.lines = 0
        self.holes = 0
        self.steps = 0
        self.is_fork: Longs = forks()
        self.ends = array("q", [0]) * capacity
        """The tokens that are second parts of forks."""
        self.end_count = 0
        self.leader = Leader(self.text, self.tokens)
        self.outcome = Outcome(self.text, self.tokens)

    def begin(self, start: int, stop: int) -> None:
        """Look at the lines in [start, stop) of the text from now on."""
        self.at = start
        self.stop = stop
        self.lines = 0
        self.steps = 0
        self.leader.forget()
        self.holes = find_byte(self.text.bytes, 0, start, stop) < stop

    def scan(self) -> int:
        """Fill the tokens with the next lines; gives how many they are."""
        n = 0
        row = 0
        self.end_count = 0
        self.leader.steps = self.steps
        while self.at < self.stop and n < self.capacity:
            end = find_byte(self.text.bytes, 10, self.at, self.stop)
            steps = self.leader.steps
            kind = self.line(self.at, end, row)
            if kind == DAMAGED and self.tokens[row + VALUE] == UNREADABLE:
                start = self.rejoined(self.at, end)
                if start >= 0:
                    self.at = start
                    self.leader.steps = steps
                    self.lines += 1
                    continue
                kind = self.of_summary(self.at, end, row)
                if kind == SUMMARY:
                    self.leader.steps = steps
            if kind:
                self.tokens[row + KIND] = kind
                self.tokens[row + NUMBER] = self.lines
                self.tokens[row + START] = self.at
                self.tokens[row + END] = end
                n += 1
                row += WIDTH
            self.lines += 1
            self.at = end + 1
        self.steps = self.leader.steps
        return n

    def rejoined(self, start: int, end: int) -> int:
        """Join a line with the next one, if strace told of a child in its middle.

        What it told is overwritten by what stands before it. Gives where the line now begins, or
        -1 if it is no such line.
        """
        following = end + 1
        if self.text.bytes[end - 1] == 13:
            end -= 1
        if following >= self.stop or not self.text.holds(ATTACHED_TAIL, 9, end - 9, end):
            return -1
        k = end - 10
        while k > start and 48 <= self.text.bytes[k] <= 57:
            k -= 1
        k -= 15
        if k <= start or k + 16 > end - 10 or not self.text.holds(ATTACHED_HEAD, 16, k, end):
            return -1
        self.leader.forget()
        move_bytes(self.text.bytes, following - (k - start), start, k)
        return following - (k - start)

    def bad(self, row: int, damage: int) -> int:
        """The line is damaged, and how."""
        self.tokens[row + VALUE] = damage
        return DAMAGED

    def line(self, i: int, end: int, row: int) -> int:
        """Read one line into a row of tokens; gives what it is."""
        if end > i and self.text.bytes[end - 1] == 13:
            end -= 1
        if i >= end:
            return PASSED
        if self.holes and find_byte(self.text.bytes, 0, i, end) < end:
            return self.bad(row, HOLE)
        if self.text.bytes[i] in {32, 9} and self.is_aside(i, end):
            return PASSED
        self.tokens[row + PID] = -1
        self.tokens[row + LWP] = 0
        self.tokens[row + TIME] = NULL
        self.tokens[row + CLOCK] = NO_CLOCK
        i = self.leader.read(i, end, row)
        if i < 0:
            return self.bad(row, -i)
        if i >= end:
            return self.bad(row, UNREADABLE)
        c = self.text.bytes[i]
        if 97 <= c <= 122 or c == 95 or c == 63 or 65 <= c <= 90:
            return self.call(i, end, row)
        if c == 60:
            return self.resumed(i, end, row)
        if c == 43:
            return self.ended(i, end, row)
        if self.text.holds(SIGNAL_HEAD, 4, i, end):
            return SIGNAL
        if c == 91 and self.text.holds(MODE_HEAD, 14, i, end):
            return PASSED
        return self.bad(row, UNREADABLE)

    def is_aside(self, i: int, end: int) -> int:
        """Say whether a line that begins with a blank is of a stack or a dump, or all blank."""
        if self.text.bytes[i] == 32 and i + 1 < end and self.text.bytes[i + 1] in {124, 62}:
            return 1
        while i < end and self.text.bytes[i] in {32, 9}:
            i += 1
        return i == end

    # -- calls ----------------------------------------------------------------------------

    def call(self, i: int, end: int, row: int) -> int:
        """Read ``name(arguments) = result <duration>``, or its first part."""
        start = i
        while self.of_name[self.text.bytes[i]]:  # a line's end is none
            i += 1
        if i >= end or self.text.bytes[i] != 40:
            return self.message(start, end, row)
        self.tokens[row + NAME] = start
        self.tokens[row + NAME_END] = i
        self.tokens[row + WHICH] = self.names.find(self.text, start, i)
        i += 1
        self.tokens[row + ARGS] = i
        if self.text.bytes[end - 1] == 62 and self.text.bytes[end - 2] == 46:
            unfinished = self.unfinished_at(i, end, row)
            if unfinished >= 0:
                close = self.text.split(i, unfinished, 0)
                if close < 0:
                    return self.bad(row, UNREADABLE)
                self.keep_args(row, unfinished)
                return UNFINISHED
        close = self.text.split(i, end, 0)
        if close < 0 or close >= end:
            return self.bad(row, UNREADABLE)
        self.keep_args(row, close)
        wrong = self.outcome.read(close + 1, end, row)
        return self.bad(row, wrong) if wrong else CALL

    def keep_args(self, row: int, end: int) -> None:
        """Note where the arguments are."""
        self.tokens[row + ARGS_END] = end
        self.tokens[row + COUNT] = self.text.count
        for k in range(min(self.text.count, MOST_ARGS)):
            self.tokens[row + ARG + k] = self.text.arg[k]

    def unfinished_at(self, i: int, end: int, row: int) -> int:
        """Return where the mark of a call's first part begins, or -1."""
        self.tokens[row + OTHER] = 0
        if end - 16 >= i and self.text.holds(UNFINISHED_MARK, 16, end - 16, end):
            return self.before_blank(i, end - 16)
        if end - 14 >= i and self.text.holds(DETACHED_MARK, 14, end - 14, end):
            return self.before_blank(i, end - 14)
        k = end - 6
        while k > i and 48 <= self.text.bytes[k] <= 57:
            k -= 1
        if k - 15 >= i and self.text.holds(CHANGED_MARK, 16, k - 15, end):
            if self.text.number(k + 1, end) == 1:
                self.tokens[row + OTHER] = self.text.value
            return self.before_blank(i, k - 15)
        return -1

    def before_blank(self, i: int, end: int) -> int:
        """Return ``end``, or the place of the blank before it."""
        return end - 1 if end > i and self.text.bytes[end - 1] == 32 else end

    def resumed(self, i: int, end: int, row: int) -> int:
        """Read ``<... name resumed> arguments) = result <duration>``."""
        if not self.text.holds(RESUMED_HEAD, 5, i, end):
            return self.bad(row, UNREADABLE)
        i += 5
        start = i
        while i < end and self.of_name[self.text.bytes[i]]:
            i += 1
        if i == start or not self.text.holds(RESUMED_MARK, 9, i, end):
            return self.bad(row, UNREADABLE)
        self.tokens[row + NAME] = start
        self.tokens[row + NAME_END] = i
        self.tokens[row + WHICH] = self.names.find(self.text, start, i)
        i += 9
        self.tokens[row + ARGS] = i
        if self.text.bytes[end - 1] == 62 and self.text.bytes[end - 2] == 46:
            unfinished = self.unfinished_at(i, end, row)
            if unfinished >= 0:  # <... read resumed> <unfinished ...>
                return PASSED
        close = self.text.split(i, end, 1)
        if close < 0 or close >= end:
            return self.bad(row, UNREADABLE)
        self.keep_args(row, close)
        wrong = self.outcome.read(close + 1, end, row)
        if wrong:
            return self.bad(row, wrong)
        if self.tokens[row + WHICH] >= 0 and self.is_fork[self.tokens[row + WHICH]]:
            self.ends[self.end_count] = row
            self.end_count += 1
        return RESUMED

    # -- other lines ----------------------------------------------------------------------

    def ended(self, i: int, end: int, row: int) -> int:
        """Read ``+++ exited with 0 +++`` and its like."""
        if end - i < 8 or self.text.bytes[end - 1] != 43 or self.text.bytes[end - 4] != 32:
            return self.bad(row, UNREADABLE)
        if self.text.holds(EXITED_HEAD, 16, i, end) or self.text.holds(KILLED_HEAD, 14, i, end):
            return ENDED
        if self.text.holds(SUPERSEDED_HEAD, 32, i, end) and self.text.number(i + 32, end) == 1:
            self.tokens[row + OTHER] = self.text.value
            return SUPERSEDED
        return self.bad(row, UNREADABLE)

    def of_summary(self, i: int, end: int, row: int) -> int:
        """Find out if an unreadable line has the form of one of the table of ``-C``.

        Whether it stands in one, the follower knows; ``VALUE`` is then which line it may be.
        """
        if self.text.bytes[end - 1] == 13:
            end -= 1
        self.tokens[row + OTHER] = UNREADABLE
        what = self.words_of_summary(i, end)
        if self.text.holds(TITLE_HEAD, 30, i, end) and self.text.holds(TITLE_TAIL, 6, end - 6, end):
            what = TABLE_TITLE
        if not what:
            return DAMAGED
        self.tokens[row + VALUE] = what
        return SUMMARY

    def words_of_summary(self, i: int, end: int) -> int:
        """Say which line of a table of ``-C`` has words like these; 0 if none has."""
        heading = rule = names = words = 0
        while i < end:
            while i < end and self.text.bytes[i] == 32:
                i += 1
            first = i
            is_name = 0
            while i < end and self.text.bytes[i] != 32:
                c = self.text.bytes[i]
                if not self.of_name[c] and c not in {35, 37, 45, 46, 47}:
                    return 0
                is_name |= not (48 <= c <= 57 or c == 46)
                i += 1
            if i == first:
                break
            words += 1
            names += is_name
            rule += self.text.bytes[first] == 45 and self.text.bytes[i - 1] == 45
            heading += self.is_heading(first, i)
        if not words:
            return 0
        if rule == words:
            return TABLE_RULE
        if heading == words:
            return TABLE_HEAD
        return TABLE_ROW if names <= 1 else 0

    def is_heading(self, start: int, end: int) -> int:
        """Say whether a word is one of the headings of the table of ``-C``."""
        at = start
        for i in range(HEADINGS_SIZE):
            if HEADINGS[i] == 32:
                if at == end:
                    return 1
                at = start
            elif at >= 0:
                at = at + 1 if at < end and self.text.bytes[at] == HEADINGS[i] else -1
        return 0

    def message(self, i: int, end: int, row: int) -> int:
        """Read what strace says of itself."""
        start = i
        if self.text.holds(STRACE_HEAD, 8, i, end):
            i += 8
        if self.text.holds(PROCESS_HEAD, 8, i, end) and self.text.number(i + 8, end) == 1:
            if self.text.holds(ATTACHED_TAIL, 9, self.text.at, end):
                self.tokens[row + OTHER] = self.text.value
                return ATTACHED
            return PASSED
        return PASSED if i > start else self.bad(row, UNREADABLE)


def run_scan(scanner: Scanner) -> int:
    """Let a scanner fill its tokens, with no lock held; gives how many they are."""
    with cython.nogil:
        count = scanner.scan()
    return count
