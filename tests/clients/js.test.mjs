/* The JavaScript client in Node: over HTTP, and computing by WebAssembly. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as reference from '../http/samples.mjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { damagedBatches, damagedChunks, proxyOfFile, refuseRecord, startProxy } from './proxy.mjs';
import { Terrane, crc32, digest } from '../../server/clients/javascript/terrane.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const wasm = readFileSync(`${root}/build/wasm/terrane.wasm`);
const textOf = (world) => readFileSync(`${root}/config/worlds/${world}.json`, 'utf8');
const terra = { wasm, text: textOf('terra') };

const server = serverOfFile();
const proxy = proxyOfFile(server);

/* As bits, so that −0 is not 0. */
const bits = (samples) => [...new Uint32Array(samples.buffer, samples.byteOffset, samples.length)];

test('digest and CRC have the published test values', () => {
  const bytes = (text) => new TextEncoder().encode(text);
  assert.equal(crc32(bytes('123456789')), 0xcbf43926);
  assert.equal(crc32(bytes('')), 0);
  assert.equal(digest(bytes('The quick brown fox jumps over the lazy dog')), 'e34bbc7bbc071b6c7a433ca9c49a9347');
  assert.equal(digest(bytes('')), '0'.repeat(32));
  for (let length = 1; length < 40; length++) {
    const some = Uint8Array.from({ length }, (_, i) => 37 * i + length);
    assert.equal(digest(some), reference.digest(Buffer.from(some)));
    assert.equal(digest(some.subarray(1)), reference.digest(Buffer.from(some.subarray(1))));
  }
});

test('a chunk has the daemon\'s heights and its place', async () => {
  const terrane = new Terrane(server.url, { size: 8, step: 0.5, apron: 1 });
  const chunk = await terrane.chunk(-3, 5);
  assert.deepEqual([chunk.x, chunk.y, chunk.step, chunk.columns], [-12.5, 19.5, 0.5, 11]);
  const points = Array.from({ length: 121 }, (_, k) => [-12.5 + 0.5 * (k % 11), 19.5 + 0.5 * Math.floor(k / 11)]);
  const answer = await fetch(`${server.url}/heights`, { method: 'POST', body: JSON.stringify({ points, zoom: 18 }) });
  assert.deepEqual([...chunk.layers.height], (await answer.json()).heights.map(Math.fround));
  assert.equal(chunk.samples.length, 121);
});

test('heights at single places are the daemon\'s, in few requests', async () => {
  const terrane = new Terrane(proxy.url, { world: 'terra' });
  const places = Array.from({ length: 10005 }, (_, i) => [i * 0.125 - 600.5, (i % 13) * 96.0625]);
  const heights = await terrane.heights(places);
  assert.deepEqual(proxy.log, Array(2).fill('POST /worlds/terra/heights?layer=height'));
  const daemons = async (body) => (await (await fetch(`${server.url}/heights`, { method: 'POST', body: JSON.stringify(body) })).json()).heights.map(Math.fround);
  assert.deepEqual([...heights.subarray(0, 4000)], await daemons({ points: places.slice(0, 4000) }));
  assert.deepEqual([...heights.subarray(9995)], await daemons({ points: places.slice(9995) }));
  const [points, layer, zoom] = [places.slice(0, 50), 'temperature', 4];
  assert.deepEqual([...await terrane.heights(points, { layer, zoom })], await daemons({ points, layer, zoom }));
  assert.equal((await terrane.heights([])).length, 0);
  await assert.rejects(terrane.heights([[0, 0], [0, NaN]]), { name: 'TerraneError', status: 400, message: /points\[1\]: y/ });
  proxy.change = (answer) => { answer.body = answer.body.subarray(0, -1); };
  await assert.rejects(terrane.heights([[0, 0]]), /3 bytes for 1 places/);
});

