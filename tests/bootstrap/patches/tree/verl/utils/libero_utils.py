"""Camera images by TensorFlow, and one video for each trial in the working folder."""

# ruff: noqa: PTH103 - as upstream has it

import os

import imageio
import tensorflow as tf


def resize_image(img, resize_size):
    img = tf.image.encode_jpeg(img)
    img = tf.io.decode_image(img, expand_animations=False, dtype=tf.uint8)
    img = tf.image.resize(img, resize_size, method="lanczos3", antialias=True)
    return tf.cast(tf.clip_by_value(tf.round(img), 0, 255), tf.uint8).numpy()


def save_rollout_video(rollout_images, exp_name, task_name, step_idx, success):
    os.makedirs(f"./rollouts/{exp_name}", exist_ok=True)
    path = f"./rollouts/{exp_name}/step={step_idx}--task={task_name}--success={success}.mp4"
    writer = imageio.get_writer(path, fps=30)
    for image in rollout_images:
        writer.append_data(image)
    writer.close()
    return path
