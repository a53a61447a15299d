"""#30: the image operations give TensorFlow's numbers, which tensorflow_vectors.py has made."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rlinf_runtime.bootstrap.patches import image_operations
from rlinf_runtime.bootstrap.patches.verl import images

SCRIPT = Path(__file__).with_name("tensorflow_vectors.py")


@pytest.fixture(scope="module")
def made():
    """The script that made the vectors: its images and sizes."""
    spec = importlib.util.spec_from_file_location(SCRIPT.stem, SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def vectors():
    """What TensorFlow gave."""
    with np.load(SCRIPT.with_suffix(".npz")) as file:
        return dict(file)


@pytest.fixture
def pillow_only(monkeypatch):
    """An image of the engine without simplejpeg."""
    monkeypatch.setattr(image_operations, "simplejpeg", None)


def through_jpeg(image):
    return image_operations.decode_jpeg(image_operations.encode_jpeg(image))


def test_jpeg_gives_tensorflows_pixels(made, vectors):
    """Bit by bit, when simplejpeg is there; a small image, and the digest of a camera's."""
    pytest.importorskip("simplejpeg", reason="the engine's image has it; pip install simplejpeg to test it here")
    np.testing.assert_array_equal(through_jpeg(made.photo(16, 24, seed=0)), vectors["jpeg"])
    assert made.digest(through_jpeg(made.photo(made.WHOLE, made.WHOLE, seed=1))) == vectors["whole_jpeg"]


def test_a_camera_image_is_prepared_as_tensorflow_does_it(made, vectors):
    """JPEG, resize and rounding together: at most three of 150,528 values are a level off, by the sums of rows."""
    pytest.importorskip("simplejpeg", reason="the engine's image has it; pip install simplejpeg to test it here")
    prepared = images.resize_image(made.photo(made.WHOLE, made.WHOLE, seed=1), made.WHOLE_SIZE)
    assert prepared.shape == (*made.WHOLE_SIZE, 3)
    assert np.abs(prepared.sum(axis=1, dtype=np.int32) - vectors["whole_resized"]).sum() <= 3


def test_pillow_decodes_close_to_tensorflow(made, vectors, pillow_only):
    """Its inverse DCT is another one: a few levels on single values, less than one on average."""
    difference = np.abs(through_jpeg(made.photo(16, 24, seed=0)).astype(int) - vectors["jpeg"])
    assert difference.max() <= 12
    assert difference.mean() < 1.5


def test_a_rotated_view_is_encoded_like_its_copy(made):
    """The engine rotates a camera's image by a view, without copying it."""
    image = made.photo(16, 24, seed=0)[::-1, ::-1]
    assert image_operations.encode_jpeg(image) == image_operations.encode_jpeg(image.copy())


@pytest.mark.parametrize("index", [0, 1, 2])
def test_resizing_gives_tensorflows_levels(made, vectors, index):
    """Within 1e-4 before rounding, and the same levels after it."""
    size, new_size = made.RESIZES[index]
    resized = image_operations.resize_lanczos3(made.photo(*size, seed=0), new_size)
    assert resized.dtype == np.float32
    np.testing.assert_allclose(resized, vectors[f"resize_{index}"], rtol=0, atol=1e-4)
    np.testing.assert_array_equal(np.rint(resized), np.rint(vectors[f"resize_{index}"]))


def test_resizing_to_the_same_size_changes_nothing(made):
    """Lanczos passes through its samples."""
    image = made.photo(20, 24, seed=3)
    np.testing.assert_allclose(image_operations.resize_lanczos3(image, (20, 24)), image, atol=1e-3)


def test_cropping_gives_tensorflows_numbers(made, vectors):
    """Bit by bit; the digest is of a whole image, cropped and converted as the rollout does it."""
    area, size = made.CROP
    side = np.sqrt(np.float32(area))
    offset = (np.float32(1) - side) / np.float32(2)
    box = (offset, offset, offset + side, offset + side)
    image = image_operations.to_float(made.photo(16, 24, seed=0))
    np.testing.assert_array_equal(image_operations.crop_and_resize(image, box, size), vectors["crop"])
    cropped = images.center_crop_image(Image.fromarray(made.photo(*made.WHOLE_SIZE, seed=2)))
    assert made.digest(np.asarray(cropped)) == vectors["whole_cropped"]


def test_types_are_converted_as_tensorflow_does_it(made, vectors):
    """All levels to floats; floats around every step, and beyond both ends, to levels."""
    levels = np.arange(256, dtype=np.uint8)
    np.testing.assert_array_equal(image_operations.to_float(levels), vectors["to_float"])
    np.testing.assert_array_equal(image_operations.to_uint8(made.to_uint8_inputs()), vectors["to_uint8"])
    np.testing.assert_array_equal(image_operations.to_uint8(image_operations.to_float(levels)), levels)


def test_the_log_says_which_decoder_is_used(engine, made, pillow_only):
    """Once, and what to install for equal pixels."""
    image_operations._say_which_decoder.cache_clear()
    for _ in range(2):
        through_jpeg(made.photo(8, 8, seed=0))
    assert engine.log == [
        "JPEG files are decoded by Pillow, up to 12 levels off TensorFlow: install simplejpeg in the image"
    ]
    image_operations._say_which_decoder.cache_clear()


@pytest.mark.parametrize("patched", [False, True])
def test_the_rollout_prepares_images_without_tensorflow(engine, made, patched):
    """Unpatched it cannot even be imported; patched, the tree's own functions are ours."""
    if not patched:
        with pytest.raises(ModuleNotFoundError, match="tensorflow"):
            engine.load("verl.workers.rollout.rob_rollout")
        return
    rollout = engine.load("verl.workers.rollout.rob_rollout", "tensorflow-images")
    utils = sys.modules["verl.utils.libero_utils"]
    assert utils.resize_image(made.photo(64, 64, seed=0), (56, 56)).shape == (56, 56, 3)
    assert rollout.center_crop_image(Image.fromarray(made.photo(64, 64, seed=0))).size == (224, 224)
    assert rollout.tf.config.experimental.list_physical_devices("GPU") == []
