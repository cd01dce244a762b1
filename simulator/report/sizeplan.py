"""The page of a plan: what to buy in which year, what each costs, and all at once beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.config.amounts import show_amount, show_forecast, show_power
from simulator.config.quantities import show_percent
from simulator.config.sources import Source
from simulator.report import sizewords as words
from simulator.report.forms import picked
from simulator.report.page import Browser, Entry, Lines, Page, Plain, Section, table_of_texts
from simulator.report.sizemissed import nearest_text
from simulator.report.sizerecord import commands, configuration_record, requirement_record
from simulator.report.sizetrust import (
    basis,
    chance,
    not_written,
    of_the_model,
    probability_text,
)
from simulator.report.sizewhy import what_binds
from simulator.wording import brief_size, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from simulator.config.catalogue import Purchase
    from simulator.report.page import Table
    from simulator.sizing.accounts import Account, Year
    from simulator.sizing.configurations import Configuration
    from simulator.sizing.planned import Planned
    from simulator.sizing.sized import Sized

LEAST_MORE = 1e-9
"""Of the plan's total: what is less is no difference."""


def plan_page(planned: Planned, command: Sequence[str] = ()) -> Page:
    """Return the page of what a search for a plan found."""
    requirement = planned.requirement
    title = f": {requirement.title}" if requirement.title else ""
    told = conclusion(planned)
    last = planned.last
    found = [f"{_looked_at(planned)} {chance(last)}", of_the_model(last)]
    sections = [
        Section("", [Lines(told, narrow=True)], leads=True, name="what to buy"),
        *(_tables(planned) if planned.machines else ()),
        Section("", [Lines(found, narrow=True)], name="what was run", heading="How it was found"),
        *(_rest(planned) if planned.machines else ()),
    ]
    return Page(
        f"{requirement.name}{title}",
        [],
        [],
        sections,
        lambda: plan_record(planned),
        lambda: plan_rows(planned),
        lambda: Browser(
            f"{requirement.name}: {requirement.title or 'what do we buy when?'}",
            [f"machine {planned.evaluator.loads.machine_file}"],
            told,
            command,
        ),
    )


# -- what it begins with --------------------------------------------------------------------------


def conclusion(planned: Planned) -> list[str]:
    """Return what an answer begins with: what to buy when, its total, and how sure that is."""
    if not planned.machines:
        return [*_nothing(planned)]
    requirement, last = planned.requirement, planned.last
    about = [words.prices_text(last, planned.machines[-1]), *_falls(planned)]
    found = [_what(planned), " ".join([_total(planned), *_alone(planned)]), _sure(planned)]
    found.append(not_written(last, planned.machines[-1]))
    return [*filter(None, found), f"{'; '.join(about)}. {words.years_text(requirement)}"]


def _what(planned: Planned) -> str:
    """State what is bought in each year in which anything changes."""
    before: Configuration | None = None
    steps = []
    for year in planned.account.years:
        if before is None or year.machine != before:
            steps.append(_step(planned, year, before))
        before = year.machine
    return f"Buy {'; '.join(steps)}."


def _step(planned: Planned, year: Year, before: Configuration | None) -> str:
    """State what a machine is from a year on, and what it takes."""
    machine, sized = year.machine, planned.sized(-1, year.machine)
    same = before is not None and before.alternative == machine.alternative
    what = words.differing(sized, machine, before) if before and same else ""
    what = what or words.words_of(sized, machine)
    takes = [_sold(year) or "nothing to buy"]
    takes += [f"taken out: {_pieces(year.out)}"] if year.out else []
    paid = f": {_paid(planned, year)} {planned.requirement.currency}".rstrip()
    paid = paid if year.bought else ""
    return f"in year {year.year} {what} ({', '.join(takes)}{paid})"


def _paid(planned: Planned, year: Year) -> str:
    """Write what is paid in a year: as it is in the file, or a forecast of prices that fall."""
    falls = year.year and any(planned.accounts.plan.price_falls.values())
    return (show_forecast if falls else show_amount)(year.price)


