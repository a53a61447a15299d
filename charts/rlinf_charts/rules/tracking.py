"""Rules on where metrics go."""

from __future__ import annotations

from rlinf_charts.names import values
from rlinf_constructs.helm import Expression, Rule, call, fmt

_address, _wandb = values.tracking.mlflow.tracking_uri, values.tracking.wandb.base_url

_PORT = "([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
_HOST = r"([A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*|\[[0-9a-fA-F:]+\])"
_WITH_CREDENTIALS = "^https?://[^/?#]*@"


def _holds_no_credentials(key: str, address: Expression, place: str) -> Rule:
    """An address is shown to all who can read pods."""
    return Rule(
        broken=call("regexMatch", _WITH_CREDENTIALS, address),
        # The address itself is not repeated: this sentence ends in logs.
        message=fmt(
            f"{key} has a user name or password before its @, where all who can read pods or values would see them: "
            f"put them into a Secret, name that in {place}, and leave the address without"
        ),
    )


def _names_a_host(key: str, address: Expression, example: str) -> Rule:
    """An address of the web that can be reached."""
    return Rule(
        broken=call("regexMatch", "^https?:", address)
        & ~call("regexMatch", _WITH_CREDENTIALS, address)
        & ~call("regexMatch", f"^https?://{_HOST}(:{_PORT})?([/?#]|$)", address),
        message=fmt(
            f"{key} is ",
            address,
            f", which names no host, or no port from 1 to 65535 behind it: write it as in {example}",
        ),
    )


RULES = [
    _holds_no_credentials("tracking.mlflow.trackingUri", _address, "secrets.mlflow.name"),
    _holds_no_credentials("tracking.wandb.baseUrl", _wandb, "secrets.wandb.name"),
    _names_a_host("tracking.mlflow.trackingUri", _address, "http://mlflow.mlflow.svc:5000"),
    _names_a_host("tracking.wandb.baseUrl", _wandb, "https://wandb.team.internal"),
    Rule(
        broken=_address.differs("") & ~call("regexMatch", "^https?://", _address),
        message=fmt(
            "tracking.mlflow.trackingUri is ",
            _address,
            ", but metrics are sent by MLflow's REST interface, which has an address of http or https: name such a "
            "server (before that of SageMaker a proxy that signs its requests), or for code of your own that logs "
            "there by itself, set extraEnv.MLFLOW_TRACKING_URI",
        ),
    ),
]
