/* Worlds with a drainage network have no seams: points, chunks and tiles have the same bits near and far, in any order of
 * requests, from any number of threads, and tiles side by side are one picture. TERRANE_SEAMS=1000 asks for as many places,
 * ten times as many requests in random orders, and pictures of all zooms. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { terrane } from '../cli/terrane.mjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { floats } from './samples.mjs';
import { heightsAt, heightsBody, makeRandom, pixelCentre, randomAddress } from './tile-addresses.mjs';

const PLACES = Number(process.env.TERRANE_SEAMS ?? 20);
const WORLDS = ['drained', 'terra', 'archipelago', 'highlands', 'canyons'];
const LAYERS = ['height', 'distance', 'stream', 'water_level', 'valley']; /* of drained.json */
const LONG = { timeout: 60_000 + 2000 * PLACES };

const folder = fileURLToPath(new URL('../worlds', import.meta.url));
const server = serverOfFile({ arguments: ['--worlds', folder] });

async function bytesOf(url, options) {
  const response = await fetch(url, options);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, `${url}: ${bytes.subarray(0, 300)}`);
  return bytes;
}

/* A world, one of its layers, a tile, and a chunk of 8 × 8 steps in it, whose steps are as wide as the tile's pixels: at
 * zoom 0 they would be wider than those of chunks may be. */
function randomPlace(random, i) {
  const world = WORLDS[i % WORLDS.length];
  const layer = world === 'drained' ? LAYERS[Math.floor(i / WORLDS.length) % LAYERS.length] : 'height';
  let address;
  do address = randomAddress(random, i); while (address.z === 0);
  const { z, x, y } = address;
  const unit = 1n << BigInt(25 - z + 16 - 8); /* a pixel, in 2⁻¹⁶ m */
  const chunk = [x, y].map((index) => 32n * index - (1n << 40n) / (8n * unit) + random(0n, 31n));
  return { world, layer, tile: { z, x, y }, unit, chunk, step: 2 ** (17 - z) };
}
const tileOf = ({ world, layer, tile: { z, x, y } }) => `/worlds/${world}/tiles/${layer}/${z}/${x}/${y}.r32f`;
const chunkOf = ({ world, layer, chunk, step }) => (
  `/worlds/${world}/chunks/${chunk[0]}/${chunk[1]}.r32f?size=8&step=${step}&layers=${layer}`);
const verticesOf = ({ chunk: [x, y], unit }) => Array.from({ length: 81 }, (_, k) => (
  [(8n * x + BigInt(k % 9)) * unit, (8n * y + BigInt(Math.floor(k / 9))) * unit]));

test('points, chunks and tiles agree bit for bit', LONG, async () => {
  const random = makeRandom(40);
  const seen = new Set();
  for (let i = 0; i < PLACES; i++) {
    const place = randomPlace(random, i);
    const { world, layer, tile } = place;
    const where = `${tileOf(place)}, ${chunkOf(place)}`;
    const samples = floats(await bytesOf(server.url + tileOf(place)));
    const pixels = Array.from({ length: 16 }, () => [Number(random(0n, 255n)), Number(random(0n, 255n))]);
    const centres = pixels.map((pixel) => pixelCentre(tile, 256, ...pixel));
    const points = (await heightsAt(server, world, [...centres, ...verticesOf(place)], { layer, zoom: tile.z })).map(Math.fround);
    assert.deepEqual(pixels.map(([column, row]) => samples[256 * row + column]), points.slice(0, 16), where);
    assert.deepEqual([...floats(await bytesOf(server.url + chunkOf(place)))], points.slice(16), where);
    for (const point of points) seen.add(point);
  }
  assert.ok(seen.size > 30 * PLACES, `${seen.size} different samples`);
});

/* A request of one of several kinds, all of them small. */
function randomRequest(random, i) {
  const place = randomPlace(random, i);
  if (i % 3 === 0) return { target: chunkOf(place) };
  if (i % 3 === 1) return { target: tileOf(place).replace('r32f', 'json?size=8') };
  const body = heightsBody(verticesOf(place).slice(0, 3), { layer: place.layer, zoom: place.tile.z });
  return { target: `/worlds/${place.world}/heights`, options: { method: 'POST', body } };
}

