"""What the ground of a server and that of libterrane have in common.

Positions are metres: x points east, y points south, heights are above the sea. Grids are of vertices at whole
multiples of a step, which is a power of two from 1/16 to 65536 m and also the level of detail. Rows run from north to
south. Several layers are a structured array with a field for each.
"""

import difflib
import math
from abc import ABC, abstractmethod
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from .error import TerraneError

UNIT = 65536
"""Positions are exact in 2^-16 m."""

MATERIALS = "materials"
BBox = Tuple[float, float, float, float]
Layers = Union[str, Sequence[str]]


def check_step(step: float) -> float:
    """The step, if it is one.

    >>> check_step(0.5)
    0.5
    >>> check_step(3)
    Traceback (most recent call last):
    terrane.error.TerraneError: step must be a power of two from 0.0625 to 65536 metres, not 3
    """
    if not (0.0625 <= step <= 65536 and math.frexp(step)[0] == 0.5):
        raise TerraneError(f"step must be a power of two from 0.0625 to 65536 metres, not {step}")
    return float(step)


def span(low: float, high: float, step: float) -> Tuple[int, int]:
    """The index of the first vertex from ``low`` to ``high``, both included, and how many there are.

    >>> span(-3, 8, 4)
    (0, 3)
    """
    first, last = math.ceil(low / step), math.floor(high / step)
    if last < first:
        raise TerraneError(f"there is no multiple of {step:g} m from {low:g} to {high:g}")
    return first, last - first + 1


def structured(planes: np.ndarray, names: Sequence[str], dtype: Any = np.float32) -> np.ndarray:
    """A field for each plane.

    >>> structured(np.array([[1.0, 2.0], [0.0, 1.0]]), ["height", "biome"])["biome"]
    array([0., 1.], dtype=float32)
    """
    result = np.empty(planes.shape[1:], dtype=[(name, dtype) for name in names])
    for name, plane in zip(names, planes):
        result[name] = plane
    return result


class Ground(ABC):
    """The ground of one world, which never changes: its ``fingerprint`` says which. Threads may share it."""

    fingerprint: str
    """``g1-`` and 32 hex digits."""

    layer_names: List[str]
    material_names: List[str]

    def axes(self, bbox: BBox, step: float) -> Tuple[np.ndarray, np.ndarray]:
        """x of the columns and y of the rows, in metres, of a grid with this rectangle and step."""
        step = check_step(step)
        (i, columns), (j, rows) = span(bbox[0], bbox[2], step), span(bbox[1], bbox[3], step)
        return (i + np.arange(columns)) * step, (j + np.arange(rows)) * step

    def heights(self, bbox: BBox, step: float, layer: str = "height", t: float = 0) -> np.ndarray:
        """Samples of one layer: float32, rows and columns of the vertices in ``(west, north, east, south)``."""
        return self._rectangle(bbox, step, [layer], t)[0]

    def samples(self, bbox: BBox, step: float, layers: Layers = "height", t: float = 0) -> np.ndarray:
        """Samples of several layers on the same vertices, a field for each."""
        names = self._names(layers)
        return structured(self._rectangle(bbox, step, names, t), names)

    def materials(self, bbox: BBox, step: float, t: float = 0) -> np.ndarray:
        """Shares of the materials, a field of uint8 for each; at each vertex they sum up to 255."""
        if not self.material_names:
            raise TerraneError("the world has no materials")
        return structured(self._rectangle(bbox, step, [MATERIALS], t), self.material_names, np.uint8)

    def chunk(self, cx: int, cy: int, size: int = 64, step: float = 1, layers: Layers = "height",
              t: float = 0) -> np.ndarray:
        """Chunk (cx, cy): (size + 1)² vertices from (cx · size · step, cy · size · step) on, a field for each layer."""
        return self.chunks([(cx, cy)], size, step, layers, t)[0]

    def chunks(self, places: Sequence[Tuple[int, int]], size: int = 64, step: float = 1, layers: Layers = "height",
               t: float = 0) -> np.ndarray:
        """Many chunks in their order: an array of (chunks, size + 1, size + 1), a field for each layer."""
        names = self._names(layers)
        if not 1 <= size <= 1024:
            raise TerraneError(f"size must be 1 to 1024 steps, not {size}")
        planes = self._chunks([(int(cx), int(cy)) for cx, cy in places], int(size), check_step(step), names, t)
        return structured(np.moveaxis(planes, 0, 1), names)

    def points(self, places: Any, layers: Layers = "height", zoom: Optional[int] = None) -> np.ndarray:
        """Samples at single places, an array of (n, 2) metres: at full detail, or that of a zoom.

        One layer, by its name, is an array of float32; a list of layers is a structured array.
        """
        metres = np.ascontiguousarray(places, dtype=np.float64).reshape(-1, 2)
        if not np.isfinite(metres).all():
            raise TerraneError("places must be finite numbers")
        if zoom is not None and not 0 <= zoom <= 20:
            raise TerraneError(f"zoom must be 0 to 20, not {zoom}")
        names = self._names(layers)
        planes = self._points(metres, names, zoom)
        return planes[0] if isinstance(layers, str) else structured(planes, names)

    def _names(self, layers: Layers) -> List[str]:
        names = [layers] if isinstance(layers, str) else list(layers)
        for name in names:
            if name not in self.layer_names:
                near = difflib.get_close_matches(name, self.layer_names, 1)
                hint = f'did you mean "{near[0]}"?' if near else "layer_names lists them"
                raise TerraneError(f'the world has no layer "{name}" ({hint})')
        if not names or len(set(names)) < len(names):
            raise TerraneError("layers must be names, each once")
        return names

    def _planes(self, names: Sequence[str]) -> int:
        return sum(len(self.material_names) if name == MATERIALS else 1 for name in names)

    def _rectangle(self, bbox: BBox, step: float, names: List[str], t: float) -> np.ndarray:
        step = check_step(step)
        if names != [MATERIALS]:
            names = self._names(names)
        (i, columns), (j, rows) = span(bbox[0], bbox[2], step), span(bbox[1], bbox[3], step)
        return self._grid((i, j, columns, rows), step, names, t)

    @abstractmethod
    def _grid(self, window: Tuple[int, int, int, int], step: float, names: List[str], t: float) -> np.ndarray:
        """(planes, rows, columns) of the vertices from column and row index on."""

    @abstractmethod
    def _chunks(self, places: List[Tuple[int, int]], size: int, step: float, names: List[str], t: float) -> np.ndarray:
        """(chunks, planes, size + 1, size + 1)."""

    @abstractmethod
    def _points(self, metres: np.ndarray, names: List[str], zoom: Optional[int]) -> np.ndarray:
        """(planes, points)."""
