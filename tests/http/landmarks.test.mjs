/* /locate?feature=: peaks, passes, sources, mouths and lakes, computed again here from the samples of a chunk that has the
 * grid of the search. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { floats } from './samples.mjs';

/* Continents with rivers, and basins that no river leaves. */
const drained = (wavelength, spacing) => ({
  generator: 1,
  seed: '7',
  layers: {
    upland: `fbm(wavelength=${wavelength}, octaves=5) + 0.1`,
    height: 'drainage("height")',
    bed: 'drainage("bed")',
    flow: 'drainage("flow")',
    distance: 'drainage("distance")',
    water: 'drainage("water")',
  },
  drainage: { potential: '700 * upland', target: '900 * upland', relief: '80 + 600 * smoothstep(0.1, 0.5, upland)', spacing },
});

const folder = temporaryFolder({
  'rivers.json': drained(900000, 131072),
  'lakes.json': drained(90000, 16384),
  /* More noise than a feature may be looked for in. */
  'dear.json': {
    generator: 1, layers: { height: Array.from({ length: 36 }, (_, i) => `fbm(wavelength=${90000 + i}, octaves=20)`).join(' + ') },
  },
  'hills.json': { generator: 1, layers: { height: '200 * fbm(wavelength=9000, octaves=9) + 20' } },
});
const server = serverOfFile({ arguments: ['--worlds', folder.path, '--world-cost', '1000'] });

const STEPS = 256; /* of a radius */
const SIDE = 2 * STEPS + 1;
const REACH = 4; /* steps around a river sample */

const load = async (target) => {
  const response = await fetch(server.url + target);
  return { status: response.status, body: await response.json() };
};

/* The layers of the grid around the middle of chunk cx, cy, its samples 2^k m apart. */
async function gridOf(world, step, cx, cy, layers) {
  const target = `/worlds/${world}/chunks/${cx}/${cy}.r32f?size=${SIDE - 1}&step=${step}&layers=${layers}`;
  const response = await fetch(server.url + target);
  assert.equal(response.status, 200, target);
  const samples = floats(Buffer.from(await response.arrayBuffer()));
  const rows = layers.split(',').map((name, i) => [name, samples.subarray(i * SIDE ** 2, (i + 1) * SIDE ** 2)]);
  return { step, x: (cx * (SIDE - 1) + STEPS) * step, y: (cy * (SIDE - 1) + STEPS) * step, ...Object.fromEntries(rows) };
}

const squareOf = (i) => (i % SIDE - STEPS) ** 2 + (Math.floor(i / SIDE) - STEPS) ** 2;
const isWithin = (i) => squareOf(i) <= STEPS ** 2;
const isInside = (i, steps) => [i % SIDE, Math.floor(i / SIDE)].every((at) => at >= steps && at < SIDE - steps);
const around = (i, steps) => {
  const found = [];
  for (let y = -steps; y <= steps; y++) for (let x = -steps; x <= steps; x++) if (x || y) found.push(i + y * SIDE + x);
  return found;
};
const placeOf = (grid, i) => [grid.x + (i % SIDE - STEPS) * grid.step, grid.y + (Math.floor(i / SIDE) - STEPS) * grid.step];

/* A heap whose first entry comes before all others. */
class Heap {
  entries = [];

  constructor(before) {
    this.before = before;
  }

  push(entry) {
    const { entries, before } = this;
    let at = entries.push(entry) - 1;
    while (at > 0 && before(entry, entries[(at - 1) >> 1])) {
      entries[at] = entries[(at - 1) >> 1];
      at = (at - 1) >> 1;
    }
    entries[at] = entry;
  }

  pop() {
    const { entries, before } = this;
    const first = entries[0];
    const last = entries.pop();
    if (entries.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below + 1 < entries.length && before(entries[below + 1], entries[below])) below++;
      if (below >= entries.length || !before(entries[below], last)) break;
      entries[at] = entries[below];
      at = below;
    }
    entries[at] = last;
    return first;
  }
}

/* From each local maximum by the highest way on, until ground is higher, or at the edge, or the sea: by the lowest sample
 * of that way. No islands are joined as the program joins them. */
