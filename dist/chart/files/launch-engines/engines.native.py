"""Our own trainer: it resumes exactly, from checkpoints in the run folder itself."""

from typing import Any

from .engine import Engine, Start


def _keys(start: Start) -> dict[str, Any]:
    config = start.config
    # It finds its newest checkpoint by itself, unless it is told not to look.
    resume = {"trainer.resume_mode": "disable"} if config.resume == "never" else {}
    return {
        **resume,
        "trainer.nnodes": config.nodes.count,
        "trainer.n_gpus_per_node": config.nodes.gpus,
        "trainer.project_name": "rlinf",
        "trainer.experiment_name": config.name,
        "trainer.default_local_dir": config.folder,
    }


NATIVE = Engine(
    program=lambda _: ("python3", "-u", "-m", "rlinf_runtime.trainer"),
    keys=_keys,
    translated=lambda _config, _attempt, given: given,
    environment=lambda _: {},
    files=lambda _: {},
    # Its own configuration refuses them, with the same care.
    faults=lambda *_: [],
)