test('several layers at single places come in one request', async () => {
  const terrane = new Terrane(proxy.url, { world: 'terra' });
  const places = Array.from({ length: 40 }, (_, i) => [i * 512.25 - 9000, (i % 7) * 3000]);
  const layers = ['water_level', 'height', 'biome'];
  const found = await terrane.samples(places, { layers, zoom: 12 });
  assert.deepEqual(proxy.log, ['POST /worlds/terra/heights?layers=water_level,height,biome&zoom=12']);
  for (const layer of layers) assert.deepEqual(found[layer], await terrane.heights(places, { layer, zoom: 12 }), layer);
});

test('layers, other worlds, seeds and pins', async () => {
  const terrane = new Terrane(`${server.url}/`, { world: 'terra~7', size: 4, layers: ['biome', 'height'] });
  const { layers, samples } = await terrane.chunk(9, 9);
  assert.deepEqual([...samples], [...layers.biome, ...layers.height]);
  assert.ok(layers.biome.every(Number.isInteger));
  const { fingerprint } = await (await fetch(`${server.url}/worlds/terra~7`)).json();
  const pinned = new Terrane(server.url, { world: `terra~7@${fingerprint}`, size: 4 });
  assert.deepEqual((await pinned.chunk(9, 9)).samples, layers.height);
  const seeded = new Terrane(server.url, { world: `terra~${encodeURIComponent('ä@ ?')}`, size: 4 });
  assert.notDeepEqual((await seeded.chunk(9, 9)).samples, layers.height);
  const gone = new Terrane(server.url, { world: `terra@${fingerprint}` });
  await assert.rejects(gone.chunk(0, 0), { name: 'TerraneError', status: 410 });
});

test('the cache evicts the least recently used chunk', async () => {
  const terrane = new Terrane(server.url, { size: 2, capacity: 3 });
  const first = await terrane.chunk(0, 0);
  for (const cx of [1, 2]) await terrane.chunk(cx, 0);
  assert.equal(await terrane.chunk(0, 0), first);
  await terrane.chunk(3, 0); /* 1 goes */
  assert.equal(await terrane.chunk(0, 0), first);
  assert.deepEqual([terrane.counts.requests, terrane.counts.hits, terrane.counts.evicted], [4, 2, 1]);
  await terrane.chunk(1, 0);
  assert.equal(terrane.counts.requests, 5);
});

test('concurrent calls share a request', async () => {
  const terrane = new Terrane(server.url, { size: 2 });
  const [a, b] = await Promise.all([terrane.chunk(4, 4), terrane.chunk(4, 4)]);
  assert.equal(a, b);
  assert.equal(terrane.counts.requests, 1);
});

test('a batch is one request and has the chunks in order', async () => {
  const options = { size: 5, step: 4, apron: 2, layers: ['height', 'biome'], t: 3 };
  const terrane = new Terrane(proxy.url, options);
  await terrane.chunk(1, 1);
  const places = [[3, 1], [1, 1], [-2, 7], [3, 1], [2 ** 40, 0], [2 ** 33, -(2 ** 33)]];
  const chunks = await terrane.chunks(places);
  assert.deepEqual(proxy.log.slice(1), ['POST /chunks']);
  assert.equal(chunks[4], null);
  assert.equal(chunks[0], chunks[3]);
  const single = new Terrane(server.url, options);
  for (const i of [0, 1, 2, 5]) {
    const expected = await single.chunk(...places[i]);
    assert.deepEqual(bits(chunks[i].samples), bits(expected.samples));
    assert.equal(chunks[i].digest, expected.digest);
    assert.deepEqual([chunks[i].x, chunks[i].y], [expected.x, expected.y]);
  }
  assert.equal((await terrane.chunks([[3, 1], [-2, 7]]))[0], chunks[0]);
  assert.equal(proxy.log.length, 2);
  assert.deepEqual(await terrane.chunks([]), []);
});

