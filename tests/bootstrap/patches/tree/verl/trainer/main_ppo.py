"""The entry point: a runtime environment from a file, or a built-in one; one task that drives the training."""

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
    from verl.utils.fs import copy_local_path_from_hdfs

    return f"the model is {copy_local_path_from_hdfs(config.model.path)}, in {os.environ.get('COLOUR')}"


if __name__ == "__main__":
    main()
