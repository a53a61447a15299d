"""`rlinf-eks plan`: what a run will take."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from rlinf_charts.cli.options import ChartOptions, chart_options, json_option
from rlinf_charts.instances import Instance, instances
from rlinf_charts.pod_specs import instance_type, pod_specs

if TYPE_CHECKING:
    from rlinf_charts.planning import Plan

_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)([KMBT]?)", re.IGNORECASE)
_SCALES = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}


def parameter_count(context: click.Context, option: click.Parameter, text: str | None) -> int | None:
    """A number of parameters as people write it, such as 7.5B."""
    if text is None:
        return None
    match = _NUMBER.fullmatch(text)
    if match is None or float(match[1]) == 0:
        raise click.BadParameter(
            f"{text!r} is no number of parameters: write it like 7.5B or 350M", ctx=context, param=option
        )
    return round(float(match[1]) * _SCALES[match[2].upper()])


def _complete_instance(context: click.Context, option: click.Parameter, begun: str) -> list[str]:
    del context, option
    return [name for name in instances() if name.startswith(begun)]


@click.command("plan")
@chart_options
@click.option(
    "--parameters",
    metavar="NUMBER",
    callback=parameter_count,
    help="Parameters of the model, as in 7.5B; without it no memory is shown.",
)
@click.option(
    "--blocks",
    type=click.IntRange(min=1),
    default=32,
    show_default=True,
    help="Transformer blocks of the model, which FSDP gathers one by one (engine verl).",
)
@click.option(
    "--instance",
    "type_name",
    metavar="TYPE",
    shell_complete=_complete_instance,
    help="What a node is, one of `rlinf-eks profiles`. Default: the type that the pods select.",
)
@click.option("--price", "price_an_hour", type=click.FloatRange(min=0), help="Price of one node for an hour.")
@json_option
def command(
    options: ChartOptions,
    parameters: int | None,
    blocks: int,
    type_name: str | None,
    price_an_hour: float | None,
    *,
    as_json: bool,
) -> None:
    """Compute ranks, batch sizes, memory, checkpoints and cost of a run from its values.

    \b
      rlinf-eks plan -f values/h100.yaml -f mine.yaml --parameters 7.5B --price 55

    Batch sizes that do not divide are no reason to stop: the nearest that hold together are shown.
    """  # noqa: D301 - \b is Click's mark for a paragraph that keeps its lines
    values, chart = options.values(), options.chart()

    from rlinf_charts.planning import make_plan  # noqa: PLC0415 - starts Node
    from rlinf_constructs.helm import validate  # noqa: PLC0415 - starts Node

    try:
        environment = chart.environment(values, options.release())
        validate.check_schema(dict(environment.values), chart.schema(), chart=chart.name)
        plan = make_plan(
            environment,
            parameters=parameters,
            blocks=blocks,
            instance=_instance(type_name, chart.evaluate(environment)),
            price_an_hour=price_an_hour,
        )
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    click.echo(json.dumps(dataclasses.asdict(plan), indent=2) if as_json else "\n".join(_lines(plan)))


def _instance(type_name: str | None, objects: list[dict[str, Any]]) -> Instance | None:
    """The named type, else the one that the pods select, if we know it."""
    if type_name is None:
        selected = [instance_type(pod) for item in objects for _, pod in pod_specs(item)]
        return next((instances()[it] for it in selected if it in instances()), None)
    if type_name not in instances():
        from rlinf_constructs.helm.nearest import nearest  # noqa: PLC0415 - starts Node

        near = nearest(type_name, instances())
        hint = f"did you mean {near}?" if near else "of another machine, memory and cost are shown without --instance"
        raise click.BadParameter(
            f"{type_name} is not known: `rlinf-eks profiles` lists the types; {hint}", param_hint="--instance"
        )
    return instances()[type_name]


def _lines(plan: Plan) -> Iterator[str]:
    """The plan for people."""
    yield f"engine       {plan.engine}"
    gpus = f"{plan.gpus_per_node} GPUs" if plan.gpus_per_node else "1 rank on CPU"
    yield f"world size   {plan.world_size} = {plan.nodes} nodes * {gpus}"
    if plan.cost_an_hour is not None:
        yield f"cost         {plan.cost_an_hour:,.2f} an hour, all nodes"
    yield "\nbatch sizes, over all ranks"
    yield from (f"  {size:>8,}  {key}" for key, size in plan.sizes.items())
    yield "\nwhat follows from them"
    yield from (f"  {_number(it.value):>8}  {it.name} = {it.formula}" for it in plan.derived)
    yield from _refused(plan)
    yield from _memory(plan)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def _refused(plan: Plan) -> Iterator[str]:
    if plan.refusals:
        yield "\nthe chart refuses these values"
        yield from (f"  {sentence}" for sentence in plan.refusals)
    if plan.nearest_sizes:
        yield "\nthe nearest sizes that hold together"
        yield from (f"  --set training.hydra.{key}={size}" for key, size in plan.nearest_sizes.items())


def _memory(plan: Plan) -> Iterator[str]:
    memory = plan.memory
    if memory is None:
        return
    yield f"\nmemory of a {'GPU' if plan.gpus_per_node else 'rank'}, without activations"
    yield from (f"  {gib:>8.1f}  GiB in the phase {phase}" for phase, gib in memory.rank_gib.items())
    if plan.left_on_gpu_gib is not None:
        fits = "left for activations and NCCL" if plan.left_on_gpu_gib > 0 else "too little: more GPUs, or larger ones"
        yield f"  {plan.left_on_gpu_gib:>8.1f}  GiB {fits}"
    yield "\nmain memory and disk"
    yield f"  {memory.node_gib:>8.1f}  GiB of each node"
    yield f"  {memory.head_gib:>8.1f}  GiB of the head's node"
    yield f"  {memory.checkpoint_gib:>8.1f}  GiB a checkpoint"
