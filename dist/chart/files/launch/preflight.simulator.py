"""LIBERO's configuration: without it the package asks a question at its first import, which nobody in a pod answers."""

import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..run_config import RunConfig
from .finding import Finding
from .plan import plan_of

_FOLDERS = {
    "benchmark_root": "",
    "bddl_files": "bddl_files",
    "init_states": "init_files",
    "datasets": "../datasets",
    "assets": "assets",
}


def check(config: RunConfig, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Writes the configuration where it is missing, with the places that the package would propose."""
    if not plan_of(config, environ).is_libero:
        return
    package = _package()
    if package is None:
        yield Finding(
            key="image",
            wrong="has no package libero, which the suite needs",
            remedy="install LIBERO into the engine's Python, or choose another training.hydra.data.task_suite_name",
        )
        return
    file = config_file(environ)
    if file.exists():
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_text(package), encoding="utf-8")
    except OSError as error:
        yield Finding(
            key="extraEnv.LIBERO_CONFIG_PATH",
            wrong=f"gives {file}, which is not there and cannot be written ({error.strerror})",
            remedy="LIBERO asks for it at its first import and gets no answer; name a folder that holds its "
            "config.yaml, or that can be written",
        )


def config_file(environ: Mapping[str, str]) -> Path:
    """Where the package looks for it."""
    folder = environ.get("LIBERO_CONFIG_PATH") or str(Path(environ.get("HOME", "/"), ".libero"))
    return Path(folder, "config.yaml")


def _package() -> Path | None:
    """The folder `libero/libero`, found without importing it."""
    spec = importlib.util.find_spec("libero")
    places = list(spec.submodule_search_locations or ()) if spec else []
    return next((Path(place, "libero") for place in places if Path(place, "libero").is_dir()), None)


def _text(package: Path) -> str:
    """YAML, whose plain texts are JSON's but for what no path of a package has."""
    return "".join(f"{key}: {package / folder}\n" for key, folder in _FOLDERS.items())
