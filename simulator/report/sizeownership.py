"""The cost of ownership of an answered requirement: its sentence, tables, and record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from simulator.config.amounts import show_amount, show_forecast, show_height, show_power
from simulator.config.ownership import HOURS
from simulator.config.quantities import show_percent
from simulator.config.requirement_file import RATES
from simulator.config.sources import Source
from simulator.report.page import Section, table_of_texts
from simulator.report.sizewords import (
    forecast_text,
    name_of,
    of_years,
    source_text,
    sources_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from simulator.config.ownership import Ownership
    from simulator.config.requirement_file import Target
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.sized import Sized

TB = 1e12
GBPS = 1e9


class Value(NamedTuple):
    """One value that enters the bill, or the rack units."""

    path: str
    text: str
    source: Source


def values_of(sized: Sized, one: Configuration) -> list[Value]:
    """Return the values that a configuration's bill and height are made of, with their sources.

    Not what the file asks for: the years, and how high it may be. Nothing where neither is asked.
    """
    requirement = sized.requirement
    if requirement.ownership is None and requirement.rack_units is None:
        return []
    sources = requirement.origin.sources
    found: list[tuple[str, str]] = []
    if (ownership := requirement.ownership) is not None:
        written = _written(ownership)
        keys = ownership.given & written.keys() - {"years"}
        found += [(f"ownership.{key}", written[key]) for key in written if key in keys]
    for name in one.pieces:
        item = requirement.catalogue[name]
        shown = {"power": show_power(item.power), "height": show_height(item.height or 0.0)}
        found += [(f"catalogue.{name}.{key}", shown[key]) for key in shown if key in item.given]
    return [Value(path, text, sources.get(path, Source("unstated"))) for path, text in found]


def _written(ownership: Ownership) -> dict[str, str]:
    return {
        "years": f"{ownership.years:g}",
        "power_price": show_amount(ownership.power_price),
        "pue": f"{ownership.pue:g}",
        "support": show_percent(ownership.support),
        "residual": show_percent(ownership.residual),
    }


def without_power(sized: Sized, one: Configuration) -> list[str]:
    """Return what is bought whose power the catalogue does not state."""
    catalogue = sized.requirement.catalogue
    return [name for name in one.pieces if "power" not in catalogue[name].given]


# -- per TB, and per GB/s -------------------------------------------------------------------------


def per_usable_tb(one: Configuration) -> float | None:
    """Return the total for each TB that can be kept; None if nothing keeps anything."""
    return one.total / one.usable * TB if one.total is not None and one.usable else None


def first_rate(sized: Sized) -> Target | None:
    """Return the first target that is a rate."""
    return next((one for one in sized.requirement.targets if one.figure in RATES), None)


def per_gbps(sized: Sized, one: Configuration) -> float | None:
    """Return the total for each GB/s of the judged figure of the first target that is a rate.

    None without such a target, or where no run gave its figure.
    """
    target = first_rate(sized)
    if target is None or one.total is None:
        return None
    place = sized.requirement.targets.index(target), target.in_states[0]
    for each in sized.outcome(one).measured:
        if (each.target, each.state) == place and each.by == "run" and each.judged:
            return one.total / each.judged * GBPS
    return None


# -- what a page says -----------------------------------------------------------------------------


def _parts(sized: Sized, one: Configuration) -> list[tuple[str, float, str]]:
    """Return the parts of the bill: what, how much, and how that was computed."""
    ownership = sized.requirement.ownership
    assert ownership is not None
    bill, said = ownership.bill(one.price, one.power), _written(ownership)
    years = f"{said['years']} years"
    kwh = f"{show_power(one.power)} x {HOURS:,} h x {years} x {said['power_price']} a kWh"
    return [
        ("purchase", bill.purchase, "the sum of the pieces"),
        ("energy", bill.energy, f"{kwh} x PUE {said['pue']}"),
        ("support", bill.support, f"{said['support']} of the purchase a year"),
        ("residual value", -bill.residual, f"{said['residual']} of the purchase"),
    ]


def _ratios(sized: Sized, one: Configuration) -> list[tuple[str, float]]:
    """Return the total per TB, and per GB/s, where there are such figures."""
    target = first_rate(sized)
    found = [
        ("usable TB", per_usable_tb(one)),
        (f"GB/s ({name_of(target)})" if target is not None else "", per_gbps(sized, one)),
    ]
    return [(what, value) for what, value in found if value is not None]


def ownership_text(sized: Sized, one: Configuration) -> str:
    """Write the bill as a sum, and what it is per TB and per GB/s; nothing without one."""
    requirement = sized.requirement
    if requirement.ownership is None or one.total is None:
        return ""
    parts = [
        f"{'- ' if amount < 0 else '+ '}{what} {show_forecast(abs(amount))}"
        for what, amount, _ in _parts(sized, one)
        if amount or what in {"purchase", "energy"}
    ]
    total = f"{' '.join(parts).removeprefix('+ ')} = {forecast_text(requirement, one.total)}"
    found = _ratios(sized, one)
    ratios = [f"{forecast_text(requirement, value)} per {what}" for what, value in found]
    told = sources_text("value", _named(values_of(sized, one)))
    notes = [told] if told else []
    if missing := without_power(sized, one):
        notes.append(f"no power is stated of {' and '.join(missing)}")
    text = "; ".join([total, *([", ".join(ratios)] if ratios else []), *notes])
    return f"{of_years(requirement).capitalize()}: {text}."


def _named(values: Iterable[Value]) -> Iterator[tuple[str, Source]]:
    return ((each.path.removeprefix("catalogue."), each.source) for each in values)


def ownership_sections(sized: Sized, one: Configuration) -> Iterator[Section]:
    """Yield the bill, part by part, and the values that it is made of."""
    requirement = sized.requirement
    if requirement.ownership is not None and one.total is not None:
        rows = [(what, show_forecast(amount), how) for what, amount, how in _parts(sized, one)]
        rows.append(("total", forecast_text(requirement, one.total), of_years(requirement)))
        rows += [(f"per {what}", show_forecast(value), "") for what, value in _ratios(sized, one)]
        table = table_of_texts(["cost of ownership", "amount", "how"], rows, "lrl", name="bill")
        yield Section("", [table], heading="Cost of ownership", whole=True)
    if values := values_of(sized, one):
        cells = [
            (each.path, each.text, source_text(each.source), each.source.note) for each in values
        ]
        heads = ["value", "is", "source", "note"]
        table = table_of_texts(heads, cells, "lrll", name="values of the bill")
        yield Section("", [table], heading="Cost of ownership", whole=True)


def ownership_record(sized: Sized, one: Configuration) -> dict[str, Any] | None:
    """Return the bill for programs; None if the requirement has none."""
    ownership = sized.requirement.ownership
    if ownership is None:
        return None
    bill = ownership.bill(one.price, one.power)
    return {
        "purchase": bill.purchase,
        "energy": bill.energy,
        "support": bill.support,
        "residual": bill.residual,
        "total": bill.total,
        "per_usable_TB": per_usable_tb(one),
        "per_GBps": per_gbps(sized, one),
        "without_power": without_power(sized, one),
    }


def values_record(sized: Sized, one: Configuration) -> list[dict[str, Any]]:
    """Return the values of the bill and the rack units for programs."""
    return [
        {
            "value": each.path,
            "line": sized.requirement.origin.place(tuple(each.path.split("."))).line,
            "is": each.text,
            "source": each.source.text or each.source.kind,
            "note": each.source.note or None,
        }
        for each in values_of(sized, one)
    ]
