"""More trials a task than the suite has initial states end in an IndexError inside a child process."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from .. import target
from ..patch import APPLIED, Outcome, Patch

_METHOD = "_read_files_and_tokenize"


def _apply(module: ModuleType) -> Outcome:
    dataset = target.member(module, "LIBERO_Dataset")
    target.function(dataset, _METHOD, ("self",), uses=("get_benchmark_dict", "num_trials_per_task"))

    def make(original: target.Function) -> target.Function:
        def checked(self: Any) -> None:
            _check(self, module)
            original(self)

        return checked

    target.replace(dataset, _METHOD, make)
    return APPLIED


def _check(dataset: Any, module: ModuleType) -> None:
    suite = target.member(module, "benchmark").get_benchmark_dict()[dataset.task_suite_name]()
    fewest = min(len(suite.get_task_init_states(task)) for task in range(suite.n_tasks))
    if dataset.num_trials_per_task > fewest:
        raise ValueError(
            f"data.num_trials_per_task is {dataset.num_trials_per_task}, but must be at most {fewest}: "
            f"a task of {dataset.task_suite_name} has only so many initial states"
        )


PATCH = Patch(
    name="initial-states",
    engines=("verl",),
    modules=("verl.utils.dataset.rob_dataset",),
    about="data.num_trials_per_task beyond the suite's initial states hangs the rollout; it is refused at the start.",
    apply=_apply,
)
