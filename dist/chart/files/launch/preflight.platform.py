"""ROBOT_PLATFORM, by which the models' code chooses the action's length and normalisation, against the suite."""

from collections.abc import Iterator, Mapping

from ..attempt import preview
from ..engines.launch import launch
from ..exit_codes import BootstrapError
from ..run_config import RunConfig
from .finding import Finding

_NAME = "ROBOT_PLATFORM"


def check(config: RunConfig, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Compares what the user's environment says with what the engine's would be without it."""
    given = environ.get(_NAME, "")
    if not given:
        return
    others = {name: value for name, value in environ.items() if name != _NAME}
    try:
        wanted = launch(config, preview(config), others).environment.get(_NAME)
    except BootstrapError:
        # The check of the engine's start says why.
        return
    if wanted is not None and given.upper() != wanted:
        yield Finding(
            key=f"extraEnv.{_NAME}",
            wrong=f"is {given}, but the suite and the length of its chunks need {wanted}",
            remedy="actions would be cut and scaled for another robot; leave it out",
        )
