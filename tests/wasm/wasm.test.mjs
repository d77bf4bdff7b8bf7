/* The core as WebAssembly: every golden sample, bit for bit, and grids, volumes and errors as the
 * native program has them. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { root, terrane } from '../cli/terrane.mjs';
import { decimal } from '../golden/golden.mjs';
import { noises } from '../golden/noises.mjs';
import { startServer } from '../tools/server.mjs';
import { Terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const file = fileURLToPath(new URL('../../build/wasm/terrane.wasm', import.meta.url));
const wasm = new Terrane(file);
const golden = ['generator1.json', 'generator1-land.json'].flatMap((name) => (
  JSON.parse(readFileSync(new URL(`../golden/${name}`, import.meta.url), 'utf8')).worlds));

const sourceOf = (world) => (world === 'noises' ? JSON.stringify(noises)
  : readFileSync(`${root}/config/worlds/${world}.json`, 'utf8'));

/* Exact decimal metres in 2⁻¹⁶ m. */
function units(text) {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(text);
  const size = (BigInt(whole) << 16n)
    + ((BigInt(fraction.padEnd(16, '0')) << 16n) / 10n ** 16n);
  return sign ? -size : size;
}

const hex = (value) => {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return view.getUint32(0).toString(16).padStart(8, '0');
};

