"""The entry point: a runtime environment from a file, or a built-in one; one task that drives an actor."""

# ruff: noqa: PTH113, PTH123 - as upstream has it

import json
import os
import sys

import hydra
import ray


@hydra.main(config_path=None, config_name=None, version_base=None)
def main(config):
    if os.path.isfile(str(config.trainer.runtime_env)):
        with open(str(config.trainer.runtime_env)) as file:
            ray.init(runtime_env=json.load(file))
    else:
        ray.init(runtime_env={"env_vars": {"TOKENIZERS_PARALLELISM": "true", "NCCL_DEBUG": "WARN"}})
    sys.stdout.write(ray.get(main_task.remote(config)) + "\n")


@ray.remote(num_cpus=0)
def main_task(config):
    worker = Worker.options(runtime_env={"env_vars": {"WORLD_SIZE": "1"}}).remote()
    return ray.get(worker.init_model.remote(config.model.path))


@ray.remote(num_cpus=0)
class Worker:
    """Has variables of its own, as upstream's have."""

    def init_model(self, path):
        from verl.utils.fs import copy_local_path_from_hdfs

        model = copy_local_path_from_hdfs(path)
        return f"the model is {model}, in {os.environ['COLOUR']}, one of {os.environ['WORLD_SIZE']}"


if __name__ == "__main__":
    main()
