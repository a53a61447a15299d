"""Off-screen rendering, tried in a child as MuJoCo and robosuite would: without it verl's simulators retry for ever."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..run_config import RunConfig
from .child import ChildError, ask
from .finding import Finding
from .plan import plan_of

_ANSWER_S = 45.0
# RLinf gives each rank's simulators the device of its own GPU; others make do with the first, or with CPUs.
_RENDER_BY_OWN_GPU = frozenset({"rlinf"})
_DEVICE = "MUJOCO_EGL_DEVICE_ID"
_PROBE = Path(__file__).with_name("render_probe.py")


def check(config: RunConfig, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Makes a context by what MUJOCO_GL names, egl where it is not set."""
    plan = plan_of(config, environ)
    if not plan.renders:
        return
    if plan.is_libero and config.nodes.gpus > 1 and _DEVICE in environ:
        yield Finding(
            key=f"extraEnv.{_DEVICE}",
            wrong=f"is {environ[_DEVICE]} for all ranks, but robosuite wants each rank's own GPU there",
            remedy="ranks of other GPUs could not import it; leave it out, and each rank renders on its own",
        )
    backend = environ.get("MUJOCO_GL", "egl").lower()
    if backend not in ("egl", "osmesa"):
        if backend not in ("disable", "disabled", "off", "false", "0"):
            yield Finding(
                key="extraEnv.MUJOCO_GL",
                wrong=f"is {backend}, which needs a display",
                remedy="a pod has none; set it to egl, or to osmesa for rendering on CPUs",
            )
        return
    try:
        vendors = ask([sys.executable, "-I", "-S", str(_PROBE), backend], environ, within_s=_ANSWER_S).splitlines()
    except ChildError as error:
        yield Finding(
            key="extraEnv.MUJOCO_GL",
            wrong=f"is {backend}, but rendering fails on this node: {error}",
            remedy=_remedy(backend, config),
        )
        return
    gpus = config.nodes.gpus
    if backend == "egl" and (found := vendors.count("NVIDIA")) < gpus:
        yield Finding(
            key="extraEnv.MUJOCO_GL",
            wrong=f"is egl, but EGL renders on {found} of the {gpus} GPUs (it has {', '.join(vendors)})",
            remedy=_remedy(backend, config),
            is_fatal=config.engine.name in _RENDER_BY_OWN_GPU,
        )


def _remedy(backend: str, config: RunConfig) -> str:
    if backend == "osmesa":
        return "install libosmesa6 into the image, or set extraEnv.MUJOCO_GL=egl"
    if config.nodes.gpus:
        return (
            "set extraEnv.NVIDIA_DRIVER_CAPABILITIES=all, and see that the image has libegl1, libglvnd and "
            "/usr/share/glvnd/egl_vendor.d/10_nvidia.json, which names libEGL_nvidia.so.0"
        )
    return "install libegl1 and libgl1-mesa-dri into the image, or set extraEnv.MUJOCO_GL=osmesa with libosmesa6"