function shuffled(list, random) {
  const order = [...list];
  for (let i = order.length - 1; i > 0; i--) {
    const k = Number(random(0n, BigInt(i)));
    [order[i], order[k]] = [order[k], order[i]];
  }
  return order;
}

/* The bytes of the responses, by request. */
async function ask(requests, order, renderers) {
  const { url, stop } = await startServer({ arguments: ['--worlds', folder, '--renderers', String(renderers), '--cache-memory', '0'] });
  const responses = [];
  const next = order.values();
  try {
    await Promise.all(Array.from({ length: renderers }, async () => {
      for (const i of next) responses[i] = await bytesOf(url + requests[i].target, requests[i].options);
    }));
  } finally {
    await stop();
  }
  return responses;
}

test('responses depend neither on the order of requests nor on threads', LONG, async () => {
  const random = makeRandom(41);
  const requests = Array.from({ length: 10 * PLACES }, (_, i) => randomRequest(random, i));
  const order = requests.map((_, i) => i);
  const once = await ask(requests, order, 1);
  const again = await ask(requests, shuffled(order, random), 4);
  for (const [i, { target, options }] of requests.entries())
    assert.ok(once[i].equals(again[i]), `${target} ${options?.body}`);
});

/* One picture of 4 × 4 tiles, rendered as a whole. */
function renderSquare(world, style, { z, x, y }, format) {
  const span = 2 ** (25 - z);
  const corners = [x, y, x + 4, y + 4].map((index) => index * span - 2 ** 24);
  const { status, stdout, stderr } = terrane(['render', '--worlds', folder, '--world', world, '--style', style,
    `--bbox=${corners.join(',')}`, '--width', '1024', '--format', format, '-o', '-'], { bytes: true });
  assert.equal(status, 0, stderr);
  return stdout;
}

/* The north-western tile of a random block whose middle is on land, in the map or around it. */
async function landBlock(world, z, random) {
  const side = BigInt(2 ** z);
  const blocks = Array.from({ length: 100 }, () => ({ z, x: random(-side, 2n * side), y: random(-side, 2n * side) }));
  const middles = blocks.map(({ x, y }) => pixelCentre({ z, x: x + 2n, y: y + 2n }, 256, 0, 0));
  const heights = await heightsAt(server, world, middles, {});
  const { x, y } = blocks[heights.findIndex((height) => height > 50)];
  return { z, x: Number(x), y: Number(y) };
}

/* Rows of pixels of so many bytes, without a head. */
const decode = (bytes, format) => (format === 'png' ? PNG.sync.read(bytes).data : bytes);

test('a block of 4 × 4 tiles is one picture', LONG, async () => {
  const random = makeRandom(42);
  const zooms = PLACES < 1000 ? [7, 14] : Array.from({ length: 19 }, (_, i) => i + 2);
  for (const z of zooms)
    for (const [world, style, format] of [['terra', 'relief', 'png'], [WORLDS[z % WORLDS.length], 'height', 'r32f']]) {
      const block = await landBlock(world, z, random);
      const whole = decode(renderSquare(world, style, block, format), format);
      assert.equal(whole.length, 1024 * 1024 * 4);
      for (let i = 0; i < 16; i++) {
        const [column, row] = [i % 4, Math.floor(i / 4)];
        const path = `/worlds/${world}/tiles/${style}/${z}/${block.x + column}/${block.y + row}.${format}`;
        const tile = decode(await bytesOf(server.url + path), format);
        for (let line = 0; line < 256; line++) {
          const from = 4 * (1024 * (256 * row + line) + 256 * column);
          assert.ok(tile.subarray(1024 * line, 1024 * (line + 1)).equals(whole.subarray(from, from + 1024)), `row ${line} of ${path}`);
        }
      }
    }
});
