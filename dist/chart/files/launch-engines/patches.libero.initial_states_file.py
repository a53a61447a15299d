"""From PyTorch 2.6 on, LIBERO cannot read its own files of initial states (LIBERO#110)."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from .. import target
from ..patch import APPLIED, Outcome, Patch, not_needed

_METHOD = "get_task_init_states"
_ARGUMENT = "weights_only"


def _apply(module: ModuleType) -> Outcome:
    benchmark = target.member(module, "Benchmark")
    original = target.function(
        benchmark, _METHOD, ("self", "i"), uses=("load", "init_states", "problem_folder", "init_states_file")
    )
    if _ARGUMENT in target.names_in(original):
        return not_needed(f"LIBERO says {_ARGUMENT} itself")
    target.member(module, "torch")
    target.member(module, "get_libero_path")

    def get_task_init_states(self: Any, i: int) -> Any:
        task = self.tasks[i]
        path = Path(module.get_libero_path("init_states"), task.problem_folder, task.init_states_file)
        # NumPy arrays, which are no weights to PyTorch; the files are a part of LIBERO.
        return module.torch.load(path, weights_only=False)

    target.replace(benchmark, _METHOD, lambda _original: get_task_init_states)
    return APPLIED


PATCH = Patch(
    name="initial-states-file",
    engines=("verl", "rlinf"),
    modules=("libero.libero.benchmark",),
    about="PyTorch 2.6 and later refuse LIBERO's initial states as no weights; they are read as what they are.",
    apply=_apply,
)
