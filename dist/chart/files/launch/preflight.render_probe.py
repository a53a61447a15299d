"""`python3 render_probe.py egl|osmesa`: makes rendering contexts, and prints the vendor of each device that has one.

A program of its own, for a driver may crash the process that asks it. By ctypes alone, as MuJoCo and PyOpenGL would:
their import takes a second.
"""

import ctypes
import sys
from typing import Any

_PLATFORM_DEVICE = 0x313F
_OPENGL_API = 0x30A2
_CUDA_DEVICE = 0x323A
_CONFIG = (0x3033, 0x0001, 0x3040, 0x0008, 0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3025, 24, 0x3038)
_VENDOR = 0x3053
_MOST_DEVICES = 64
_OSMESA_RGBA = 0x1908

_Handle = ctypes.c_void_p


def egl_vendors() -> list[str]:
    """The vendors of those of EGL's devices that make a context with a depth buffer.

    Raises:
        OSError: none does, or there is no EGL.
    """
    egl = ctypes.CDLL("libEGL.so.1")
    devices = _list_devices(egl)
    vendors = [vendor for device in devices if (vendor := _vendor_with_context(egl, device))]
    if not vendors:
        raise OSError(f"none of {len(devices)} EGL devices makes a context")
    return vendors


def cuda_numbers() -> list[int | None]:
    """For each of EGL's devices its number among the GPUs that CUDA shows this process; None for all others.

    Raises:
        OSError: there is no EGL, or none that lists devices.
    """
    egl = ctypes.CDLL("libEGL.so.1")
    query = _extension(
        egl, b"eglQueryDeviceAttribEXT", ctypes.c_uint, _Handle, ctypes.c_int, ctypes.POINTER(ctypes.c_ssize_t)
    )

    def number(device: int) -> int | None:
        value = ctypes.c_ssize_t()
        return value.value if query(device, _CUDA_DEVICE, ctypes.byref(value)) else None

    return [number(device) for device in _list_devices(egl)]


def _list_devices(egl: ctypes.CDLL) -> list[int]:
    query = _extension(
        egl, b"eglQueryDevicesEXT", ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)
    )
    devices = (_Handle * _MOST_DEVICES)()
    count = ctypes.c_int()
    if not query(_MOST_DEVICES, devices, ctypes.byref(count)) or not count.value:
        raise OSError("libEGL finds no device; the driver's part of it is missing")
    return [device for device in devices[: count.value] if device]


def _vendor_with_context(egl: ctypes.CDLL, device: int) -> str:
    """The device's vendor; "" when it makes no context."""
    for name in ("eglInitialize", "eglChooseConfig", "eglBindAPI", "eglMakeCurrent", "eglTerminate"):
        getattr(egl, name).restype = ctypes.c_uint
    egl.eglCreateContext.restype = _Handle
    egl.eglQueryString.restype = ctypes.c_char_p
    get_display = _extension(egl, b"eglGetPlatformDisplayEXT", _Handle, ctypes.c_uint, _Handle, ctypes.c_void_p)
    display = _Handle(get_display(_PLATFORM_DEVICE, device, None))
    if not display or not egl.eglInitialize(display, None, None):
        return ""
    try:
        attributes = (ctypes.c_int * len(_CONFIG))(*_CONFIG)
        config, count = _Handle(), ctypes.c_int()
        chosen = egl.eglChooseConfig(display, attributes, ctypes.byref(config), 1, ctypes.byref(count))
        if not chosen or not count.value or not egl.eglBindAPI(_OPENGL_API):
            return ""
        context = _Handle(egl.eglCreateContext(display, config, None, None))
        if not context or not egl.eglMakeCurrent(display, None, None, context):
            return ""
        return egl.eglQueryString(display, _VENDOR).decode()
    finally:
        egl.eglMakeCurrent(display, None, None, None)
        egl.eglTerminate(display)


def _extension(egl: ctypes.CDLL, name: bytes, result: type | None, *arguments: type) -> Any:
    egl.eglGetProcAddress.restype = _Handle
    egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
    address = egl.eglGetProcAddress(name)
    if not address:
        raise OSError(f"libEGL has no {name.decode()}, which rendering without a display needs")
    return ctypes.CFUNCTYPE(result, *arguments)(address)


def osmesa_vendors() -> list[str]:
    """Mesa, when OSMesa makes a context.

    Raises:
        OSError: it does not.
    """
    mesa = ctypes.CDLL("libOSMesa.so.8")
    mesa.OSMesaCreateContextExt.restype = _Handle
    if not mesa.OSMesaCreateContextExt(_OSMESA_RGBA, 24, 8, 0, None):
        raise OSError("OSMesa makes no context")
    return ["Mesa Project"]


if __name__ == "__main__":
    try:
        found = egl_vendors() if sys.argv[1] == "egl" else osmesa_vendors()
    except OSError as error:
        sys.exit(str(error))
    sys.stdout.write("\n".join(found) + "\n")
