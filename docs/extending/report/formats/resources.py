"""A line of a Markdown table for each resource."""

from simulator.report.outcome import Outcome
from simulator.report.report import Report


class Resources(Report):
    def write(self, outcome: Outcome) -> str:
        result = outcome.result
        lines = ["| resource | requests | busy |", "|---|---|---|"]
        for name, part in result.parts.items():
            busy = part.utilisation(result.end_ns)
            lines.append(f"| {name} | {part.requests} | {busy:.1%} |")
        return "\n".join(lines) + "\n"
