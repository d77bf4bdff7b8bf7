/* The tiles of a rectangle that `terrane export` puts into an archive: its zooms, and how many
 * tiles they have. An archive holds the Mercator square alone. A rectangle that lies beyond is
 * moved there, and one that lies partly beyond loses that part. Nothing here knows the page. */

import { ZOOM_MAX } from '../app/place.js';

const SQUARE = 2 ** 25; /* metres, about the origin; the tile of zoom 0 */

/* The indices of a zoom from `low` to `high`, in metres: the first, and the one behind the last. */
const indices = (low, high, zoom) => [Math.floor((low + SQUARE / 2) * 2 ** zoom / SQUARE),
  Math.ceil((high + SQUARE / 2) * 2 ** zoom / SQUARE)];

/* How many tiles of a zoom there are along both axes, [x, y]. */
function touched({ west, north, east, south }, zoom) {
  const spans = [indices(west, east, zoom), indices(north, south, zoom)];
  const meets = spans.every(([first, end]) => first < 2 ** zoom && end > 0);
  return spans.map(([first, end]) =>
    (meets ? Math.min(end, 2 ** zoom) - Math.max(first, 0) : end - first));
}

/* The zooms {first, last} of a rectangle (area.js): from that where a tile is as wide as the
 * rectangle to that of its pixels; and the number of tiles. Null if nothing is left of it. */
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