test('the module is small, and imports nothing', () => {
  assert.deepEqual(WebAssembly.Module.imports(wasm.module), []);
  const names = WebAssembly.Module.exports(wasm.module).map(({ name }) => name);
  const header = readFileSync(`${root}/core/terrane.h`, 'utf8');
  const wanted = [...header.matchAll(/TERRANE_API [^;]*?\b(terrane_\w+)\(/g)].map((m) => m[1]);
  assert.ok(wanted.length > 15);
  assert.deepEqual(names.filter((name) => name.startsWith('terrane_')).sort(), wanted.sort());
  assert.ok(statSync(file).size < 1_200_000);
  assert.ok(gzipSync(readFileSync(file)).length < 400_000, 'what a browser loads');
});

for (const { world: name, layers, places, samples } of golden) {
  test(`${name}: ${places.length} golden places`, { timeout: 60_000 /* each at several levels of detail */ }, () => {
    const world = wasm.parse(sourceOf(name), `${name}.json`);
    const all = places.map((place) => place.map(units));
    for (const { view: { zoom, z, t }, bits } of samples) {
      const spacing = zoom === null ? 0 : 2 ** (17 - zoom);
      const values = wasm.points(world, layers, all, { spacing, z, t });
      places.forEach((place, i) => {
        const text = values.map((layer) => hex(layer[i])).join('');
        assert.equal(text, bits[i], `at ${place}`);
      });
    }
    wasm.exports.terrane_world_release(world);
  });
}

/* A world whose land is a drainage network, in every scope. */
const network = JSON.stringify({
  generator: 1,
  seed: 3,
  drainage: { potential: '900 * fbm(1e6, 3)', target: 'land', relief: '300 * smoothstep(0, 400, land)',
    warp_x: '900 * fbm(9000, 8)', lakes: '0.5', spacing: 65536 },
  layers: {
    land: '900 * fbm(1e6, 9)',
    height: "drainage('height')",
    turned: "rotate(drainage('valley'), 30) + scale(drainage('bed'), 3)",
    steep: "slope(warp(height, 100 * perlin(900), 7), 64) + drainage('order')",
    wet: "drainage('water') + drainage('distance') + drainage('flow') + drainage('river')",
    noded: "coarse(height, 1024)",
  },
});
/* Lines through the places that the test below looks at. */
const lines = JSON.stringify({
  generator: 1,
  paths: { road: [[-83886095.5, 393200], [-83886077, 393219.25], [-83886071, 393214], [1e12, 393300]],
    lane: [[-83886095.5, 393200], [-83886077, 393219.25], [-83886071, 393214]] },
  areas: { town: [[-83886079, 393215], [-83886070, 393217.5], [-83886074, 393222]] },
  layers: {
    height: "path('road', 'distance') + area('town', 'signed')",
    along: "path('road', 'along') + path('road', 'dx')",
    side: "path('road', 'side') * path('road', 'dy')",
    graded: "profile('lane', 9 * perlin(9) + x, 4) + coverage(path('road', 'distance'), 3)",
    moved: "warp(height, perlin(9), 7 * perlin(5)) + rotate(scale(path('road', 'distance', 1e6), 3), 1)",
  },
});
const folder = temporaryFolder({ 'network.json': network, 'lines.json': lines });
after(() => folder.remove());

const files = readdirSync(`${root}/config/worlds`).filter((file) => file.endsWith('.json'))
  .map((file) => `${root}/config/worlds/${file}`);
for (const file of [...files, `${folder.path}/network.json`, `${folder.path}/lines.json`]) {
  test(`${basename(file)}: a grid equals the native program's values at its places`, () => {
    const world = wasm.parse(readFileSync(file, 'utf8'), basename(file));
    const grid = { x: -(5n << 40n), y: 3n << 33n, step: 98304n, columns: 9, rows: 5, z: 7.5, t: 60 };
    const layers = wasm.layers(world).filter((layer) => layer !== 'biome');
    const samples = wasm.grid(world, layers, grid);
    const places = Array.from({ length: 45 }, (_, i) => [
      grid.x + BigInt(i % 9) * grid.step, grid.y + BigInt(Math.floor(i / 9)) * grid.step]);
    const { stdout } = terrane(['query', '--world', file, '--json', '--z=7.5',
      '--time=60', '-'], { cwd: root, input: places.map((p) => p.map(decimal).join(' ')).join('\n') });
    const answers = stdout.trim().split('\n').map((line) => JSON.parse(line).layers);
    answers.forEach((answer, i) => layers.forEach((layer, k) => (
      assert.equal(samples[k][i], Math.fround(answer[layer]), `${layer} at ${places[i]}`))));
    wasm.exports.terrane_world_release(world);
  });
}

test('a sampler keeps as much as it is told', () => {
  const world = wasm.parse(network, 'network.json');
  const grid = { x: 0n, y: 1n << 40n, step: 65536n, columns: 20, rows: 20 };
  const samples = wasm.grid(world, ['height', 'wet'], grid);
  wasm.exports.terrane_sampler_set_memory(wasm.sampler, 100);
  assert.deepEqual(wasm.grid(world, ['height', 'wet'], grid), samples);
  wasm.exports.terrane_sampler_set_memory(wasm.sampler, 8 << 20);
  wasm.exports.terrane_world_release(world);
});

test('grids and volumes equal their points', () => {
  const world = wasm.parse(sourceOf('caves'), 'caves.json');
  const grid = { x: -70000n, y: 12345n << 16n, step: 40000n, columns: 37, rows: 11, z: -20, t: 5 };
  const [volume] = wasm.volume(world, ['density'], { grid, zStep: 7.5, slices: 3 });
  for (let k = 0; k < 3; k++) {
    const z = -20 + 7.5 * k;
    const [slice] = wasm.grid(world, ['density'], { ...grid, z });
    const places = Array.from({ length: 37 * 11 }, (_, i) => [
      grid.x + BigInt(i % 37) * grid.step, grid.y + BigInt(Math.floor(i / 37)) * grid.step]);
    const [points] = wasm.points(world, ['density'], places, { z, t: 5 });
    assert.deepEqual(slice, points);
    assert.deepEqual(volume.slice(37 * 11 * k, 37 * 11 * (k + 1)), slice);
  }
  assert.ok(new Set(volume).size > 1000);
  wasm.exports.terrane_world_release(world);
});

test('a chunk has the digest that the daemon gives it, in every format', async () => {
  const server = await startServer();
  try {
    for (const [name, cx, cy, size, step, apron, layers] of [
      ['terra', 0, 0, 64, 1, 0, 'height'], ['terra', -7, 3, 33, 0.0625, 2, 'height'],
      ['terra', 12345, -54321, 16, 16384, 0, 'temperature,biome,height'],
      ['terra', -(2 ** 34), 2 ** 34 - 1, 64, 1, 0, 'height'], ['terra', 3, -2, 8, 65536, 8, 'height'],
      ['archipelago', 1000, -20, 40, 8, 0, 'height'], ['perlin', -1, -1, 50, 0.5, 1, 'height'],
      ['terra', 3, -2, 64, 1, 0, 'height,materials'], ['dunes', 9, 9, 40, 32, 0, 'materials,height'],
    ]) {
      const world = wasm.parse(sourceOf(name), `${name}.json`);
      const side = size + 1 + 2 * apron;
      const [x, y] = [cx, cy].map((index) => BigInt((index * size - apron) * step * 65536));
      const digest = wasm.digest(wasm.grid(world, layers.split(','),
        { x, y, step: BigInt(step * 65536), columns: side, rows: side, spacing: step }));
      wasm.exports.terrane_world_release(world);
      const formats = ['r32f', 'r16', 'r16z', 'json', 'tif', ...(layers.includes(',') ? [] : ['png', 'asc', 'glb'])];
      for (const format of formats) {
        const target = `/worlds/${name}/chunks/${cx}/${cy}.${format}?size=${size}&step=${step}&apron=${apron}&layers=${layers}`;
        const { status, headers } = await fetch(server.url + target, { method: 'HEAD' });
        assert.equal(status, 200, target);
        assert.equal(headers.get('x-terrane-digest'), digest, target);
      }
      const body = JSON.stringify({ size, step, apron, layers: layers.split(','), chunks: [[cx, cy]] });
      const many = await fetch(`${server.url}/worlds/${name}/digests`, { method: 'POST', body });
      assert.deepEqual((await many.json()).digests, [digest], body);
    }
  } finally {
    await server.stop();
  }
});

test('labels are those that the daemon serves', async () => {
  const server = await startServer();
  const world = wasm.parse(sourceOf('terra'), 'terra.json');
  try {
    for (const [x, y, side, zoom] of [[-15e5, -15e5, 3e6, 5], [-300000, -150000, 200000, 9], [-195000, -65000, 30000, 12], [0, 0, 9, 2]]) {
      const [west, north, east, south] = [x, y, x + side, y + side].map((at) => BigInt(at) << 16n);
      const response = await fetch(`${server.url}/worlds/terra/labels?bbox=${x},${y},${x + side},${y + side}&zoom=${zoom}`);
      const served = (await response.json()).labels;
      const found = wasm.labels(world, { west, north, east, south, zoom }).map((label) => {
        const isPeak = ['peak', 'hill'].includes(label.kind), isLevel = label.length === 0;
        return {
          ...label, x: Number(label.x) / 65536, y: Number(label.y) / 65536, size: isPeak ? null : label.size,
          height: isPeak ? Math.fround(label.height) : null,
          angle: isLevel ? null : Math.round(label.angle * 10) / 10, length: isLevel ? null : Math.round(label.length),
        };
      });
      assert.deepEqual(found, served.map((label) => ({ ...label, height: label.height === null ? null : Math.fround(label.height) })));
      assert.ok(found.length > 5 || zoom < 3);
    }
    assert.throws(() => wasm.labels(world, { west: 0n, north: 0n, east: 1n << 55n, south: 1n, zoom: 9 }), { message: /at zoom 9/ });
  } finally {
    wasm.exports.terrane_world_release(world);
    await server.stop();
  }
});

test('errors equal the native program\'s first ones', () => {
  const formulas = ['fbmm(3)', 'fbm(64, 3, basis="x")', '1 +', 'perlin(64) * hill'];
  const sources = formulas.map((height) => JSON.stringify({ generator: 1, layers: { height } }));
  sources.push('', '{', '{"generator":1,"generator":1}', '{"generator":1,"layers":[]}', '[1, 2',
    '{"generator":1,"layers":{"height":"1"},"seeds":3}', '{"generator":1e999,"layers":{}}');
  for (const source of sources) {
    const folder = temporaryFolder({ 'bad.json': source });
    const { stderr } = terrane(['check', 'bad.json'], { cwd: folder.path });
    folder.remove();
    assert.throws(() => wasm.parse(source, 'bad.json'), { message: stderr.split('\n')[0] });
  }
});

/* The first is 44 calls in each other; the second 20 layers, of 20 signs and calls about the next one each. */
test('worlds as nested as they may be', () => {
  const layers = Object.fromEntries(Array.from({ length: 20 }, (_, i) => (
    [`l${i}`, `${'abs(-'.repeat(20)}${i < 19 ? `l${i + 1}` : 'x'}${')'.repeat(20)}`])));
  for (const formulas of [{ height: `${'abs('.repeat(44)}x${')'.repeat(44)}` }, { ...layers, height: 'l0' }]) {
    const world = wasm.parse(JSON.stringify({ generator: 1, layers: formulas }), 'nested.json');
    assert.deepEqual([...wasm.points(world, ['height'], [[-7n << 16n, 0n]])[0]], [7]);
    wasm.exports.terrane_world_release(world);
  }
});

test('repeated sampling takes no more memory', () => {
  const world = wasm.parse(sourceOf('terra'), 'terra.json');
  const grid = { x: 0n, y: 0n, step: 65536n, columns: 32, rows: 32 };
  const [first] = wasm.grid(world, ['height'], grid);
  const pages = wasm.exports.memory.buffer.byteLength;
  for (let i = 0; i < 1000; i++)
    assert.deepEqual(wasm.grid(world, ['height'], grid)[0], first);
  assert.equal(wasm.exports.memory.buffer.byteLength, pages);
  wasm.exports.terrane_world_release(world);
});
