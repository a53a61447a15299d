"""Rules on where a start of the engine writes, and what it goes on from."""

from __future__ import annotations

from rlinf_charts.names import values
from rlinf_constructs.helm import Kind, Rule, call, fmt

_training = values.training


NATIVE_RESUMES_BY_ITSELF = Rule(
    broken=_training.engine.equals("native") & _training.resume.differs("auto") & _training.resume.differs("never"),
    message=fmt(
        "training.resume is ",
        _training.resume,
        ", but the native engine, which resumes exactly, takes auto or never: to start from the weights of another "
        "run, set training.hydra.actor_rollout_ref.model.path to the policy folder of its checkpoint",
    ),
)


def _own_folder(engine: str, key: str) -> Rule:
    """A folder that all starts of the engine would share."""
    folder = call("dig", *key.split("."), "", _training.hydra, kind=Kind.STRING)
    return Rule(
        broken=_training.engine.equals(engine) & folder.differs(""),
        message=fmt(
            f"training.hydra.{key} is ",
            folder,
            ", where each start of the engine would overwrite what the one before has saved: leave it out, and each "
            "start writes into a folder of its own in the run folder (storage.runs, storage.checkpoints)",
        ),
    )


RULES = [
    NATIVE_RESUMES_BY_ITSELF,
    _own_folder("verl", "trainer.default_local_dir"),
    _own_folder("rlinf", "runner.logger.log_path"),
]
