"""Environment variables from Secrets, and none of them in plain text."""

from __future__ import annotations

from cdk8s_plus_35 import k8s

from rlinf_charts.names import values
from rlinf_constructs import helm
from rlinf_constructs.helm import Expression, Kind, Rule, call, fmt, for_each_entry
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
    """Unless the user takes it from elsewhere, by a `valueFrom` in `extraEnv`."""
    is_ours = secret & key & ~call("hasKey", values.extra_env, name)
    return helm.when(is_ours, secret_variable(name, secret=secret, key=key))


_CREDENTIAL = r"(?i)(^|_)(token|secret|password|passwd|api_?key|access_key|private_key)$|^MLFLOW_TRACKING_USERNAME$"
# A password before the @ of an address, unless another variable hands it on.
_ADDRESS_AND_LOGIN = r"^[a-z][-+.a-z0-9]*://[^/@:]*:[^/@$][^/@]*@"
_OWN_PLACES = {
    "HF_TOKEN": "name the Secret in secrets.huggingFace",
    "WANDB_API_KEY": "name the Secret in secrets.wandb",
    "MLFLOW_TRACKING_USERNAME": "name the Secret in secrets.mlflow",
    "MLFLOW_TRACKING_PASSWORD": "name the Secret in secrets.mlflow",
    "MLFLOW_TRACKING_TOKEN": "name the Secret in secrets.mlflow",
    "AWS_SECRET_ACCESS_KEY": "give the pods' ServiceAccount an IAM role instead",
}


def _is_no_plain_text(name: Expression, value: Expression) -> Rule:
    """A `valueFrom` shows nothing, nor does a text that hands another variable on; rules/names.py has Ray's token."""
    remedy = fmt("write ", name, ": {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}")
    places = [text for pair in _OWN_PLACES.items() for text in pair]
    return Rule(
        broken=call("kindIs", "string", value)
        & value
        & (
            call("regexMatch", _ADDRESS_AND_LOGIN, value)
            | (
                call("regexMatch", _CREDENTIAL, name)
                & name.differs("RAY_AUTH_TOKEN")
                & ~call("regexMatch", r"^\$\([^)]*\)$", value)
            )
        ),
        message=fmt(
            "extraEnv.",
            name,
            " would show a credential to all who can read pods: put it into a Secret, and ",
            call("dig", name, remedy, call("dict", *places), kind=Kind.STRING),
        ),
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


def _has_mlflow(variable: str, key: Expression) -> Expression:
    return key | call("hasKey", values.extra_env, variable)


A_WHOLE_LOGIN = Rule(
    broken=_mlflow.name
    & ~_has_mlflow("MLFLOW_TRACKING_TOKEN", _mlflow.token_key)
    & ~(
        _has_mlflow("MLFLOW_TRACKING_USERNAME", _mlflow.username_key)
        & _has_mlflow("MLFLOW_TRACKING_PASSWORD", _mlflow.password_key)
    ),
    message=fmt(
        "secrets.mlflow.usernameKey is '",
        _mlflow.username_key,
        "' and passwordKey is '",
        _mlflow.password_key,
        "' while tokenKey is empty: MLflow logs in by a user name and a password or by a token, else not at all; set "
        "both keys, or tokenKey alone",
    ),
)

RULES = [
    ONE_WAY_TO_LOG_IN,
    A_WHOLE_LOGIN,
    for_each_entry(values.extra_env, _is_no_plain_text, key="name", value="value"),
]
