"""All ranks of the run, as the controller sees them: one call runs on every rank and gives every answer."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

import ray
from ray.exceptions import RayActorError, RayTaskError
from ray.util.placement_group import remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

from rlinf_runtime.trainer.cluster import place_ranks
from rlinf_runtime.trainer.errors import RankDiedError, TrainerError

if TYPE_CHECKING:
    from ray.util.placement_group import PlacementGroup

    from rlinf_runtime.trainer.config.schema import Config
    from rlinf_runtime.trainer.stop import StopRequest

_LOGGER = logging.getLogger(__name__)
_PROGRESS_S = 60.0
_CALL_TIMEOUT_S = 3600.0
_CLOSE_TIMEOUT_S = 3.0


class RankActor:
    """A `Rank` in a process of its own. Torch is imported only there: the controller starts without it."""

    def __init__(self, rank: int, config: Config) -> None:
        from rlinf_runtime.trainer.rank import Rank  # noqa: PLC0415 - see above

        self._rank = Rank(rank, config)

    def call(self, method: str, *arguments: object) -> Any:
        """Calls a method of the rank."""
        return getattr(self._rank, method)(*arguments)


class RankGroup:
    """One actor a rank, in a placement group."""

    def __init__(self, config: Config, stop: StopRequest) -> None:
        """Places the ranks, starts them and lets them meet.

        Raises:
            PlacementError: the cluster has no place for every rank.
            RankDiedError: a rank did not come up (so also for `call` and `call_one`).
        """
        self._stop = stop
        self._placement = place_ranks(config.trainer, stop)
        self._ranks = [_start_rank(rank, config, self._placement) for rank in range(config.trainer.world_size)]
        num_nodes = len(set(self.call("node_id")))
        _LOGGER.info("%d ranks on %d nodes: %s", len(self._ranks), num_nodes, ", ".join(self.call("node_address")))
        self.call("join", *self.call_one(0, "rendezvous"))

    def call(self, method: str, *arguments: object) -> list[Any]:
        """Calls a method on every rank and returns the answers by rank."""
        return self._gather(method, [rank.call.remote(method, *arguments) for rank in self._ranks])

    def call_one(self, rank: int, method: str, *arguments: object) -> Any:
        """Calls a method on one rank."""
        return self._gather(method, [self._ranks[rank].call.remote(method, *arguments)])[0]

    def close(self) -> None:
        """Ends all ranks; those that do not answer are killed."""
        done, late = ray.wait(
            [rank.call.remote("close") for rank in self._ranks],
            num_returns=len(self._ranks),
            timeout=_CLOSE_TIMEOUT_S,
            fetch_local=False,
        )
        _LOGGER.debug("%d ranks closed, %d did not answer", len(done), len(late))
        for rank in self._ranks:
            ray.kill(rank)
        remove_placement_group(self._placement)

    def _gather(self, method: str, answers: list[Any]) -> list[Any]:
        """Waits for all answers; the first failure ends the wait, for the other ranks would hang in a collective."""
        pending = list(answers)
        started = reported = time.monotonic()
        while pending:
            ready, pending = ray.wait(pending, num_returns=1, timeout=1.0)
            for answer in ready:
                self._check(answer, answers.index(answer), method)
            self._stop.raise_if_impatient(method)
            now = time.monotonic()
            if now - started > _CALL_TIMEOUT_S:
                missing = [answers.index(answer) for answer in pending]
                raise RankDiedError(f"ranks {missing} did not finish {method} in {_CALL_TIMEOUT_S:.0f} s")
            if now - reported > _PROGRESS_S:
                reported = now
                missing = [answers.index(answer) for answer in pending]
                _LOGGER.info("%s: waiting for ranks %s, %.0f s", method, missing, now - started)
        return ray.get(answers)

    def _check(self, answer: Any, rank: int, method: str) -> None:
        try:
            ray.get(answer)
        except RayTaskError as error:
            cause = error.cause
            if isinstance(cause, TrainerError):
                raise type(cause)(f"rank {rank}: {cause}") from error
            raise TrainerError(f"rank {rank} failed in {method}: {cause!r}\n{error}") from error
        except RayActorError as error:
            raise RankDiedError(
                f"rank {rank} died in {method}: {error}; a restart goes on from the newest checkpoint"
            ) from error


def _start_rank(rank: int, config: Config, placement: PlacementGroup) -> Any:
    options = ray.remote(RankActor).options(
        num_cpus=1,
        num_gpus=1 if config.trainer.n_gpus_per_node else 0,
        scheduling_strategy=PlacementGroupSchedulingStrategy(placement, placement_group_bundle_index=rank),
    )
    return options.remote(rank, config)
