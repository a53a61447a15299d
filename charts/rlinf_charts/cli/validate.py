"""`rlinf-eks validate`: everything that is wrong with values files."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from typing import TYPE_CHECKING, Any

import click

from rlinf_charts.cli.options import ChartOptions, chart_options, json_option
from rlinf_charts.cli.sources import Source

if TYPE_CHECKING:
    from rlinf_charts.validation import Fault, Given, KubernetesSchemas, Report


def _complete_version(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    del context, option
    return [version for version in _allowed_versions() if version.startswith(begun)]


@click.command("validate")
@chart_options
@click.option(
    "--kubernetes",
    "versions",
    multiple=True,
    metavar="VERSION",
    shell_complete=_complete_version,
    help="Version of Kubernetes whose schemas the objects must meet, as in 1.34; repeatable. Default: the newest.",
)
@json_option
def command(options: ChartOptions, versions: tuple[str, ...], *, as_json: bool) -> None:
    """Check values before a cluster sees them, and name every fault with its file and key.

    \b
      rlinf-eks validate -f values/h100.yaml -f mine.yaml
      rlinf-eks validate -f mine.yaml --kubernetes 1.32 --kubernetes 1.34

    In this order: the files, the chart's schema, the rules that cross keys; then the objects against Kubernetes' own
    schemas, and the pods' requests against the nodes that they select. Exit code 1 when anything is wrong.
    """  # noqa: D301 - \b is Click's mark for a paragraph that keeps its lines
    from rlinf_charts.validation import Report, check  # noqa: PLC0415 - starts Node

    schemas = _schemas(versions)
    values, given, unread = _read(options.sources())
    report = Report(faults=unread, not_checked=[])
    if not unread:
        try:
            report = check(options.chart(), values, given, options.release(), schemas)
        except ValueError as error:
            raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps({"valid": not report.faults, **dataclasses.asdict(report)}, indent=2))
    else:
        _print(report, schemas)
    sys.exit(1 if report.faults else 0)


def _schemas(versions: tuple[str, ...]) -> list[KubernetesSchemas]:
    from rlinf_charts.validation import KubernetesSchemas  # noqa: PLC0415 - starts Node

    allowed = _allowed_versions()
    wanted = [_without_patch(version) for version in versions]
    for given, version in zip(versions, wanted, strict=True):
        if version not in allowed:
            raise click.BadParameter(
                f"{given}: the chart runs on Kubernetes {allowed[0]} and newer, and there are schemas up to "
                f"{allowed[-1]}; allowed are {', '.join(allowed)}",
                param_hint="--kubernetes",
            )
    return [KubernetesSchemas(version) for version in wanted or allowed[-1:]]


def _without_patch(version: str) -> str:
    """As kubectl and EKS show it, such as v1.34.1-eks-113cf36: schemas are of minor versions."""
    match = re.fullmatch(r"v?(\d+\.\d+)([.+-].*)?", version)
    return match[1] if match else version


def _allowed_versions() -> list[str]:
    """Those that the chart runs on and whose schemas are installed, the oldest first."""
    from rlinf_charts.metadata import OLDEST_KUBERNETES  # noqa: PLC0415 - starts Node
    from rlinf_charts.validation import known_versions  # noqa: PLC0415 - likewise

    try:
        known = known_versions()
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error.name} is missing: pip install 'rlinf-eks[validate]'") from error
    return known[known.index(".".join(map(str, OLDEST_KUBERNETES))) :]


def _read(sources: list[Source]) -> tuple[dict[str, Any], list[Given], list[Fault]]:
    """The values of all sources, what each alone has given, and those that cannot be read."""
    from rlinf_charts.validation import Fault, Given  # noqa: PLC0415 - starts Node

    values: dict[str, Any] = {}
    given: list[Given] = []
    unread: list[Fault] = []
    for source in sources:
        try:
            values = source.over(values)
            given.append(Given(name=source.name, values=source.over({})))
        except ValueError as error:  # noqa: PERF203 - one does not hide the next
            unread.append(Fault(check="file", places=(source.name,), message=str(error)))
    return values, given, unread


def _print(report: Report, schemas: list[KubernetesSchemas]) -> None:
    for fault in report.faults:
        click.echo(fault.text(), err=True)
    if report.not_checked:
        click.echo(f"not checked, since no schema of Kubernetes knows them: {', '.join(report.not_checked)}", err=True)
    if not report.faults:
        click.echo(f"valid for Kubernetes {', '.join(schema.version for schema in schemas)}")
