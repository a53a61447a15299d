"""`secrets`: credentials by reference; no value of one ever stands in the values."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.values.section import OptionalDnsName, Section

_KEY = r"^[-._a-zA-Z0-9]+$"
_OPTIONAL_KEY = r"^[-._a-zA-Z0-9]*$"


class HuggingFace(Section):
    """Hugging Face's token (HF_TOKEN)."""

    name: OptionalDnsName = Field(default="", description="Secret that holds the token. Empty: none.")
    key: str = Field(default="token", description="The token's key in that Secret.", pattern=_KEY)


class Wandb(Section):
    """The API key of Weights & Biases (WANDB_API_KEY)."""

    name: OptionalDnsName = Field(default="", description="Secret that holds the API key. Empty: none.")
    key: str = Field(default="api-key", description="The API key's key in that Secret.", pattern=_KEY)


class Mlflow(Section):
    """Credentials of the MLflow server (MLFLOW_TRACKING_USERNAME and _PASSWORD, or _TOKEN)."""

    name: OptionalDnsName = Field(default="", description="Secret that holds the credentials. Empty: none.")
    username_key: str = Field(
        default="username", description="The user name's key in that Secret. Empty: none.", pattern=_OPTIONAL_KEY
    )
    password_key: str = Field(
        default="password", description="The password's key in that Secret. Empty: none.", pattern=_OPTIONAL_KEY
    )
    token_key: str = Field(
        default="", description="The key of a bearer token in that Secret. Empty: none.", pattern=_OPTIONAL_KEY
    )


class Secrets(Section):
    """Credentials by reference to Secrets that exist."""

    hugging_face: HuggingFace = Field(default_factory=HuggingFace, description="Hugging Face's token (HF_TOKEN).")
    wandb: Wandb = Field(default_factory=Wandb, description="The API key of Weights & Biases (WANDB_API_KEY).")
    mlflow: Mlflow = Field(
        default_factory=Mlflow,
        description="Credentials of the MLflow server (MLFLOW_TRACKING_USERNAME and _PASSWORD, or _TOKEN).",
    )
