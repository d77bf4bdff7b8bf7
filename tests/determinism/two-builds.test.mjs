/* Two builds by different compilers at different levels of optimisation paint the same pixels and give
 * the same numbers: the daemon, and answers.c, which needs the library alone.
 * Run by `make determinism`; TERRANE_OTHER is the program of answers.c. */

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { amount } from '../tools/amount.mjs';
import { serverOfFile } from '../tools/server.mjs';

const { PNG } = createRequire(import.meta.url)('pngjs');
const root = fileURLToPath(new URL('../..', import.meta.url));

/* Worlds that are not built in. */
const examples = readdirSync(`${root}config/worlds/examples`).map((file) => file.replace('.json', ''));
const server = serverOfFile({ arguments: ['--worlds', `${root}config/worlds/examples`] });

async function runOther(orders) {
  const child = spawn(process.env.TERRANE_OTHER, [], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(`${orders.join('\n')}\n`);
  const out = Buffer.concat(await child.stdout.toArray());
  const answers = [];
  for (let at = 0; at < out.length;) {
    const end = out.indexOf('\n', at);
    const length = Number(out.toString('latin1', at, end));
    answers.push(out.subarray(end + 1, end + 1 + length));
    at = end + 1 + length;
  }
  assert.equal(answers.length, orders.length, 'the other build answers every order');
  return answers;
}

/* The answers of the other build, as bytes, to orders that answers.c describes; one process for each
 * processor, as it is slow. */
async function askOther(orders) {
  const share = Math.ceil(orders.length / os.availableParallelism());
  const parts = [];
  for (let first = 0; first < orders.length; first += share) parts.push(runOther(orders.slice(first, first + share)));
  return (await Promise.all(parts)).flat();
}

/* The world's file and seed in an order, of a name such as terra~7. */
function source(world) {
  const [name, seed = '-'] = world.split('~');
  return `config/worlds/${examples.includes(name) ? 'examples/' : ''}${name}.json ${seed}`;
}

/* The same addresses in every run: a linear congruential generator (Numerical Recipes). */
let state = 20240601;
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}
const choose = (list) => list[Math.floor(random() * list.length)];

/* Indices at a zoom: in the central square, around it, or near the edge of the world, 2⁴⁰ m out. */
function index(zoom) {
  const span = 2 ** (25 - zoom);
  const edge = 2 ** 40 / span;
  const centre = 2 ** 24 / span;
  return choose([
    () => Math.floor(random() * 2 ** zoom),
    () => Math.floor((random() - 0.5) * 8 * 2 ** zoom),
    () => Math.floor(centre + edge - 1 - random() * Math.min(1000, edge)),
    () => Math.ceil(centre - edge + random() * Math.min(1000, edge)),
  ])();
}

const tiles = Array.from({ length: amount(21, 120) }, (_, i) => {
  const zoom = i % 21;
  const [world, style] = choose([['terra', 'relief'], ['terra', 'biome'], ['terra', 'height'],
    ['terra', 'terrarium'], ['perlin', 'relief'], [`terra~${i}`, 'relief'],
    ['terra', 'contour'], ['terra', 'slope'], ['terra', 'normal'], ['terra', 'hillshade'],
    ['terra', 'cividis'], ['terra', 'mapbox'], ['perlin', 'contour'], ['perlin', 'grey16']]);
  const [x, y] = [index(zoom), index(zoom)];
  return {
    path: `/worlds/${world}/tiles/${style}/${zoom}/${x}/${y}.png`,
    order: `tile ${source(world)} ${style} ${zoom} ${x} ${y}`,
  };
});

async function pixels(path) {
  const response = await fetch(server.url + path);
  assert.equal(response.status, 200, path);
  return PNG.sync.read(Buffer.from(await response.arrayBuffer()));
}

for (let first = 0; first < tiles.length; first += 20) {
  test(`tiles ${first} to ${Math.min(first + 20, tiles.length) - 1} have the same pixels`, async () => {
    const part = tiles.slice(first, first + 20);
    const others = (await askOther(part.map(({ order }) => order))).map((bytes) => PNG.sync.read(bytes));
    for (const [i, { path }] of part.entries()) {
      const one = await pixels(path);
      assert.deepEqual([one.width, one.height], [256, 256], path);
      assert.ok(one.data.equals(others[i].data), path);
    }
  });
}

test('a picture has many colours', async () => {
  const picture = await pixels('/worlds/terra/tiles/relief/8/128/128.png');
  assert.ok(new Set(new Uint32Array(picture.data.buffer, picture.data.byteOffset,
    256 * 256)).size > 1000);
});

test('all worlds have the same fingerprints, also with another seed', async () => {
  const { worlds } = await (await fetch(`${server.url}/worlds`)).json();
  assert.ok(worlds.length > 10);
  const names = worlds.flatMap(({ name }) => [name, `${name}~4711`]);
  const others = (await askOther(names.map((name) => `fingerprint ${source(name)}`))).map(String);
  const ones = await Promise.all(names.map(async (name) =>
    (await (await fetch(`${server.url}/worlds/${name}`)).json()).fingerprint));
  assert.deepEqual(ones, others);
  assert.deepEqual(worlds.map(({ fingerprint }) => fingerprint), others.filter((_, i) => i % 2 === 0));
});

/* Compilers may evaluate arguments in different orders. What is kept is found by a hash of the program, so that counted
 * work depends on the order of its operations. */