function prominences({ height }) {
  const higher = (a, b) => height[a] > height[b] || (height[a] === height[b] && a < b);
  const peaks = [];
  for (let i = 0; i < height.length; i++) {
    if (height[i] <= 0 || !isInside(i, 1) || !around(i, 1).every((other) => higher(i, other))) continue;
    const seen = new Set([i]);
    const heap = new Heap(higher);
    heap.push(i);
    let saddle = i;
    for (;;) {
      const at = heap.pop();
      if (higher(saddle, at)) saddle = at;
      if (height[at] <= 0 || !isInside(at, 1) || higher(at, i)) break;
      for (const other of around(at, 1)) {
        if (seen.has(other)) continue;
        seen.add(other);
        heap.push(other);
      }
    }
    const base = Math.max(height[saddle], 0);
    peaks.push({ peak: i, saddle, isPass: base > 0 && isInside(saddle, 1), prominence: Math.fround(height[i] - base) });
  }
  return peaks;
}

const greatestFirst = (list, sampleOf) => list.filter((entry) => isWithin(sampleOf(entry)))
  .sort((a, b) => b.prominence - a.prominence || sampleOf(a) - sampleOf(b));

const nearestFirst = (list) => list.sort((a, b) => squareOf(a) - squareOf(b) || a - b);

const range = (test_) => Array.from({ length: SIDE ** 2 }, (_, i) => i).filter(test_);

function riverEnds(grid, isSource) {
  const { height, bed, flow, distance, step } = grid;
  const isRiver = (i) => height[i] > 0 && flow[i] >= Math.max(1e6, 1000 * step ** 2) && distance[i] <= 0.75 * step;
  const sign = isSource ? 1 : -1;
  return nearestFirst(range((i) => isWithin(i) && isInside(i, REACH) && isRiver(i)
    && (isSource || around(i, 1).some((other) => height[other] <= 0))
    && around(i, REACH).every((other) => !isRiver(other) || sign * bed[i] > sign * bed[other] || (bed[i] === bed[other] && i < other))));
}

async function fullDetail(world, grid, list, layer) {
  const body = JSON.stringify({ points: list.map((i) => placeOf(grid, i)), layer });
  const response = await fetch(`${server.url}/worlds/${world}/heights`, { method: 'POST', body });
  return (await response.json()).heights.map(Math.fround);
}

const LIMIT = 12;

/* The answer of a search for as many; that for one has the same first place. */
async function locate(world, feature, grid) {
  const path = `/worlds/${world}/locate?feature=${feature}&x=${grid.x}&y=${grid.y}&radius=${STEPS * grid.step}`;
  const [{ status, body }, one] = await Promise.all([load(`${path}&limit=${LIMIT}`), load(path)]);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.feature, body.step, body.spacing, body.samples, body.complete],
    [feature, grid.step, grid.step, SIDE ** 2, true]);
  const { places: [first], ...rest } = body;
  assert.deepEqual(one.body, { ...rest, places: [first] });
  assert.deepEqual({ ...first, ...body }, body, 'the members of the first place are those of the answer');
  return body;
}

async function assertPlaces(world, grid, { found, places }, samples) {
  assert.ok(found && samples.length > 0);
  assert.deepEqual(places.map(({ x, y }) => [x, y]), samples.map((sample) => placeOf(grid, sample)));
  for (const [i, { distance }] of places.entries()) {
    assert.ok(Math.abs(distance - Math.sqrt(squareOf(samples[i])) * grid.step) <= 1e-9 * distance);
  }
  assert.deepEqual(places.map(({ height }) => Math.fround(height)), await fullDetail(world, grid, samples, 'height'));
}

for (const [world, step, cx, cy] of [['hills', 64, 0, 0], ['hills', 8, -3, 5], ['rivers', 512, 0, 0], ['rivers', 2048, 0, -1]])
  test(`the peaks and passes of ${world} every ${step} m are those of greatest prominence`, { timeout: 60_000 }, async () => {
    const grid = await gridOf(world, step, cx, cy, 'height');
    const peaks = prominences(grid);
    assert.ok(peaks.length > 50, `${peaks.length} peaks`);
    for (const [feature, list, sampleOf] of [['peak', peaks, ({ peak }) => peak],
      ['pass', peaks.filter(({ isPass }) => isPass), ({ saddle }) => saddle]]) {
      const expected = greatestFirst(list, sampleOf).slice(0, LIMIT);
      const found = await locate(world, feature, grid);
      await assertPlaces(world, grid, found, expected.map(sampleOf));
      assert.deepEqual(found.places.map(({ prominence }) => Math.fround(prominence)), expected.map(({ prominence }) => prominence));
    }
  });

