"""A suite of two tasks, with two and three initial states."""


class _Suite:
    n_tasks = 2

    def get_task(self, task_id):
        return f"task {task_id}"

    def get_task_init_states(self, task_id):
        return ["a state"] * (2 + task_id)


def get_benchmark_dict():
    return {"libero_10": _Suite}
