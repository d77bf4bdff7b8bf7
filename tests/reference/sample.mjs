/* Random places, and the program's samples there. */

import assert from 'node:assert/strict';
import { terrane } from '../cli/terrane.mjs';
import { mix } from './noise.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

export const limit = 1n << 56n; /* ±2⁴⁰ m in 2⁻¹⁶ m */

/* name=value, …: texts in quotes that they do not hold themselves. */
export function formulaOf({ call, ...settings }) {
  const list = Object.entries(settings).map(([name, value]) => (
    typeof value === 'string' ? `${name}='${value}'` : `${name}=${value}`));
  return `${call}(${list.join(', ')})`;
}

/* Exact decimal text of a position in 2⁻¹⁶ m. */
export function decimal(position) {
  const size = position < 0n ? -position : position;
  const digits = ((size & 0xFFFFn) * 152587890625n).toString().padStart(16, '0');
  return `${position < 0n ? '-' : ''}${size >> 16n}.${digits}`;
}

let random = 88172645463325252n;
export function randomBelow(bound) {
  random = mix(random + 0x9E3779B97F4A7C15n);
  return ((random << 64n) * bound) >> 128n;
}
export const randomWithin = (reach) => randomBelow(2n * reach + 1n) - reach;

/* Near the origin, around the country, out at the edges, and the corners themselves. */
export function randomPlaces() {
  const places = [[0n, 0n], [limit, limit], [-limit, limit], [limit, -limit], [-limit, -limit]];
  for (let i = 0; i < 400; i++) {
    places.push([randomWithin(1n << 26n), randomWithin(1n << 26n)]);
    places.push([randomWithin(limit), randomWithin(limit)]);
    places.push([limit - randomBelow(1n << 26n), randomWithin(1n << 40n)]);
    places.push([randomWithin(1n << 40n), randomBelow(1n << 26n) - limit]);
  }
  return places;
}

/* The program's samples of layers of a world at places. */
export function ask(world, places, words = []) {
  const folder = temporaryFolder({ 'reference.json': world });
  try {
    const { status, stdout, stderr } = terrane(
      ['query', '--world', 'reference.json', '--json', ...words, '-'],
      { cwd: folder.path, input: places.map((p) => p.map(decimal).join(' ')).join('\n') });
    assert.equal(stderr, '');
    assert.equal(status, 0);
    return stdout.trim().split('\n').map((text) => JSON.parse(text).layers);
  } finally {
    folder.remove();
  }
}
