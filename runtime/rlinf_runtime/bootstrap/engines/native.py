"""Our own trainer: it resumes exactly, from checkpoints in the run folder itself."""

from typing import Any

from ..attempt import Attempt
from ..run_config import RunConfig
from .engine import Engine, shared_keys


def _derived(config: RunConfig, _attempt: Attempt) -> dict[str, Any]:
    return {**shared_keys(config), "trainer.default_local_dir": config.folder}


NATIVE = Engine(program=("python3", "-u", "-m", "rlinf_runtime.trainer"), derived=_derived)
