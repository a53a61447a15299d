"""Each rank renders on its own GPU, as EGL counts it."""

import pytest

from rlinf_runtime.bootstrap.preflight import render_probe

CONTEXT = "robosuite.renderers.context.egl_context"
# Four GPUs of eight, as EGL lists them to a rank to which CUDA shows one: all of the machine, and Mesa.
NODE = ["other", "other", "mine", "other", "Mesa"]


@pytest.fixture
def rank(monkeypatch):
    """The environment of the rank of GPU 3: `rank(numbers)` are the numbers in CUDA of EGL's devices."""
    monkeypatch.delenv("MUJOCO_EGL_DEVICE_ID", raising=False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    return lambda numbers: monkeypatch.setattr(render_probe, "cuda_numbers", lambda: numbers)


def test_a_rank_renders_where_cuda_counts_it(engine, rank):
    """The fault: on another GPU, or on a place that EGL's list does not have."""
    context = engine.load(CONTEXT)
    context.DEVICES = NODE
    assert context.create_initialized_egl_device_display(-1) == "other"
    context.DEVICES = NODE[2:3]
    with pytest.raises(RuntimeError, match="must be between 0 and 0, got 3"):
        context.create_initialized_egl_device_display(-1)


@pytest.mark.parametrize("devices", [NODE, NODE[2:3], [*NODE[2:3], "Mesa"]])
def test_a_rank_renders_on_its_own_gpu(engine, rank, devices):
    """Whether EGL lists all GPUs or the visible one only."""
    rank([0 if name == "mine" else None for name in devices])
    context = engine.load(CONTEXT, "render-device")
    context.DEVICES = devices
    assert context.create_initialized_egl_device_display(-1) == "mine"


def test_without_a_gpu_in_egl_the_first_device_renders(engine, rank):
    """By the real EGL of this machine, which knows no CUDA."""
    context = engine.load(CONTEXT, "render-device")
    assert context.create_initialized_egl_device_display(-1) == "Mesa"


def test_a_users_choice_is_kept(engine, rank, monkeypatch):
    """MUJOCO_EGL_DEVICE_ID in extraEnv; but not the number in CUDA, which is no choice."""
    rank([None, None, 0, None, None])
    context = engine.load(CONTEXT, "render-device")
    context.DEVICES = NODE
    monkeypatch.setenv("MUJOCO_EGL_DEVICE_ID", "4")
    assert context.create_initialized_egl_device_display(-1) == "Mesa"
    monkeypatch.setenv("MUJOCO_EGL_DEVICE_ID", "3")
    assert context.create_initialized_egl_device_display(-1) == "mine"


def test_egls_devices_are_asked_for_their_number():
    """Mesa's have none."""
    assert set(render_probe.cuda_numbers()) == {None}
