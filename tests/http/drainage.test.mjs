/* Water in a drained world reaches the sea, a lake or the border of any grid of heights: D8 and filling, as programs for
 * maps of real ground do it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serverOfFile } from '../tools/server.mjs';
import { depressions } from './depressions.mjs';
import { floats } from './samples.mjs';

const SEEDS = ['220', '7', '99'];
const STEPS = [256, 64, 16, 4];
const SIZE = 192;
const FAR = 65536;

const server = serverOfFile({ arguments: ['--worlds', fileURLToPath(new URL('../worlds', import.meta.url))] });

async function layersOf(world, cx, cy, size, step, layers) {
  const target = `/worlds/${world}/chunks/${cx}/${cy}.r32f?size=${size}&step=${step}&layers=${layers}`;
  const response = await fetch(server.url + target);
  assert.equal(response.status, 200, target);
  const samples = floats(Buffer.from(await response.arrayBuffer()));
  const count = (size + 1) ** 2;
  return Array.from({ length: samples.length / count }, (_, i) => samples.subarray(i * count, (i + 1) * count));
}

/* What is land on a map of 4000 km, from the lowest to the highest. */
async function landOf(world) {
  const [heights] = await layersOf(world, -1, -1, 64, FAR, 'height');
  return Array.from(heights, (height, i) => ({ height, x: (i % 65 - 64) * FAR, y: (Math.floor(i / 65) - 64) * FAR }))
    .filter(({ height }) => height > 5)
    .sort((a, b) => a.height - b.height);
}

async function depressionsAt(world, { x, y }, step) {
  const [cx, cy] = [x, y].map((metres) => Math.floor(metres / (SIZE * step)));
  const [heights, depth] = await layersOf(world, cx, cy, SIZE, step, 'height,depth');
  return depressions(heights, SIZE + 1, (i) => depth[i] > 0);
}

/* The same at the first of some places where seen from near there is land, too. */
async function firstOnLand(world, places, step) {
  for (const place of places) {
    const found = await depressionsAt(world, place, step);
    if (found.land > 0.2 * SIZE ** 2) return { place, found };
  }
  assert.fail(`no land in ${world}`);
}

/* What is found in grids of a step: from low ground to high ground of each seed. */
async function measureGrids(step) {
  const grids = [];
  for (const seed of SEEDS) {
    const land = await landOf(`drained~${seed}`);
    for (const share of [0.05, 0.3, 0.5, 0.8, 0.97]) {
      const places = land.slice(Math.floor(share * land.length));
      const { place, found } = await firstOnLand(`drained~${seed}`, places, step);
      grids.push({ step, seed, ...place, ...found });
    }
  }
  return grids;
}

const measured = new Map();
function gridsOf(step) {
  if (!measured.has(step)) measured.set(step, measureGrids(step));
  return measured.get(step);
}

for (const step of STEPS)
  test(`the land of a drained world has no pits every ${step} m`, { timeout: 60_000 }, async () => {
    for (const grid of await gridsOf(step)) {
      const what = JSON.stringify(grid);
      assert.ok(grid.intoPits <= (step > 4 ? 0.01 : 0.05), what);
      assert.ok(grid.deepest <= 1, what);
      assert.ok(grid.meanFill <= 0.05, what);
    }
  });

test('of 60 grids 59 have no sample that drains into a pit', { timeout: 240_000 /* if it runs alone */ }, async () => {
  const grids = (await Promise.all(STEPS.map(gridsOf))).flat();
  assert.equal(grids.length, 60);
  const pits = grids.filter(({ intoPits }) => intoPits > 0);
  assert.ok(pits.length <= 1, JSON.stringify(pits));
});

test('depressions are found where they are', async () => {
  /* A roof that falls to the west, with a hole 3 m deep at 4, 4 into which 8 samples around drain, and those behind. */
  const side = 9;
  const roof = Float32Array.from({ length: side * side }, (_, i) => 100 + i % side);
  assert.deepEqual(depressions(roof, side), { land: 81, intoPits: 0, meanFill: 0, deepest: 0, deepestAt: -1 });
  roof[4 * side + 4] -= 4;
  const found = depressions(roof, side);
  assert.equal(found.deepest, 3);
  assert.equal(found.deepestAt, 4 * side + 4);
  assert.equal(found.meanFill, 3 / 81);
  /* As an outlet it is no pit, nor is the sea. */
  assert.equal(depressions(roof, side, (i) => i === 4 * side + 4).intoPits, 0);
  assert.equal(depressions(roof.map((height) => height - 101), side).intoPits, 0);
  /* Level ground is no pit if there is a way on. */
  assert.equal(depressions(new Float32Array(81).fill(5), side).intoPits, 0);
  /* Noise is full of them. */
  const [noise] = await layersOf('perlin', 0, 0, SIZE, 16, 'height');
  assert.ok(depressions(noise.map((height) => Math.abs(height)), SIZE + 1).intoPits > 0.2);
});
