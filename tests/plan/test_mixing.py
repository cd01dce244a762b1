"""The counting random numbers: known values, and compiled as interpreted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator import mixing
from simulator.mixing import TABLE_BITS, mix, pick
from tests.interpreted import interpreted, is_compiled

(plain,) = interpreted("simulator.mixing")

keys = st.integers(0, 2**64 - 1)
numbers = st.integers(-(2**63), 2**63 - 1)


def test_the_numbers_of_splitmix64_with_seed_0() -> None:
    """The first outputs of the reference implementation (Vigna, splitmix64.c)."""
    assert [mix(0, number) for number in (1, 2, 3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


@given(keys, numbers)
def test_a_pick_is_the_top_bits(key: int, number: int) -> None:
    assert pick(key, number) == mix(key, number) >> (64 - TABLE_BITS)
    assert 0 <= pick(key, number) < 2**TABLE_BITS


@pytest.mark.skipif(not is_compiled(mixing), reason="nothing is compiled here")
@given(keys, numbers)
def test_compiled_as_interpreted(key: int, number: int) -> None:
    assert mix(key, number) == plain.mix(key, number)