test('digests are those of the chunks, and tell which of them another world changes', async () => {
  const terrane = new Terrane(proxy.url, { size: 4, capacity: 1000 });
  const places = Array.from({ length: 300 }, (_, i) => [i % 20, -i]);
  const { fingerprint, digests, changed } = await terrane.digests(places);
  assert.deepEqual(proxy.log, Array(2).fill('POST /digests'));
  assert.deepEqual(digests, (await terrane.chunks(places)).map((chunk) => chunk.digest));
  assert.match(fingerprint, /^g1-[0-9a-f]{32}$/);
  assert.deepEqual(changed, []);
  assert.deepEqual((await terrane.digests([[1, 2], [2 ** 40, 0]], `terra@${fingerprint}`)).changed, [false, null]);
  assert.deepEqual((await terrane.digests([[1, 2]], 'terra~2')).changed, [true]);
  await assert.rejects(terrane.digests([[1, 2]], 'tera'), { name: 'TerraneError', status: 404 });
});

const LARGE = { timeout: 120_000 }; /* of one request, on machines of any speed */

test('many chunks take several batches', async () => {
  const terrane = new Terrane(proxy.url, { size: 1, capacity: 1000, ...LARGE });
  const places = Array.from({ length: 600 }, (_, i) => [i, -i]);
  const chunks = await terrane.chunks(places);
  assert.deepEqual(chunks.map(({ cx, cy }) => [cx, cy]), places);
  assert.equal(proxy.log.length, 3);
  const large = new Terrane(proxy.url, { world: 'perlin', size: 1024, ...LARGE });
  assert.equal((await large.chunks([[0, 0], [1, 0], [2, 0], [3, 0]])).length, 4);
  assert.equal(proxy.log.length, 5);
});

test('what the daemon finds too large is asked for in parts that fit', async () => {
  const places = Array.from({ length: 3000 }, (_, i) => [i * 171.125 - 90000.5, (i % 13) * 400000.0625]);
  const corners = Array.from({ length: 40 }, (_, i) => [i % 8, Math.floor(i / 8)]);
  const limited = await startServer({ arguments: ['--request-cost', '5'] });
  const between = await startProxy(limited.url);
  const terrane = new Terrane(between.url, { world: 'dunes', size: 64, ...LARGE });
  const free = new Terrane(server.url, { world: 'dunes', size: 64, ...LARGE });
  const [chunks, wanted] = [await terrane.chunks(corners), await free.chunks(corners)];
  assert.deepEqual(chunks.map(({ digest: own }) => own), wanted.map(({ digest: own }) => own));
  assert.deepEqual(bits(await terrane.heights(places)), bits(await free.heights(places)));
  const requests = (word) => between.log.filter((line) => line.startsWith(`POST /worlds/dunes/${word}`)).length;
  assert.ok(requests('chunks') > 3 && requests('chunks') < 40, `${requests('chunks')} batches`);
  assert.equal(requests('heights'), 1); /* the daemon answers places in pieces, whatever they cost together */
  /* One chunk is too large by itself. */
  const large = new Terrane(between.url, { world: 'dunes', size: 1000 });
  await assert.rejects(large.chunks([[0, 0]]), { name: 'TerraneError', status: 413 });
  await between.stop();
  await limited.stop();
});

test('a chunk that has not changed is not sent again', async () => {
  const terrane = new Terrane(proxy.url, { size: 16 });
  const kept = await terrane.chunk(6, 6);
  assert.equal(await terrane.refresh(6, 6), false);
  assert.deepEqual([terrane.counts.unchanged, terrane.counts.received], [1, 1]);
  assert.equal(await terrane.chunk(6, 6), kept);
  assert.equal(await terrane.refresh(7, 6), true);
  await terrane.chunks([[8, 6]]);
  assert.equal(await terrane.refresh(8, 6), false); /* in full, as a batch has no tags */
  assert.equal(await terrane.refresh(8, 6), false);
  assert.deepEqual([terrane.counts.unchanged, terrane.counts.received], [2, 4]);
});

