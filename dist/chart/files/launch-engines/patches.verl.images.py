"""How this tree prepares camera images, on operations equal to TensorFlow's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .. import image_operations

_CROPPED_SIZE = (224, 224)
_CROPPED_AREA = 0.9


def resize_image(img: NDArray[np.uint8], resize_size: tuple[int, int]) -> NDArray[np.uint8]:
    """An image as the training data has it: through JPEG, then resized.

    Args:
        img: [height, width, 3].
        resize_size: the new height and width.

    Returns:
        [*resize_size, 3].
    """
    decoded = image_operations.decode_jpeg(image_operations.encode_jpeg(img))
    resized = image_operations.resize_lanczos3(decoded, resize_size)
    return np.clip(np.rint(resized), 0, 255).astype(np.uint8)


def center_crop_image(image: Image.Image) -> Image.Image:
    """The middle nine tenths of an image's area, at the size that the model takes."""
    side = np.sqrt(np.float32(_CROPPED_AREA))
    offset = (np.float32(1) - side) / np.float32(2)
    box = (offset, offset, offset + side, offset + side)
    cropped = image_operations.crop_and_resize(image_operations.to_float(np.asarray(image)), box, _CROPPED_SIZE)
    return Image.fromarray(image_operations.to_uint8(np.clip(cropped, 0, 1))).convert("RGB")
