/* Chunks of several steps side by side, stitched by stitch.js: the meshes have no crack. Two meshes fit together without
 * one if each edge of a triangle is an edge of exactly one other triangle, in the other direction, bit for bit. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { stitch, triangles } from '../../server/clients/javascript/stitch.js';
import { Terrane } from '../../server/clients/javascript/terrane.js';

const server = serverOfFile();

/* A square of 8 × 8 cells of 16 m in the chunks' sizes: the step is 1 m in the middle, 2 m around it, and 4 m at one side, so
 * that three steps meet at a corner. [step, cx, cy] of chunks of 16 steps. */
function layout(x, y) {
  const fine = [[2, 2], [3, 2], [4, 2], [5, 2], [2, 3], [3, 3], [4, 3], [5, 3]].map(([i, j]) => [1, x + i, y + j]);
  const middle = [[0, 0], [1, 0], [2, 0], [3, 0], [0, 1], [3, 1]].map(([i, j]) => [2, x / 2 + i, y / 2 + j]);
  const coarse = [[0, 1], [1, 1]].map(([i, j]) => [4, x / 4 + i, y / 4 + j]);
  return [...fine, ...middle, ...coarse];
}

async function load(places, world, size = 16) {
  const clients = new Map();
  return Promise.all(places.map(async ([step, cx, cy]) => {
    if (!clients.has(step)) clients.set(step, new Terrane(server.url, { world, size, step }));
    const chunk = await clients.get(step).chunk(cx, cy);
    return { ...chunk, heights: chunk.layers.height };
  }));
}

const touches = (a, b) => [0, 1].every((axis) => {
  const [low, high] = [a, b].map((chunk) => [chunk.x, chunk.y][axis]);
  return low <= high + (b.columns - 1) * b.step && high <= low + (a.columns - 1) * a.step;
});
const stitched = (chunk, all) => stitch(chunk, all.filter((other) => other !== chunk && touches(chunk, other)));
const alone = (chunk) => stitch(chunk, []);

/* Edges inside the square of `edge` metres that have no other half, and the area of all triangles seen from above; a
 * triangle seen from below counts as negative and fails. */
function examine(chunks, positionsOf, { x: west, y: north }, edge) {
  const halves = new Map();
  let area = 0;
  for (const chunk of chunks) {
    const positions = positionsOf(chunk, chunks);
    const corners = triangles(chunk.columns);
    const vertices = Array.from({ length: positions.length / 3 }, (_, k) => [positions[3 * k] + chunk.x - west, positions[3 * k + 1],
      positions[3 * k + 2] + chunk.y - north]);
    for (let k = 0; k < corners.length; k += 3) {
      const triangle = [0, 1, 2].map((n) => vertices[corners[k + n]]);
      const [a, b, c] = triangle;
      const doubled = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
      assert.ok(doubled >= 0, 'a triangle faces down');
      if (doubled === 0) continue;
      area += doubled / 2;
      triangle.forEach((from, n) => {
        const to = triangle[(n + 1) % 3];
        const half = `${from} ${to}`;
        assert.ok(!halves.has(half), `two triangles at ${half}`);
        halves.set(half, [from, to]);
      });
    }
  }
  const open = [...halves.values()].filter(([from, to]) => !halves.has(`${to} ${from}`));
  const outside = ([from, to]) => [0, 2].some((axis) => from[axis] === to[axis] && (from[axis] === 0 || from[axis] === edge));
  return { area, cracks: open.filter((half) => !outside(half)) };
}

for (const world of ['terra', 'dunes', 'canyons']) {
  test(`chunks of three steps of ${world} fit together without a crack`, async () => {
    for (const [x, y] of [[0, 0], [-8, -8], [4096, -65536], [123456, 7896]]) {
      const chunks = await load(layout(x, y), world);
      const corner = { x: 16 * x, y: 16 * y };
      const { area, cracks } = examine(chunks, stitched, corner, 128);
      assert.deepEqual(cracks, [], `${world} ${x} ${y}`);
      assert.equal(area, 128 * 128);
      assert.ok(examine(chunks, alone, corner, 128).cracks.length > 100, 'without stitching there are cracks');
    }
  });
}

test('a step of eight times as much is stitched, too', async () => {
  const chunks = await load([[1, 1, 0], [1, 1, 1], [1, 1, 2], [1, 1, 3], [1, 1, 4], [1, 1, 5], [1, 1, 6], [1, 1, 7]].map(([, i, j]) => [1, 8 + i - 1, j])
    .concat([[8, 0, 0]]), 'terra');
  const at = { x: 0, y: 0 };
  /* The strip of fine chunks has open edges at its east: only those along x = 128 m count. */
  const along = ([from, to]) => from[0] === 128 && to[0] === 128;
  assert.deepEqual(examine(chunks, stitched, at, 144).cracks.filter(along), []);
  assert.ok(examine(chunks, alone, at, 144).cracks.filter(along).length > 100);
});

/* The manual's steps, by arithmetic: a fine chunk west of a coarse one, beside its second half. */
test('the manual says which vertices move where', async () => {
  const [fine, coarse] = await load([[1, 1, 1], [2, 1, 0]], 'terra');
  const positions = stitched(fine, [fine, coarse]);
  const offset = 16 * (1 & 1);
  for (let k = 0; k <= 16; k++) {
    const even = k + k % 2;
    const vertex = positions.slice(3 * (17 * k + 16), 3 * (17 * k + 16) + 3);
    assert.deepEqual([...vertex], [16, coarse.heights[17 * (even + offset) / 2], even]);
  }
  for (let k = 0; k < 17 * 17; k++) if (k % 17 !== 16) assert.deepEqual([...positions.slice(3 * k, 3 * k + 3)], [k % 17, fine.heights[k], Math.floor(k / 17)]);
});
