"""trainer.logger knows wandb and console only, and asserts for mlflow."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from .. import target
from ..patch import APPLIED, Outcome, Patch, not_needed

_CONSOLE = "console"
_MLFLOW = "mlflow"


def _known(backends: str | Sequence[str]) -> list[str]:
    """The backends, with the console's log file in the place of MLflow: the bootstrap's relay sends what it says."""
    names = [backends] if isinstance(backends, str) else list(backends)
    return list(dict.fromkeys(_CONSOLE if name == _MLFLOW else name for name in names))


def _apply(module: ModuleType) -> Outcome:
    tracking = target.member(module, "Tracking")
    if _MLFLOW in target.member(tracking, "supported_backend"):
        return not_needed("the tree knows mlflow")
    target.function(tracking, "__init__", ("self", "project_name", "experiment_name", "default_backend"))

    def make(original: target.Function) -> target.Function:
        def logged(
            self: Any,
            project_name: str,
            experiment_name: str,
            default_backend: str | Sequence[str] = _CONSOLE,
            **keywords: Any,
        ) -> None:
            original(self, project_name, experiment_name, _known(default_backend), **keywords)

        return logged

    target.replace(tracking, "__init__", make)
    return APPLIED


PATCH = Patch(
    name="loggers",
    engines=("verl",),
    modules=("verl.utils.tracking",),
    about="trainer.logger=[mlflow] is an AssertionError; it means the console's log file, which is relayed to MLflow.",
    apply=_apply,
)
