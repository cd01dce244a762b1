"""Laws of conservation of a run: no nanosecond, no byte and no request of it is lost."""
