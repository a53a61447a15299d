"""The fault: what Ray sets for CUDA is a place in EGL's list of devices."""

import os

DEVICES = ["Mesa"]


def create_initialized_egl_device_display(device_id=0):
    """The device that is rendered on."""
    chosen = os.environ.get("MUJOCO_EGL_DEVICE_ID") or os.environ.get("CUDA_VISIBLE_DEVICES")
    place = max(device_id, 0) if chosen is None else int(chosen)
    if not 0 <= place < len(DEVICES):
        raise RuntimeError(f"MUJOCO_EGL_DEVICE_ID must be between 0 and {len(DEVICES) - 1}, got {place}")
    return DEVICES[place]
