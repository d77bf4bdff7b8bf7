/* An error; `status` is that of the daemon's response, or 0 if there was none; `fits` how many chunks or places
 * would have been few enough, or 0; `pause`, in milliseconds, that the same request may succeed then, or null. */
export class TerraneError extends Error {
  constructor(message, status = 0, { fits = 0, pause = null } = {}) {
    super(message);
    this.name = 'TerraneError';
    this.status = status;
    this.fits = fits;
    this.pause = pause;
  }
}
