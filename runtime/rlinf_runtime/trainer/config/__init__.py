"""The trainer's configuration: `train.yaml` has the defaults, `schema.py` the types and rules, `load.py` joins them."""
