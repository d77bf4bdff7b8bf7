/* Names in any order: two servers are asked for the names of views of several worlds, the second one for quarters of
 * them and in another order, and with vector tiles and searches between. All names are the same. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amount } from '../tools/amount.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { makeRandom } from './tile-addresses.mjs';

const NAMES = amount(200, 10_000);
const VIEWS = 16; /* that are shuffled at once */
const SIDE = 1024; /* pixels */
const WORLDS = ['terra', 'archipelago', 'canyons', 'highlands'];
const [first, second] = [1, 2].map(() => serverOfFile({ arguments: ['--request-cost', '10000'] }));
const random = makeRandom(35);
const number = (low, high) => Number(random(BigInt(low), BigInt(high)));

async function get(server, world, path) {
  const response = await fetch(`${server.url}/worlds/${world}${path}`);
  assert.equal(response.status, 200, path);
  return path.includes('.mvt') ? response.arrayBuffer() : response.json();
}

const labelsOf = async (server, { world, zoom }, bbox) => (await get(server, world, `/labels?bbox=${bbox}&zoom=${zoom}`)).labels;

/* Views of whole tiles, some of them in the sea. */
function makeView() {
  const zoom = number(4, 13), span = 256 * 2 ** (17 - zoom);
  const [west, north] = [0, 0].map(() => Math.floor(number(-12_000_000, 12_000_000) / span) * span);
  return { world: WORLDS[number(0, WORLDS.length - 1)], zoom, span, west, north };
}

const boxOf = ({ span, west, north }, east = 0, south = 0, tiles = SIDE / 256) =>
  [west + east * span, north + south * span, west + (east + tiles) * span, north + (south + tiles) * span];

const quartersOf = (view) => [[2, 2], [0, 0], [2, 0], [0, 2]].map(([east, south]) => boxOf(view, east, south, 2));

const sorted = (labels) => [...labels].sort((a, b) => (a.kind + a.id < b.kind + b.id ? -1 : 1));

/* Leaves what is known of one tile behind, and of a circle. */
async function askBetween({ world, zoom, span, west, north }) {
  const [x, y] = [west, north].map((at) => Math.floor((at + 2 ** 24) / span));
  await get(second, world, `/tiles/contour/${zoom}/${x}/${y}.mvt?labels=1`);
  await get(second, world, `/locate?name=a&x=${west}&y=${north}&radius=${span}`);
}

test('names are the same in any order, from two servers', { timeout: amount(120_000, 3_600_000) }, async () => {
  let count = 0;
  while (count < NAMES) {
    const views = Array.from({ length: VIEWS }, makeView);
    const expected = new Map();
    for (const view of views) expected.set(view, await labelsOf(first, view, boxOf(view)));
    for (const view of [...views].reverse()) {
      if (number(0, 3) === 0) await askBetween(view);
      const labels = [];
      for (const quarter of quartersOf(view)) labels.push(...await labelsOf(second, view, quarter));
      assert.deepEqual(sorted(labels), sorted(expected.get(view)), JSON.stringify(view));
      count += labels.length;
    }
  }
});
