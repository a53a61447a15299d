"""Options that several commands share, and how the chart comes to them."""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rlinf_charts.cli.sources import Source, overlay, sources

if TYPE_CHECKING:
    from rlinf_constructs.helm import HelmChart, Release

Command = TypeVar("Command", bound=Callable[..., Any])


def values_options(command: Command) -> Command:
    """`-f`, `--set` and `--set-string`, as in helm; the command gets files, assignments and texts."""
    for option in (
        click.option(
            "--set-string",
            "texts",
            multiple=True,
            metavar="KEY=TEXT",
            help="Set values that are texts, whatever they look like; repeatable.",
        ),
        click.option(
            "--set",
            "assignments",
            multiple=True,
            metavar="KEY=VALUE",
            help="Set values, as in helm: nodes.count=2, KEY[0].NAME=x, KEY={a,b}; repeatable.",
        ),
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


@dataclass(frozen=True, kw_only=True)
class ChartOptions:
    """A chart, values for it and a release of it, as the options of a command name them.

    Attributes:
        files: values files of `-f`.
        assignments: KEY=VALUE of `--set`.
        texts: KEY=TEXT of `--set-string`.
        name: of the release.
        namespace: of the release.
        app: a team's own constructs, MODULE:NAME.
    """

    files: tuple[Path, ...]
    assignments: tuple[str, ...]
    texts: tuple[str, ...]
    name: str
    namespace: str
    app: str | None

    def sources(self) -> list[Source]:
        """The places that values come from, the last one winning."""
        return sources(self.files, self.assignments, self.texts)

    def values(self) -> dict[str, Any]:
        """The values of all sources; see `read_values`."""
        return read_values(self.files, self.assignments, self.texts)

    def chart(self) -> HelmChart:
        """The chart; see `load_chart`."""
        return load_chart(self.app)

    def release(self) -> Release:
        """The release.

        Raises:
            ValueError: for a name that Helm refuses.
        """
        from rlinf_constructs.helm import Release  # noqa: PLC0415 - starts Node

        return Release(name=self.name, namespace=self.namespace)


def chart_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`-f`, `--set`, `--set-string`, `--name`, `--namespace` and `--app`; the command gets ChartOptions first."""

    @values_options
    @click.option("--name", default="rlinf", show_default=True, help="Name of the release.")
    @click.option("-n", "--namespace", default="default", show_default=True, help="Namespace of the release.")
    @app_option
    @functools.wraps(command)
    def run(
        *,
        files: tuple[Path, ...],
        assignments: tuple[str, ...],
        texts: tuple[str, ...],
        name: str,
        namespace: str,
        app: str | None,
        **others: Any,
    ) -> Any:
        options = ChartOptions(
            files=files, assignments=assignments, texts=texts, name=name, namespace=namespace, app=app
        )
        return command(options, **others)

    return run


def read_values(files: Iterable[Path], assignments: Iterable[str] = (), texts: Iterable[str] = ()) -> dict[str, Any]:
    """The values of all files and assignments, the last one winning.

    Raises:
        click.ClickException: for a file that cannot be read or is not a map.
    """
    try:
        return overlay(sources(files, assignments, texts))
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
        click.ClickException: when the team's code fails.
    """
    from rlinf_charts.chart import rlinf_chart  # noqa: PLC0415 - see above
    from rlinf_charts.variant import Extension, Variant, VariantError, load_extension  # noqa: PLC0415 - likewise

    try:
        extension = Extension() if app is None else load_extension(app)
        return rlinf_chart(Variant(extension=extension, **variant))
    except VariantError as error:
        raise click.UsageError(str(error)) from error
    except Exception as error:
        if app is None:
            raise
        raise click.ClickException(f"--app {app}: {_place_in(app, error)}{type(error).__name__}: {error}") from error


def _place_in(app: str, error: Exception) -> str:
    """The line of the team's module that an error comes from."""
    stem = app.partition(":")[0].rpartition(".")[2]
    lines = [it.lineno for it in traceback.extract_tb(error.__traceback__) if Path(it.filename).stem == stem]
    return f"line {lines[-1]}: " if lines else ""
