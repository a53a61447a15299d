"""`rlinf-eks render`: print plain manifests, without helm, or how they start the engine."""

from __future__ import annotations

from typing import Any

import click

from rlinf_charts.cli.options import ChartOptions, chart_options

# Kubernetes' own kinds without a namespace that extraObjects may hold, besides the chart's PersistentVolumes. What an
# operator defines cannot be known here; the API server takes the namespace away where its kind has none.
_CLUSTER_SCOPED = {
    "APIService",
    "ClusterRole",
    "ClusterRoleBinding",
    "CSIDriver",
    "CustomResourceDefinition",
    "DeviceClass",
    "IngressClass",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "Namespace",
    "PersistentVolume",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
    "VolumeAttributesClass",
    "VolumeSnapshotClass",
}


@click.command("render")
@chart_options
@click.option("--launch", "is_launch", is_flag=True, help="Print how the engine is started instead, for a shell.")
def command(options: ChartOptions, *, is_launch: bool) -> None:
    """Print the objects that `helm install` would create, for kubectl or a GitOps tool.

    \b
      rlinf-eks render -f mine.yaml --name rlinf --namespace robots | kubectl apply -f -
      rlinf-eks render -f mine.yaml --launch

    Hooks (the pod of `helm test`) are left out, and every object names its namespace.

    A random Ray token is made at each call: name a Secret of your own by ray.auth.existingSecret to keep it.

    With --launch: the engine's variables, files and whole command, one override a line, as the head's pod runs it.
    """  # noqa: D301 - \b is Click's mark for a paragraph that keeps its lines
    values, chart = options.values(), options.chart()

    from rlinf_charts.engine_start import engine_start  # noqa: PLC0415 - see load_chart
    from rlinf_charts.run import RUN  # noqa: PLC0415 - likewise
    from rlinf_constructs.helm import is_hook, yaml_io  # noqa: PLC0415 - likewise

    try:
        objects = chart.render(values, options.release())
        if is_launch:
            run = RUN.evaluate(chart.environment(values, options.release()))
            click.echo(engine_start(run, objects), nl=False)
            return
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    installed = [_in_namespace(item, options.namespace) for item in objects if not is_hook(item)]
    click.echo(yaml_io.dump_all(installed), nl=False)


def _in_namespace(item: dict[str, Any], namespace: str) -> dict[str, Any]:
    if item["kind"] in _CLUSTER_SCOPED:
        return item
    name, *rest = item["metadata"].items()
    return {**item, "metadata": dict([name, ("namespace", namespace), *rest])}
