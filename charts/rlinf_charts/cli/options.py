"""Options that several commands share, and how the chart comes to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rlinf_charts.cli.sources import overlay, sources

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


def read_values(files: Iterable[Path], assignments: Iterable[str] = (), texts: Iterable[str] = ()) -> dict[str, Any]:
    """The values of all files and assignments, the last one winning.

    Raises:
        click.ClickException: for a file that cannot be read or is not a map.
    """
    try:
        return overlay(source.read() for source in sources(files, assignments, texts))
    except ValueError as error:
        raise click.ClickException(str(error)) from error


def json_option(command: Command) -> Command:
    """`--json`, for programs that read the output."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")(command)


def plain_http_option(command: Command) -> Command:
    """`--plain-http`, as in helm."""
    return click.option("--plain-http", is_flag=True, help="Use HTTP, for registries without TLS.")(command)


def app_option(command: Command) -> Command:
    """`--app`: a team's own constructs."""
    return click.option(
        "--app",
        metavar="MODULE:NAME",
        help="A team's own constructs: a subclass of rlinf_charts.variant.Extension, or a function "
        "add(objects, values). See docs/guides/custom-chart.md.",
    )(command)


def load_chart(app: str | None = None, **variant: Any) -> HelmChart:
    """The chart; importing cdk8s starts Node, so only commands that need it do so.

    Args:
        app: a team's own constructs, MODULE:NAME.
        variant: what else is other than in the plain chart; see `Variant`.

    Raises:
        click.UsageError: when there can be no such chart.
    """
    from rlinf_charts.chart import rlinf_chart  # noqa: PLC0415 - see above
    from rlinf_charts.variant import Extension, Variant, VariantError, load_extension  # noqa: PLC0415 - likewise

    try:
        extension = Extension() if app is None else load_extension(app)
        return rlinf_chart(Variant(extension=extension, **variant))
    except VariantError as error:
        raise click.UsageError(str(error)) from error
