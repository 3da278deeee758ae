"""Makes the Python modules of the wire from the `.proto` files: `python proto/generate.py [--check]`.

The generator is an old one on purpose. Generated code refuses to import under a protobuf runtime older than its
generator, so what grpcio-tools 1.74 makes runs under protobuf 6.31 and everything after it, and an embedding app keeps
the choice. The generator lives in an environment of its own, `.venv/proto`, pinned and hashed in `generator.txt`:
it would drag the runtime of the service down to its own age otherwise.

`--check` changes nothing and exits with 1 if a committed module is not what the protos give.
"""

import argparse
import filecmp
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE.parent / ".venv" / "proto"
REQUIREMENTS = HERE / "generator.txt"
PROTOS = Path("dominohall", "v1")
GENERATED = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")


def run(*command: str | Path) -> None:
    """Run a command among the protos; `CalledProcessError` if it fails."""
    subprocess.run(command, check=True, cwd=HERE)  # noqa: S603 - our own arguments


def generator() -> Path:
    """Return the Python of the generator's environment, made or renewed if its requirements have changed."""
    stamp = ENVIRONMENT / "installed.txt"
    python = ENVIRONMENT / "bin" / "python"
    if not stamp.exists() or stamp.read_bytes() != REQUIREMENTS.read_bytes():
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        run(sys.executable, "-m", "venv", ENVIRONMENT)
        run(python, "-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", REQUIREMENTS)
        shutil.copyfile(REQUIREMENTS, stamp)
    return python


def generate(folder: Path) -> list[Path]:
    """Write the modules of every proto under `folder` and return their paths, relative to it."""
    protos = sorted(path.relative_to(HERE) for path in (HERE / PROTOS).glob("*.proto"))
    services = [path for path in protos if path.name.endswith("_service.proto")]
    python = generator()
    protoc = ("-m", "grpc_tools.protoc", "--proto_path=.")
    stubs = [f"--plugin={each}={python.parent / each}" for each in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")]
    run(python, *protoc, *stubs, f"--python_out={folder}", f"--mypy_out=quiet:{folder}", *protos)
    run(python, *protoc, *stubs, f"--grpc_python_out={folder}", f"--mypy_grpc_out=quiet:{folder}", *services)
    return modules(folder)


def modules(folder: Path) -> list[Path]:
    """Return the generated modules under `folder`, relative to it."""
    found = [path for pattern in GENERATED for path in (folder / PROTOS).glob(pattern)]
    return sorted(path.relative_to(folder) for path in found)


def main() -> int:
    """Run the command; the exit code says whether the committed modules are current (`--check`)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, exit with 1 if a module is not current")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as temporary:
        fresh = Path(temporary)
        wanted = generate(fresh)
        stale = sorted(set(modules(HERE)) - set(wanted))
        differing = [
            path
            for path in wanted
            if not (HERE / path).exists() or not filecmp.cmp(fresh / path, HERE / path, shallow=False)
        ]
        for path in [*differing, *stale]:
            print(f"{'not current' if check else 'written'}: proto/{path}")  # noqa: T201 - a command's output
        if check:
            return 1 if differing or stale else 0
        for path in stale:
            (HERE / path).unlink()
        for path in differing:
            shutil.copyfile(fresh / path, HERE / path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
