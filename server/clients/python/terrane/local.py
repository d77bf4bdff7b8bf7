"""Ground that this process computes with libterrane: no server, no network, the same bits.

cffi releases Python's lock while the library computes, so threads sample at the same time.
"""

import os
import threading
from pathlib import Path
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from .error import TerraneError
from .ground import MATERIALS, UNIT, Ground

DECLARATIONS = """
struct terrane_world; struct terrane_sampler; struct terrane_cache;
struct terrane_error {
    int code; uint32_t line, column; char file[160]; char path[128]; char message[320];
};
struct terrane_request { const unsigned *layers; float *const *outputs; unsigned count; };
struct terrane_grid { int64_t x, y, step; uint32_t columns, rows; double spacing, z, t; };
struct terrane_points { const void *places; size_t count; double spacing, z, t; };
const char *terrane_version(void);
size_t terrane_error_text(const struct terrane_error *, char *, size_t);
struct terrane_world *terrane_world_parse(const char *, size_t, const char *, struct terrane_error *);
struct terrane_world *terrane_world_reseed(const struct terrane_world *, const char *, struct terrane_error *);
void terrane_world_release(struct terrane_world *);
const char *terrane_world_fingerprint(const struct terrane_world *);
unsigned terrane_layer_count(const struct terrane_world *);
const char *terrane_layer_name(const struct terrane_world *, unsigned);
unsigned terrane_material_count(const struct terrane_world *);
const char *terrane_material_name(const struct terrane_world *, unsigned);
void terrane_share_materials(const struct terrane_world *, float *const *, size_t);
struct terrane_sampler *terrane_sampler_new(void);
void terrane_sampler_free(struct terrane_sampler *);
struct terrane_cache *terrane_cache_new(size_t);
void terrane_cache_release(struct terrane_cache *);
void terrane_sampler_set_cache(struct terrane_sampler *, struct terrane_cache *);
bool terrane_sample_grid(struct terrane_sampler *, const struct terrane_world *, const struct terrane_grid *,
                         const struct terrane_request *, struct terrane_error *);
bool terrane_sample_points(struct terrane_sampler *, const struct terrane_world *, const struct terrane_points *,
                           const struct terrane_request *, struct terrane_error *);
void terrane_digest(const float *, size_t, char *);
"""

EDGE = 2**40  # metres


def load(world: Union[str, Path], seed: Optional[str] = None, *, library: Optional[str] = None,
         memory: int = 64 << 20) -> "LocalGround":
    """The ground of a world's file, or of its text, which begins with a brace.

    ``seed`` replaces the one of the file. ``library`` is the path of libterrane; without it TERRANE_LIBRARY in the
    environment, else the installed ``libterrane.so.0``. ``memory`` is that of rivers and land, which all threads share.

    >>> ground = load('{"generator": 1, "layers": {"height": "x / 4 - y"}}')
    >>> ground.heights((0, 0, 4, 1), 1)
    array([[ 0.  ,  0.25,  0.5 ,  0.75,  1.  ],
           [-1.  , -0.75, -0.5 , -0.25,  0.  ]], dtype=float32)
    >>> ground.points([(8, 2)])
    array([0.], dtype=float32)
    >>> load('{"generator": 1, "layers": {"height": "fbmm(3)"}}')
    Traceback (most recent call last):
    terrane.error.TerraneError: text:1:40: layers.height: unknown function "fbmm" (did you mean "fbm"?)
    """
    text = str(world)
    if text.lstrip().startswith("{"):
        return LocalGround(text, "text", seed, library, memory)
    return LocalGround(Path(text).read_text(encoding="utf-8"), Path(text).name, seed, library, memory)


def open_library(path: Optional[str]) -> Tuple[Any, Any]:
    """cffi and the library."""
    try:
        from cffi import FFI
    except ImportError as error:
        raise TerraneError("libterrane is called through cffi: install python3-cffi, or cffi from PyPI") from error
    ffi = FFI()
    ffi.cdef(DECLARATIONS)
    name = path or os.environ.get("TERRANE_LIBRARY") or "libterrane.so.0"
    try:
        return ffi, ffi.dlopen(name)
    except OSError as error:
        raise TerraneError(f"{error}; install libterrane0, or name the library: load(…, library=PATH)") from None