for (const [feature, step, cx, cy] of [['source', 512, 0, 0], ['source', 2048, 0, 0], ['mouth', 512, 0, 2], ['mouth', 2048, 0, -1]])
  test(`each ${feature} every ${step} m is the next nearest one`, { timeout: 60_000 }, async () => {
    const grid = await gridOf('rivers', step, cx, cy, 'height,bed,flow,distance');
    const ends = riverEnds(grid, feature === 'source');
    assert.ok(ends.length > 0, `${ends.length} of them`);
    const heights = await fullDetail('rivers', grid, ends, 'height');
    const nearest = ends.filter((_, i) => heights[i] > 0).slice(0, LIMIT);
    const found = await locate('rivers', feature, grid);
    await assertPlaces('rivers', grid, found, nearest);
    assert.deepEqual(found.places.map(({ flow }) => Math.fround(flow)), nearest.map((i) => grid.flow[i]));
    /* Leopold and Maddock: 50 m for 1000 km², in proportion to the root. */
    for (const { width, flow } of found.places) assert.ok(Math.abs(width / (50 * Math.sqrt(flow / 1e9)) - 1) < 0.06, `${width} m`);
  });

for (const [step, cx, cy] of [[1024, 1, 0], [512, -1, 2]])
  test(`each lake every ${step} m is the next nearest one, at its deepest place`, { timeout: 60_000 }, async () => {
    const grid = await gridOf('lakes', step, cx, cy, 'height,bed,water');
    const { height, bed, water } = grid;
    const isLake = (i) => water[i] > height[i] && water[i] > bed[i];
    const lakeOf = new Map();
    for (const first of range(isLake)) {
      if (lakeOf.has(first)) continue;
      const lake = new Set([first]);
      for (const at of lake) if (isInside(at, 1)) for (const other of around(at, 1)) if (isLake(other)) lake.add(other);
      for (const at of lake) lakeOf.set(at, lake);
    }
    const depth = (i) => Math.fround(water[i] - height[i]);
    const lakes = [...new Set(lakeOf.values())];
    const deepest = nearestFirst(lakes.map((lake) => [...lake].reduce((a, b) => (depth(b) > depth(a) || (depth(b) === depth(a) && b < a) ? b : a)))
      .filter(isWithin));
    assert.ok(deepest.length > 0, `${deepest.length} lakes`);
    const [levels, grounds, beds] = await Promise.all(['water', 'height', 'bed'].map((layer) => fullDetail('lakes', grid, deepest, layer)));
    const nearest = deepest.filter((_, i) => levels[i] > grounds[i] && levels[i] > beds[i]).slice(0, LIMIT);
    const found = await locate('lakes', 'lake', grid);
    await assertPlaces('lakes', grid, found, nearest);
    assert.deepEqual(found.places.map(({ level }) => Math.fround(level)), nearest.map((i) => water[i]));
    assert.deepEqual(found.places.map(({ area }) => area), nearest.map((i) => lakeOf.get(i).size * step ** 2));
  });

test('a search for a feature in too much noise is refused, with the radius that is allowed', async () => {
  const { status, body } = await load('/worlds/dear/locate?feature=peak&x=0&y=0&radius=300');
  assert.equal(status, 413);
  const [, octaves, radius] = /of (\d+) octaves each.* radius of at most (\d+) m/.exec(body.detail).map(Number);
  assert.equal(octaves, 720);
  assert.equal((await load(`/worlds/dear/locate?feature=peak&x=0&y=0&radius=${radius}`)).status, 200);
  assert.equal((await load(`/worlds/dear/locate?feature=peak&x=0&y=0&radius=${radius + 1}`)).status, 413);
});

test('a search for a feature that a world cannot have is refused', async () => {
  for (const feature of ['source', 'mouth', 'lake']) {
    const { status, body } = await load(`/worlds/hills/locate?feature=${feature}&x=0&y=0`);
    assert.deepEqual([status, body.parameter], [404, 'feature']);
    assert.match(body.detail, /this world has no drainage network/);
  }
  assert.match((await load('/worlds/hills/locate?feature=hill&x=0&y=0')).body.detail, /must be peak or pass or source or mouth or lake, not "hill"/);
  assert.match((await load('/worlds/hills/locate?feature=peak&min_height=3&x=0&y=0')).body.detail, /not several/);
  assert.match((await load('/worlds/hills/locate?x=0&y=0')).body.detail, /not none/);
  const sea = await load('/worlds/hills/locate?feature=peak&x=0&y=0&radius=1');
  assert.deepEqual([sea.status, sea.body.found], [200, false]);
  assert.equal('prominence' in sea.body, false);
});
