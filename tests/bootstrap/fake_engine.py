"""A stand-in for `rlinf_runtime.trainer`: the same command line and files, and a life that `fake.*` keys choose.

fake.do=succeed      an actor on every node answers, then status 0
fake.do=fail         two lines, then status 3
fake.do=train        actors answer until `<default_local_dir>/enough` exists; a lost node ends it with an error;
                     on SIGTERM it writes `<default_local_dir>/saved` and ends with 0
"""

import os
import signal
import sys
import time
from pathlib import Path

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

KEYS = dict(argument.split("=", 1) for argument in sys.argv[1:])
FOLDER = Path(KEYS["trainer.default_local_dir"])


@ray.remote(num_cpus=1)
class Rank:
    def node(self):
        return ray.get_runtime_context().get_node_id()


def start_ranks():
    assert os.environ["RAY_ADDRESS"]
    ray.init(log_to_driver=False)
    nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
    assert len(nodes) == int(KEYS["trainer.nnodes"]), nodes
    return [
        Rank.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote() for node in nodes
    ]


def save(number, frame):
    (FOLDER / "saved").write_text("")
    # As a driver that is told to stop would, without waiting for Ray's own handlers at exit.
    os._exit(0)


def main():
    if KEYS["fake.do"] == "fail":
        sys.stdout.write("step 1\n")
        sys.exit("the loss is not finite")
    ranks = start_ranks()
    signal.signal(signal.SIGTERM, save)
    nodes = set(ray.get([rank.node.remote() for rank in ranks]))
    sys.stdout.write(f"{len(nodes)} ranks on nodes of their own\n")
    while KEYS["fake.do"] == "train" and not (FOLDER / "enough").exists():
        ray.get([rank.node.remote() for rank in ranks])
        time.sleep(0.2)


main()
