/* Random tile addresses and places, the same in every run. */

import assert from 'node:assert/strict';

/* A linear congruential generator (Knuth's MMIX), its high part: low … high, as BigInt. */
export function makeRandom(seed) {
  let state = BigInt(seed);
  return (low, high) => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return low + (state >> 16n) % (high - low + 1n);
  };
}

/* The lowest and highest index at a zoom: whole tiles of 2^(25−z) m within ±2⁴⁰ m, tile 0 beginning
 * at −2²⁴ m. */
export function indexRange(zoom) {
  const span = 1n << BigInt(25 - zoom);
  return [-(((1n << 40n) - (1n << 24n)) / span), ((1n << 40n) + (1n << 24n)) / span - 1n];
}

/* { z, x, y }: in turn in the middle square, west or north of it, anywhere, and at the edge of the world. */
export function randomAddress(random, index) {
  const z = Number(random(0n, 20n));
  const side = 1n << BigInt(z);
  const [low, high] = indexRange(z);
  const edge = () => (random(0n, 1n) ? low + random(0n, 1n) : high - random(0n, 1n));
  const kinds = [
    () => random(0n, side - 1n),
    () => -random(1n, 4n * side < -low ? 4n * side : -low),
    () => random(low, high),
    edge,
  ];
  const pick = kinds[index % kinds.length];
  return { z, x: pick(), y: pick() };
}

/* The centre of a pixel of a tile of `size` pixels a side, in 2⁻¹⁶ m. */
export function pixelCentre({ z, x, y }, size, column, row) {
  const span = 1n << BigInt(25 - z + 16);
  const step = span / BigInt(size);
  const at = (tile, pixel) => tile * span - (1n << 40n) + BigInt(pixel) * step + step / 2n;
  return [at(x, column), at(y, row)];
}

/* A position in 2⁻¹⁶ m as exact decimal metres. */
export function metres(position) {
  const size = position < 0n ? -position : position;
  const decimals = ((size & 0xFFFFn) * 152587890625n).toString().padStart(16, '0');
  return `${position < 0n ? '-' : ''}${size >> 16n}.${decimals}`;
}

/* The body of POST /heights. Numbers as text, since doubles would not hold them all. */
export function heightsBody(places, more = {}) {
  const points = places.map((place) => `[${place.map(metres).join(',')}]`).join(',');
  return `{${Object.entries(more).map(([k, v]) => `"${k}":${JSON.stringify(v)},`).join('')}`
    + `"points":[${points}]}`;
}

/* The heights, or another layer's values, that the server gives for the places. */
export async function heightsAt(server, world, places, more) {
  const response = await fetch(`${server.url}/worlds/${world}/heights`, { method: 'POST', body: heightsBody(places, more) });
  assert.equal(response.status, 200);
  return (await response.json()).heights;
}