test('a changed chunk is sent again', async () => {
  const terrane = new Terrane(proxy.url, { size: 16 });
  const { samples } = await terrane.chunk(6, 6);
  const other = await startServer({ env: { TERRANE_DEFAULT_WORLD: 'perlin' } });
  try {
    proxy.target = other.url;
    assert.equal(await terrane.refresh(6, 6), true);
    assert.notDeepEqual((await terrane.chunk(6, 6)).samples, samples);
    assert.equal(terrane.counts.unchanged, 0);
  } finally {
    proxy.target = server.url;
    await other.stop();
  }
});

test('the chunks around a player are loaded once each, in few requests', async () => {
  const terrane = new Terrane(proxy.url, { size: 16, capacity: 100 });
  const first = await terrane.around(-0.5, 40, 2);
  assert.deepEqual(first.map(({ cx, cy }) => [cx, cy]), Array.from({ length: 25 }, (_, k) => [-3 + k % 5, Math.floor(k / 5)]));
  await terrane.around(-1, 47.9, 2);
  assert.deepEqual(proxy.log, ['POST /chunks']);
  await terrane.around(0, 40, 2); /* five chunks further east */
  assert.deepEqual([proxy.log.length, terrane.counts.received], [2, 30]);
  await assert.rejects(terrane.around(0, 0, 5), { message: /5 rings are more chunks than there is room for, 100/ });
});

test('a pinned name keeps the world', async () => {
  const { fingerprint } = await (await fetch(`${server.url}/worlds/perlin`)).json();
  assert.equal(await new Terrane(server.url, { world: 'perlin' }).pin(), `perlin@${fingerprint}`);
  assert.equal(await new Terrane(server.url, { world: `perlin@${fingerprint}` }).pin(), `perlin@${fingerprint}`);
  const { worlds, default: name } = await (await fetch(`${server.url}/worlds`)).json();
  const wanted = `${name}@${worlds.find((world) => world.name === name).fingerprint}`;
  assert.equal(await new Terrane(server.url).pin(), wanted);
});

test('a busy daemon is asked again after the seconds that it says', async () => {
  const refusals = (count, status, pause) => {
    let left = count;
    proxy.change = (answer) => {
      if (left-- <= 0) return;
      answer.status = status;
      answer.headers = pause === null ? {} : { 'retry-after': pause };
      answer.body = Buffer.from('{"detail":"later"}');
    };
  };
  const terrane = new Terrane(proxy.url, { size: 4, patience: 20000 });
  for (const [status, pause, least] of [[503, '1', 1000], [429, '2', 2000], [503, null, 0]]) {
    refusals(1, status, pause);
    const start = Date.now();
    assert.equal((await terrane.chunk(status, least)).columns, 5);
    assert.ok(Date.now() - start >= least - 10);
  }
  refusals(1, 503, null);
  assert.equal((await terrane.chunks([[7, 7], [7, 8]])).length, 2);
  assert.equal(terrane.counts.retries, 4);
  /* What cannot succeed is not tried again, nor what would come too late. */
  const [before_, hasty] = [proxy.log.length, new Terrane(proxy.url, { size: 4, patience: 1000 })];
  refusals(9, 500, '0');
  await assert.rejects(hasty.chunk(1, 1), { status: 500 });
  refusals(9, 503, '5');
  await assert.rejects(hasty.chunk(1, 1), { status: 503, message: /later/ });
  assert.equal(proxy.log.length, before_ + 2);
});

for (const status of [503, 429]) test(`chunks of a batch that have status ${status} are asked for again, and no others`, async () => {
  const asked = [];
  proxy.change = (answer) => {
    if (!answer.body.subarray(0, 4).equals(Buffer.from('TRNC'))) return;
    const size = 32 + 4 * 25;
    asked.push(answer.body.length / size);
    if (asked.length === 1) refuseRecord(answer, 1, status);
  };
  const places = [[4, 4], [5, 4], [6, 4]];
  const chunks = await new Terrane(proxy.url, { size: 4, patience: 9000 }).chunks(places);
  assert.deepEqual(asked, [3, 1]);
  const wanted = await new Terrane(server.url, { size: 4 }).chunks(places);
  assert.deepEqual(chunks.map((chunk) => chunk.digest), wanted.map((chunk) => chunk.digest));
  asked.length = 0;
  await assert.rejects(new Terrane(proxy.url, { size: 4 }).chunks(places), { status, message: /1 of 3 chunks/ });
});

