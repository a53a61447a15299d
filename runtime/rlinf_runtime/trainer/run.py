"""What every command of the trainer does around its work: configuration, Ray, ranks, signals, exit code."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

import ray

from rlinf_runtime.trainer.cluster import connect
from rlinf_runtime.trainer.config.load import load_config
from rlinf_runtime.trainer.errors import TrainerError
from rlinf_runtime.trainer.rank_group import RankGroup
from rlinf_runtime.trainer.status import Status
from rlinf_runtime.trainer.stop import StopRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from rlinf_runtime.trainer.config.schema import Config

    Work = Callable[[Config, RankGroup, Status, StopRequest], None]

_LOGGER = logging.getLogger(__name__)


def run(arguments: list[str], work: Work) -> int:
    """Runs `work` on the ranks that the arguments ask for.

    Args:
        arguments: `KEY=VALUE` overrides.
        work: what to do with the ranks.

    Returns:
        The exit code: 0, or that of the error (see `errors.py`), which is logged in one line.
    """
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    logging.getLogger("matplotlib").setLevel(logging.WARNING)
    try:
        config = load_config(arguments)
        _run(config, work)
    except TrainerError as error:
        _LOGGER.error("%s: %s", type(error).__name__, error)
        return error.exit_code
    return 0


def _run(config: Config, work: Work) -> None:
    folder = config.trainer.folder
    folder.mkdir(parents=True, exist_ok=True)
    stop = StopRequest()
    connect(config.trainer)
    stop.listen()
    try:
        ranks = RankGroup(config, stop)
        try:
            work(config, ranks, Status(folder, total_steps=config.trainer.total_epochs), stop)
        finally:
            ranks.close()
    finally:
        ray.shutdown()
