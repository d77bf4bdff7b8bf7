"""The ground of a server, over HTTP."""

import gzip
import http.client
import json
import random
import struct
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, TypeVar, Union

import numpy as np

from .cache import DiskCache, default_folder
from .error import TerraneError
from .ground import MATERIALS, BBox, Ground

BATCH_MAX = 256  # chunks
SAMPLES_MAX = 1 << 22  # of a batch, as servers allow unless they are told otherwise
POINTS_MAX = 10000
PIECE = 64  # steps a side of the chunks that rectangles are made of
PAUSE = 0.5  # seconds until the next try, unless the server says how long
RECORD = struct.Struct("<4sHHqqII")
BINARY = "application/octet-stream"
OBJECT = np.dtype([("id", "u8"), ("kind", "U31"), ("x", "f8"), ("y", "f8"), ("height", "f4"), ("scale", "f4"),
                   ("rotation", "f4")])
Item = TypeVar("Item")


def connect(url: str, world: Optional[str] = None, *, cache: Union[bool, str, Path] = True, cache_bytes: int = 1 << 30,
            timeout: float = 30, patience: float = 60) -> "ServerGround":
    """The ground of a server's world, of its default world if none is named, pinned to what it is now.

    ``world`` is a name, also with ``~SEED`` and ``@FINGERPRINT``. ``cache`` is a folder for chunks, True for
    ``~/.cache/terrane``, False for none; it may take ``cache_bytes``. ``timeout`` is the seconds of one request, and
    ``patience`` the seconds in which a request is made again that the server refuses for now (503, 429) or that finds
    no server: after the time of Retry-After and at random up to half as much more.
    """
    return ServerGround(url, world, cache=cache, cache_bytes=cache_bytes, timeout=timeout, patience=patience)


