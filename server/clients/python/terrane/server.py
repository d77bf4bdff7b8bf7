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
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, TypeVar, Union

import numpy as np

from .cache import DiskCache, default_folder
from .error import TerraneError
from .ground import MATERIALS, UNIT, BBox, Ground, Layers, check_step, structured

BATCH_MAX = 256  # chunks
SAMPLES_MAX = 1 << 22  # of a batch, as servers allow unless they are told otherwise
POINTS_MAX = 10000
PIECE = 64  # steps a side of the chunks that rectangles are made of
EVENTS_SILENCE = 60  # seconds; a comment comes every 15
PAUSE = 0.5  # seconds until the next try, unless the server says how long
RECORD = struct.Struct("<4sHHqqII")
OBJECT_RECORD = np.dtype([("id", "<u8"), ("place", "<i8", 2), ("height", "<f4"), ("scale", "<f4"), ("rotation", "<f4"),
                          ("kind", "<u4")])
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
        self._name = name
        self._options: Dict[str, Any] = {"cache": cache, "cache_bytes": cache_bytes, "timeout": timeout, "patience": patience}
        self._base = f"/worlds/{urllib.parse.quote(self.world)}"
        self._materials = f"{MATERIALS}@{self.descriptor.get('materials_fingerprint')}"

    def objects(self, bbox: BBox, kind: Optional[str] = None) -> np.ndarray:
        """Trees, shrubs and rocks of a rectangle: a structured array of id, kind, x, y, height, scale, rotation."""
        query = {"bbox": ",".join(repr(float(metres)) for metres in bbox), **({"kind": kind} if kind else {})}
        found = self._json(f"{self._base}/objects?{urllib.parse.urlencode(query, safe=',')}")["objects"]
        return np.array([(int(each["id"]), *(each[name] for name in OBJECT.names[1:])) for each in found], dtype=OBJECT)

    def chunks_with_objects(self, places: Sequence[Tuple[int, int]], size: int = 64, step: float = 1,
                            layers: Layers = "height", t: float = 0) -> Tuple[np.ndarray, List[np.ndarray]]:
        """What ``chunks()`` gives, and for each chunk what ``objects()`` gives of its square, from the same requests.

        Nothing is kept on the disk.
        """
        names = self._names(layers)
        order = {**self._order(size, check_step(step), names, t), "objects": True}
        planes = np.empty((len(places), self._planes(names), size + 1, size + 1), dtype=np.float32)
        objects: List[np.ndarray] = [np.empty(0, dtype=OBJECT)] * len(places)
        kinds = np.array([kind["name"] for kind in self.descriptor["objects"]] or [""], dtype="U31")

        def load(part: Sequence[int], _: int) -> None:
            wanted = {index: (int(places[index][0]), int(places[index][1])) for index in part}
            for index, payload in self._batch(order, wanted, planes[0].nbytes).items():
                samples, records = payload[:planes[0].nbytes], payload[planes[0].nbytes:]
                planes[index] = np.frombuffer(samples, "<f4").reshape(planes[index].shape)
                objects[index] = read_objects(records, kinds)

        in_parts(range(len(places)), min(BATCH_MAX, max(1, SAMPLES_MAX // planes[:1].size)), load)
        return structured(np.moveaxis(planes, 0, 1), names), objects

    def digests(self, places: Sequence[Tuple[int, int]], size: int = 64, step: float = 1, layers: Layers = "height",
                t: float = 0) -> List[Optional[str]]:
        """The server's digests of the samples of many chunks; None beyond the edge of the world."""
        order = self._order(size, check_step(step), self._names(layers), t)
        order.pop("format")
        found: List[Optional[str]] = []

        def load(part: Sequence[Tuple[int, int]], _: int) -> None:
            body = json.dumps({**order, "chunks": [[int(cx), int(cy)] for cx, cy in part]}).encode()
            data = self._patiently(lambda: self._once(f"{self._base}/digests", body, {"Content-Type": "application/json"}))
            found.extend(json.loads(data)["digests"])

        in_parts(places, BATCH_MAX, load)
        return found

    def follow(self, every: float = 10) -> Iterator["ServerGround"]:
        """Waits for changes of the world, and gives the ground of each new version, pinned to it.

        It hears of a reload at once by /events, if the server was started with --watch, and else asks every so many
        seconds. ``digests()`` of both grounds tell which chunks have changed. The world must not have been named with a
        fingerprint.
        """
        if "@g1-" in self._name:
            raise TerraneError(f"{self._name} is pinned, so it never changes")
        fingerprint = self.fingerprint
        for _ in reloads(f"{self.url}/events", every):
            try:
                now = self._json(f"/worlds/{urllib.parse.quote(self._name)}")["fingerprint"]
            except TerraneError as error:
                if error.pause is None:
                    raise
                continue
            if now != fingerprint:
                ground = ServerGround(self.url, self._name, **self._options)
                fingerprint = ground.fingerprint
                yield ground

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
        order = self._order(size, step, names, t)
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

    def _order(self, size: int, step: float, names: List[str], t: float) -> Dict[str, Any]:
        return {"format": "r32f", "size": size, "step": step, "t": t,
                "layers": [self._materials if name == MATERIALS else name for name in names]}

    def _batch(self, order: Dict[str, Any], wanted: Dict[int, Tuple[int, int]], length: int) -> Dict[int, bytes]:
        """The payloads by their numbers, that of the samples and behind it that of the objects, if the order has them;
        those for which the server had no room are asked for again."""
        found: Dict[int, bytes] = {}

        def attempt() -> None:
            left = {index: place for index, place in wanted.items() if index not in found}
            body = json.dumps({**order, "chunks": list(left.values())}).encode()
            data = self._once(f"{self._base}/chunks", body, {"Content-Type": "application/json"})
            refused = read_records(data, left, length, found, bool(order.get("objects")))
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


def read_record(data: bytes, at: int, magic: bytes, place: Tuple[int, int]) -> Tuple[int, bytes]:
    """The status and the payload of the record that begins at ``at``."""
    what = f"a batch's chunk {place[0]} {place[1]}"
    if len(data) < at + RECORD.size:
        raise TerraneError(f"{what} is missing")
    found, version, status, x, y, size, crc = RECORD.unpack_from(data, at)
    if (found, version, x, y) != (magic, 1, *place):
        raise TerraneError(f"{what} is {found!r} of version {version} at {x} {y}")
    payload = data[at + RECORD.size:at + RECORD.size + size]
    if status == 404:
        raise TerraneError(f"chunk {place[0]} {place[1]} lies beyond the edge of the world", status)
    if status not in (200, 429, 503) or len(payload) != size:
        raise TerraneError(f"{what} has status {status} and {len(payload)} bytes, not {size}", status)
    if zlib.crc32(payload) != crc:
        raise TerraneError(f"{what} is damaged")
    return status, payload


def read_records(data: bytes, wanted: Dict[int, Tuple[int, int]], length: int, found: Dict[int, bytes],
                 objects: bool) -> int:
    """Takes the records of a batch into ``found``; returns how many chunks are left for later."""
    at, refused = 0, 0
    for index, place in wanted.items():
        status, payload = read_record(data, at, b"TRNC", place)
        at += RECORD.size + len(payload)
        if status == 200 and len(payload) != length:
            raise TerraneError(f"a batch's chunk {place[0]} {place[1]} has {len(payload)} bytes, not {length}", status)
        if objects:
            status_beside, beside = read_record(data, at, b"TRNO", place)
            at += RECORD.size + len(beside)
            status, payload = max(status, status_beside), payload + beside
        if status == 200:
            found[index] = payload
        else:
            refused += 1
    return refused


def read_objects(payload: bytes, kinds: np.ndarray) -> np.ndarray:
    """The objects of a payload, by the names of the world's kinds."""
    if len(payload) % OBJECT_RECORD.itemsize:
        raise TerraneError(f"{len(payload)} bytes of objects")
    records = np.frombuffer(payload, OBJECT_RECORD)
    result = np.empty(len(records), dtype=OBJECT)
    for name in ("id", "height", "scale", "rotation"):
        result[name] = records[name]
    if len(records) and records["kind"].max() >= len(kinds):
        raise TerraneError(f"an object of kind {records['kind'].max()} of {len(kinds)}")
    result["kind"] = kinds[records["kind"]]
    result["x"], result["y"] = records["place"].T / UNIT
    return result


def reloads(url: str, every: float) -> Iterator[None]:
    """Gives at the beginning, after each event "worlds" of a server with --watch, and every so many seconds while there
    are no events."""
    while True:
        yield
        try:
            with urllib.request.urlopen(url, timeout=EVENTS_SILENCE) as response:
                for line in response:
                    if line.strip() == b"event: worlds":
                        yield
        except (OSError, http.client.HTTPException):
            pass  # no server, or one without events
        time.sleep(every)


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
