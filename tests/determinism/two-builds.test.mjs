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
