"""Samples on disk: a file for each chunk of a pinned world, which never changes."""

import hashlib
import os
import tempfile
import threading
import zlib
from pathlib import Path
from typing import List, Optional, Tuple, Union


def default_folder() -> Path:
    """``terrane`` in the folder of the user's caches."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "terrane"


class DiskCache:
    """Bytes by their keys. A file is a CRC-32 and the bytes; a damaged one counts as none. The oldest are removed when
    all together are larger than ``limit`` bytes. Processes and threads may share a folder."""

    def __init__(self, folder: Union[str, Path], limit: int) -> None:
        self.folder = Path(folder)
        self.limit = limit
        self._used: Optional[int] = None
        self._lock = threading.Lock()

    def _path(self, key: str) -> Path:
        name = hashlib.sha256(key.encode()).hexdigest()
        return self.folder / name[:2] / name[2:]

    def get(self, key: str) -> Optional[bytes]:
        """The bytes, or None."""
        try:
            data = self._path(key).read_bytes()
        except OSError:
            return None
        return data[4:] if int.from_bytes(data[:4], "little") == zlib.crc32(data[4:]) else None

    def put(self, key: str, data: bytes) -> None:
        """Keeps the bytes, if the folder can be written."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent)
        except OSError:
            return
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(zlib.crc32(data).to_bytes(4, "little") + data)
            os.replace(name, path)
        except OSError:
            remove(name)
            return
        with self._lock:
            if self._used is None:
                self._used = sum(size for _, size, _ in self._list())
            else:
                self._used += len(data) + 4
            if self._used > self.limit:
                self._evict()

    def _list(self) -> List[Tuple[float, int, str]]:
        found = []
        for path in self.folder.glob("??/*"):
            try:
                status = path.stat()
            except OSError:
                continue
            found.append((status.st_mtime, status.st_size, str(path)))
        return found

    def _evict(self) -> None:
        """Down to three quarters of the limit, so that it does not happen at each write."""
        files = sorted(self._list())
        used = sum(size for _, size, _ in files)
        for _, size, path in files:
            if used <= self.limit * 3 // 4:
                break
            if remove(path):
                used -= size
        self._used = used


def remove(path: str) -> bool:
    """False for a file that is not there any more, or stays."""
    try:
        os.unlink(path)
    except OSError:
        return False
    return True
