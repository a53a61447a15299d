"""Environment variables from Secrets, and none of them in plain text."""

from __future__ import annotations

from cdk8s_plus_35 import k8s

from rlinf_charts.names import values
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Rule, call, fmt
from rlinf_constructs.platform.identity import secret_variable

_secrets = values.secrets
_mlflow = _secrets.mlflow


def variables() -> list[k8s.EnvVar]:
    """One for each credential that the values name."""
    return [
        _variable("HF_TOKEN", _secrets.hugging_face.name, _secrets.hugging_face.key),
        _variable("WANDB_API_KEY", _secrets.wandb.name, _secrets.wandb.key),
        _variable("MLFLOW_TRACKING_USERNAME", _mlflow.name, _mlflow.username_key),
        _variable("MLFLOW_TRACKING_PASSWORD", _mlflow.name, _mlflow.password_key),
        _variable("MLFLOW_TRACKING_TOKEN", _mlflow.name, _mlflow.token_key),
    ]


def _variable(name: str, secret: Expression, key: Expression) -> k8s.EnvVar:
    return helm.when(secret & key, secret_variable(name, secret=secret, key=key))


def _is_no_plain_text(name: str, remedy: str) -> Rule:
    return Rule(
        broken=call("hasKey", values.extra_env, name),
        message=fmt(f"extraEnv.{name} would show a credential to all who can read pods: {remedy}"),
    )


ONE_WAY_TO_LOG_IN = Rule(
    broken=_mlflow.name & _mlflow.token_key & (_mlflow.username_key | _mlflow.password_key),
    message=fmt(
        "secrets.mlflow.tokenKey is ",
        _mlflow.token_key,
        " while usernameKey is '",
        _mlflow.username_key,
        "' and passwordKey is '",
        _mlflow.password_key,
        "': the Secret must have every key that is named, and MLflow takes the name and password before the token; set "
        "usernameKey= and passwordKey=, or tokenKey=",
    ),
)

RULES = [
    ONE_WAY_TO_LOG_IN,
    _is_no_plain_text("HF_TOKEN", "put it into a Secret and name that in secrets.huggingFace"),
    _is_no_plain_text("WANDB_API_KEY", "put it into a Secret and name that in secrets.wandb"),
    *(
        _is_no_plain_text(f"MLFLOW_TRACKING_{kind}", "put it into a Secret and name that in secrets.mlflow")
        for kind in ("USERNAME", "PASSWORD", "TOKEN")
    ),
    _is_no_plain_text("AWS_SECRET_ACCESS_KEY", "give the pods' ServiceAccount an IAM role instead"),
]
