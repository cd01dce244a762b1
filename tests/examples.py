"""How many examples a property is tried on: all of them, or the few of the quick set.

The Hypothesis profile says which: ``quick`` unless told otherwise, ``full`` in ``make test-all``,
``search`` for a long look on purpose (``pytest --hypothesis-profile=search tests/test_x.py``).
"""

from hypothesis import settings

USUAL = 100
"""The examples of a property that asks for no number, in the full set."""


def register_profiles() -> None:
    """Register the profiles, and load the quick one."""
    settings.register_profile("full", max_examples=USUAL, derandomize=True, deadline=None)
    settings.register_profile("quick", settings.get_profile("full"), max_examples=USUAL // 5)
    settings.register_profile("search", max_examples=USUAL * 20, deadline=None)
    settings.load_profile("quick")


def examples(full: int) -> int:
    """The examples of a property that asks for ``full``, under the profile that is loaded."""
    return max(1, full * settings().max_examples // USUAL)