def _sold(year: Year) -> str:
    """Write what is bought in a year: pieces, or packs of them."""
    each = year.purchases.items()
    return " + ".join(f"{_bought(item, one).number} {item}" for item, one in each)


def _bought(item: str, one: Purchase) -> words.Bought:
    return words.Bought(item, one.sold * one.pack, one, Source("unstated"))


def _pieces(counts: Mapping[str, int]) -> str:
    return " + ".join(f"{count:,} {item}" for item, count in counts.items())


def _total(planned: Planned) -> str:
    """State the total, and what all at once costs."""
    requirement, years, total = planned.requirement, planned.accounts.years, planned.account.total
    assert requirement.plan is not None
    discount = requirement.plan.discount
    rate = f", discounted by {show_percent(discount)} a year" if discount else ""
    owned = " with energy, support and residual value" if requirement.ownership else ""
    said = f"Over {counted(years, 'year')}{owned} this is {_price(planned, total)}{rate}."
    whole = planned.account_at_once
    if whole is None:
        return f"{said} No machine that is bought at once carries the loads of all years."
    if whole.total - total <= LEAST_MORE * total:
        return f"{said} All at once costs the same."
    what = words.words_of(planned.sized(-1, planned.at_once[0]), planned.at_once[0])
    return f"{said} All at once in year 0 ({what}) is {_more(planned, whole.total)}."


def _more(planned: Planned, other: float) -> str:
    """Write the total of a plan that is dearer, and by how much."""
    total = planned.account.total
    more = f"{words.percents(other / total - 1)} more" if total else "more"
    return f"{_price(planned, other)}: {more}"


def _alone(planned: Planned) -> Iterator[str]:
    """State what the plan of each alternative alone costs, but of the one that the plan is."""
    for name, machines in planned.alone.items():
        if not machines:
            yield f"{name} alone does not carry the loads of all years."
        elif {one.alternative for one in planned.machines} != {name}:
            alone = _more(planned, planned.accounts.account(machines).total)
            yield f"The best of {name} alone is {alone}."


def _price(planned: Planned, amount: float) -> str:
    return words.forecast_text(planned.requirement, amount)


def _falls(planned: Planned) -> list[str]:
    """State which prices fall."""
    plan = planned.accounts.plan
    falls = [f"{item} {show_percent(part)}" for item, part in plan.price_falls.items() if part]
    return [f"prices fall each year: {', '.join(falls)}"] if falls else []


def _sure(planned: Planned) -> str:
    """State the probability of the weakest year, which ends with its loads, and its parts."""
    found = planned.probabilities
    if not found:
        return ""
    least = min(found, key=lambda year: found[year].estimate)
    sure, wanted = probability_text(found[least].estimate), planned.evaluator.wanted
    said = f"Under the loads of year {least}, where least is to spare, it meets all targets"
    if wanted is not None:
        said = "Under the loads of each year it meets all targets"
        sure = f"{sure} (year {least}) or more; the requirement asks for {probability_text(wanted)}"
    sentences = [f"{said} with a probability of {sure}."]
    if len(found) > 1 and (every := planned.together) is not None:
        sentences.append(f"Of all years together: {probability_text(every)}.")
    return " ".join([*sentences, basis(*planned.of_years()[least - 1])])


def _nothing(planned: Planned) -> Iterator[str]:
    """State which year's loads nothing carries, and what is nearest."""
    if planned.missing is None:
        yield "Nothing that can be bought meets this in all years until more may be bought."
        return
    year, near = planned.missing + 1, planned.nearest
    yield f"Nothing that can be bought meets this under the loads of year {year}."
    if near is not None:
        yield nearest_text(*near)
        yield words.years_text(near[0].requirement)


def _furthest(sized: Sized, one: Configuration) -> str:
    """State the target that is nearest to be missed, or furthest missed, and by how much."""
    return ": ".join(words.nearest_target(sized, one))


