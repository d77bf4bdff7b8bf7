/* Places on the land of worlds with a drainage network. Such worlds make no streams under the sea, where a request
 * takes a hundredth of its price, and they keep streams, of which a price assumes none: so each request is for a place
 * of its own, on land, far from the one before. */

import { get } from './client.mjs';

const STEP = 65536; /* metres from a place to the next */
const SIDE = 240; /* steps of a chunk: four of them cover the map but its edges */
const BESIDE = 12345; /* metres from a corner of the lattices that worlds are made of */
const STRIDE = 7919; /* from a place to the next in time: a prime, which divides no usual number of places */
const FEW = 1000; /* places without the sea around them; an archipelago has fewer */

async function heightsOf(client, world, [x, y]) {
  const { status, body } = await client.ask(get(`/worlds/${world}/chunks/${x}/${y}.r32f?size=${SIDE}&step=${STEP}`));
  if (status !== 200) throw new Error(`land of ${world}: ${status} ${body}`);
  return Array.from({ length: body.length / 4 }, (_, i) => body.readFloatLE(4 * i));
}

/* The columns and rows of a chunk that are on land, with their neighbours up to so many rows and columns away. */
function landOf(heights, around) {
  const isLand = (column, row) => {
    for (let y = row - around; y <= row + around; y++)
      for (let x = column - around; x <= column + around; x++)
        if (heights[y * (SIDE + 1) + x] <= 0) return false;
    return true;
  };
  const inner = Array.from({ length: (SIDE - 1) ** 2 }, (_, i) => [1 + (i % (SIDE - 1)), 1 + Math.floor(i / (SIDE - 1))]);
  return inner.filter(([column, row]) => isLand(column, row));
}

/* A function that returns the next place, around the origin or some metres from it. */
export async function landPlaces(client, world, [east, south] = [0, 0]) {
  const [left, up] = [east, south].map((metres) => Math.floor(metres / STEP / SIDE));
  const chunks = [[left - 1, up - 1], [left, up - 1], [left - 1, up], [left, up]];
  const found = [[], []];
  for (const [x, y] of chunks) {
    const heights = await heightsOf(client, world, [x, y]);
    for (const around of [0, 1])
      for (const [column, row] of landOf(heights, around))
        found[around].push([(x * SIDE + column) * STEP + BESIDE, (y * SIDE + row) * STEP + BESIDE]);
  }
  const places = found[1].length < FEW ? found[0] : found[1];
  if (places.length === 0) throw new Error(`${world} has no land`);
  let next = 0;
  return () => places[(STRIDE * ++next) % places.length];
}
