"""The start of an engine as plain data: what is run, where, with which variables and files."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import hydra, whole_file
from ..attempt import Attempt
from ..exit_codes import BootstrapError, ExitCode
from ..run_config import EngineName, RunConfig
from .engine import Engine, Start
from .native import NATIVE
from .rlinf import RLINF
from .verl import VERL

ENGINES: Mapping[EngineName, Engine] = {"native": NATIVE, "verl": VERL, "rlinf": RLINF}


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """All that one start of the engine takes.

    Attributes:
        program: the command up to the overrides.
        overrides: Hydra's, one `key=value` each.
        values: the same by dotted key, without Hydra's marks.
        environment: variables besides the pod's.
        files: texts by path, which must be there before the start.
        folder: where it runs; Hydra writes its own outputs there, and verl its videos.
    """

    program: tuple[str, ...]
    overrides: tuple[str, ...]
    values: Mapping[str, Any]
    environment: Mapping[str, str]
    files: Mapping[str, str]
    folder: str

    @property
    def command(self) -> tuple[str, ...]:
        """The whole command."""
        return (*self.program, *self.overrides)

    def write_files(self) -> None:
        """Writes the files, each by rename: other nodes may be reading an earlier one."""
        for path, text in self.files.items():
            file = Path(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            whole_file.write(file, text)

    def to_shell(self) -> str:
        """The same start as commands for a shell of the pod."""
        lines = [f"export {name}={shlex.quote(value)}" for name, value in sorted(self.environment.items())]
        for path, text in self.files.items():
            folder, file = shlex.quote(str(Path(path).parent)), shlex.quote(path)
            lines += [f"mkdir -p {folder}", f"cat > {file} <<'END'", text.rstrip(), "END"]
        lines.append(f"cd {shlex.quote(self.folder)}")
        return "\n".join([*lines, " \\\n  ".join([shlex.join(self.program), *map(shlex.quote, self.overrides)]), ""])


def launch(config: RunConfig, attempt: Attempt, environ: Mapping[str, str]) -> Launch:
    """What the attempt starts; the user's value for a key of the engine's wins.

    Raises:
        BootstrapError: (`CONFIG`) a key is missing, unknown to the engine, or cannot be said in Hydra's grammar, or the
            engine would trip over the values only after minutes, as over batches that do not divide.
    """
    engine = ENGINES[config.engine.name]
    given = engine.translated(config, attempt, hydra.with_decimals(hydra.flatten(config.engine.hydra)))
    said = {_unmarked(key): value for key, value in given.items()}
    start = Start(config=config, attempt=attempt, given=said, environ=environ)
    own = {key: value for key, value in engine.keys(start).items() if not _is_said(key, said)}
    values = {**own, **said}
    if faults := engine.faults(start, values):
        raise BootstrapError(ExitCode.CONFIG, "training.hydra: " + "; ".join(faults))
    keys = {**own, **given}
    return Launch(
        program=engine.program(start),
        # People look a key up; and a mark's order among others of the same key is kept.
        overrides=tuple(hydra.overrides({key: keys[key] for key in sorted(keys, key=_unmarked)})),
        values=values,
        environment=engine.environment(start),
        files=engine.files(start),
        folder=config.folder,
    )


def _unmarked(key: str) -> str:
    return key.lstrip("+~")


def _is_said(key: str, said: Mapping[str, Any]) -> bool:
    """Whether the user's values have the key, or one above it."""
    parts = key.split(".")
    return any(".".join(parts[: length + 1]) in said for length in range(len(parts)))
