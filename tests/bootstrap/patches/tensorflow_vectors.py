"""Makes tensorflow_vectors.npz: what TensorFlow gives for the image operations that we replace.

Run it where tensorflow and Pillow are installed: `python tests/bootstrap/patches/tensorflow_vectors.py`. The images are
small, for the file is committed; for whole images it holds digests, or the sums of their rows.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

VECTORS = Path(__file__).with_suffix(".npz")
# (height, width) -> (height, width): smaller, larger, and each in one direction.
RESIZES = (((16, 16), (14, 14)), ((9, 12), (15, 16)), ((17, 9), (9, 17)))
CROP = (0.9, (10, 12))
WHOLE = 256
WHOLE_SIZE = (224, 224)


def photo(height, width, *, seed):
    """An image with edges, areas and some noise, the same on every machine."""
    random = np.random.default_rng(seed)
    coarse = random.integers(0, 256, (height // 8 + 1, width // 8 + 1, 3))
    image = coarse.repeat(8, axis=0).repeat(8, axis=1)[:height, :width]
    return (image + random.integers(-10, 11, image.shape)).clip(0, 255).astype(np.uint8)


def digest(image):
    """Of the shape, the type and every value."""
    return hashlib.sha256(f"{image.shape} {image.dtype}".encode() + np.ascontiguousarray(image).tobytes()).hexdigest()


def main():
    import tensorflow as tf

    def through_jpeg(image):
        return tf.io.decode_image(tf.image.encode_jpeg(image), expand_animations=False, dtype=tf.uint8)

    def resized(image, size):
        image = tf.image.resize(image, size, method="lanczos3", antialias=True)
        return tf.cast(tf.clip_by_value(tf.round(image), 0, 255), tf.uint8).numpy()

    def cropped(image, area, size):
        side = tf.clip_by_value(tf.sqrt(area), 0, 1)
        offset = (1 - side) / 2
        image = tf.image.convert_image_dtype(image, tf.float32)[None]
        return tf.image.crop_and_resize(image, [[offset, offset, offset + side, offset + side]], [0], size)[0]

    def to_uint8(image):
        return tf.image.convert_image_dtype(tf.clip_by_value(image, 0, 1), tf.uint8, saturate=True).numpy()

    vectors = {
        "jpeg": through_jpeg(photo(16, 24, seed=0)).numpy(),
        "crop": cropped(photo(16, 24, seed=0), *CROP).numpy(),
        "to_float": tf.image.convert_image_dtype(np.arange(256, dtype=np.uint8), tf.float32).numpy(),
        "to_uint8": tf.image.convert_image_dtype(to_uint8_inputs(), tf.uint8, saturate=True).numpy(),
        "whole_jpeg": digest(through_jpeg(photo(WHOLE, WHOLE, seed=1)).numpy()),
        "whole_resized": resized(through_jpeg(photo(WHOLE, WHOLE, seed=1)), WHOLE_SIZE).sum(axis=1, dtype=np.int32),
        "whole_cropped": digest(to_uint8(cropped(photo(*WHOLE_SIZE, seed=2), 0.9, WHOLE_SIZE))),
    }
    for index, (size, new_size) in enumerate(RESIZES):
        vectors[f"resize_{index}"] = tf.image.resize(
            photo(*size, seed=0), new_size, method="lanczos3", antialias=True
        ).numpy()
    np.savez_compressed(VECTORS, **vectors)


def to_uint8_inputs():
    """Around each step between two levels, and beyond both ends."""
    steps = np.arange(256, dtype=np.float32) / np.float32(255.5)
    return np.concatenate([np.nextafter(steps, np.float32(-1)), steps, np.array([-0.5, 1.5], np.float32)])


if __name__ == "__main__":
    main()
