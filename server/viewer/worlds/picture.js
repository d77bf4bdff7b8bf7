/* A small picture of a world's view, made of its tiles. */

import { svg } from '../app/dom.js';

const TILE = 256; /* pixels */
const HALF_SQUARE = 2 ** 24; /* metres from the origin to where tile 0 begins */
/* Tiles reach that far under the next ones: scaled, they would have seams. */
const SEAM = 1;
/* The map's pixels that a picture shows, at a zoom one less than the view's. */
const WIDTH = 240;
const HEIGHT = 160;

/* The indices of the tiles that cover `size` pixels from `start` on, with where they lie. */
function cover(start, size) {
  const first = Math.floor(start / TILE);
  const count = Math.floor((start + size - 1) / TILE) - first + 1;
  return Array.from({ length: count }, (_, i) => ({
    index: first + i, at: (first + i) * TILE - start,
  }));
}

/* An address of the server, relative to the page: what stands before it may be another path where a
 * proxy passes the page on. */
const relative = (address) => address.slice(address.lastIndexOf('/worlds/') + 1);

/* `view` is that of the server's list of worlds. */
export function createPicture({ x, y, zoom, t, tiles }) {
  const z = Math.max(0, zoom - 1);
  const pixel = 2 ** (17 - z);
  const [left, top] = [[x, WIDTH], [y, HEIGHT]].map(([centre, size]) =>
    Math.round((centre + HALF_SQUARE) / pixel - size / 2));
  const picture = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'xMidYMid slice', 'aria-hidden': true,
    class: 'picture',
  });
  for (const row of cover(top, HEIGHT)) {
    for (const column of cover(left, WIDTH)) {
      const address = relative(tiles)
        .replace('{z}', z).replace('{x}', column.index).replace('{y}', row.index);
      picture.append(svg('image', {
        href: t ? `${address}?t=${t}` : address,
        x: column.at, y: row.at, width: TILE + SEAM, height: TILE + SEAM,
      }));
    }
  }
  return picture;
}
