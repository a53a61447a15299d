"""ROBOT_PLATFORM, by which the models' code chooses the action's length and normalisation, against the suite."""

from collections.abc import Iterator, Mapping

from ..run_config import RunConfig
from .finding import Finding
from .plan import plan_of


def check(config: RunConfig, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Compares what the user's environment says; unset, the engine's own environment sets the right one."""
    given = environ.get("ROBOT_PLATFORM", "")
    plan = plan_of(config)
    if config.engine.name == "native" or not given:
        return
    if plan.is_libero:
        fits = given.upper() == "LIBERO"
    else:
        fits = not plan.suite.startswith("robotwin") or given.upper().startswith("ALOHA")
    if not fits:
        wanted = "LIBERO" if plan.is_libero else "ALOHA, or ALOHA_6, ALOHA_8, ALOHA_12 after the length of a chunk"
        yield Finding(
            key="environment.ROBOT_PLATFORM",
            wrong=f"is {given}, but the suite {plan.suite} needs {wanted}",
            remedy="actions would be cut and scaled for another robot; set it so, or leave it out",
        )