class LocalGround(Ground):
    """See ``load()``."""

    def __init__(self, text: str, name: str, seed: Optional[str], library: Optional[str], memory: int) -> None:
        self._ffi, self._library = open_library(library)
        ffi, lib = self._ffi, self._library
        data = text.encode()
        error = ffi.new("struct terrane_error *")
        world = lib.terrane_world_parse(data, len(data), name.encode(), error)
        self._world = self._owned_world(world, error)
        if seed is not None:
            self._world = self._owned_world(lib.terrane_world_reseed(self._world, str(seed).encode(), error), error)
        cache = lib.terrane_cache_new(memory)
        if not cache:
            raise TerraneError("out of memory")
        self._cache = ffi.gc(cache, lib.terrane_cache_release)
        self._thread = threading.local()
        self.fingerprint = ffi.string(lib.terrane_world_fingerprint(self._world)).decode()
        self.layer_names = [ffi.string(lib.terrane_layer_name(self._world, i)).decode()
                            for i in range(lib.terrane_layer_count(self._world))]
        self.material_names = [ffi.string(lib.terrane_material_name(self._world, i)).decode()
                               for i in range(lib.terrane_material_count(self._world))]

    @property
    def version(self) -> str:
        """That of the library."""
        return self._ffi.string(self._library.terrane_version()).decode()

    def digest(self, samples: np.ndarray) -> str:
        """The digest of samples, as servers have it in X-Terrane-Digest.

        >>> load('{"generator": 1, "layers": {"height": "x"}}').digest(np.zeros(0, np.float32))
        '00000000000000000000000000000000'
        """
        floats = np.ascontiguousarray(samples, dtype=np.float32)
        out = self._ffi.new("char[33]")
        self._library.terrane_digest(self._ffi.cast("const float *", floats.ctypes.data), floats.size, out)
        return self._ffi.string(out).decode()

    def _owned_world(self, world: Any, error: Any) -> Any:
        if not world:
            raise self._error(error)
        return self._ffi.gc(world, self._library.terrane_world_release)

    def _error(self, error: Any) -> TerraneError:
        line = self._ffi.new("char[1024]")
        self._library.terrane_error_text(error, line, 1024)
        return TerraneError(self._ffi.string(line).decode())

    def _sampler(self) -> Any:
        """This thread's."""
        if not hasattr(self._thread, "sampler"):
            sampler = self._library.terrane_sampler_new()
            if not sampler:
                raise TerraneError("out of memory")
            self._library.terrane_sampler_set_cache(sampler, self._cache)
            self._thread.sampler = self._ffi.gc(sampler, self._library.terrane_sampler_free)
        return self._thread.sampler

    def _numbers(self, names: Sequence[str]) -> List[int]:
        count = len(self.layer_names)
        return [number for name in names for number in (
            range(count, count + len(self.material_names)) if name == MATERIALS else [self.layer_names.index(name)])]

    def _sample(self, function: Any, struct: Any, names: Sequence[str], count: int) -> np.ndarray:
        """(planes, count)."""
        ffi = self._ffi
        numbers = self._numbers(names)
        result = np.empty((len(numbers), count), dtype=np.float32)
        layers = ffi.new("unsigned[]", numbers)
        outputs = ffi.new("float *[]", [ffi.cast("float *", plane.ctypes.data) for plane in result])
        request = ffi.new("struct terrane_request *", {"layers": layers, "outputs": outputs, "count": len(numbers)})
        error = ffi.new("struct terrane_error *")
        if not function(self._sampler(), self._world, struct, request, error):
            raise self._error(error)
        if MATERIALS in names:
            weights = outputs + self._numbers(names).index(len(self.layer_names))
            self._library.terrane_share_materials(self._world, weights, count)
        return result

    def _grid(self, window: Tuple[int, int, int, int], step: float, names: List[str], t: float) -> np.ndarray:
        column, row, columns, rows = window
        unit = int(step * UNIT)
        grid = self._ffi.new("struct terrane_grid *", {
            "x": column * unit, "y": row * unit, "step": unit, "columns": columns, "rows": rows, "spacing": step, "t": t})
        return self._sample(self._library.terrane_sample_grid, grid, names, columns * rows).reshape(-1, rows, columns)

    def _chunks(self, places: List[Tuple[int, int]], size: int, step: float, names: List[str], t: float) -> np.ndarray:
        limit = int(EDGE // (size * step))
        result = np.empty((len(places), self._planes(names), size + 1, size + 1), dtype=np.float32)
        for index, (cx, cy) in enumerate(places):
            if not (-limit <= cx < limit and -limit <= cy < limit):
                raise TerraneError(f"chunk {cx} {cy} lies beyond the edge of the world", 404)
            result[index] = self._grid((cx * size, cy * size, size + 1, size + 1), step, names, t)
        return result

    def _points(self, metres: np.ndarray, names: List[str], zoom: Optional[int]) -> np.ndarray:
        if (np.abs(metres) > EDGE).any():
            raise TerraneError("places must lie within 2^40 metres")
        places = np.rint(metres * UNIT).astype(np.int64)
        points = self._ffi.new("struct terrane_points *", {
            "places": self._ffi.cast("const void *", places.ctypes.data), "count": len(places),
            "spacing": 0.0 if zoom is None else 2.0 ** (17 - zoom)})
        return self._sample(self._library.terrane_sample_points, points, names, len(places))
