"""What a line of strace says: which event, and of a call which words."""

from __future__ import annotations

from dataclasses import dataclass

from tests.traces.slow_text import BadLineError, Result, closing, number, result, split

CUTS = (" <unfinished ...>", " <detached ...>")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_?$."


@dataclass(frozen=True)
class Event:
    """One line without its pid and time."""

    kind: str
    """``call``, ``resumed``, ``exit``, ``superseded``, ``signal``, or ``note``."""
    call: str = ""
    text: str = ""
    """What follows ``name(`` or ``resumed>``, without ``<unfinished ...>``."""
    result: Result | None = None
    """Of a call that returns on this line."""
    pid: int | None = None
    """Whose number ``superseded`` names."""


@dataclass(frozen=True)
class Words:
    """A whole call."""

    call: str
    args: list[str]
    result: Result

    def arg(self, index: int | None) -> str | None:
        """An argument, if the log has it."""
        return self.args[index] if index is not None and index < len(self.args) else None


def event_of(text: str) -> Event:
    """Read what follows pid and time."""
    if text.endswith(" ") and not text.startswith("--- "):
        raise BadLineError("something is missing at its end")
    if text.startswith("[ Process PID=") and text.endswith("]"):
        return Event("note")
    if text.startswith(("> ", "| ")):
        return Event("note")  # The stack of a call (-k), or what it moved (-e read).
    while text.startswith("[") and "] " in text:
        text = text.partition("] ")[2].lstrip(" ")  # Instruction pointer (-i), call number (-n).
    if text.startswith("--- "):
        return Event("signal")
    if text.startswith("+++ ") and text.endswith(" +++"):
        return ending(text[4:-4])
    if text.startswith("<... "):
        call, found, rest = text[5:].partition(" resumed>")
        if not found or not is_name(call):
            raise BadLineError("no call is named")
        return part(Event("resumed", call), rest.removeprefix(" ") if rest[:2] != "  " else rest)
    call, found, rest = text.partition("(")
    if not found or not is_name(call):
        raise BadLineError("neither a call nor an event")
    return part(Event("call", call), rest)


def is_name(call: str) -> bool:
    """Could this be the name of a system call?"""
    return bool(call) and all(char in LETTERS for char in call) and not call[0].isdecimal()


def ending(text: str) -> Event:
    """``+++ ... +++``."""
    if text.startswith("superseded by execve in pid "):
        return Event("superseded", pid=number(text.removeprefix("superseded by execve in pid ")))
    if text.startswith(("exited with ", "killed by ")):
        return Event("exit")
    raise BadLineError("an unknown ending")


def part(event: Event, text: str) -> Event:
    """The rest of a line that begins or resumes a call."""
    for cut in CUTS:
        if text.endswith(cut):
            split(text.removesuffix(cut))  # Is it sound?
            return Event(event.kind, event.call, text.removesuffix(cut))
    if text.endswith(" ...>") and " <pid changed to " in text:
        text, _, pid = text.rpartition(" <pid changed to ")
        number(pid.removesuffix(" ...>"))
        return Event(event.kind, event.call, text)
    text = text.replace(" <unfinished ...>) = ?", ") = ?") if text.endswith("= ?") else text
    if event.kind == "resumed":  # The brackets are counted with the first part.
        at = text.rfind(")")
        if at < 0:
            raise BadLineError("no result")
        return Event(event.kind, event.call, text, tail_result(text))
    words = words_of(event.call, text)
    return Event(event.kind, event.call, text, words.result)


def tail_result(text: str) -> Result:
    """The result at the end of a text whose beginning is on another line."""
    at = text.find(")")
    while at >= 0:
        if text[at + 1 :].lstrip(" ").startswith("="):
            try:
                return result(text[at + 1 :])
            except BadLineError:
                pass
        at = text.find(")", at + 1)
    raise BadLineError("no result")


def words_of(call: str, text: str, *, headless: bool = False) -> Words:
    """Take ``args) = result`` apart; ``headless`` where the log began in the middle of it."""
    if headless:
        return Words(call, [], tail_result(text))
    at = closing(text, 0)
    return Words(call, split(text[:at]), result(text[at + 1 :]))


NO_RESULT = Result(None, None)


def words_without_end(call: str, text: str) -> Words:
    """A call that never returned."""
    return Words(call, split(text), NO_RESULT)