class ServerGround(Ground):
    """See ``connect()``. Its members besides those of ``Ground``: ``url``, ``world`` (pinned), ``descriptor`` (what
    /worlds/{world} says) and ``requests``, how many were made."""

    def __init__(self, url: str, world: Optional[str], *, cache: Union[bool, str, Path], cache_bytes: int,
                 timeout: float, patience: float) -> None:
        self.url = url.rstrip("/")
        self.timeout = timeout
        self.patience = patience
        self.requests = 0
        folder = default_folder() if cache is True else cache
        self._cache = DiskCache(folder, cache_bytes) if folder else None
        name = world or self._json("/worlds")["default"]
        self.descriptor: Dict[str, Any] = self._json(f"/worlds/{urllib.parse.quote(name)}")
        self.fingerprint = self.descriptor["fingerprint"]
        self.layer_names = [layer["name"] for layer in self.descriptor["layers"]]
        self.material_names = [material["name"] for material in self.descriptor.get("materials") or []]
        bare, at, pin = name.rpartition("@")
        self.world = f"{bare if at and pin.startswith('g1-') else name}@{self.fingerprint}"
        self._base = f"/worlds/{urllib.parse.quote(self.world)}"
        self._materials = f"{MATERIALS}@{self.descriptor.get('materials_fingerprint')}"

    def objects(self, bbox: BBox, kind: Optional[str] = None) -> np.ndarray:
        """Trees, shrubs and rocks of a rectangle: a structured array of id, kind, x, y, height, scale, rotation."""
        query = {"bbox": ",".join(repr(float(metres)) for metres in bbox), **({"kind": kind} if kind else {})}
        found = self._json(f"{self._base}/objects?{urllib.parse.urlencode(query, safe=',')}")["objects"]
        return np.array([(int(each["id"]), *(each[name] for name in OBJECT.names[1:])) for each in found], dtype=OBJECT)

    def at(self, x: float, y: float, **parameters: Any) -> Dict[str, Any]:
        """What /at says of a place: height, slope, biome, water, layers, materials."""
        query = urllib.parse.urlencode({"x": repr(float(x)), "y": repr(float(y)), **parameters})
        return self._json(f"{self._base}/at?{query}")

    def _grid(self, window: Tuple[int, int, int, int], step: float, names: List[str], t: float) -> np.ndarray:
        column, row, columns, rows = window
        result = np.empty((self._planes(names), rows, columns), dtype=np.float32)
        places = [(cx, cy) for cy in range(row // PIECE, (row + rows - 1) // PIECE + 1)
                  for cx in range(column // PIECE, (column + columns - 1) // PIECE + 1)]
        for (cx, cy), chunk in zip(places, self._chunks(places, PIECE, step, names, t)):
            x, y = cx * PIECE - column, cy * PIECE - row
            left, top = max(0, -x), max(0, -y)
            part = chunk[:, top:min(PIECE, rows - y), left:min(PIECE, columns - x)]
            result[:, y + top:y + top + part.shape[1], x + left:x + left + part.shape[2]] = part
        return result

    def _chunks(self, places: List[Tuple[int, int]], size: int, step: float, names: List[str], t: float) -> np.ndarray:
        planes = self._planes(names)
        order = {"format": "r32f", "size": size, "step": step, "t": t,
                 "layers": [self._materials if name == MATERIALS else name for name in names]}
        prefix = f"{self.fingerprint} {json.dumps(order, sort_keys=True)}"
        result = np.empty((len(places), planes, size + 1, size + 1), dtype=np.float32)
        missing = []
        for index, (cx, cy) in enumerate(places):
            kept = self._cache.get(f"{prefix} {cx} {cy}") if self._cache else None
            if kept is not None and len(kept) == result[index].nbytes:
                result[index] = np.frombuffer(kept, "<f4").reshape(result[index].shape)
            else:
                missing.append(index)
        most = min(BATCH_MAX, max(1, SAMPLES_MAX // (planes * (size + 1) ** 2)))

        def load(part: Sequence[int], _: int) -> None:
            for index, payload in self._batch(order, {i: places[i] for i in part}, result[0].nbytes).items():
                result[index] = np.frombuffer(payload, "<f4").reshape(result[index].shape)
                if self._cache:
                    self._cache.put(f"{prefix} {places[index][0]} {places[index][1]}", payload)

        in_parts(missing, most, load)
        return result

    def _batch(self, order: Dict[str, Any], wanted: Dict[int, Tuple[int, int]], length: int) -> Dict[int, bytes]:
        """The payloads by their numbers; those for which the server had no room are asked for again."""
        found: Dict[int, bytes] = {}

        def attempt() -> None:
            left = {index: place for index, place in wanted.items() if index not in found}
            body = json.dumps({**order, "chunks": list(left.values())}).encode()
            data = self._once(f"{self._base}/chunks", body, {"Content-Type": "application/json"})
            refused = read_records(data, left, length, found)
            if refused:
                raise TerraneError(f"/chunks: {refused} of {len(left)} chunks had to wait", 503, pause=PAUSE)

        self._patiently(attempt)
        return found

    def _points(self, metres: np.ndarray, names: List[str], zoom: Optional[int]) -> np.ndarray:
        result = np.empty((len(names), len(metres)), dtype=np.float32)
        query = urllib.parse.urlencode({"layers": ",".join(names), **({} if zoom is None else {"zoom": zoom})}, safe=",")
        headers = {"Content-Type": BINARY, "Accept": BINARY}

        def load(part: Sequence[int], first: int) -> None:
            body = metres[first:first + len(part)].astype("<f8").tobytes()
            data = self._patiently(lambda: self._once(f"{self._base}/heights?{query}", body, headers))
            if len(data) != 4 * len(names) * len(part):
                raise TerraneError(f"/heights: {len(data)} bytes for {len(part)} points of {len(names)} layers")
            result[:, first:first + len(part)] = np.frombuffer(data, "<f4").reshape(len(names), len(part))

        in_parts(range(len(metres)), POINTS_MAX, load)
        return result

    def _json(self, path: str) -> Any:
        return json.loads(self._patiently(lambda: self._once(path)))

    def _once(self, path: str, body: Optional[bytes] = None, headers: Optional[Dict[str, str]] = None) -> bytes:
        request = urllib.request.Request(self.url + path, body, {"Accept-Encoding": "gzip", **(headers or {})})
        what = f"{request.get_method()} {self.url}{path}"
        self.requests += 1
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                data = response.read()
                return gzip.decompress(data) if response.headers.get("Content-Encoding") == "gzip" else data
        except urllib.error.HTTPError as error:
            raise problem(what, error) from None
        except (OSError, EOFError, zlib.error, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise TerraneError(f"{what}: {reason}", pause=PAUSE) from None

    def _patiently(self, attempt: Callable[[], Item]) -> Item:
        end = time.monotonic() + self.patience
        while True:
            try:
                return attempt()
            except TerraneError as error:
                if error.pause is None:
                    raise
                pause = error.pause * (1 + random.random() / 2)
                if time.monotonic() + pause > end:
                    raise
                time.sleep(pause)


def problem(what: str, error: urllib.error.HTTPError) -> TerraneError:
    """The error of a response: RFC 9457, or any other text, as from a proxy."""
    data = error.read()
    try:
        text = (gzip.decompress(data) if error.headers.get("Content-Encoding") == "gzip" else data).decode()
        document = json.loads(text)
        detail, fits = document.get("detail", text), document.get("fits", 0)
    except (ValueError, AttributeError, OSError):
        detail, fits = data.decode(errors="replace").strip(), 0
    pause = None
    if error.code in (429, 503):
        after = error.headers.get("Retry-After", "")
        pause = float(after) if after.isdigit() else PAUSE
    return TerraneError(f"{what}: {error.code}: {detail}", error.code, fits, pause)


def read_records(data: bytes, wanted: Dict[int, Tuple[int, int]], length: int, found: Dict[int, bytes]) -> int:
    """Takes the records of a batch into ``found``; returns how many chunks are left for later."""
    at, refused = 0, 0
    for index, (cx, cy) in wanted.items():
        what = f"a batch's chunk {cx} {cy}"
        if len(data) < at + RECORD.size:
            raise TerraneError(f"{what} is missing")
        magic, version, status, x, y, size, crc = RECORD.unpack_from(data, at)
        if (magic, version, x, y) != (b"TRNC", 1, cx, cy):
            raise TerraneError(f"{what} is {magic!r} of version {version} at {x} {y}")
        payload = data[at + RECORD.size:at + RECORD.size + size]
        at += RECORD.size + size
        if status == 404:
            raise TerraneError(f"chunk {cx} {cy} lies beyond the edge of the world", status)
        if status in (429, 503):
            refused += 1
            continue
        if status != 200 or size != length or len(payload) != length:
            raise TerraneError(f"{what} has status {status} and {len(payload)} bytes, not {length}", status)
        if zlib.crc32(payload) != crc:
            raise TerraneError(f"{what} is damaged")
        found[index] = payload
    return refused


def in_parts(items: Sequence[Item], most: int, load: Callable[[Sequence[Item], int], None]) -> None:
    """Calls ``load(part, first)`` for all items, up to ``most`` at a time, or as many as the server says would fit."""
    first = 0
    while first < len(items):
        part = items[first:first + most]
        try:
            load(part, first)
            first += len(part)
        except TerraneError as error:
            if error.status != 413 or not 1 <= error.fits < len(part):
                raise
            most = error.fits
