/* Lakes that rivers flow through, in the drained world with a share of them: by D8 on its heights, by where the shore is,
 * along the way of the water, and by the search for lakes. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile } from '../tools/server.mjs';
import { depressions } from './depressions.mjs';
import { floats } from './samples.mjs';

const drained = JSON.parse(readFileSync(new URL('../worlds/drained.json', import.meta.url)));
const folder = temporaryFolder({ 'lakes.json': { ...drained, drainage: { ...drained.drainage, lakes: '0.6' } } });
const server = serverOfFile({ arguments: ['--worlds', folder.path, '--request-cost', '100000'] });

const SIZE = 256;
const SIDE = SIZE + 1;
const PLACES = [[1_000_000, -1_400_000], [-1_883_000, -700_000], [580_000, 340_000], [1_100_000, 840_000]];

async function json(path, options) {
  const response = await fetch(`${server.url}/worlds/lakes${path}`, options);
  assert.equal(response.status, 200, path);
  return response.json();
}

async function gridAt([x, y], step, world = 'lakes') {
  const [cx, cy] = [x, y].map((metres) => Math.floor(metres / (SIZE * step)));
  const layers = ['height', 'depth', 'water_level'];
  const response = await fetch(`${server.url}/worlds/${world}/chunks/${cx}/${cy}.r32f?size=${SIZE}&step=${step}&layers=${layers}`);
  assert.equal(response.status, 200);
  const samples = floats(Buffer.from(await response.arrayBuffer()));
  return Object.fromEntries(layers.map((name, i) => [name, samples.subarray(i * SIDE ** 2, (i + 1) * SIDE ** 2)]));
}

/* Pairs of a sample under water and a dry one beside it, and those of them where the dry ground is lower. */
function countShores({ height, depth, water_level: level }) {
  let [shores, lower] = [0, 0];
  for (let i = 0; i < SIDE ** 2; i++)
    for (const j of [i % SIDE ? i - 1 : i, i % SIDE < SIZE ? i + 1 : i, i - SIDE, i + SIDE])
      if (depth[i] > 0 && height[j] > 0 && depth[j] === 0) {
        shores++;
        lower += height[j] < level[i] - 0.5;
      }
  return { shores, lower };
}

for (const step of [256, 64, 16])
  test(`lakes fill what is deep every ${step} m, up to their shores`, { timeout: 60_000 }, async () => {
    let [wet, shores, lower] = [0, 0, 0];
    for (const place of PLACES) {
      const grid = await gridAt(place, step);
      const found = depressions(grid.height, SIDE, (i) => grid.depth[i] > 0);
      assert.ok(found.intoPits <= 0.01 && found.deepest <= 1, `${place}: ${JSON.stringify(found)}`);
      const counted = countShores(grid);
      wet += grid.depth.filter((depth) => depth > 1).length;
      shores += counted.shores;
      lower += counted.lower;
    }
    assert.ok(wet > 0.003 * PLACES.length * SIDE ** 2, `${wet} samples under water`);
    assert.ok(lower <= (step > 64 ? 0.05 : 0.02) * shores, `${lower} of ${shores} shores are lower than the water`);
  });

/* Lakes of terra in land that was under ice: two lowlands, and two high plains. */
for (const place of [[-15_031_887, -14_194_737], [-9_475_243, 11_775_652], [6_927_626, 14_952_851], [10_163_857, 14_470_029]])
  test(`the lakes of terra near ${place} end where the land is as high`, { timeout: 60_000 }, async () => {
    const { shores, lower } = countShores(await gridAt(place, 256, 'terra'));
    assert.ok(shores > 200, `${shores} shores`);
    assert.ok(lower <= 0.07 * shores, `${lower} of ${shores} shores are lower than the water`);
  });

