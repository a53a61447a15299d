"""A pod knows its place from the environment that the chart gives it."""

import json

import pytest

from rlinf_runtime.bootstrap import pod, run_config
from rlinf_runtime.bootstrap.exit_codes import BootstrapError, ExitCode

ENVIRONMENT = {
    "RLINF_NODE_RANK": "1",
    "POD_NAME": "team-a-rlinf-1",
    "POD_IP": "10.0.0.7",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": "secret",
}


@pytest.fixture
def config(run_tree):
    return run_config.from_json(json.dumps(run_tree)).config


def test_a_pod_names_its_peers(config):
    """All pods of a StatefulSet share a name but for the ordinal."""
    this_pod = pod.from_environment(ENVIRONMENT, config)
    assert (this_pod.rank, this_pod.ip, this_pod.token) == (1, "10.0.0.7", "secret")
    assert this_pod.peers(2) == ("team-a-rlinf-0", "team-a-rlinf-1")


@pytest.mark.parametrize(
    ("changes", "exit_code", "sentence"),
    [
        ({"RLINF_NODE_RANK": "2"}, ExitCode.CONFIG, r"RLINF_NODE_RANK is '2', but must be from 0 to 1"),
        ({"RLINF_NODE_RANK": ""}, ExitCode.CONFIG, r"RLINF_NODE_RANK is '', but must be from 0 to 1"),
        ({"POD_NAME": "rlinf-0"}, ExitCode.CONFIG, r"POD_NAME is 'rlinf-0', but must end in '-1'"),
        ({"POD_IP": ""}, ExitCode.CONFIG, r"POD_IP is '', but must be the pod's IP address"),
        ({"POD_IP": "127.0.0.1"}, ExitCode.CONFIG, r"POD_IP is '127.0.0.1', but must be the pod's IP address"),
        ({"RAY_AUTH_TOKEN": ""}, ExitCode.RAY_AUTH, r"RAY_AUTH_MODE is 'token', but RAY_AUTH_TOKEN is not set"),
    ],
)
def test_a_wrong_environment_is_refused(config, changes, exit_code, sentence):
    """The sentence names the variable."""
    with pytest.raises(BootstrapError, match=sentence) as refusal:
        pod.from_environment(ENVIRONMENT | changes, config)
    assert refusal.value.exit_code is exit_code
