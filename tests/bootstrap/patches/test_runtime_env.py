"""The runtime environment that carries the patches into workers."""

from pathlib import Path

import pytest

from rlinf_runtime.bootstrap.patches.runtime_env import with_patches

FOLDER = Path(__file__).parents[3] / "runtime"
HOOK = "rlinf_runtime.bootstrap.patches.setup.setup"


def test_it_names_the_hook_and_what_the_hook_reads():
    """The package's folder comes last on the workers' path."""
    environ = {"RLINF_ENGINE": "verl", "RLINF_PATCHES_OFF": "loggers", "PYTHONPATH": "/engine", "HOME": "/root"}
    made = with_patches({}, environ)
    variables = made["env_vars"]
    assert made["worker_process_setup_hook"] == HOOK
    assert {name: variables[name] for name in variables if name != "PYTHONPATH"} == {
        "RLINF_ENGINE": "verl",
        "RLINF_PATCHES_OFF": "loggers",
    }
    assert variables["PYTHONPATH"] == f"/engine:{FOLDER}"


def test_what_the_user_wants_stays():
    """Other keys, other variables, and the path before ours."""
    wanted = {"excludes": ["*"], "env_vars": {"FI_PROVIDER": "efa", "PYTHONPATH": "/mine"}}
    made = with_patches(wanted, {"PYTHONPATH": "/engine"})
    assert made["excludes"] == ["*"]
    assert made["env_vars"]["FI_PROVIDER"] == "efa"
    assert made["env_vars"]["PYTHONPATH"] == f"/mine:{FOLDER}"


def test_twice_is_once():
    """The resolver writes it into a file, and the driver sees it again."""
    once = with_patches({"env_vars": {"A": "1"}}, {"RLINF_ENGINE": "verl"})
    assert with_patches(once, {"RLINF_ENGINE": "verl"}) == once


def test_another_hook_is_refused():
    """Ray runs one."""
    with pytest.raises(
        ValueError, match=r"names 'mine\.setup' as its worker_process_setup_hook, but it must be 'rlinf_r"
    ):
        with_patches({"worker_process_setup_hook": "mine.setup"}, {})
