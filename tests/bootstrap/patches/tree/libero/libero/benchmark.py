"""A suite of two tasks, with two and three initial states; and files of initial states, read as upstream does it."""

# ruff: noqa: PTH118 - as upstream has it

import os

import torch


def get_libero_path(kind):
    return os.environ["LIBERO_TEST_FOLDER"]


class Benchmark:
    def __init__(self, tasks=()):
        self.tasks = tasks

    def get_task_init_states(self, i):
        folder = os.path.join(get_libero_path("init_states"), self.tasks[i].problem_folder)
        return torch.load(os.path.join(folder, self.tasks[i].init_states_file))


class _Suite(Benchmark):
    n_tasks = 2

    def get_task(self, task_id):
        return f"task {task_id}"

    def get_task_init_states(self, i):
        return ["a state"] * (2 + i)


def get_benchmark_dict():
    return {"libero_10": _Suite}
