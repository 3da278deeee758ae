"""A disk that can be filled: a small file system of its own where that is allowed, else a limit on the servers' files.

* `Tmpfs` mounts a small file system in a mount namespace of its own and starts the servers in there: a full disk is
  ENOSPC, as in life.
* `FileLimit` needs no privilege: it lowers the file size limit of the running servers, whose writes then fail (EFBIG).
"""

import resource
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

READY: Final = b"ready\n"


class Disk(Protocol):
    """Where the store lies."""

    kind: str
    prefix: Sequence[str]
    """What to put before the command of a server, so that it sees the disk."""

    def fill(self, pids: Sequence[int]) -> None:
        """Leave no room."""

    def free(self, pids: Sequence[int]) -> None:
        """Make room again."""

    def close(self) -> None:
        """Let go of it."""


class Tmpfs:
    """A file system of `megabytes` over `folder`, which only those in its namespace see."""

    kind = "tmpfs"
    prefix: Sequence[str] = ()

    def __init__(self, folder: Path, megabytes: int) -> None:
        script = f'mount -t tmpfs -o size={megabytes}m chaos "$1" && echo ready && exec sleep infinity'
        command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", str(folder)]
        self._holder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # noqa: S603
        output = self._holder.stdout
        if output is None or output.readline() != READY:
            self.close()
            raise OSError("no namespace or no mount is allowed here")
        pid = self._holder.pid
        self.prefix = ("nsenter", "--target", str(pid), "--user", "--mount", "--preserve-credentials", "--")
        self._ballast = Path(f"/proc/{pid}/root{folder}/ballast")

    def fill(self, pids: Sequence[int]) -> None:  # noqa: ARG002 - the disk is full for everybody
        """Write a file until nothing fits any more."""
        with suppress(OSError), self._ballast.open("ab", buffering=0) as ballast:
            while ballast.write(bytes(1 << 16)):
                pass

    def free(self, pids: Sequence[int]) -> None:  # noqa: ARG002
        """Remove that file."""
        self._ballast.unlink(missing_ok=True)

    def close(self) -> None:
        """End the namespace, and the file system with it."""
        self._holder.kill()
        self._holder.wait()
        if self._holder.stdout is not None:
            self._holder.stdout.close()


class FileLimit:
    """No disk of its own: each server's files may not grow while the disk is said to be full."""

    kind = "file size limit"
    prefix: Sequence[str] = ()

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def fill(self, pids: Sequence[int]) -> None:
        """Let no file of the servers grow beyond what the store's greatest has now."""
        sizes = [path.stat().st_size for path in self._folder.iterdir() if path.is_file()]
        self._limit(pids, max([4096, *sizes]))

    def free(self, pids: Sequence[int]) -> None:
        """Let them grow again."""
        self._limit(pids, None)

    def close(self) -> None:
        """Nothing is held."""

    def _limit(self, pids: Sequence[int], size: int | None) -> None:
        for pid in pids:
            with suppress(ProcessLookupError):
                _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


def small_disk(folder: Path, megabytes: int) -> Disk:
    """Return the best disk that is allowed here, over an empty folder."""
    if shutil.which("unshare") and shutil.which("nsenter"):
        with suppress(OSError):
            return Tmpfs(folder, megabytes)
    return FileLimit(folder)
