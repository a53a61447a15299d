"""The start from demonstrations: `python -u -m rlinf_runtime.trainer.sft KEY=VALUE ...`.

Every rank runs its share of the scripted demonstrations and keeps them; then all take SFT steps on their own shares.
The policy is written to `actor_rollout_ref.model.path`. The trainer does the same when that folder does not exist.
"""

from __future__ import annotations

import logging
import sys
import time
from typing import TYPE_CHECKING

from rlinf_runtime.trainer.run import run

if TYPE_CHECKING:
    from rlinf_runtime.trainer.config.schema import Config
    from rlinf_runtime.trainer.rank_group import RankGroup
    from rlinf_runtime.trainer.status import Status
    from rlinf_runtime.trainer.stop import StopRequest

_LOGGER = logging.getLogger(__name__)
_STEPS_A_CALL = 50


def fine_tune(config: Config, ranks: RankGroup, status: Status, stop: StopRequest) -> None:
    """Makes the policy of `actor_rollout_ref.model.path` from demonstrations.

    Raises:
        StoppedError: SIGTERM arrived; nothing is kept of the work so far.
    """
    started = time.monotonic()
    status.write("demonstrations", step=0, success_rate=None)
    num_states = sum(ranks.call("collect_demonstrations"))
    _LOGGER.info("demonstrations: %d states in %.1f s", num_states, time.monotonic() - started)
    started = time.monotonic()
    for first in range(0, config.sft.steps, _STEPS_A_CALL):
        stop.raise_if_arrived("during the start from demonstrations, which begins anew next time")
        status.write("sft", step=0, success_rate=None, fraction=first / config.sft.steps)
        last = min(first + _STEPS_A_CALL, config.sft.steps)
        losses = ranks.call("imitate", first, last)
        _LOGGER.info("sft %d/%d  loss %.3f", last, config.sft.steps, sum(losses) / len(losses))
    folder = config.actor_rollout_ref.model.folder
    ranks.call("save_policy", str(folder))
    _LOGGER.info("sft: %s in %.1f s", folder, time.monotonic() - started)


def main() -> None:
    """Runs the command."""
    sys.exit(run(sys.argv[1:], _make_start))


def _make_start(config: Config, ranks: RankGroup, status: Status, stop: StopRequest) -> None:
    folder = config.actor_rollout_ref.model.folder
    if folder.exists():
        _LOGGER.info("%s exists already; remove it to make it anew", folder)
        return
    fine_tune(config, ranks, status, stop)


if __name__ == "__main__":
    main()