test('a client outlives a restart of the daemon', async () => {
  const first = await startServer();
  const terrane = new Terrane(first.url, { size: 8, patience: 30000 });
  const { digest: wanted } = await terrane.chunk(2, 2);
  await first.stop();
  const coming = terrane.refresh(2, 2);
  const second = await startServer({ arguments: ['--port', String(first.port)] });
  assert.equal(await coming, false);
  assert.equal((await terrane.chunk(2, 2)).digest, wanted);
  assert.ok(terrane.counts.retries > 0);
  await second.stop();
});

test('damage is reported, and nothing damaged is cached', async () => {
  for (const [what, change, message] of damagedChunks) {
    const terrane = new Terrane(proxy.url, { size: 16 });
    proxy.change = change;
    await assert.rejects(terrane.chunk(1, 2), { name: 'TerraneError', message }, what);
    assert.equal(terrane.counts.received, 0);
  }
  for (const [what, change, message] of damagedBatches) {
    const terrane = new Terrane(proxy.url, { size: 16 });
    proxy.change = change;
    await assert.rejects(terrane.chunks([[3, 4], [5, 6]]), { name: 'TerraneError', message }, what);
    proxy.change = () => {};
    const fresh = await new Terrane(server.url, { size: 16 }).chunk(3, 4);
    assert.deepEqual((await terrane.chunk(3, 4)).samples, fresh.samples, what);
  }
});

test('refusals are reported', async () => {
  const terrane = new Terrane(server.url);
  const edge = { status: 404, message: /^GET http:.*\/chunks\/17179869184\/0\.r32f.*: 404: .*-17179869184 … 17179869183/ };
  await assert.rejects(terrane.chunk(2 ** 34, 0), edge);
  await assert.rejects(new Terrane(server.url, { step: 3 }).chunk(0, 0), { status: 400, message: /step: must be a power of two/ });
  await assert.rejects(new Terrane(server.url, { layers: ['heigt'] }).chunks([[0, 0]]), { status: 404, message: /"height"/ });
  await assert.rejects(terrane.chunk(0.5, 0), { message: /two whole numbers, not 0\.5, 0/ });
  await assert.rejects(terrane.chunks([[0, NaN]]), { message: /whole numbers/ });
  await assert.rejects(new Terrane('http://127.0.0.1:1').chunk(0, 0), { name: 'TerraneError', status: 0, message: /^GET .*:1\/chunks/ });
  assert.throws(() => new Terrane(server.url, { sise: 3 }), { message: /no option "sise": world, size/ });
});

test('a silent daemon is given up after the timeout', async () => {
  const silent = createServer(() => {});
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  try {
    const terrane = new Terrane(`http://127.0.0.1:${silent.address().port}`, { timeout: 50 });
    await assert.rejects(terrane.chunk(5, 5), { message: /abort|timeout/i });
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});

test('an answer whose body never ends is given up after the timeout', async (t) => {
  /* As Node 20 leaves a gzipped body whose request was aborted: its promise never settles. */
  t.mock.method(globalThis, 'fetch', async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })));
  const terrane = new Terrane(server.url, { timeout: 50 });
  await assert.rejects(terrane.chunk(5, 5), { message: /timeout: no whole answer within 50 ms/ });
  await assert.rejects(terrane.chunks([[5, 5], [6, 5]]), { message: /timeout/ });
  await assert.rejects(terrane.heights([[5, 5]]), { message: /timeout/ });
  await assert.rejects(terrane.digests([[5, 5]]), { message: /timeout/ });
});