test('all worlds are compiled to the same operations in the same order', async () => {
  const { worlds } = await (await fetch(`${server.url}/worlds`)).json();
  const names = worlds.map(({ name }) => name);
  const others = (await askOther(names.map((name) => `program ${source(name)}`))).map(String);
  const ones = names.map((name) => execFileSync(process.env.TERRANE_BINARY,
    ['check', '--program', name, '--worlds', `${root}config/worlds/examples`], { encoding: 'utf8' }));
  assert.match(ones[names.indexOf('terra')], /of the network/);
  assert.deepEqual(ones, others);
});

/* The nearest 2⁻¹⁶ m. */
const units = (metres) => BigInt(Math.round(metres * 65536));

/* On each axis near the middle of the map, or anywhere. */
const anywhere = () => [0, 1].map(() => choose([() => (random() - 0.5) * 2e5, () => (random() - 0.5) * 2 ** 41])());
/* Under sanitizers a place of a drainage network takes milliseconds, and a chunk as many for each sample. */
const HEIGHTS = amount(500, 2000);
const CHUNKS = amount(60, 150);

/* Around villages: single places of a drainage network cost milliseconds each. In eighths of a metre, which JSON gives
 * exactly however far out. */
const village = () => {
  const middle = anywhere();
  return Array.from({ length: 100 }, () => middle.map((at) => Math.round(8 * (at + (random() - 0.5) * 2000)) / 8));
};
const places = {
  ...Object.fromEntries(examples.map((world) => [world, Array.from({ length: HEIGHTS }, anywhere)])),
  dunes: Array.from({ length: HEIGHTS }, anywhere),
  highlands: Array.from({ length: HEIGHTS / 100 }, village).flat(),
  terra: Array.from({ length: HEIGHTS / 100 }, village).flat(),
};

for (const [world, list] of Object.entries(places)) {
  test(`${HEIGHTS} heights of ${world} are the same to the last digit`, async () => {
    const points = list.map((place) => place.map((at) => Number(units(at)) / 65536));
    const text = await (await fetch(`${server.url}/worlds/${world}/heights`,
      { method: 'POST', body: JSON.stringify({ points }) })).text();
    assert.equal(JSON.parse(text).heights?.length, HEIGHTS, text.slice(0, 200));
    const [other] = await askOther([`points ${source(world)} ${points.flat().map(units).join(' ')}`]);
    assert.ok(text.includes(`"heights":[${other}]`));
  });
}

/* Chunks and volumes anywhere within 2⁴⁰ m, in some format and encoding. */
const FORMATS = ['r32f', 'r16', 'r16z', 'png', 'json', 'asc', 'tif', 'glb'];
function chunk() {
  const [size, step, apron] = [choose([1, 7, 32, 64]), 2 ** (Math.floor(random() * 21) - 4), choose([0, 0, 3])];
  const limit = Math.floor(2 ** 40 / (size * step));
  const [cx, cy] = [0, 1].map(() => choose([
    () => Math.floor((random() - 0.5) * 8),
    () => Math.floor((random() - 0.5) * 2 * limit),
    () => choose([-limit, limit - 1]),
  ])());
  const world = choose(['terra', 'perlin', `terra~${Math.floor(random() * 1000)}`, 'highlands', 'canyons']);
  return { world, cx, cy, size, step, apron };
}
const chunkPath = ({ world, cx, cy, size, step, apron }, format) =>
  `/worlds/${world}/chunks/${cx}/${cy}.${format}?size=${size}&step=${step}&apron=${apron}`;
const chunkOrder = ({ world, cx, cy, size, step, apron = 0, layers = 'height', t = 0 }) => {
  const [x, y] = [cx, cy].map((index) => (BigInt(index) * BigInt(size) - BigInt(apron)) * units(step));
  return `grid ${source(world)} ${layers} ${x} ${y} ${units(step)} ${size + 1 + 2 * apron} ${t}`;
};

async function digestOf(target, accept = 'identity') {
  const response = await fetch(server.url + target, { headers: { 'Accept-Encoding': accept } });
  assert.equal(response.status, 200, target);
  await response.arrayBuffer();
  return response.headers.get('x-terrane-digest');
}

test('chunks have the same digests, in any format and encoding', async () => {
  const chunks = Array.from({ length: CHUNKS }, chunk);
  const others = (await askOther(chunks.map(chunkOrder))).map(String);
  for (const [i, each] of chunks.entries()) {
    const [format, accept] = [choose(FORMATS), choose(['identity', 'gzip'])];
    assert.match(others[i], /^[0-9a-f]{32}$/);
    assert.equal(await digestOf(chunkPath(each, 'r32f')), others[i], chunkPath(each, 'r32f'));
    assert.equal(await digestOf(chunkPath(each, format), accept), others[i], `${chunkPath(each, format)} ${accept}`);
  }
  assert.ok(new Set(others).size > CHUNKS / 2);
});

test('layers, volumes and chunks at other times have the same digests', async () => {
  const targets = ['/chunks/5/-6.r32f?layers=biome,temperature,height&step=16', '/worlds/clouds/chunks/3/4.r32f?t=12.5',
    '/worlds/caves/volumes/-3/2/1.r32f?size=24', '/worlds/fog/chunks/-7/0.r32f?t=-3600&step=4'];
  const others = (await askOther([
    chunkOrder({ world: 'terra', cx: 5, cy: -6, size: 64, step: 16, layers: 'biome,temperature,height' }),
    chunkOrder({ world: 'clouds', cx: 3, cy: 4, size: 64, step: 1, t: 12.5 }),
    `volume ${source('caves')} density ${units(-3 * 24)} ${units(2 * 24)} ${units(1)} 25 24`,
    chunkOrder({ world: 'fog', cx: -7, cy: 0, size: 64, step: 4, t: -3600 }),
  ])).map(String);
  assert.deepEqual(await Promise.all(targets.map((target) => digestOf(target))), others);
  assert.equal(new Set(others).size, targets.length);
});
