"""The model's code as transformers imports it, laid out by one process before any rank starts.

transformers copies the code of a local model into HF_MODULES_CACHE/transformers_modules/NAME, NAME being the last part
of the model's path: two models of one name collide there, and ranks that copy at once read half a file. In a cache of
this start, which holds the files already, every rank finds them equal and copies nothing.
"""

import shutil
from pathlib import Path

_PACKAGE = "transformers_modules"


def lay_out(model: Path, cache: Path) -> None:
    """Copies a model's code to where transformers would.

    Raises:
        OSError: the cache cannot be written.
    """
    target = cache / _PACKAGE / model.name
    target.mkdir(parents=True)
    for folder in (cache, cache / _PACKAGE, target):
        (folder / "__init__.py").touch()
    for path in model.glob("*.py"):
        shutil.copyfile(path, target / path.name)