def _looked_at(planned: Planned) -> str:
    """State how many machines there are, and how many of them were run under which loads."""
    lasts = [years[-1] for years in planned.found.values()]
    built = sum(len(one.order) for one in lasts)
    count = counted(sum(one.combinations for one in lasts), "combination")
    there = f"{count}, of which {built:,} can be built"
    whole = f"{planned.run_whole:,} of these were run whole"
    left = sum(len(one.left_out) for one in planned.years)
    short = f", {left:,} left out by short runs, a judgement" if left else ""
    years = counted(planned.accounts.years, "year")
    looked = f"{planned.looked:,} pairs of a machine and a year's loads were looked at"
    return f"{there} for the loads of the last of {years}; {looked}, {whole}{short}."


# -- tables ---------------------------------------------------------------------------------------


def _tables(planned: Planned) -> Iterator[Section]:
    """Yield the years, with what they cost, and all at once."""
    yield Section("", [_years(planned)], leads=True, name="years")
    power, room = planned.machines[-1].power, planned.machines[-1].usable
    parts = [*([show_power(power)] if power else ()), *([brief_size(room)] if room else ())]
    last = what_binds(*planned.of_years()[-1])
    text = f"In the last year: {', '.join(parts)} usable. {last}" if room else last
    yield Section("", [Lines([text], narrow=True)], leads=True, name="what binds")


def _years(planned: Planned) -> Table:
    owned = planned.requirement.ownership is not None
    account = planned.account
    rows = [
        _row(
            str(year.year),
            f"{_sold(year) or '-'}{f' (out: {_pieces(year.out)})' if year.out else ''}",
            [_paid(planned, year), *_forecasts([*([year.running] if owned else []), year.today])],
            _furthest(*of_year),
        )
        for year, of_year in zip(account.years, planned.of_years(), strict=True)
    ]
    rows += [_residual(planned, account)] if account.residual else []
    rows.append(_row("sum", "", [""] * (1 + owned) + _forecasts([account.total]), ""))
    if (whole := planned.account_at_once) is not None:
        first = whole.years[0]
        paid = [show_amount(first.price), *([""] if owned else []), *_forecasts([whole.total])]
        spare = _furthest(planned.sized(-1, planned.at_once[0]), planned.at_once[0])
        rows.append(_row("at once", _sold(first), paid, spare))
    head = ["year", "buy", "paid", *(["running"] if owned else []), "today"]
    align = f"ll{'r' * (len(head) - 2)}l"
    return table_of_texts([*head, "furthest target"], rows, align, "year", "plan")


def _residual(planned: Planned, account: Account) -> tuple[str, ...]:
    back, today = _forecasts([-account.residual, -account.residual_today])
    return _row(str(planned.accounts.years), "residual value", [back, "", today], "")


def _row(year: str, what: str, amounts: Sequence[str], furthest: str) -> tuple[str, ...]:
    return (year, what, *amounts, furthest)


def _forecasts(amounts: Sequence[float]) -> list[str]:
    return [show_forecast(one) for one in amounts]


def _rest(planned: Planned) -> Iterator[Section]:
    """Yield what a screen has no room for: targets of all years, pieces, commands."""
    rows = [
        (f"year {year}", *words.target_cells(sized, each))
        for year, (sized, one) in enumerate(planned.of_years(), 1)
        for each in sized.outcome(one).measured
    ]
    head = ["loads of", "target", "has to be", "is", "of the target"]
    yield Section("", [table_of_texts(head, rows, "llrrl")], heading="Targets", whole=True)
    sources = {
        part.what: words.source_text(part.source)
        for one in planned.machines
        for part in words.bought(planned.requirement, one)
    }
    bought = [
        (
            *(str(year.year), item, f"{_bought(item, one).number}{_bought(item, one).rest}"),
            *(show_amount(one.each), show_amount(one.together), sources[item]),
        )
        for year in planned.account.years
        for item, one in year.purchases.items()
    ]
    head = ["year", "what", "pieces", "each", "together", "source of the price"]
    yield Section("", [table_of_texts(head, bought, "llrrrl")], heading="Pieces", whole=True)
    again = dict.fromkeys(line for pair in planned.of_years() for line in commands(*pair))
    entry = Entry("To run it again:", "", [Plain("\n".join(again))], 2)
    yield Section("", [entry], heading="To run it again", whole=True)


