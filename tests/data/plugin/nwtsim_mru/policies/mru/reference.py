"""Most recently used: the block that was used last goes first, as a long loop needs it."""

from simulator.reference.policy import Key, Policy


class Mru(Policy):
    """Clean blocks in the order of their use."""

    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self._clean: dict[Key, None] = {}

    def join(self, key: Key) -> None:
        """Add a block that was used just now."""
        self._clean[key] = None

    def leave(self, key: Key) -> None:
        """Remove a block."""
        del self._clean[key]

    def touch(self, key: Key) -> None:
        """Move a clean block to the end."""
        if key in self._clean:
            self._clean[key] = self._clean.pop(key)

    def victim(self) -> Key:
        """Return the block that was used last."""
        return next(reversed(self._clean))