test('clients that were refused together come back at different times', async (t) => {
  const came = [];
  const start = performance.now();
  t.mock.method(globalThis, 'fetch', async () => {
    came.push(performance.now() - start);
    return new Response('later', { status: 503, headers: { 'Retry-After': '1' } });
  });
  const clients = Array.from({ length: 40 }, () => new Terrane(server.url, { patience: 1600 }));
  await Promise.all(clients.map((each) => assert.rejects(each.chunk(5, 5), { status: 503 })));
  const again = came.slice(clients.length);
  assert.ok(again.length > 30, `${again.length} came back`);
  assert.ok(Math.min(...again) >= 990, `one came back after ${Math.min(...again)} ms`);
  const tenths = new Set(again.map((at) => Math.floor(at / 100)));
  assert.ok(tenths.size >= 4, `all came back within ${tenths.size} tenths of a second`);
});

const materialsOf = (world) => JSON.parse(textOf(world)).materials.map(({ name }) => name);

test('a chunk has the shares of materials by their names', async () => {
  const materials = materialsOf('terra');
  const { layers, columns } = await new Terrane(server.url, { world: 'terra', size: 8, layers: ['materials'], materials }).chunk(3, -2);
  assert.deepEqual(Object.keys(layers), materials.map((name) => `materials.${name}`));
  for (let k = 0; k < columns ** 2; k++) assert.equal(Object.values(layers).reduce((sum, shares) => sum + shares[k], 0), 255);
});

test('computed and loaded chunks have the same bits', async () => {
  for (const [world, options] of [
    ['terra', {}], ['terra', { size: 33, step: 0.0625, apron: 3, layers: ['biome', 'height', 'temperature'] }],
    ['terra', { size: 16, step: 16384 }], ['caves', { size: 16, layers: ['density', 'height'] }],
    ['clouds', { size: 16, step: 64, t: 12.5 }], ['highlands', { size: 32, step: 8 }],
    ['dunes', { size: 16, step: 32, layers: ['height', 'materials', 'erg'], materials: materialsOf('dunes') }],
  ]) {
    const local = new Terrane(server.url, { world, ...options });
    assert.equal(await local.useLocal({ wasm, text: textOf(world) }), true, String(local.localProblem));
    assert.equal(local.counts.requests, 1);
    const remote = new Terrane(server.url, { world, ...options });
    const places = [[0, 0], [-1, -1], [777, -1234], [-50000, 3], [2 ** 20, -(2 ** 20) - 1]];
    const [here, there] = await Promise.all([local.chunks(places), remote.chunks(places)]);
    places.forEach((place, i) => assert.deepEqual(bits(here[i].samples), bits(there[i].samples), `${world} ${place}`));
    assert.deepEqual(here.map((chunk) => chunk.digest), there.map((chunk) => chunk.digest));
    assert.deepEqual([local.counts.requests, local.counts.computed], [1, places.length]);
    assert.equal(await local.verify(-1, -1), true);
  }
});

test('a world can be reseeded', async () => {
  const local = new Terrane(server.url, { world: 'terra~99', size: 16 });
  assert.equal(await local.useLocal({ ...terra, seed: '99' }), true);
  const { samples } = await new Terrane(server.url, { world: 'terra~99', size: 16 }).chunk(2, 3);
  assert.deepEqual((await local.chunk(2, 3)).samples, samples);
  assert.equal(local.counts.computed, 1);
});

test('chunks are computed without a daemon', async () => {
  const local = new Terrane('http://127.0.0.1:1', { size: 16 });
  assert.equal(await local.useLocal(terra), false);
  assert.match(local.localProblem.message, /^HEAD http:\/\/127\.0\.0\.1:1/);
  assert.equal(await local.useLocal({ ...terra, check: false }), true);
  const { digest: found } = await local.chunk(2, 3);
  assert.equal(found, (await new Terrane(server.url, { size: 16 }).chunk(2, 3)).digest);
  await assert.rejects(local.verify(2, 3), { message: /^HEAD/ });
});

/* Runs `test` while modules started have this terrane_sample_grid, which is given the true one. */
async function withSampler(sample, test_) {
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class {
    constructor(module) {
      const { exports } = new Instance(module);
      const grid = (...words) => sample(exports, words);
      this.exports = { ...exports, terrane_sample_grid: grid };
    }
  };
  try {
    await test_();
  } finally {
    WebAssembly.Instance = Instance;
  }
}