# -- for programs ---------------------------------------------------------------------------------


def plan_record(planned: Planned) -> dict[str, Any]:
    """Return the record for programs; times in ns, rates in bytes per second."""
    requirement, evaluator, pairs = planned.requirement, planned.evaluator, planned.of_years()
    near = planned.nearest
    return {
        "requirement": requirement.name,
        "machine": evaluator.loads.machine_file,
        "met": bool(planned.machines),
        "answer": configuration_record(*pairs[-1]) if pairs else None,
        "nearest": None if near is None else configuration_record(*near),
        "missing_year": None if planned.missing is None else planned.missing + 1,
        "front": [],
        **requirement_record(requirement, planned.winner),
        "plan": {
            "probability_together": planned.together,
            **picked(planned.accounts.plan, "every discount price_falls"),
            **(_account_record(planned.account, pairs) if pairs else {}),
        },
        "at_once": _other_record(planned, planned.at_once),
        "alternatives": {
            name: _other_record(planned, one) or {"total": None}
            for name, one in planned.alone.items()
        },
        **picked(evaluator, "seed replications"),
        "combinations": sum(years[-1].combinations for years in planned.found.values()),
        "buildable": sum(len(years[-1].order) for years in planned.found.values()),
        "looked_at": planned.looked,
        "run_whole": planned.run_whole,
        "left_out_by_short_runs": sum(len(one.left_out) for one in planned.years),
        "commands": [*dict.fromkeys(line for pair in pairs for line in commands(*pair))],
    }


def _other_record(planned: Planned, machines: Sequence[Configuration]) -> dict[str, Any] | None:
    """Return the record of another plan: its last machine, its first price, and its total."""
    if not machines:
        return None
    account, last = planned.accounts.account(machines), machines[-1]
    return {
        "configuration": configuration_record(planned.sized(-1, last), last),
        "price": account.years[0].price,
        "total": account.total,
    }


def _account_record(
    account: Account, pairs: Sequence[tuple[Sized, Configuration]]
) -> dict[str, Any]:
    return {
        "total": account.total,
        **picked(account, "residual residual_today"),
        "steps": [
            {
                **picked(year, "year bought out price energy support today"),
                "loads_of_year": year.year + 1,
                "configuration": configuration_record(sized, one),
            }
            for year, (sized, one) in zip(account.years, pairs, strict=True)
        ],
    }


def plan_rows(planned: Planned) -> list[list[Any]]:
    """Return the head, and a row for each year of the plan."""
    items = [*planned.requirement.catalogue]
    names = [f"buy_{item}" for item in items] + [f"out_{item}" for item in items]
    whose = ["alternative"] if planned.alone else []
    choices = [*dict.fromkeys(name for one in planned.years for name in one.offer.names)]
    rows: list[list[Any]] = [
        ["year", *whose, *choices, *names, "price", "energy", "support", "today"]
    ]
    rows[0] += ["slack", "binding", "state"]
    years = planned.account.years if planned.machines else ()
    for year, (sized, one) in zip(years, planned.of_years(), strict=True):
        counts = [year.bought.get(item, 0) for item in items]
        counts += [year.out.get(item, 0) for item in items]
        binding = sized.binding(one)
        figure = sized.requirement.targets[binding.target].figure
        levels = dict(zip(sized.offer.names, one.levels, strict=True))
        texts = [*([one.alternative] if whose else []), *(levels.get(name, "") for name in choices)]
        rows.append([year.year, *texts, *counts, year.price, year.energy, year.support])
        rows[-1] += [year.today, round(binding.slack, 6), figure, binding.state]
    return rows
