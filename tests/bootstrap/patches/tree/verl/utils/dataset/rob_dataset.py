"""One item for each task and trial, whether the trial has an initial state or not."""

from libero.libero import benchmark


class LIBERO_Dataset:  # noqa: N801 - upstream's name
    def __init__(self, task_suite_name, num_trials_per_task=50):
        self.task_suite_name = task_suite_name
        self.num_trials_per_task = num_trials_per_task
        self._read_files_and_tokenize()

    def _read_files_and_tokenize(self):
        suite = benchmark.get_benchmark_dict()[self.task_suite_name]()
        trials = range(int(self.num_trials_per_task))
        self.items = [(task, trial) for task in range(suite.n_tasks) for trial in trials]
