"""Ends an engine that goes on without getting anywhere, which would occupy its GPUs for ever."""

from collections.abc import Callable

from ..exit_codes import BootstrapError, ExitCode
from ..run_config import WatchdogConfig
from .progress import Progress


class Watchdog:
    """Holds the engine's progress against the run's limits; 0 turns a limit off."""

    def __init__(self, config: WatchdogConfig, progress: Progress, clock_s: Callable[[], float]) -> None:
        self._config = config
        self._progress = progress
        self._clock_s = clock_s

    def check(self) -> None:
        """Looks at the progress.

        Raises:
            BootstrapError: (`STALLED`) nothing has come for too long; (`NO_UPDATES`) rollouts lead to no update.
        """
        quiet_s = self._clock_s() - self._progress.advanced_at_s
        limit_s = self._config.step_minutes * 60
        if limit_s and quiet_s >= limit_s:
            raise BootstrapError(
                ExitCode.STALLED,
                f"the engine has reported no rollouts, step, validation or checkpoint for {quiet_s / 60:.0f} min "
                "(training.watchdog.stepMinutes): look at the stacks above, or raise the limit if a step takes longer",
            )
        limit = self._config.epochs_without_update
        if limit and self._progress.idle_epochs >= limit:
            raise no_updates(self._progress)

    def check_end(self) -> None:
        """Looks at an engine that has ended well by itself.

        Raises:
            BootstrapError: (`NO_UPDATES`) it has collected rollouts, but not updated the policy once.
        """
        if self._config.epochs_without_update and self._progress.batch is not None and self._progress.updates == 0:
            raise no_updates(self._progress)


def no_updates(progress: Progress) -> BootstrapError:
    """What to change when the filter leaves too few rollouts."""
    batch = progress.batch
    found = f"{batch.kept} of {batch.wanted} rollouts" if batch else "too few rollouts"
    return BootstrapError(
        ExitCode.NO_UPDATES,
        f"{max(progress.idle_epochs, 1)} epochs brought no update (training.watchdog.epochsWithoutUpdate): the filter "
        f"kept {found} of the last batch, and what does not fill a batch is thrown away. With success near 0 "
        "use training.hydra.data.accuracy_lower_bound 0, near 1 accuracy_upper_bound 1; or a smaller "
        "data.train_batch_size, or a larger data.oversample_factor or actor_rollout_ref.rollout.temperature",
    )
