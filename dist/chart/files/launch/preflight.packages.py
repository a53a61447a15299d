"""Versions of packages with which the engine is known to break, as it finds them in its own Python."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from ..run_config import EngineName, RunConfig
from .finding import Finding


@dataclass(frozen=True, kw_only=True, slots=True)
class _Rule:
    """Which versions of a package do.

    Attributes:
        fits: whether a version does; None: it is not installed.
        allowed: those that do, in words.
        reason: what happens with others.
        is_fatal: whether the engine fails with them.
        cure: name of the patch with which all versions do; empty: there is none.
    """

    fits: Callable[[str | None], bool]
    allowed: str
    reason: str
    is_fatal: bool = True
    cure: str = ""


def _one_of(*versions: str, absent: bool = False) -> Callable[[str | None], bool]:
    return lambda found: absent if found is None else found.split("+")[0] in versions


# Places: modeling_prismatic.py of openvla-oft and third_party/vllm/__init__.py, as SimpleVLA-RL 7c51662 has them.
_RULES: Mapping[EngineName, Mapping[str, _Rule]] = {
    "verl": {
        "timm": _Rule(
            fits=_one_of("0.9.10", "0.9.11", "0.9.12", "0.9.16"),
            allowed="0.9.10, 0.9.11, 0.9.12 or 0.9.16",
            reason="the model's code refuses others",
        ),
        "vllm": _Rule(
            fits=_one_of("0.3.1", "0.4.2", "0.5.4", "0.6.3", absent=True),
            allowed="0.3.1, 0.4.2, 0.5.4, 0.6.3 or none",
            reason="the import of verl.workers.hybrid_engine raises with others; a VLA does not use it, so remove it",
            cure="vllm-version",
        ),
        "transformers": _Rule(
            fits=_one_of("4.40.1"),
            allowed="4.40.1",
            reason="openvla-oft was written for it, and may act differently with others without an error",
            is_fatal=False,
        ),
        "tokenizers": _Rule(
            fits=_one_of("0.19.1"),
            allowed="0.19.1",
            reason="openvla-oft was written for it, and may act differently with others without an error",
            is_fatal=False,
        ),
    }
}


def check(config: RunConfig, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Compares what is installed for the engine with what it is known to run with."""
    del environ
    for package, rule in _RULES.get(config.engine.name, {}).items():
        found = _installed(package)
        is_cured = rule.cure and rule.cure not in config.engine.patches_off
        if not is_cured and not rule.fits(found):
            wrong = f"has no {package}" if found is None else f"has {package} {found}"
            remedy = f"the engine {config.engine.name} runs with {rule.allowed}; {rule.reason}"
            yield Finding(key="image", wrong=wrong, remedy=remedy, is_fatal=rule.is_fatal)


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