/* The client has the daemon's ground all the same. */
async function assertFallsBack(terrane) {
  const { samples } = await new Terrane(server.url, terrane.settings).chunk(-8, 3);
  assert.deepEqual((await terrane.chunk(-8, 3)).samples, samples);
  assert.deepEqual([terrane.counts.received, terrane.counts.computed], [1, 0]);
}

test('with an invalid module or world chunks come over HTTP', async () => {
  const empty = { ...terra, wasm: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) };
  for (const [how, message] of [
    [{ ...terra, wasm: wasm.subarray(0, 5000) }, /WebAssembly/], [{ ...terra, wasm: Buffer.from('<html>') }, /WebAssembly/],
    [empty, /_initialize/], [{ ...terra, wasm: `${server.url}/nothing.wasm` }, /GET .*nothing\.wasm: 404/],
    [{ ...terra, wasm: null }, /WebAssembly/], [{ ...terra, text: textOf('perlin') }, /the text is of world g1-.*, the daemon's is g1-/],
    [{ ...terra, text: '{"generator":1,"layers":{"height":"fbmm(3)"}}' }, /unknown function "fbmm" \(did you mean "fbm"\?\)/],
    [{ ...terra, seed: '1' }, /the text is of world/],
  ]) {
    const terrane = new Terrane(server.url, { size: 8 });
    assert.equal(await terrane.useLocal(how), false);
    assert.match(terrane.localProblem.message, message);
    await assertFallsBack(terrane);
  }
  const other = new Terrane(server.url, { size: 8, layers: ['heigt'] });
  assert.equal(await other.useLocal(terra), false);
  assert.match(other.localProblem.message, /no layer "heigt"/);
});

test('with a module that computes other bits chunks come over HTTP', async () => {
  await withSampler((exports, words) => {
    const done = exports.terrane_sample_grid(...words);
    const view = new DataView(exports.memory.buffer);
    const output = view.getUint32(view.getUint32(words[3] + 4, true), true);
    view.setUint8(output, view.getUint8(output) ^ 1);
    return done;
  }, async () => {
    const terrane = new Terrane(server.url, { size: 8 });
    assert.equal(await terrane.useLocal(terra), false);
    assert.match(terrane.localProblem.message, /digest/);
    await assertFallsBack(terrane);
    assert.equal(await terrane.useLocal({ ...terra, check: false }), true);
    assert.equal(await terrane.verify(1, 1), false);
  });
});

test('after a failure of the module chunks come over HTTP', async () => {
  let left = 2;
  await withSampler((exports, words) => {
    if (left-- === 0) throw new WebAssembly.RuntimeError('unreachable');
    return exports.terrane_sample_grid(...words);
  }, async () => {
    const terrane = new Terrane(server.url, { size: 8 });
    assert.equal(await terrane.useLocal(terra), true);
    await terrane.chunk(0, 0);
    const [chunk] = await terrane.chunks([[1, 0]]);
    assert.equal(terrane.localProblem.message, 'unreachable');
    assert.deepEqual([terrane.counts.computed, terrane.counts.received], [1, 1]);
    assert.deepEqual(chunk.samples, (await new Terrane(server.url, { size: 8 }).chunk(1, 0)).samples);
    await terrane.chunk(2, 0);
    assert.equal(terrane.counts.received, 2);
  });
});

test('the daemon refuses a place beyond the edge, and the module stays in use', async () => {
  const terrane = new Terrane(server.url);
  assert.equal(await terrane.useLocal(terra), true);
  await assert.rejects(terrane.chunk(2 ** 34, 0), { status: 404 });
  assert.deepEqual(await terrane.chunks([[2 ** 34, 0]]), [null]);
  assert.equal(terrane.localProblem, null);
  await terrane.chunk(2 ** 34 - 1, 0);
  assert.equal(terrane.counts.computed, 1);
});
