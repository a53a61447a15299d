"""`make bench`: speed as ratios within this run; the absolute numbers are this machine's, and noisy."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from tests.bench import bootstrap, chart, training
from tests.bench.measurement import Measurement


def main() -> None:
    """Measure everything and print one table."""
    console = Console()
    table = Table("what", "median", "limit", "ratio", "to the reference, in the same run")
    for module in (chart, bootstrap, training):
        with console.status(f"measuring: {module.__name__.rsplit('.', 1)[-1]}"):
            for row in module.measure():
                table.add_row(*_cells(row))
    console.print(table)


def _cells(row: Measurement) -> tuple[str, ...]:
    limit = "" if row.limit is None else f"{row.limit:g} {row.unit}"
    reference = f"{row.reference_name} ({row.reference:.3g} {row.unit})"
    return row.name, f"{row.value:.3g} {row.unit}", limit, f"{row.ratio:.2f}", reference


main()
