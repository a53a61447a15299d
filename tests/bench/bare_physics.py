"""Prints how many control steps a second the scene makes in one process, without camera, policy or pipes.

A program of its own: MuJoCo must not be loaded where torch is.
"""

import sys
import time

import numpy as np

from rlinf_runtime.trainer.episodes import Split, episodes
from rlinf_runtime.trainer.scene import Scene, compile_model
from rlinf_runtime.trainer.tasks import SUITES

_NUM_EPISODES = 64
_NUM_STEPS = 16

model = compile_model()
rng = np.random.default_rng(0)
scenes = [
    Scene(model, it) for it in episodes(Split.TRAINING, SUITES["touch_push"], run_seed=0, indices=range(_NUM_EPISODES))
]
actions = rng.uniform(-1, 1, size=(_NUM_STEPS, 3))
began_s = time.perf_counter()
for scene in scenes:
    for action in actions:
        scene.step(action)
sys.stdout.write(f"{_NUM_EPISODES * _NUM_STEPS / (time.perf_counter() - began_s)}\n")
