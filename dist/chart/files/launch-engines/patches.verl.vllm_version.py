"""Any vLLM but four old versions breaks the import of the hybrid engine, though VLAs do not use vLLM."""

from __future__ import annotations

from types import ModuleType

from .. import target
from ..patch import APPLIED, Outcome, Patch, not_needed

_NAME = "is_vllm_available"
_SUPPORTED = ("0.3.1", "0.4.2", "0.5.4", "0.6.3")


def _installed_version() -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - slow, and this is at each start

    try:
        return version("vllm")
    except PackageNotFoundError:
        return None


def _apply(module: ModuleType) -> Outcome:
    target.function(module, _NAME, (), uses=("vllm",))
    version = _installed_version()
    if version is None:
        return not_needed("vLLM is not installed")
    if version in _SUPPORTED:
        return not_needed(f"vLLM {version} is supported")
    target.replace(module, _NAME, lambda _original: lambda: False)
    return APPLIED


PATCH = Patch(
    name="vllm-version",
    engines=("verl",),
    modules=("verl.utils.import_utils",),
    about=f"A vLLM other than {', '.join(_SUPPORTED)} makes the workers' import fail; it now counts as not installed.",
    apply=_apply,
)
