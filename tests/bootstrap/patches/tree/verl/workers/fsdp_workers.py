"""Saves LoRA checkpoints by a name that was never imported."""


class RobActorRolloutRefWorker:
    def save_checkpoint(self, local_path, hdfs_path=None):
        return AutoModelForVision2Seq.from_pretrained(local_path)  # noqa: F821 - the fault
