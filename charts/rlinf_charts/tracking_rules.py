"""Rules on where metrics go."""

from __future__ import annotations

from rlinf_charts.names import values
from rlinf_constructs.helm import Rule, call, fmt

_address = values.tracking.mlflow.tracking_uri

RULES = [
    Rule(
        broken=_address.differs("") & ~call("regexMatch", "^https?://", _address),
        message=fmt(
            "tracking.mlflow.trackingUri is ",
            _address,
            ", but metrics are sent by MLflow's REST interface, which has an address of http or https: name such a "
            "server (before that of SageMaker a proxy that signs its requests), or for code of your own that logs "
            "there by itself, set extraEnv.MLFLOW_TRACKING_URI",
        ),
    )
]
