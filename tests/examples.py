"""How many examples a property is tried on: all of them, or the few of the quick set.

The Hypothesis profile says which: ``quick`` unless told otherwise, ``full`` in ``make test-all``,
``search`` for a long look on purpose (``pytest --hypothesis-profile=search tests/test_x.py``).
"""

from hypothesis import HealthCheck, settings

USUAL = 100
"""The examples of a property that asks for no number, in the full set."""


def register_profiles() -> None:
    """Register the profiles, and load the quick one."""
    # Neither a deadline nor a limit on drawing: both go by the clock of a machine that may be busy.
    untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("search", untimed, max_examples=USUAL * 20)
    settings.register_profile("full", untimed, max_examples=USUAL, derandomize=True)
    settings.register_profile("quick", untimed, max_examples=USUAL // 5, derandomize=True)
    settings.load_profile("quick")


def examples(full: int) -> int:
    """The examples of a property that asks for ``full``, under the profile that is loaded."""
    return max(1, full * settings().max_examples // USUAL)
