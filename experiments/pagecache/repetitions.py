"""Repetitions of experiments 2 and 3, as far as they could be had; 1 and 4 were run once."""

from __future__ import annotations

from .compared import WAYS, counts, held_out

_PLACES = {2: "local", 3: "nfs"}


def repetitions() -> dict[str, tuple[float, ...]]:
    """Return the mean time of an instance in each repetition, by the id of the number; s."""
    return {
        f"{place}-{way}-{count}": tuple(
            whole / count for whole in held_out()[experiment]["measured"][count][way]
        )
        for experiment, place in _PLACES.items()
        for count in counts(experiment)
        for way in WAYS
    }
