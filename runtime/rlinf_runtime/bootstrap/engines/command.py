"""The engine's full command: its program, what the cluster determines, and what the user says."""

from collections.abc import Mapping

from .. import hydra
from ..attempt import Attempt
from ..run_config import EngineName, RunConfig
from .engine import Engine
from .native import NATIVE
from .verl import VERL

ENGINES: Mapping[EngineName, Engine] = {"native": NATIVE, "verl": VERL}


def command(config: RunConfig, attempt: Attempt) -> tuple[str, ...]:
    """The engine's full command; the user's value for a derived key wins.

    Raises:
        BootstrapError: (`CONFIG`) Hydra's grammar cannot say a key or a value of `engine.hydra`.
    """
    engine = ENGINES[config.engine.name]
    given = hydra.flatten(config.engine.hydra)
    named = {key.lstrip("+") for key in given}
    derived = {key: value for key, value in engine.derived(config, attempt).items() if key not in named}
    return (*engine.program, *hydra.overrides({**derived, **given}))
