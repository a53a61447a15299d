"""The command line in the process of the test: starting Python and Node anew takes a second each time."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from rlinf_charts.cli import main


def rlinf_eks(*arguments: str | Path) -> Result:
    """Run `rlinf-eks`; what is wrong with the command itself is raised here."""
    return CliRunner().invoke(main, list(map(str, arguments)), catch_exceptions=False)
