/* A picture of any rectangle, made of the server's tiles: each is fetched as PNG, which has every
 * pixel as it is, and drawn on a canvas. So the picture has the map's own pixels. */

import { Refusal, request, tileTemplate } from '../app/api.js';
import { tr } from '../texts/texts.js';

const TILE = 256;
/* Requests under way at a time: the map's own tiles go on coming. */
const AT_ONCE = 4;
/* A busy server is asked again, so often and after so long. */
const ATTEMPTS = 6;
const BUSY_MS = 700;
const QUALITY = 0.92; /* of WebP */
const TOO_LARGE = tr('This browser cannot make such a large picture. Choose wider pixels.');

/* The tiles that a grid of pixels (area.js) lies on, and where each begins in the picture. Tile 0
 * begins 2^z · 128 pixels west and north of the world's origin. */
export function tilesOf({ zoom, left, top, columns, rows }) {
  const half = 128 * 2 ** zoom;
  const range = (first, count) => {
    const from = Math.floor((first + half) / TILE);
    const to = Math.floor((first + count - 1 + half) / TILE);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  };
  const xs = range(left, columns);
  return range(top, rows).flatMap((y) => xs.map((x) =>
    ({ x, y, across: x * TILE - half - left, down: y * TILE - half - top })));
}

/* The address of a tile of the map as PNG or WebP. */
export function tileAddress(app, zoom, { x, y }, extension = 'png') {
  return tileTemplate(app.world, app.style, app.time)
    .replace('{z}', zoom).replace('{x}', x).replace('{y}', y).replace('{r}', '')
    .replace(/\.\w+(?=$|\?)/, `.${extension}`);
}

/* Whether the map has its tiles as WebP: where pixels are numbers, or grey, it has not. */
export const hasWebp = (app) =>
  /\.webp(\?|$)/.test(tileTemplate(app.world, app.style, app.time));

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function fetchPatiently(address, signal) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request(address, { signal });
    } catch (error) {
      const busy = error instanceof Refusal && [429, 503].includes(error.status);
      if (!busy || attempt === ATTEMPTS) throw error;
      await pause(BUSY_MS * attempt);
    }
  }
}

function encode(canvas, type) {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob?.type === type) resolve(blob);
      else reject(new Error(TOO_LARGE));
    }, type, QUALITY);
  });
}

/* The picture of a grid as a Blob. progress(share) is called from 0 to 1; `signal` stops it. */
export async function makePicture(app, grid, type, { progress, signal }) {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [grid.columns, grid.rows];
  const context = canvas.getContext('2d', { alpha: false });
  const addressOf = ((shown) => (tile) => tileAddress(shown, grid.zoom, tile))({ ...app });
  const tiles = tilesOf(grid);
  let next = 0;
  let drawn = 0;
  const work = async () => {
    while (next < tiles.length) {
      const tile = tiles[next++];
      const response = await fetchPatiently(addressOf(tile), signal);
      const image = await createImageBitmap(await response.blob(),
        { colorSpaceConversion: 'none' });
      context.drawImage(image, tile.across, tile.down);
      image.close();
      progress(++drawn / tiles.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return await encode(canvas, type);
  } finally {
    next = tiles.length; /* after a failure the other workers end, too */
    canvas.width = canvas.height = 0; /* gives the memory back at once */
  }
}
