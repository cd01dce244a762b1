"""Sections: their keys are read, completed and checked; all mistakes are told at once."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest

from simulator.config.errors import PartsError
from simulator.config.quantities import Count, Name, Size
from simulator.config.section import FULL, Section, UnionOf, check, default


class Tank(Section):
    shorthand = {"text": "size"}

    kind: Literal["tank"]
    size: Size
    filled: Size | None = None

    @check("filled", always=True)
    @staticmethod
    def _fits(filled: int | None, size: int) -> None:
        if filled is None and size > 1000:
            raise ValueError("is missing on a large tank")
        if filled is not None and filled > size:
            raise ValueError("is more than fits")


class Pump(Section):
    synonyms = {"pumps": "count"}

    kind: Literal["pump", "hand-pump"]
    count: Count = default(1, "neutral: one")


class FastPump(Pump):
    synonyms = {"speed": "rate"}

    rate: Count = default(9, "a guess")


class Plant(Section):
    name: Name
    parts: Annotated[dict[str, Annotated[Tank | Pump, UnionOf("kind")]], FULL]
    order: tuple[Count, ...] = ()
    notes: dict[str, Name] = {}


def faults(**values: object) -> dict[str, str]:
    with pytest.raises(PartsError) as caught:
        Plant(**values)  # type: ignore[arg-type]
    return {".".join(map(str, path)): about for path, about in caught.value.faults}


TANK = {"kind": "tank", "size": "1 kB"}


def test_texts_and_typed_values_make_the_same_section() -> None:
    read = Plant(name="mill", parts={"a": TANK, "b": {"kind": "hand-pump"}}, order=["2", "1"])  # type: ignore[arg-type, dict-item]
    made = Plant(
        name="mill",
        parts={"a": Tank(kind="tank", size=1000), "b": Pump(kind="hand-pump")},  # type: ignore[arg-type]
        order=(2, 1),
    )
    assert read == made
    assert repr(read.parts["b"]) == "Pump(kind='hand-pump', count=1)"


def test_a_section_is_taken_as_it_is() -> None:
    tank = Tank(kind="tank", size=1000)  # type: ignore[arg-type]
    assert Plant(name="mill", parts={"a": tank}).parts["a"] is tank


def test_what_was_given_is_known() -> None:
    plant = Plant(name="mill", parts={"a": TANK}, order=())  # type: ignore[dict-item]
    assert plant.given == {"name", "parts", "order"}


def test_a_default_is_not_shared_if_it_can_change() -> None:
    one, other = (Plant(name="mill", parts={"a": TANK}) for _ in range(2))  # type: ignore[dict-item]
    assert one.notes == {}
    assert one.notes is not other.notes


def test_all_mistakes_are_told_each_with_its_place() -> None:
    parts = {
        "a": {"kind": "tank", "size": "1 k", "filled": "2 kB"},
        "b": {"kind": "tank", "size": "1 kB", "filled": "2 kB"},
        "c": {"kind": "pump", "count": "none"},
        "d": {"kind": "fan"},
        "e": {"kind": "tank"},
    }
    found = faults(parts=parts, order=["1", "x"], coulor="red")
    assert found.pop("parts.a.size").startswith("'1 k' ")
    assert found.pop("parts.c.count").startswith("'none' ")
    assert found.pop("order.1").startswith("'x' ")
    assert found == {
        "name": "is missing; write it like 'name: NAME'",
        "parts.b.filled": "is more than fits",
        "parts.d": "{'kind': 'fan'} was read; write its keys, 'kind: ' first",
        "parts.e.size": "is missing; write it like 'size: 8 MB'",
        "coulor": "unknown key; there are name, parts, order, notes",
    }


def test_what_may_not_be_empty_is_told() -> None:
    assert faults(name="mill", parts={}) == {"parts": "is empty; write one or more"}
    assert faults(name="mill")["parts"] == "is missing; write a name and what it stands for"


def test_none_stands_for_an_optional_value_only() -> None:
    assert Tank(kind="tank", size=1000, filled=None).filled is None  # type: ignore[arg-type]
    with pytest.raises(PartsError, match="None was read"):
        Tank(kind="tank", size=None)  # type: ignore[arg-type]


def test_a_check_may_look_at_a_default() -> None:
    with pytest.raises(PartsError, match="is missing on a large tank"):
        Tank(kind="tank", size=2000)  # type: ignore[arg-type]


def test_a_default_has_its_reason_beside_it() -> None:
    assert Pump(kind="pump").count == 1
    assert Pump.reasons == {"count": "neutral: one"}
    assert FastPump.reasons == {"count": "neutral: one", "rate": "a guess"}


def test_other_words_for_keys_are_those_of_the_base_too() -> None:
    assert FastPump.synonyms == {"pumps": "count", "speed": "rate"}
    assert Pump.synonyms == {"pumps": "count"}
