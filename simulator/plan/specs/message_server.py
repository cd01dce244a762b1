"""What a message server costs its node's processor, and closed forms of polling.

Modelled: a poll every interval, which costs processor time whether it finds something or not; the
cost of sending and delivering each message, by message and by byte; looking up the place of a port.
Not modelled: lost messages, limits of buffers, priorities among messages.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageServerSpec:
    """What a message server costs, in ns of its node's processor."""

    interval_ns: int
    """From one poll to the next."""
    poll_ns: int
    """One poll."""
    send_ns: int
    """Taking one message from a process and handing it to the network."""
    deliver_ns: int
    """Handing one message that was found to the process it is for."""
    lookup_ns: int
    """Looking up one name in the directory."""
    copy_rate: float
    """Bytes per second at which a message is copied, at either end."""
    header: int
    """Bytes of a message beside its data."""
    remember: bool
    """It remembers where ports are."""

    def __post_init__(self) -> None:
        if self.interval_ns <= self.poll_ns:
            raise ValueError("polls that take as long as their interval leave no time for others")

    def send_cost_ns(self, size: int) -> int:
        """Processor time to send ``size`` bytes."""
        return self.send_ns + self._copy_ns(size)

    def deliver_cost_ns(self, size: int) -> int:
        """Processor time to deliver ``size`` bytes once they are found."""
        return self.deliver_ns + self._copy_ns(size)

    def _copy_ns(self, size: int) -> int:
        return int(size * 1e9 / self.copy_rate + 0.5)

    @property
    def share(self) -> float:
        """Share of the processor that polling takes."""
        return self.poll_ns / self.interval_ns
