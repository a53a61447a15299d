"""Options that several commands share, and how the chart comes to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rlinf_constructs.helm import HelmChart

Command = TypeVar("Command", bound=Callable[..., Any])


def values_options(command: Command) -> Command:
    """`-f`, `--set` and `--set-string`, as in helm; the command gets files, assignments and texts."""
    for option in (
        click.option(
            "--set-string", "texts", multiple=True, metavar="KEY=TEXT", help="Set one value to a text; repeatable."
        ),
        click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Set one value; repeatable."),
        click.option(
            "-f",
            "--values",
            "files",
            multiple=True,
            type=click.Path(path_type=Path),
            help="Values file; repeatable, the last one wins.",
        ),
    ):
        command = option(command)
    return command


def release_options(*, name: str) -> Callable[[Command], Command]:
    """`--name` and `--namespace` of the release."""

    def add(command: Command) -> Command:
        for option in (
            click.option("-n", "--namespace", default="default", show_default=True, help="Namespace of the release."),
            click.option("--name", default=name, show_default=True, help="Name of the release."),
        ):
            command = option(command)
        return command

    return add


def read_values(files: tuple[Path, ...], assignments: tuple[str, ...], texts: tuple[str, ...] = ()) -> dict[str, Any]:
    """The values of all files and assignments, the last one winning.

    Raises:
        click.ClickException: for a file that cannot be read or is not a map.
    """
    from rlinf_constructs.helm import merge, yaml_io  # noqa: PLC0415 - see load_chart

    values: dict[str, Any] = {}
    try:
        for file in files:
            content = yaml_io.load_file(file)
            if not isinstance(content, dict | None):
                found = type(content).__name__
                raise click.ClickException(f"{file}: a values file is a map of keys, this one is a {found}")
            values = merge.overlay(values, content or {})
        for assignment in assignments:
            values = merge.set_values(values, assignment)
        for text in texts:
            values = merge.set_string(values, text)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    return values


def load_chart() -> HelmChart:
    """The chart; importing cdk8s starts Node, so only commands that need it do so."""
    from rlinf_charts.chart import rlinf_chart  # noqa: PLC0415 - see above

    return rlinf_chart()
