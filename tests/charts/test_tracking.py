"""Where metrics go, and credentials, which are only ever named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rendered_objects import objects_of, refusal_of, training_container, variables_of
from rlinf_constructs.helm import HelmChart

MLFLOW = {"trackingUri": "http://mlflow.mlflow.svc:5000"}


def secret_variables_of(objects: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Name and key of the Secret behind each variable that has one, but for Ray's token."""
    variables = training_container(objects)["env"]
    sources = {item["name"]: item.get("valueFrom", {}).get("secretKeyRef") for item in variables}
    return {name: source for name, source in sources.items() if source and name != "RAY_AUTH_TOKEN"}


def test_nothing_is_tracked_by_default(chart: HelmChart) -> None:
    """No variable names a tracker, and none comes from a Secret but Ray's token."""
    objects = objects_of(chart)

    assert variables_of(objects).keys() == {"POD_NAME", "HOME", "USER", "RAY_AUTH_MODE"}
    assert secret_variables_of(objects) == {}


def test_mlflow_is_told_by_its_own_variables(chart: HelmChart) -> None:
    """Address, experiment, run name and tags, as MLflow's client reads them."""
    mlflow = {**MLFLOW, "experiment": "libero", "tags": {"team": "arm", "seed": "7"}}
    variables = variables_of(objects_of(chart, {"tracking": {"mlflow": mlflow}}))

    assert variables["MLFLOW_TRACKING_URI"] == "http://mlflow.mlflow.svc:5000"
    assert variables["MLFLOW_EXPERIMENT_NAME"] == "libero"
    assert json.loads(variables["MLFLOW_RUN_CONTEXT"]) == {
        "mlflow.runName": "rel-rlinf",
        "team": "arm",
        "seed": "7",
    }


def test_a_run_can_have_a_name_of_its_own(chart: HelmChart) -> None:
    """Otherwise it is the release's."""
    values = {"tracking": {"mlflow": {**MLFLOW, "runName": "first"}}}
    context = json.loads(variables_of(objects_of(chart, values))["MLFLOW_RUN_CONTEXT"])
    assert context == {"mlflow.runName": "first"}


def test_weights_and_biases_is_told_by_its_own_variables(chart: HelmChart) -> None:
    """Project and run; entity and server only where they are given."""
    some = variables_of(objects_of(chart, {"tracking": {"wandb": {"enabled": True}}}))
    more = variables_of(
        objects_of(chart, {"tracking": {"wandb": {"enabled": True, "entity": "arm", "baseUrl": "https://wandb.team"}}})
    )

    assert {name: value for name, value in some.items() if name.startswith("WANDB")} == {
        "WANDB_PROJECT": "rlinf",
        "WANDB_NAME": "rel-rlinf",
    }
    assert (more["WANDB_ENTITY"], more["WANDB_BASE_URL"]) == ("arm", "https://wandb.team")


def test_tensorboard_has_a_folder_in_the_run_folder(chart: HelmChart) -> None:
    """So that one server can show all runs of a claim."""
    variables = variables_of(objects_of(chart, {"tracking": {"tensorboard": {"enabled": True}}}))
    assert variables["TENSORBOARD_DIR"] == "/runs/rel-rlinf/tensorboard"


def test_credentials_come_from_the_named_secrets(chart: HelmChart) -> None:
    """Each by name and key; a key that is empty is left out."""
    secrets = {
        "huggingFace": {"name": "hf"},
        "wandb": {"name": "wandb", "key": "key"},
        "mlflow": {"name": "mlflow", "usernameKey": "", "passwordKey": "", "tokenKey": "bearer"},
    }
    assert secret_variables_of(objects_of(chart, {"secrets": secrets})) == {
        "HF_TOKEN": {"name": "hf", "key": "token"},
        "WANDB_API_KEY": {"name": "wandb", "key": "key"},
        "MLFLOW_TRACKING_TOKEN": {"name": "mlflow", "key": "bearer"},
    }


def test_there_is_one_way_to_log_in_to_mlflow(chart: HelmChart) -> None:
    """A key that the Secret lacks would leave every pod in CreateContainerConfigError."""
    assert refusal_of(chart, {"secrets": {"mlflow": {"name": "mlflow", "tokenKey": "bearer"}}}) == [
        (
            "secrets.mlflow.tokenKey is bearer while usernameKey is 'username' and passwordKey is 'password': the "
            "Secret must have every key that is named, and MLflow takes the name and password before the token; set "
            "usernameKey= and passwordKey=, or tokenKey="
        )
    ]


@pytest.mark.parametrize(
    ("variable", "remedy"),
    [
        ("HF_TOKEN", "name the Secret in secrets.huggingFace"),
        ("WANDB_API_KEY", "name the Secret in secrets.wandb"),
        ("MLFLOW_TRACKING_PASSWORD", "name the Secret in secrets.mlflow"),
        ("AWS_SECRET_ACCESS_KEY", "give the pods' ServiceAccount an IAM role instead"),
        (
            "HUGGING_FACE_HUB_TOKEN",
            "write HUGGING_FACE_HUB_TOKEN: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}",
        ),
        ("db_password", "write db_password: {valueFrom: {secretKeyRef: {name: SECRET, key: KEY}}}"),
    ],
)
def test_a_credential_in_plain_text_is_refused(variable: str, remedy: str, chart: HelmChart) -> None:
    """Values files are kept in git, and pods can be read by many."""
    assert refusal_of(chart, {"extraEnv": {variable: "x"}}) == [
        f"extraEnv.{variable} would show a credential to all who can read pods: put it into a Secret, and {remedy}"
    ]


@pytest.mark.parametrize(
    "variables",
    [
        {"HF_TOKEN": ""},
        {"HF_TOKEN": "$(TEAM_TOKEN)"},
        {"TOKENIZERS_PARALLELISM": "true", "AWS_WEB_IDENTITY_TOKEN_FILE": "/var/token", "AWS_ACCESS_KEY_ID": "AKIA"},
        {"WANDB_API_KEY": {"valueFrom": {"secretKeyRef": {"name": "team", "key": "wandb"}}}},
    ],
)
def test_what_shows_no_credential_is_taken(variables: dict[str, Any], chart: HelmChart) -> None:
    """Nothing, another variable, a name that only sounds like one, and a key of a Secret."""
    assert objects_of(chart, {"extraEnv": variables})


@pytest.mark.parametrize("address", ["file:///tmp/mlruns", "databricks", "arn:aws:sagemaker:eu-west-1:1:mlflow/a"])
def test_a_tracking_uri_that_speaks_no_http_is_refused(address: str, chart: HelmChart) -> None:
    """Metrics would never arrive there."""
    [sentence] = refusal_of(chart, {"tracking": {"mlflow": {"trackingUri": address}}})
    assert sentence.startswith(f"tracking.mlflow.trackingUri is {address}, but metrics are sent by MLflow's REST")


def test_a_tracking_uri_is_an_address(chart: HelmChart) -> None:
    """By the schema."""
    sentences = refusal_of(chart, {"tracking": {"mlflow": {"trackingUri": "mlflow.mlflow.svc"}}})
    assert sentences[1].startswith("- at '/tracking/mlflow/trackingUri': 'mlflow.mlflow.svc' does not match pattern")
