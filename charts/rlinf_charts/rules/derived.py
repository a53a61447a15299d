"""Rules on keys of the engines that follow from other values: what is said twice must be said alike."""

from __future__ import annotations

from rlinf_charts.names import values
from rlinf_charts.resources import GPUS
from rlinf_charts.rules.batches import is_engine, number, setting
from rlinf_charts.volumes import RUN_FOLDER
from rlinf_constructs.helm import Expression, Kind, Rule, fmt


def _follows(engine: str, key: str, derived: Expression, words: str, source: str) -> Rule:
    """A number that the chart derives, and a user may only repeat."""
    given = number(key, derived)
    return Rule(
        broken=is_engine(engine) & given.differs(derived),
        message=fmt(
            f"training.hydra.{key} is ",
            given,
            f" while {words} ",
            derived,
            f", from which it follows: leave it out, or set {source}=",
            given,
        ),
    )


def _nodes(engine: str, key: str) -> Rule:
    return _follows(engine, key, values.nodes.count, "nodes.count is", "nodes.count")


def _gpus(engine: str, key: str) -> Rule:
    return _follows(engine, key, GPUS, "the GPUs of a node (nodes.gpus, instance.type) are", "nodes.gpus")


_folder = setting("trainer.default_local_dir", RUN_FOLDER, Kind.STRING)

NATIVE_WRITES_INTO_THE_RUN_FOLDER = Rule(
    broken=is_engine("native") & _folder.differs(RUN_FOLDER),
    message=fmt(
        "training.hydra.trainer.default_local_dir is ",
        _folder,
        ", but progress, metrics and checkpoints are looked for in the run folder, ",
        RUN_FOLDER,
        ": leave it out, and choose where that lies by storage.checkpoints or storage.runs",
    ),
)

RULES = [
    _nodes("native", "trainer.nnodes"),
    _gpus("native", "trainer.n_gpus_per_node"),
    _nodes("verl", "trainer.nnodes"),
    _gpus("verl", "trainer.n_gpus_per_node"),
    _nodes("rlinf", "cluster.num_nodes"),
    NATIVE_WRITES_INTO_THE_RUN_FOLDER,
]
