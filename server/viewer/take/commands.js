/* The same files without the page: lines for a shell. */

import { pinned } from '../app/api.js';
import { fileName } from '../app/files.js';
import { isPreview } from '../app/link.js';
import { PLACE_MAX } from '../app/place.js';
import { archiveOf, zoomsText } from './archive.js';
import { hasWebp, tilesOf, tileAddress } from './picture.js';
import { tr } from '../texts/texts.js';

const LANDSCAPE_STEPS = 1008; /* a side of the tiles that an engine gets */

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

/* A world as `terrane` finds it: a preview of the lab is only on the server, so it is a file. */
const sourceOf = (world) => (isPreview(world.name) ? `${world.name}.json` : world.name);

/* curl for the file of a world that the other lines need: [[name, line]], or none. */
export function curlWorld({ world }) {
  return isPreview(world.name)
    ? [[tr('curl, the world'), curlFile(`${pinned(world)}/world.json`, sourceOf(world))]] : [];
}

/* A line of `terrane` for a rectangle of the map, with these words behind it. */
function terrane(command, { world, time }, { west, north, east, south }, words) {
  const seed = world.chosenSeed === null ? '' : `~${world.chosenSeed}`;
  const name = sourceOf(world) + seed;
  return ['terrane', command, '--world', name, ...(time ? ['--time', String(time)] : []),
    `--bbox=${[west, north, east, south].join(',')}`, ...words].map(quoted).join(' ');
}

/* `terrane render` for a picture: the same pixels. */
export function renderPicture(app, grid, name) {
  return terrane('render', app, grid,
    ['--style', app.style, '--width', String(grid.columns), '-o', name]);
}

/* `terrane export` for what the page takes from a chunk, of any size. `form` is that of
 * chunkAddress(). */
export function exportGround(app, grid, { format, crs, colours }, name) {
  const words = {
    tif: crs === '3857' ? ['--crs', crs] : [],
    glb: colours ? ['--style', colours] : [],
  };
  return terrane('export', app, grid, ['--step', String(grid.step), ...words[format], '-o', name]);
}

/* `terrane export` for an engine's importer, tiles of heights in a folder: [[name, line]], or none
 * where the last tile, which is whole, would reach beyond the world's edge. */
export function exportLandscape(app, grid) {
  const name = fileName([app.world.name, app.world.seed], 'landscape');
  const tile = LANDSCAPE_STEPS * grid.step;
  const fits = [[grid.west, grid.east], [grid.north, grid.south]].every(([low, high]) =>
    low + Math.ceil((high - low) / tile) * tile <= PLACE_MAX);
  return fits ? [[tr('terrane export, for engines'),
    terrane('export', app, grid, ['--step', String(grid.step), '-o', `${name}/`])]] : [];
}

/* `terrane export` for the rectangle's tiles of all zooms, in one file: [[name, line]], or none
 * where the rectangle does not fit into an archive. */
export function exportTiles(app, grid, format) {
  const archive = archiveOf(grid);
  if (archive === null) return [];
  const { world, style } = app;
  const zooms = zoomsText(archive, '-');
  const words = format === 'webp' && hasWebp(app) ? ['--format', 'webp'] : [];
  const name = fileName([world.name, world.seed, style, `z${zooms}`], 'pmtiles');
  return [[tr('terrane export, tiles'),
    terrane('export', app, grid, ['--style', style, '--zoom', zooms, ...words, '-o', name])]];
}
