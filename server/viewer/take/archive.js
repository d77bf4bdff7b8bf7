/* The tiles of a rectangle that `terrane export` puts into an archive: its zooms, and how many
 * tiles they have. An archive holds the Mercator square alone. A rectangle that reaches beyond is
 * moved there. Nothing here knows the page. */

import { ZOOM_MAX } from '../app/place.js';

const SQUARE = 2 ** 25; /* metres, about the origin; the tile of zoom 0 */

/* The indices of a zoom from `low` to `high`, in metres: the first, and the one behind the last. */
const indices = (low, high, zoom) => [Math.floor((low + SQUARE / 2) * 2 ** zoom / SQUARE),
  Math.ceil((high + SQUARE / 2) * 2 ** zoom / SQUARE)];

/* How many tiles of a zoom there are along both axes, [x, y]. */
const touched = ({ west, north, east, south }, zoom) =>
  [indices(west, east, zoom), indices(north, south, zoom)].map(([first, end]) => end - first);

/* The zooms {first, last} of a rectangle (area.js): from that where a tile is as wide as the
 * rectangle to that of its pixels; and the number of tiles. Null if they do not
 * fit into an archive. */
export function archiveOf(grid) {
  const side = Math.max(grid.east - grid.west, grid.south - grid.north);
  let first = Math.min(grid.zoom, Math.max(0, Math.floor(Math.log2(SQUARE / side))));
  /* Moved, a rectangle may need room for one tile more. */
  while (first <= ZOOM_MAX && Math.max(...touched(grid, first)) > 2 ** first) first++;
  if (first > grid.zoom) return null;
  let tiles = 0;
  for (let zoom = first; zoom <= grid.zoom; zoom++) {
    const [across, down] = touched(grid, zoom);
    tiles += across * down;
  }
  return { first, last: grid.zoom, tiles };
}

/* "0-8", or "7" where the first zoom is the last one. */
export const zoomsText = ({ first, last }, between) => [...new Set([first, last])].join(between);
