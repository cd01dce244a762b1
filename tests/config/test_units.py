"""Quantities: exact both ways, and refusals that say what to write."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.units import (
    LARGEST,
    SIZE,
    TIME,
    format_rate,
    format_size,
    format_time,
    parse_count,
    parse_number,
    parse_percent,
    parse_rate,
    parse_size,
    parse_time,
)

READERS = (parse_size, parse_time, parse_rate, parse_percent, parse_count, parse_number)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0 B", 0), ("1B", 1), ("600 kB", 600_000), ("  8   MB ", 8_000_000),
        ("1e3 MB", 1_000_000_000), ("2.5e-3 MB", 2500), ("1.5 KiB", 1536), ("8 MiB", 8 * 2**20),
        ("3 GiB", 3 * 2**30), ("1 TiB", 2**40), ("2 PiB", 2**51), ("9 PB", 9 * 10**15),
        ("4611686018427387903 B", LARGEST),
    ],
)  # fmt: skip
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size
    assert type(parse_size(text)) is int


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("0 s", 0), ("7 ns", 7), ("5 us", 5000), ("2.58 ms", 2_580_000), ("0.000000001 s", 1),
        ("33.5 s", 33_500_000_000), ("2 min", 120 * 10**9), ("1.5 h", 5400 * 10**9),
    ],
)  # fmt: skip
def test_times(text: str, time: int) -> None:
    assert parse_time(text) == time
    assert type(parse_time(text)) is int


def test_rates_percentages_counts_and_numbers() -> None:
    assert parse_rate("421 MB/s") == 421e6
    assert parse_rate("1 MiB/s") == 2**20
    assert parse_rate("0.1 B/s") == 0.1
    assert type(parse_rate("1 B/s")) is float
    assert parse_percent("60%") == 0.6
    assert parse_percent("1.5 %") == 0.015
    assert parse_count(" 1000000 ") == 10**6
    assert parse_count("0", least=0) == 0
    assert parse_number("1e-3") == 0.001


REFUSED = [
    (parse_size, "600 KB", "is ambiguous; write '600 kB' (1000 B) or '600 KiB' (1024 B)"),
    (parse_size, "8 M", "is ambiguous; write '8 MB' (1000000 B) or '8 MiB' (1048576 B)"),
    (parse_size, "8", "has no unit; write '8 B', or it with kB, MB, GB, ..."),
    (parse_size, "8 mb", "has an unknown unit; write '8 MB'"),
    (parse_size, "10 Mb", "counts bits; write '1.25 MB', or '10 MB' for bytes"),
    (parse_size, "10 MBps", "has an unknown unit; write '10 MB'"),
    (parse_size, "5 ms", "is a time, not a size; write it like '8 MB'"),
    (parse_size, "8 MB/s", "is a rate, not a size; write it like '8 MB'"),
    (parse_size, "5 EB", "has no size unit (B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB)"),
    (parse_size, "0.5 B", "is not a whole number of bytes"),
    (parse_size, "4611686018427387904 B", "is too large; write a size below 2**62"),
    (parse_size, "1e999999999 B", "is not a size"),
    (parse_size, "1_000 B", "has separators; write its digits alone"),
    (parse_size, "1,000 B", "has separators; write its digits alone"),
    (parse_size, "\uff16\uff10\uff10 kB", "is not written in ASCII; write '600 kB'"),
    (parse_size, "\u516d kB", "is not a size; write it like '8 MB'"),
    (parse_size, "-8 MB", "has a minus sign; write it without"),
    (parse_size, "+8 MB", "has a plus sign; leave it out"),
    (parse_size, "017 B", "starts with a zero, which is octal to some readers"),
    (parse_size, "0x10 B", "is not decimal"),
    (parse_size, ".5 MB", "starts with a point; write a 0 before it"),
    (parse_size, "5. MB", "has no digit after its point"),
    (parse_size, ".nan", "is not a size; write it like '8 MB'"),
    (parse_size, "", "nothing was read; write it like '8 MB'"),
    (parse_size, "8 MB MB", "is not a size; write it like '8 MB'"),
    (parse_size, "9" * 500 + " B", "is too long for a size"),
    (parse_time, "30", "has no unit; write '30 ns', or it with us, ms, s, ..."),
    (parse_time, "3 sec", "has an unknown unit; write '3 s'"),
    (parse_time, "5 \u00b5s", "is not written in ASCII; write '5 us'"),
    (parse_time, "0.1 ns", "is not a whole number of nanoseconds"),
    (parse_time, "12:30:45", "is in base 60 to some readers; write a decimal number"),
    (parse_time, ".inf", "is not a time; write it like '2.5 ms'"),
    (parse_time, "5 MB", "is a size, not a time; write it like '2.5 ms'"),
    (parse_time, "1500000 h", "is too large; write a time below 2**62"),
    (parse_rate, "10 Mb/s", "counts bits; write '1.25 MB/s', or '10 MB/s' for bytes"),
    (parse_rate, "100 Mbit/s", "counts bits; write '12.5 MB/s', or '100 MB/s' for bytes"),
    (parse_rate, "10 MBps", "has an unknown unit; write '10 MB/s'"),
    (parse_rate, "36 KB/s", "is ambiguous; write '36 kB/s' (1000 B) or '36 KiB/s' (1024 B)"),
    (parse_rate, "36 MB", "is a size, not a rate; write it like '36 MB/s'"),
    (parse_rate, "5 ms", "is a time, not a rate; write it like '36 MB/s'"),
    (parse_percent, "0.6", "has no unit; write '60 %', or '0.6 %'"),
    (parse_percent, "101 %", "is more than 100 %; write 0 % to 100 %"),
    (parse_percent, "-1 %", "has a minus sign"),
    (parse_count, "0", "is out of range; write 1 to 1000000"),
    (parse_count, "1000001", "is out of range; write 1 to 1000000"),
    (parse_count, "9" * 5000, "is out of range; write 1 to 1000000"),
    (parse_count, "1e3", "is not a whole number; write it like '4'"),
    (parse_count, "3.0", "is not a whole number; write it like '4'"),
    (parse_count, "true", "is not a whole number; write it like '4'"),
    (parse_count, "\uff13", "is not written in ASCII; write '3'"),
    (parse_count, "20 MB", "is not a whole number; write it like '4'"),
    (parse_number, "nan", "is not a number; write it like '1.5'"),
    (parse_number, "1e400", "is too large; write a number below 2**62"),
]


@pytest.mark.parametrize(
    ("read", "text", "why"), REFUSED, ids=[f"{r.__name__}-{t[:20]}" for r, t, _ in REFUSED]
)
def test_refused_with_what_to_write_instead(read, text: str, why: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the message is compared below
        read(text)
    message = str(refused.value)
    assert why in message
    assert "\n" not in message
    assert len(message) < 200


NEAR_MISSES = r"[0-9]{0,3}[.:,_xe+-]?[0-9]{0,4} ?[kKMGmun]?i?[bBs]?(/s|ps)?"


@given(st.text(max_size=80) | st.from_regex(NEAR_MISSES, fullmatch=True))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    for read in READERS:
        try:
            assert read(text) >= 0
        except ValueError as refused:
            assert "\n" not in str(refused)  # noqa: PT017 - most are refused, some are read


@given(st.integers(0, LARGEST))
def test_a_formatted_size_is_read_back(size: int) -> None:
    assert parse_size(format_size(size)) == size


@given(st.integers(1, 4095), st.sampled_from(list(SIZE.scales)))
def test_a_formatted_size_is_never_longer_than_it_was_written(number: int, unit: str) -> None:
    text = f"{number} {unit}"
    assert len(format_size(parse_size(text))) <= len(text)


@given(
    st.decimals(0, 10**6, places=6, allow_nan=False, allow_infinity=False),
    st.sampled_from([*SIZE.scales.items(), *TIME.scales.items()]),
)
def test_reading_is_exact(number: Decimal, unit: tuple[str, int]) -> None:
    name, scale = unit
    read = parse_size if name in SIZE.scales else parse_time
    exact = Fraction(number) * scale
    if exact.denominator == 1 and exact <= LARGEST:
        assert read(f"{number:f} {name}") == exact
    else:
        with pytest.raises(ValueError, match=r"is not a whole number|is too large"):
            read(f"{number:f} {name}")


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (0, "0 s"), (999, "999 ns"), (1000, "1.00 us"), (999_499, "999 us"), (999_500, "1.00 ms"),
        (2_580_000, "2.58 ms"), (12_345_678_901, "12.3 s"), (999 * 10**9, "999 s"),
        (1000 * 10**9, "16.7 min"), (7 * 86400 * 10**9, "168 h"), (-2_580_000, "-2.58 ms"),
        (0.4, "0.4 ns"),
    ],
)  # fmt: skip
def test_times_are_written_for_people(time: float, text: str) -> None:
    assert format_time(time) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (0, "0 B/s"), (999, "999 B/s"), (1000, "1.00 kB/s (0.977 KiB/s)"),
        (999_999, "1.00 MB/s (0.954 MiB/s)"), (36e6, "36.0 MB/s (34.3 MiB/s)"),
        (421e6, "421 MB/s (401 MiB/s)"), (1.25e9, "1.25 GB/s (1.16 GiB/s)"),
    ],
)  # fmt: skip
def test_rates_are_written_in_both_megabytes(rate: float, text: str) -> None:
    assert format_rate(rate) == text
