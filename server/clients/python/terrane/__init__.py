"""Ground of Terrane's worlds as NumPy arrays.

``connect()`` gives the ground of a server, ``load()`` that of a world's file, computed in this process by libterrane.
Both are a ``Ground`` with the same methods and the same bits.
"""

from .error import TerraneError
from .ground import Ground
from .local import LocalGround, load
from .server import ServerGround, connect

__all__ = ["Ground", "LocalGround", "ServerGround", "TerraneError", "connect", "load"]
__version__ = "0.1.0"
