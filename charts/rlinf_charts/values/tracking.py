"""`tracking`: where a run's metrics are seen, besides its run folder."""

from __future__ import annotations

from pydantic import Field

from rlinf_charts.values.section import Section


class Mlflow(Section):
    """An MLflow server, to which the metrics of a run are sent."""

    tracking_uri: str = Field(
        default="",
        description="Its address, such as http://mlflow.mlflow.svc:5000. Empty: no MLflow.\n"
        "Metrics are sent there while the engine runs, each once, also after the server or the pod was away. "
        "Credentials come from secrets.mlflow.",
        pattern=r"^((https?|file)://[!-~]+|arn:aws[!-~]+|databricks[!-~]*)?$",
    )
    experiment: str = Field(default="rlinf", description="Name of the experiment.", min_length=1)
    run_name: str = Field(default="", description="Name of the run. Empty: the release's.")
    tags: dict[str, str] = Field(default_factory=dict[str, str], description="Tags of the run.")


class Wandb(Section):
    """Weights & Biases."""

    enabled: bool = Field(default=False, description="Set up Weights & Biases; its API key comes from secrets.wandb.")
    project: str = Field(default="rlinf", description="Name of the project.", min_length=1)
    entity: str = Field(default="", description="User or team. Empty: that of the API key.")
    base_url: str = Field(
        default="",
        description="Address of a server of your own. Empty: the public one.",
        pattern=r"^(https?://[!-~]+)?$",
    )


class Tensorboard(Section):
    """TensorBoard."""

    enabled: bool = Field(
        default=False,
        description="Name a folder for TensorBoard's files in TENSORBOARD_DIR, tensorboard/ in the run folder, for "
        "code of yours. Engine rlinf writes such files beside its checkpoints anyway, native and verl write none.",
    )


class Tracking(Section):
    """Where a run's metrics are seen, besides its run folder."""

    mlflow: Mlflow = Field(default_factory=Mlflow, description="An MLflow server, to which the metrics are sent.")
    wandb: Wandb = Field(
        default_factory=Wandb,
        description="Weights & Biases; the loggers of the engines verl and rlinf follow. Engine native sends nothing "
        "there.",
    )
    tensorboard: Tensorboard = Field(default_factory=Tensorboard, description="TensorBoard.")
