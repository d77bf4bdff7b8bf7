"""The error of this package."""

from typing import Optional


class TerraneError(Exception):
    """What went wrong, in one line.

    ``status`` is that of the server's response, or 0 if there was none. ``fits`` is how many chunks or points would
    have been few enough, or 0. ``pause`` is the number of seconds after which the same request may succeed, or None.
    """

    def __init__(self, message: str, status: int = 0, fits: int = 0, pause: Optional[float] = None) -> None:
        super().__init__(message)
        self.status = status
        self.fits = fits
        self.pause = pause
