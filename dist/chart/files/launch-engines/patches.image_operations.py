"""The image operations of TensorFlow that the engines' image pipelines are made of, without TensorFlow.

A policy sees what it was trained on only if each pixel passes through the same arithmetic. Measured against TensorFlow
2.21, on photo-like and on random images: JPEG encoding, cropping and the type conversions give the same values, and so
does decoding with simplejpeg; a resized image, rounded, differs by one level in fewer than one of 50,000 values.

Unlike the rest of the bootstrap it needs packages, those of the engine's image, so it is imported only by a rollout.
"""

from __future__ import annotations

import functools
import io
import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .. import log

try:
    import simplejpeg  # pyright: ignore[reportMissingImports]
except ImportError:
    simplejpeg = None

logger = log.of_step("patches")

_LANCZOS3_RADIUS = 3.0


def encode_jpeg(image: NDArray[np.uint8]) -> bytes:
    """`tf.image.encode_jpeg` with its defaults: quality 95, chroma at half the resolution.

    Args:
        image: [height, width, 3].

    Returns:
        A file that decodes to the same pixels as TensorFlow's; its header differs.
    """
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, "JPEG", quality=95, subsampling=2)
    return buffer.getvalue()


def decode_jpeg(data: bytes) -> NDArray[np.uint8]:
    """`tf.io.decode_image` of a JPEG file: libjpeg-turbo with the fast inverse DCT and smooth upsampling of chroma.

    Pillow offers only the accurate inverse DCT: up to 12 levels of difference, less than one on average.

    Returns:
        [height, width, 3].
    """
    _say_which_decoder()
    if simplejpeg is not None:
        return simplejpeg.decode_jpeg(data, "RGB", fastdct=True, fastupsample=False)
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


@functools.cache
def _say_which_decoder() -> None:
    if simplejpeg is None:
        logger.warning(
            "JPEG files are decoded by Pillow, up to 12 levels off TensorFlow: install simplejpeg in the image"
        )
    else:
        logger.info("JPEG files are decoded by simplejpeg, which gives TensorFlow's pixels")


def resize_lanczos3(image: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.float32]:
    """`tf.image.resize(image, size, method="lanczos3", antialias=True)`, that is its kernel ScaleAndTranslate.

    Args:
        image: [height, width, channels].
        size: the new height and width.

    Returns:
        [*size, channels], not rounded; within 1e-4 of TensorFlow's, which adds in another order.
    """
    rows = _resize_rows(image.astype(np.float32), size[0])
    columns = _resize_rows(np.ascontiguousarray(rows.swapaxes(0, 1)), size[1])
    return np.ascontiguousarray(columns.swapaxes(0, 1))


def _resize_rows(image: NDArray[np.float32], rows: int) -> NDArray[np.float32]:
    indices, weights = _lanczos3(image.shape[0], rows)
    resized = np.zeros((rows, *image.shape[1:]), np.float32)
    for index, weight in zip(indices, weights, strict=True):
        resized += weight[:, None, None] * image[index]
    return resized


@functools.cache
def _lanczos3(old: int, new: int) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """For each new row, the old rows that it is made of: their indices and weights, both [span, new]."""
    scale = np.float32(1) / (np.float32(new) / np.float32(old))
    # Antialiasing: when an image shrinks, the kernel grows.
    stretch = max(scale, np.float32(1))
    radius = np.float32(_LANCZOS3_RADIUS) * stretch
    centre = (np.arange(new, dtype=np.float32) + np.float32(0.5)) * scale
    first = np.maximum(np.ceil(centre - radius - np.float32(0.5)), 0).astype(np.intp)
    last = np.minimum(np.floor(centre + radius - np.float32(0.5)), old - 1).astype(np.intp)
    indices = first + np.arange(2 * math.ceil(radius) + 1)[:, None]
    distance = (indices.astype(np.float32) + np.float32(0.5) - centre) * (np.float32(1) / stretch)
    weights = np.where(indices <= last, _lanczos3_kernel(distance), np.float32(0))
    return np.minimum(indices, old - 1), weights * (np.float32(1) / weights.sum(axis=0, dtype=np.float32))


def _lanczos3_kernel(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """sinc(x) sinc(x / 3) within the radius of 3, multiplied in TensorFlow's order: its rounding decides pixels."""
    radius, pi = np.float32(_LANCZOS3_RADIUS), np.float32(math.pi)
    x = np.abs(x)
    near = x <= np.float32(1e-3)
    safe = np.where(near, np.float32(1), x)
    value = radius * np.sin(pi * safe) * np.sin(pi * safe / radius) / (pi * pi * safe * safe)
    return np.where(near, np.float32(1), np.where(x <= radius, value, np.float32(0)))


def to_float(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """`tf.image.convert_image_dtype(image, tf.float32)`: levels 0 to 255 become 0 to 1."""
    return image.astype(np.float32) * np.float32(1 / 255)


def to_uint8(image: NDArray[np.float32]) -> NDArray[np.uint8]:
    """`tf.image.convert_image_dtype(image, tf.uint8, saturate=True)`: x * 255.5, saturated, its fraction cut off."""
    return np.clip(image * np.float32(255.5), 0, 255).astype(np.uint8)


def crop_and_resize(
    image: NDArray[np.float32], box: tuple[float, float, float, float], size: tuple[int, int]
) -> NDArray[np.float32]:
    """`tf.image.crop_and_resize` of one image and one box inside it: bilinear, corners aligned, not antialiased.

    Args:
        image: [height, width, channels].
        box: top, left, bottom and right, as fractions of the height and width minus one.
        size: the new height and width, both at least 2.

    Returns:
        [*size, channels].
    """
    top, left, bottom, right = box
    low_y, high_y, part_y = _sample_points(top, bottom, image.shape[0], size[0])
    low_x, high_x, part_x = _sample_points(left, right, image.shape[1], size[1])
    part_x, part_y = part_x[None, :, None], part_y[:, None, None]
    upper = _between(image[low_y][:, low_x], image[low_y][:, high_x], part_x)
    lower = _between(image[high_y][:, low_x], image[high_y][:, high_x], part_x)
    return _between(upper, lower, part_y)


def _sample_points(
    first: float, last: float, old: int, new: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]:
    """The two neighbours of each sample point, and how far it lies from the first to the second."""
    start, end, width = np.float32(first), np.float32(last), np.float32(old - 1)
    step = (end - start) * width / np.float32(new - 1)
    points = start * width + np.arange(new, dtype=np.float32) * step
    low = np.floor(points)
    return low.astype(np.intp), np.ceil(points).astype(np.intp), points - low


def _between(low: NDArray[np.float32], high: NDArray[np.float32], part: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.add(low, (high - low) * part, dtype=np.float32)
