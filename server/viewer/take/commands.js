/* The same files without the page: lines for a shell. */

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

/* `terrane render` for a picture: the same pixels. */
export function renderPicture(app, grid, name) {
  const { world, style, time } = app;
  const words = ['terrane', 'render', '--world',
    world.chosenSeed === null ? world.name : `${world.name}~${world.chosenSeed}`, '--style', style];
  if (time) words.push('--time', String(time));
  const { west, north, east, south, columns } = grid;
  return [...words, `--bbox=${[west, north, east, south].join(',')}`, '--width', String(columns),
    '-o', name].map(quoted).join(' ');
}
