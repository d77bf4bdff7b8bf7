/* Two daemons, built by different compilers at different levels of optimisation, paint the same
 * pixels and give the same numbers. Run by `make determinism`; TERRANE_OTHER is the second binary. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { startServer } from '../tools/server.mjs';

const { PNG } = createRequire(import.meta.url)('pngjs');

const binaries = [process.env.TERRANE_BINARY, process.env.TERRANE_OTHER];
let servers;
before(async () => {
  assert.ok(binaries[0] && binaries[1], 'TERRANE_BINARY and TERRANE_OTHER name two programs');
  assert.notEqual(binaries[0], binaries[1]);
  servers = await Promise.all(binaries.map((binary) => {
    process.env.TERRANE_BINARY = binary;
    return startServer();
  }));
});
after(() => Promise.all(servers.map((server) => server.stop())));

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

const addresses = Array.from({ length: 200 }, (_, i) => {
  const zoom = i % 21;
  const [world, style] = choose([['terra', 'relief'], ['terra', 'biome'], ['terra', 'height'],
    ['terra', 'terrarium'], ['perlin', 'relief'], [`terra~${i}`, 'relief'],
    ['terra', 'contour'], ['terra', 'slope'], ['terra', 'normal'], ['terra', 'hillshade'],
    ['terra', 'cividis'], ['terra', 'mapbox'], ['perlin', 'contour'], ['perlin', 'grey16']]);
  return `/worlds/${world}/tiles/${style}/${zoom}/${index(zoom)}/${index(zoom)}.png`;
});

async function pixels(server, path) {
  const response = await fetch(server.url + path);
  assert.equal(response.status, 200, path);
  return PNG.sync.read(Buffer.from(await response.arrayBuffer()));
}

for (let first = 0; first < addresses.length; first += 20) {
  test(`tiles ${first} to ${first + 19}`, async () => {
    for (const path of addresses.slice(first, first + 20)) {
      const [one, other] = await Promise.all(servers.map((server) => pixels(server, path)));
      assert.deepEqual([one.width, one.height], [256, 256], path);
      assert.ok(one.data.equals(other.data), path);
    }
  });
}

test('the pictures are not all one colour', async () => {
  const picture = await pixels(servers[0], '/worlds/terra/tiles/relief/8/128/128.png');
  assert.ok(new Set(new Uint32Array(picture.data.buffer, picture.data.byteOffset,
    256 * 256)).size > 1000);
});

test('fingerprints and heights', async () => {
  const points = Array.from({ length: 2000 }, () => [0, 1].map(() =>
    choose([() => (random() - 0.5) * 2e5, () => (random() - 0.5) * 2 ** 41])()));
  const ask = async (server) => (await fetch(`${server.url}/heights`,
    { method: 'POST', body: JSON.stringify({ points }) })).text();
  const [one, other] = await Promise.all(servers.map(ask));
  assert.equal(JSON.parse(one).heights.length, 2000);
  assert.equal(one, other);
  const [worlds, others] = await Promise.all(servers.map(async (server) =>
    (await fetch(`${server.url}/worlds`)).text()));
  assert.equal(worlds.replaceAll(servers[0].url, ''), others.replaceAll(servers[1].url, ''));
});

/* Chunks and volumes anywhere within 2⁴⁰ m, each asked of one daemon as floats and of the other in
 * some format and encoding. */
const FORMATS = ['r32f', 'r16', 'r16z', 'png', 'json', 'asc', 'tif', 'glb'];
function chunk() {
  const [size, step] = [choose([1, 7, 32, 64]), 2 ** (Math.floor(random() * 21) - 4)];
  const limit = Math.floor(2 ** 40 / (size * step));
  const [cx, cy] = [0, 1].map(() => choose([
    () => Math.floor((random() - 0.5) * 8),
    () => Math.floor((random() - 0.5) * 2 * limit),
    () => choose([-limit, limit - 1]),
  ])());
  const world = choose(['terra', 'perlin', `terra~${Math.floor(random() * 1000)}`, 'highlands', 'canyons']);
  const query = `size=${size}&step=${step}&apron=${choose([0, 0, 3])}`;
  return { path: `/worlds/${world}/chunks/${cx}/${cy}`, query, format: choose(FORMATS), accept: choose(['identity', 'gzip']) };
}

async function digestOf(server, target, accept = 'identity') {
  const response = await fetch(server.url + target, { headers: { 'Accept-Encoding': accept } });
  assert.equal(response.status, 200, target);
  await response.arrayBuffer();
  return response.headers.get('x-terrane-digest');
}

test('digests of chunks, across builds, formats and encodings', async () => {
  const seen = new Set();
  for (let i = 0; i < 150; i++) {
    const { path, query, format, accept } = chunk();
    const [one, other] = await Promise.all([digestOf(servers[i % 2], `${path}.r32f?${query}`),
      digestOf(servers[1 - (i % 2)], `${path}.${format}?${query}`, accept)]);
    assert.match(one, /^[0-9a-f]{32}$/);
    assert.equal(other, one, `${path}.${format}?${query} ${accept}`);
    seen.add(one);
  }
  assert.ok(seen.size > 100);
});

test('digests of layers, of volumes and over time', async () => {
  const targets = ['/chunks/5/-6.r32f?layers=biome,temperature,height&step=16', '/worlds/clouds/chunks/3/4.r32f?t=12.5',
    '/worlds/caves/volumes/-3/2/1.r32f?size=24', '/worlds/fog/chunks/-7/0.r32f?t=-3600&step=4'];
  const digests = await Promise.all(servers.map((server) => Promise.all(targets.map((target) => digestOf(server, target)))));
  assert.deepEqual(digests[0], digests[1]);
  assert.equal(new Set(digests[0]).size, targets.length);
});
