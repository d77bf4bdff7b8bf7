/* For tests of archives of map tiles: a world that is quickly made, and exports of a square of it. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../tools/folder.mjs';
import { fail, terrane } from './terrane.mjs';

/* Hills to the west, flat land to the east: most of its tiles are equal. */
export const folder = temporaryFolder({
  'worlds/half.json': {
    generator: 1, seed: 7,
    layers: { height: { formula: 'clamp(0 - x / 1000, 0, 1) * 300 * fbm(wavelength=6000, octaves=9)', unit: 'm', range: [-300, 300] } },
  },
});
export const options = { cwd: folder.path };
export const half = ['--worlds', 'worlds', '--world', 'half', '--style', 'height'];
export const area = ['--bbox', '-9000,-9000,9000,9000', '--zoom', '8-13', '--format', 'r32f'];
export const path = (name) => join(folder.path, name);
export const bytes = (name) => readFileSync(path(name));

/* As raw samples, which take no time to compress, but where a test says otherwise. */
export function exportTo(name, ...words) {
  const { status, stderr } = terrane(['export', ...half, ...area, '-o', name, ...words], options);
  assert.equal(status, 0, stderr);
  return name.endsWith('/') ? null : bytes(name);
}

export const refused = (words, message) => fail(words, message, options);

/* The tiles of a zoom that the rectangle of ±9000 m touches: a tile spans 2^(25−z) m, and the world's origin is in the
 * middle of 2^z tiles. */
function indices(zoom) {
  const reach = Math.ceil(9000 / 2 ** (25 - zoom));
  const middle = 2 ** (zoom - 1);
  return Array.from({ length: 2 * reach }, (_, i) => middle - reach + i);
}
const zooms = [8, 9, 10, 11, 12, 13];
export const addresses = zooms.flatMap((z) => indices(z).flatMap((x) => indices(z).map((y) => ({ z, x, y }))));