/* A coast of terra at which lakes stand as walls of water if `lochs` has no factor that keeps them away from the sea. */
test('no lake of terra stands above the sea beside it', { timeout: 60_000 }, async () => {
  const { height, depth, water_level: level } = await gridAt([-4_395_481, 5_688_628], 64, 'terra');
  let [coasts, walls] = [0, 0];
  for (let i = SIDE; i < SIDE ** 2; i++)
    for (const [a, b] of [[i, i - SIDE], [i - SIDE, i]])
      if (height[a] > 0 && height[b] <= 0) {
        coasts++;
        walls += depth[a] > 0 && level[a] > 5;
      }
  assert.ok(coasts > 100, `${coasts} samples at the coast`);
  assert.equal(walls, 0);
});

/* Where samples are 16 km apart or more, terra has its height from elsewhere than the network, and shows no lakes. */
test('from afar no land of terra is under water', { timeout: 60_000 }, async () => {
  const { height, water_level: level } = await gridAt([-11_000_000, 6_000_000], 16_384, 'terra');
  const land = height.filter((metres) => metres > 0).length;
  const flooded = height.filter((metres, i) => metres > 0 && level[i] > metres).length;
  assert.ok(land > 0.1 * SIDE ** 2, `${land} samples of land`);
  assert.equal(flooded, 0);
});

/* Land below the sea, behind the coast: it would be flat if its heights were cut off at 0. */
test('the lowest ground of terra falls towards the sea', { timeout: 60_000 }, async () => {
  const { height } = await gridAt([69_988_352, 64_458_752], 8192, 'terra');
  const low = height.filter((metres) => metres > 0 && metres < 0.01).length;
  assert.ok(low > 20, `${low} samples of low ground`);
  let flat = 0;
  for (let i = SIDE + 1; i < SIDE * (SIDE - 1); i++)
    flat += height[i] > 0 && height[i] < 0.01 && [-SIDE, -1, 1, SIDE].every((step) => height[i + step] === height[i]);
  assert.equal(flat, 0);
});

/* Few streams cross another one, and few lakes come over the edge of their valley: there the way of the water has a step. */
const STEP = 2;
const STRANGE = 0.005;
test('the way of the water leads through lakes', { timeout: 60_000 }, async () => {
  let crossed = 0;
  for (const [x, y] of [...PLACES.slice(0, 2), [560_000, 350_000], PLACES[3]]) {
    const { complete, end, places, heights } = await json(`/trace?x=${x}&y=${y}`);
    const at = async (layer) =>
      (await json(`/heights?layer=${layer}`, { method: 'POST', body: JSON.stringify({ points: places.slice(0, 1000) }) })).heights;
    const [ground, water] = [await at('height'), await at('water_level')];
    assert.ok(complete && heights.at(-1) <= end.level + 0.01, `${x},${y}`);
    let least = Infinity;
    let strange = 0;
    for (const [i, height] of ground.entries()) {
      const surface = height > 0 ? Math.max(height, water[i]) : height;
      assert.ok(surface <= least + STEP, `${x},${y}: the water rises at ${places[i]}`);
      const inLake = height > 0 && water[i] >= height + 5;
      assert.ok(!inLake || Math.abs(water[i] - heights[i]) < STEP, `${x},${y}: the line is not on the water at ${places[i]}`);
      strange += surface > least + 0.1 || (inLake && Math.abs(water[i] - heights[i]) >= 0.1);
      least = Math.min(least, surface);
      crossed += inLake;
    }
    assert.ok(strange <= STRANGE * ground.length, `${x},${y}: ${strange} of ${ground.length} places are off the water`);
  }
  assert.ok(crossed > 20, `${crossed} places of the ways are in lakes`);
});

test('a lake is found, and water that rises in it flows on', async () => {
  const [x, y] = PLACES[0];
  const lake = await json(`/locate?feature=lake&x=${x}&y=${y}&radius=200000`);
  assert.equal(lake.found, true);
  const [ground] = (await json('/heights', { method: 'POST', body: JSON.stringify({ points: [[lake.x, lake.y]] }) })).heights;
  assert.ok(ground < lake.level);
  const { end, heights } = await json(`/trace?x=${lake.x}&y=${lake.y}`);
  assert.ok(Math.abs(heights[0] - lake.level) < 0.01, `${heights[0]} m in a lake at ${lake.level} m`);
  assert.ok(end.level < lake.level);
});
