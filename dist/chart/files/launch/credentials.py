"""Credentials from Secrets, of which many end with a line break: `echo TOKEN | base64` encodes one.

No HTTP header may have it, so that each client fails in words of its own, or retries for ever.
"""

import os
from collections.abc import MutableMapping

from . import log

logger = log.of_step("check")

NAMES = (
    "RAY_AUTH_TOKEN",
    "HF_TOKEN",
    "WANDB_API_KEY",
    "MLFLOW_TRACKING_USERNAME",
    "MLFLOW_TRACKING_PASSWORD",
    "MLFLOW_TRACKING_TOKEN",
)


def strip_line_breaks(environ: MutableMapping[str, str] = os.environ) -> None:
    """Takes line breaks and blanks off both ends, here and so in every program that the bootstrap starts."""
    for name in NAMES:
        given = environ.get(name, "")
        if given != (stripped := given.strip()):
            logger.warning("%s has a line break or blanks around it in its Secret, which are left out", name)
            environ[name] = stripped
