/* The same files without the page: lines for a shell. */

import { fileName } from '../app/files.js';
import { archiveOf } from './archive.js';
import { tilesOf, tileAddress } from './picture.js';

/* A word as shells take it. */
const quoted = (word) =>
  (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const absolute = (address) => new URL(address, document.baseURI).href;

/* curl for one address. */
export function curlFile(address, name) {
  return `curl -o ${quoted(name)} ${quoted(absolute(address))}`;
}

/* Names from a to b as curl's globbing has them: [0-7], or {-2,-1,0} where some are below 0. */
function glob(a, b) {
  if (a === b) return String(a);
  const all = Array.from({ length: b - a + 1 }, (_, i) => a + i);
  return a >= 0 ? `[${a}-${b}]` : `{${all.join(',')}}`;
}

/* curl for all tiles of a picture, in a file each. */
export function curlTiles(app, grid, extension) {
  const tiles = tilesOf(grid);
  const [first, last] = [tiles[0], tiles.at(-1)];
  const address = absolute(tileAddress(app, grid.zoom, { x: 'X', y: 'Y' }, extension))
    .replace(/X\/Y(?=\.\w+(\?|$))/, `${glob(first.x, last.x)}/${glob(first.y, last.y)}`);
  const numbers = [first.x < last.x, first.y < last.y].filter(Boolean).map((_, i) => `#${i + 1}`);
  const name = `${[grid.zoom, ...numbers].join('-')}.${extension}`;
  return `curl -o ${quoted(name)} ${quoted(address)}`;
}

/* A line of `terrane` for a rectangle of the map, whose options end with these words. */
function terrane(command, app, { west, north, east, south }, ...words) {
  const { world, style, time } = app;
  const name = world.chosenSeed === null ? world.name : `${world.name}~${world.chosenSeed}`;
  return ['terrane', command, '--world', name, '--style', style,
    ...(time ? ['--time', String(time)] : []), `--bbox=${[west, north, east, south].join(',')}`,
    ...words].map(quoted).join(' ');
}

/* `terrane render` for a picture: the same pixels. */
export function renderPicture(app, grid, name) {
  return terrane('render', app, grid, '--width', String(grid.columns), '-o', name);
}

/* `terrane export` for the rectangle's tiles of all zooms, in one file: [[name, line]], or none
 * where the rectangle does not fit into an archive. */
export function exportTiles(app, grid, format) {
  const archive = archiveOf(grid);
  if (archive === null) return [];
  const { world, style } = app;
  const zooms = `${archive.first}-${archive.last}`;
  const words = format === 'webp' ? ['--format', 'webp'] : [];
  const name = fileName([world.name, world.seed, style, `z${zooms}`], 'pmtiles');
  return [['terrane export',
    terrane('export', app, grid, '--zoom', zooms, ...words, '-o', name)]];
}
