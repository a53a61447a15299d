"""The native trainer: FSDP2 GRPO of a small vision-language-action policy over Ray actors.

    tasks -> rollout (environments x policy) -> trajectories -> filter -> advantages -> update -> metrics, checkpoint

`controller.py` holds the loop. Run it with `python -u -m rlinf_runtime.trainer KEY=VALUE ...`; the keys and their
defaults are in `config/train.yaml`.
"""
