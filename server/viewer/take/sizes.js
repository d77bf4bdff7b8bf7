/* What the rectangle would be in each format: pixels, heights or tiles, and about how many bytes.
 */

import { request } from '../app/api.js';
import { readable } from '../app/place.js';
import { lengthText } from '../app/units.js';
import { FORMATS, choicesOf, gridOf, squareOf } from './area.js';
import { archiveOf, zoomsText } from './archive.js';
import { chunkBytes } from './ground.js';
import { hasWebp, tileAddress, tilesOf } from './picture.js';
import { tr } from '../texts/texts.js';

const SAMPLE_TILES = 5; /* whose bytes tell those of the picture */
const HEADER_BYTES = 100; /* that the smallest picture has */
/* Browsers make larger PNGs than the server does. */
const LARGER = { png: 1.3, webp: 1 };

const count = (number) => readable(String(number));

/* "1440 × 900 pixels of 256 m", of a square of samples "1025 × 1025 heights, 256 m apart" */
export function extentText({ columns, rows, step }, isChunk) {
  return isChunk ? tr('{0} × {1} heights, {2} apart', count(columns + 1), count(rows + 1),
    lengthText(step))
    : tr('{0} × {1} pixels of {2}', count(columns), count(rows), lengthText(step));
}

/* The mean bytes of some tiles of a rectangle, as PNG and as WebP; where there is no WebP, it is
 * taken for as large. */
export async function sampleTiles(app, grid, signal) {
  const tiles = tilesOf(grid);
  const some = Array.from({ length: SAMPLE_TILES }, (_, i) =>
    tiles[Math.floor(tiles.length * (i + 0.5) / SAMPLE_TILES)]);
  const mean = async (extension) => {
    const sizes = await Promise.all(some.map(async (tile) => {
      const response = await request(tileAddress(app, grid.zoom, tile, extension), { signal });
      return (await response.blob()).size;
    }));
    return sizes.reduce((a, b) => a + b, 0) / sizes.length;
  };
  const [png, webp] = await Promise.all(
    (hasWebp(app) ? ['png', 'webp'] : ['png']).map((extension) => mean(extension)));
  return { png, webp: webp ?? png };
}

/* The bytes of a picture whose tiles have so many. */
export const pictureBytes = ({ columns, rows }, extension, mean) =>
  HEADER_BYTES + mean[extension] * LARGER[extension] * columns * rows / 256 ** 2;

/* The grid of a format: as fine as `zoom` if the format has that many pixels. */
function gridOfFormat(area, zoom, { most, square }) {
  const own = square ? squareOf(area) : area;
  const fits = choicesOf(own, { most, square }).filter((choice) => choice.fits);
  return fits.length === 0 ? null : gridOf(own, Math.min(zoom, fits.at(-1).grid.zoom), square);
}

/* [{format, name, extent, bytes}] of all formats, bytes null where only `mean`, which may be null,
 * would tell them. `colours`: the style of a model. */
export function sizesOf(area, zoom, mean, colours) {
  const files = Object.entries(FORMATS).map(([format, settings]) => {
    const grid = gridOfFormat(area, zoom, settings);
    if (grid === null) return null;
    const bytes = settings.square ? chunkBytes(grid, { format, colours })
      : mean && pictureBytes(grid, format, mean);
    return { format, name: settings.name, extent: extentText(grid, settings.square), bytes };
  });
  const archive = archiveOf(gridOf(area, zoom, false));
  return [...files, archive && {
    format: 'pmtiles', name: 'PMTiles', bytes: mean && mean.png * archive.tiles,
    extent: tr('{0} tiles of zoom {1}', count(archive.tiles), zoomsText(archive, '\u2013')),
  }].filter(Boolean);
}
