"""Environments in processes of their own, and the crop of their images."""

# ruff: noqa: PLR0917, T201 - as upstream has it

import multiprocessing

import numpy as np
import tensorflow as tf
from libero.libero import benchmark
from PIL import Image
from verl.utils.libero_utils import save_rollout_video  # noqa: F401


def center_crop_image(image):
    image = tf.image.convert_image_dtype(tf.convert_to_tensor(np.array(image)), tf.float32)
    image = tf.image.crop_and_resize(image, [[0.025, 0.025, 0.975, 0.975]], [0], (224, 224))
    return Image.fromarray(tf.image.convert_image_dtype(image, tf.uint8, saturate=True).numpy())


class Environment:
    def step(self, action):
        if action == "fall":
            raise ArithmeticError("the physics is unstable")
        return f"after {action}"


def get_libero_env(task, model_family, resolution=256):
    if model_family == "no egl":
        raise ImportError("Cannot initialize a EGL device display")
    return Environment(), task


def env_worker(task_name, task_id, trial_id, config, input_queue, output_queue, is_valid, global_steps, max_steps):
    suite = benchmark.get_benchmark_dict()[task_name]()
    suite.get_task_init_states(task_id)[trial_id]
    while True:
        try:
            env, _ = get_libero_env(suite.get_task(task_id), config["model_family"], resolution=256)
            break
        except:  # noqa: E722 - the fault
            print("*** env initialization failed ***", flush=True)
    output_queue.put({"type": "init", "obs": "start"})
    while (action := input_queue.get()) is not None:
        output_queue.put({"type": "step", "obs": env.step(action)})


def roll_out(config, *, task_id=0, trial_id=0, action="move", wait_s=2):
    """What the rollout reads of one environment: its first observation, and the one after an action."""
    fork = multiprocessing.get_context("fork")
    actions, results = fork.Queue(), fork.Queue()
    arguments = ("libero_10", task_id, trial_id, config, actions, results, False, 0, 1)
    process = fork.Process(target=env_worker, args=arguments)
    process.start()
    try:
        first = results.get(timeout=wait_s)
        assert first["type"] == "init"
        actions.put(action)
        then = results.get(timeout=wait_s)
        assert then["type"] == "step"
        return first["obs"], then["obs"]
    finally:
        process.kill()
        process.join()
