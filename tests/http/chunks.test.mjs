/* Chunks: vertices with the same bits as everywhere else, in every format, alone and in batches. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import validator from 'gltf-validator';
import { startServer } from '../tools/server.mjs';
import { makeWorlds } from './fixture.mjs';
import { ask, get } from './raw.mjs';
import { crc32, digest, floatBytes, floats, greyNumbers, numbers, quantised, records, restore } from './samples.mjs';

const FORMATS = ['r32f', 'r16', 'r16z', 'png', 'json', 'asc', 'tif', 'glb'];

let worlds;
let server;
let folder;
before(async () => {
  worlds = makeWorlds();
  folder = mkdtempSync(path.join(tmpdir(), 'terrane-chunks-'));
  server = await startServer({ arguments: ['--worlds', worlds.folder] });
});
after(async () => {
  assert.equal(await server.stop(), 0);
  worlds.remove();
  rmSync(folder, { recursive: true });
});

const ask_ = (target, options) => fetch(server.url + target, options);

/* The answer's headers and bytes; it must be 200. */
async function load(target, options) {
  const response = await ask_(target, options);
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, `${target}: ${bytes.subarray(0, 300)}`);
  return { headers: response.headers, bytes };
}
const samplesOf = async (target) => floats((await load(target)).bytes);
const post = (target, body) => load(target, { method: 'POST', body: JSON.stringify(body) });

async function heights(body, world = '') {
  return JSON.parse((await post(`${world}/heights`, body)).bytes).heights.map(Math.fround);
}

const vertices = (cx, cy, size, step) => Array.from({ length: (size + 1) ** 2 },
  (_, k) => [(cx * size + (k % (size + 1))) * step, (cy * size + Math.floor(k / (size + 1))) * step]);

test('vertices have the bits that /heights gives at the same level of detail', async () => {
  for (const [cx, cy, size, zoom] of [
    [0, 0, 16, 17], [-1, -1, 16, 17], [3, -2, 64, 17], [-7, 5, 5, 20], [100, 1000, 31, 15], [-4, 4, 8, 9], [1, -2, 4, 1],
    [2 ** 35, -(2 ** 35), 16, 17], [-(2 ** 36), 2 ** 36 - 1, 16, 17],
  ]) {
    const step = 2 ** (17 - zoom);
    const points = vertices(cx, cy, size, step);
    const samples = await samplesOf(`/chunks/${cx}/${cy}.r32f?size=${size}&step=${step}`);
    assert.deepEqual([...samples], await heights({ points, zoom }), `${cx} ${cy} ${size} ${step}`);
    assert.ok(new Set(samples).size > size, 'the ground is not level');
  }
});

test('vertices of all layers are those of /at', async () => {
  const world = await (await ask_('/worlds/terra')).json();
  const names = world.layers.map(({ name }) => name).slice(-15);
  const layers = ['biome', ...names.filter((name) => name !== 'biome')].slice(0, 16);
  const samples = await samplesOf(`/chunks/5/-9.r32f?size=4&step=8&layers=${layers}`);
  assert.equal(samples.length, 25 * layers.length);
  for (const k of [0, 7, 24]) {
    const [x, y] = vertices(5, -9, 4, 8)[k];
    const at = await (await ask_(`/at?x=${x}&y=${y}&zoom=14`)).json();
    layers.forEach((name, i) => assert.equal(samples[25 * i + k], Math.fround(at.layers[name]), `${name} at ${x} ${y}`));
  }
  assert.equal(world.biomes.length > samples[0] && Number.isInteger(samples[0]), true);
});

test('t is the time of layers that move', async () => {
  const base = '/worlds/clock/chunks/0/0.r32f?size=1&layers=tide,height';
  const still = await samplesOf(base);
  assert.deepEqual([...await samplesOf(`${base}&t=12.5`)], [12.5, 12.5, 12.5, 12.5, ...still.slice(4)]);
  assert.deepEqual([...still.slice(0, 4)], [0, 0, 0, 0]);
  const tag = async (target) => (await load(target)).headers.get('etag');
  assert.notEqual(await tag(base), await tag(`${base}&t=12.5`));
  const height = '/worlds/clock/chunks/0/0.r32f?size=1';
  assert.equal(await tag(height), await tag(`${height}&t=12.5`));
});

/* The records' samples of chunks asked for in one batch. */
async function batchOf(chunks, order) {
  const found = records((await post('/chunks', { ...order, chunks })).bytes);
  assert.deepEqual(found.map(({ status }) => status), chunks.map(() => 200), `${chunks} ${order.step}`);
  return found.map(({ payload }) => floats(payload));
}

test('neighbours share what they overlap in, at every step, near, far and with aprons', async () => {
  for (let power = -4; power <= 16; power++) {
    const step = 2 ** power;
    const size = [8, 7, 16][(power + 4) % 3];
    const apron = [0, 3, 1, 0][(power + 4) % 4];
    const side = size + 1 + 2 * apron;
    const edge = Math.floor(2 ** 40 / (size * step));
    const far = [[edge - 2, -edge], [-edge, edge - 2], [-edge, -edge]];
    for (const [cx, cy] of [[0, 0], [-1, -1], [-1, 0], [1234, -4321], [-98765, 43210 % edge], ...far]) {
      const name = `${cx} ${cy}, size ${size}, step ${step}, apron ${apron}`;
      const places = [[cx, cy], [cx + 1, cy], [cx, cy + 1], [cx + 1, cy + 1]];
      const [here, east, south, both] = await batchOf(places, { size, step, apron });
      assert.ok(new Set(here).size > size, `the ground is not level: ${name}`);
      for (let i = 0; i < side; i++) {
        for (let k = 0; k + size < side; k++) {
          assert.equal(here[i * side + size + k], east[i * side + k], `east of ${name}`);
          assert.equal(here[(size + k) * side + i], south[k * side + i], `south of ${name}`);
          assert.equal(south[i * side + size + k], both[i * side + k], `south-east of ${name}`);
        }
      }
    }
  }
});

test('a chunk of twice the size is four chunks', async () => {
  for (const [cx, cy, step] of [[0, 0, 1], [-3, 2, 0.0625], [-(2 ** 20), 2 ** 20 - 1, 65536], [2 ** 34 - 1, -(2 ** 34), 4]]) {
    const [large] = await batchOf([[cx, cy]], { size: 16, step });
    const places = [0, 1, 2, 3].map((i) => [2 * cx + (i % 2), 2 * cy + (i >> 1)]);
    (await batchOf(places, { size: 8, step })).forEach((small, i) => small.forEach((sample, k) => {
      const [column, row] = [8 * (i % 2) + (k % 9), 8 * (i >> 1) + Math.floor(k / 9)];
      assert.equal(large[17 * row + column], sample, `${places[i]} at ${step}`);
    }));
  }
});

test("an apron has the neighbours' samples", async () => {
  const [size, apron] = [8, 3];
  const wide = size + 1 + 2 * apron;
  const { bytes, headers } = await load(`/chunks/-1/2.r32f?size=${size}&apron=${apron}&step=16`);
  const samples = floats(bytes);
  assert.equal(headers.get('x-terrane-grid'), `${wide}x${wide}`);
  assert.equal(headers.get('x-terrane-origin'), `${(-size - apron) * 16},${(2 * size - apron) * 16}`);
  for (let dy = -1; dy <= 1; dy++) {
    for (let dx = -1; dx <= 1; dx++) {
      const near = await samplesOf(`/chunks/${-1 + dx}/${2 + dy}.r32f?size=${size}&step=16`);
      for (let j = 0; j <= size; j++) {
        for (let i = 0; i <= size; i++) {
          const [column, row] = [apron + dx * size + i, apron + dy * size + j];
          if (column < 0 || row < 0 || column >= wide || row >= wide) continue;
          assert.equal(samples[row * wide + column], near[j * (size + 1) + i], `${dx} ${dy} ${i} ${j}`);
        }
      }
    }
  }
});

test('the headers tell what the samples are', async () => {
  const { fingerprint } = await (await ask_('/worlds/terra')).json();
  const { headers, bytes } = await load('/chunks/3/-2.r32f?step=0.5&layers=height,biome');
  assert.equal(headers.get('x-terrane-world'), fingerprint);
  assert.equal(headers.get('x-terrane-grid'), '65x65');
  assert.equal(headers.get('x-terrane-origin'), '96,-64');
  assert.equal(headers.get('x-terrane-step'), '0.5');
  assert.equal(headers.get('x-terrane-layers'), 'height,biome');
  assert.equal(headers.get('x-terrane-encoding'), 'float32, low byte first');
  assert.equal(headers.get('x-terrane-digest'), digest(bytes));
  assert.equal(headers.get('content-type'), 'application/octet-stream');
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.match(headers.get('server-timing'), /^render;dur=\d+\.\d{3}, encode;dur=\d+\.\d{3}, queue;dur=\d+\.\d{3}$/);
  const exposed = headers.get('access-control-expose-headers').split(', ');
  for (const name of ['ETag', 'Server-Timing', 'X-Terrane-Digest', 'X-Terrane-World', 'X-Terrane-Grid', 'X-Terrane-Origin',
    'X-Terrane-Step', 'X-Terrane-Layers', 'X-Terrane-Encoding']) {
    assert.ok(exposed.includes(name), name);
  }
  assert.equal(bytes.length, 4 * 65 * 65 * 2);
});

test('the digest is that of the float samples, in every format and encoding', async () => {
  for (const query of ['size=20&step=32', 'size=20&step=32&apron=2']) {
    const expected = digest((await load(`/chunks/9/-31.r32f?${query}`)).bytes);
    for (const format of FORMATS) {
      for (const accept of ['identity', 'gzip']) {
        const { headers } = await load(`/chunks/9/-31.${format}?${query}`, { headers: { 'Accept-Encoding': accept } });
        assert.equal(headers.get('x-terrane-digest'), expected, `${format} ${accept} ${query}`);
      }
    }
  }
});

test('r16, r16z and png are the same numbers', async () => {
  const base = '/chunks/1/-3';
  const query = '?size=33&step=256';
  const samples = await samplesOf(`${base}.r32f${query}`);
  const expected = Array.from(samples, quantised);
  assert.ok(new Set(expected).size > 100);
  assert.deepEqual([...numbers((await load(`${base}.r16${query}`)).bytes)], expected);
  assert.deepEqual([...greyNumbers((await load(`${base}.png${query}`)).bytes)], expected);
  assert.deepEqual([...restore((await load(`${base}.r16z${query}`)).bytes, 34)], expected);
  const two = `${query}&layers=height,temperature`;
  const both = Array.from(await samplesOf(`${base}.r32f${two}`), quantised);
  assert.deepEqual([...restore((await load(`${base}.r16z${two}`)).bytes, 34)], both);
  assert.deepEqual([...numbers((await load(`${base}.r16${two}`)).bytes)], both);
});

test('r16z is a quarter of r32f, and less', async () => {
  const raw = (await load('/chunks/0/0.r32f?size=256&step=16')).bytes.length;
  assert.ok((await load('/chunks/0/0.r16z?size=256&step=16')).bytes.length < raw / 4);
});

test('json has the numbers and their place', async () => {
  const query = 'size=3&step=0.25&layers=height,biome&apron=1';
  const { bytes, headers } = await load(`/chunks/-3/4.json?${query}`);
  const document = JSON.parse(bytes);
  const samples = await samplesOf(`/chunks/-3/4.r32f?${query}`);
  assert.equal(headers.get('content-type'), 'application/json');
  assert.equal(document.world, headers.get('x-terrane-world'));
  assert.deepEqual(document.origin, [-2.5, 2.75]);
  assert.equal(document.step, 0.25);
  assert.deepEqual(document.grid, [6, 6]);
  assert.equal(document.digest, headers.get('x-terrane-digest'));
  assert.deepEqual(Object.keys(document.samples), ['height', 'biome']);
  assert.deepEqual(Object.values(document.samples).flat(2).map(Math.fround), [...samples]);
  assert.ok(Object.values(document.samples).flat().every((row) => row.length === 6));
});

/* A program of GDAL's. */
async function gdal(program, words, input = '') {
  const child = spawn(program, words, { cwd: folder, env: { ...process.env, GDAL_PAM_ENABLED: 'NO' } });
  child.stdin.end(input);
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.equal(complaints, '');
  return output;
}

async function gdalFile(target, name) {
  const file = path.join(folder, name);
  writeFileSync(file, (await load(target)).bytes);
  return file;
}

test('GDAL reads asc and tif: every sample, and where it is', async () => {
  for (const [cx, cy, size, step] of [[0, 0, 12, 1], [-5, 7, 12, 0.125], [3, -2, 20, 64]]) {
    const query = `size=${size}&step=${step}`;
    const samples = await samplesOf(`/chunks/${cx}/${cy}.r32f?${query}`);
    const places = vertices(cx, cy, size, step).map(([x, y]) => `${x} ${-y}\n`).join('');
    for (const format of ['asc', 'tif']) {
      const file = await gdalFile(`/chunks/${cx}/${cy}.${format}?${query}`, `chunk.${format}`);
      const info = JSON.parse(await gdal('gdalinfo', ['-json', file]));
      assert.deepEqual(info.size, [size + 1, size + 1]);
      assert.deepEqual(info.geoTransform, [(cx * size - 0.5) * step, step, 0, (0.5 - cy * size) * step, 0, -step]);
      assert.equal(info.bands[0].type, 'Float32');
      assert.equal(info.coordinateSystem?.wkt ?? '', '');
      const values = (await gdal('gdallocationinfo', ['-valonly', '-geoloc', file], places)).trim().split('\n');
      assert.deepEqual(values.map((value) => Math.fround(Number(value))), [...samples], `${format} ${query}`);
    }
  }
});

test('GDAL reads the layers of a tif as bands', async () => {
  const query = 'size=4&step=1024&layers=height,biome,temperature';
  const samples = await samplesOf(`/chunks/2/2.r32f?${query}`);
  const file = await gdalFile(`/chunks/2/2.tif?${query}`, 'layers.tif');
  const values = (await gdal('gdallocationinfo', ['-valonly', file], '0 0\n4 3\n')).trim().split(/\s+/).map(Number);
  const expected = [0, 3 * 5 + 4].flatMap((k) => [0, 1, 2].map((layer) => samples[25 * layer + k]));
  assert.deepEqual(values.map(Math.fround), expected);
});

test('GDAL reads png as 16-bit grey', async () => {
  const file = await gdalFile('/chunks/2/2.png?size=4&step=1024', 'chunk.png');
  const info = JSON.parse(await gdal('gdalinfo', ['-json', file]));
  assert.equal(info.bands.length, 1);
  assert.equal(info.bands[0].type, 'UInt16');
  const samples = await samplesOf('/chunks/2/2.r32f?size=4&step=1024');
  assert.equal(Number(await gdal('gdallocationinfo', ['-valonly', file, '3', '4'])), quantised(samples[4 * 5 + 3]));
});

/* The parts of a GLB: its JSON, and a reader of accessors. */
function openMesh(bytes) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.toString('utf8', 20, 20 + length));
  const binary = bytes.subarray(28 + length);
  const read = (index) => {
    const { bufferView, count, type, componentType } = json.accessors[index];
    const { byteOffset = 0, byteLength } = json.bufferViews[bufferView];
    const part = binary.subarray(byteOffset, byteOffset + byteLength);
    const values = componentType === 5126 ? floats(part) : componentType === 5123 ? numbers(part)
      : Array.from({ length: count }, (_, i) => part.readUInt32LE(4 * i));
    assert.equal(values.length, count * (type === 'VEC3' ? 3 : 1));
    return values;
  };
  return { json, positions: read(0), normals: read(1), indices: read(2) };
}

test('glb is a valid mesh of the samples', async () => {
  for (const query of ['size=64&step=4', 'size=1', 'size=256&step=0.0625', 'size=5&apron=2&step=65536']) {
    const { bytes, headers } = await load(`/chunks/-2/3.glb?${query}`);
    assert.equal(headers.get('content-type'), 'model/gltf-binary');
    const report = await validator.validateBytes(new Uint8Array(bytes));
    assert.deepEqual(report.issues.messages.filter(({ severity }) => severity < 2), [], query);
    const { json, positions, indices } = openMesh(bytes);
    const samples = await samplesOf(`/chunks/-2/3.r32f?${query}`);
    const side = Math.sqrt(samples.length);
    const { origin, step } = json.nodes[0].extras;
    assert.equal(headers.get('x-terrane-origin'), String(origin));
    for (let k = 0; k < samples.length; k++) {
      assert.deepEqual([...positions.slice(3 * k, 3 * k + 3)], [(k % side) * step, samples[k], Math.floor(k / side) * step]);
    }
    assert.equal(indices.length, 6 * (side - 1) ** 2);
    const corner = (k) => positions.slice(3 * indices[k], 3 * indices[k] + 3);
    for (let k = 0; k < indices.length; k += 3 * 97) {
      const [a, b, c] = [corner(k), corner(k + 1), corner(k + 2)];
      assert.ok((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]) > 0, 'seen from above');
    }
  }
});

test('normals of neighbouring meshes agree on their edge', async () => {
  const load_ = async (x) => openMesh((await load(`/chunks/${x}/0.glb?size=8&step=64`)).bytes);
  const [west, east] = [await load_(10), await load_(11)];
  for (let j = 0; j < 9; j++) {
    assert.deepEqual(west.normals.slice(3 * (9 * j + 8), 3 * (9 * j + 9)), east.normals.slice(27 * j, 27 * j + 3));
  }
  assert.ok(new Set(east.normals).size > 50);
});

test('gzip where it makes the answer smaller, by Accept-Encoding', async () => {
  for (const format of FORMATS) {
    const target = `/chunks/4/4.${format}?size=64&step=16`;
    const plain = await ask(server.port, get(target));
    const zipped = await ask(server.port, get(target, 'Accept-Encoding: gzip\r\n'));
    const compresses = !['r16z', 'png'].includes(format);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers.vary, compresses ? 'Accept-Encoding' : undefined, format);
    assert.equal(zipped.headers['content-encoding'], compresses ? 'gzip' : undefined, format);
    assert.ok((compresses ? gunzipSync(zipped.body) : zipped.body).equals(plain.body), format);
    assert.equal(zipped.headers.etag !== plain.headers.etag, compresses, format);
    assert.ok(!compresses || zipped.body.length < 0.9 * plain.body.length, format);
  }
});

test('a conditional request is answered 304, before rendering', async () => {
  const other = await startServer({ arguments: ['--worlds', worlds.folder] });
  try {
    for (const format of FORMATS) {
      const target = `/chunks/77/-5.${format}`;
      const { headers } = await ask(server.port, get(target));
      assert.match(headers.etag, /^"[0-9a-f]{32}-[0-9a-f]+"$/);
      assert.equal(headers['cache-control'], 'no-cache');
      const answer = await ask(other.port, get(target, `If-None-Match: ${headers.etag}\r\n`));
      assert.equal(answer.status, 304, format);
      assert.equal(answer.headers.etag, headers.etag);
      assert.equal(answer.headers.vary, headers.vary);
      assert.equal(answer.headers['server-timing'], undefined);
    }
  } finally {
    await other.stop();
  }
});

test('entity tags differ wherever samples or bytes may', async () => {
  const targets = [
    ...FORMATS.map((format) => `/chunks/1/2.${format}`), '/chunks/2/1.r32f', '/chunks/-1/2.r32f', '/chunks/1/2.r32f?size=63',
    '/chunks/1/2.r32f?step=2', '/chunks/1/2.r32f?apron=1', '/chunks/1/2.r32f?layers=biome', '/chunks/1/2.r32f?layers=height,biome',
    '/chunks/1/2.r32f?layers=biome,height', '/worlds/terra~1/chunks/1/2.r32f', '/worlds/perlin/chunks/1/2.r32f',
  ];
  const tags = await Promise.all(targets.map(async (target) => (await load(target)).headers.get('etag')));
  assert.equal(new Set(tags).size, targets.length);
  assert.equal((await load('/chunks/1/2.r32f?size=64&step=1.0&apron=0&layers=height&t=5')).headers.get('etag'), tags[0]);
});

test('a pinned chunk is immutable; a pin that matches no more is gone', async () => {
  const { fingerprint } = await (await ask_('/worlds/clock')).json();
  const { headers, bytes } = await load(`/worlds/clock@${fingerprint}/chunks/1/1.r32f`);
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.ok((await load('/worlds/clock/chunks/1/1.r32f')).bytes.equals(bytes));
  assert.equal((await ask_(`/worlds/clock~2@${fingerprint}/chunks/1/1.r32f`)).status, 410);
  assert.equal((await ask_(`/worlds/clock~2@${fingerprint}/chunks`, { method: 'POST', body: '{"chunks":[]}' })).status, 410);
});

test('HEAD has the headers of GET and no body', async () => {
  const full = await ask(server.port, get('/chunks/0/1.r16z'));
  const answer = await ask(server.port, get('/chunks/0/1.r16z').replace('GET', 'HEAD'), 'HEAD');
  for (const name of ['etag', 'content-length', 'x-terrane-digest', 'x-terrane-grid']) {
    assert.equal(answer.headers[name], full.headers[name], name);
  }
  assert.equal(answer.rest.length, 0);
});

test('a batch is its single chunks, in the order asked', async () => {
  const chunks = [[0, 0], [-1, 5], [3, -2], [0, 0], [2 ** 33, -(2 ** 33)]];
  for (const format of FORMATS) {
    const { bytes, headers } = await post('/chunks', { format, size: 16, step: 2, apron: 1, t: 3, chunks });
    assert.equal(headers.get('content-type'), 'application/vnd.terrane.chunks');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-terrane-grid'), '19x19');
    assert.equal(headers.get('x-terrane-step'), '2');
    assert.equal(headers.get('x-terrane-layers'), 'height');
    const found = records(bytes);
    assert.deepEqual(found.map(({ x, y }) => [Number(x), Number(y)]), chunks);
    for (const { magic, version, status, x, y, crc, payload } of found) {
      assert.deepEqual([magic, version, status], ['TRNC', 1, 200]);
      assert.equal(crc, crc32(payload));
      assert.ok(payload.equals((await load(`/chunks/${x}/${y}.${format}?size=16&step=2&apron=1`)).bytes), `${format} ${x} ${y}`);
    }
  }
});

test('a batch without more than places has the defaults of a chunk', async () => {
  const [{ payload }] = records((await post('/worlds/perlin/chunks', { chunks: [[7, 8]] })).bytes);
  assert.ok(payload.equals((await load('/worlds/perlin/chunks/7/8.r32f')).bytes));
  const layered = records((await post('/chunks', { layers: ['biome', 'height'], chunks: [[7, 8]] })).bytes);
  assert.ok(layered[0].payload.equals((await load('/chunks/7/8.r32f?layers=biome,height')).bytes));
  assert.equal((await post('/chunks', { chunks: [] })).bytes.length, 0);
});

test('a chunk beyond the edge of the world spoils no batch', async () => {
  const edge = 2 ** 34; /* × 64 m = 2⁴⁰ m */
  const found = records((await post('/chunks', { chunks: [[edge - 1, 0], [edge, 0], [0, -edge - 1], [-edge, 1]] })).bytes);
  assert.deepEqual(found.map(({ status }) => status), [200, 404, 404, 200]);
  assert.deepEqual(found.map(({ payload }) => payload.length), [16900, 0, 0, 16900]);
  assert.equal(found[1].crc, 0);
});

test('256 chunks at once, and as many samples as are configured', async () => {
  const chunks = Array.from({ length: 256 }, (_, i) => [i, -i]);
  assert.equal(records((await post('/chunks', { size: 1, chunks })).bytes).length, 256);
  const small = await startServer({ env: { TERRANE_CHUNK_SAMPLES: '10000' } });
  try {
    const status = async (target, body) => {
      const response = await fetch(small.url + target, body && { method: 'POST', body: JSON.stringify(body) });
      const answer = response.status === 200 ? null : await response.json();
      assert.ok(answer === null || /10000 samples/.test(answer.detail), answer?.detail);
      return response.status;
    };
    assert.equal(await status('/chunks/0/0.r32f?size=99'), 200);
    assert.equal(await status('/chunks/0/0.r32f?size=100'), 413);
    assert.equal(await status('/chunks/0/0.r32f?size=98&apron=1'), 413);
    assert.equal(await status('/chunks/0/0.r32f?size=69&layers=height,biome'), 200);
    assert.equal(await status('/chunks/0/0.r32f?size=70&layers=height,biome'), 413);
    assert.equal(await status('/chunks', { size: 49, chunks: [[0, 0], [1, 0], [2, 0], [3, 0]] }), 200);
    assert.equal(await status('/chunks', { size: 50, chunks: [[0, 0], [1, 0], [2, 0], [3, 0]] }), 413);
    assert.equal(await status('/worlds/caves/volumes/0/0/0.r32f?size=20'), 200);
    assert.equal(await status('/worlds/caves/volumes/0/0/0.r32f?size=21'), 413);
  } finally {
    await small.stop();
  }
});

/* Each with its status and a word of its explanation. */
const bad = [
  ['/chunks/0/0', 404, 'ends in the format'], ['/chunks/0/0.bin', 404, 'r32f, r16'], ['/chunks/0/0.r8', 404, 'r32f, r16'],
  ['/chunks/0/0.R32F', 404, 'no format'], ['/chunks/a/0.r32f', 400, 'cx'], ['/chunks/0/b.r32f', 400, 'cy'],
  ['/chunks/1.5/0.r32f', 400, 'cx'], ['/chunks/0/1e3.r32f', 400, 'cy'], ['/chunks/+1/0.r32f', 400, 'cx'],
  ['/chunks/0x1/0.r32f', 400, 'cx'], ['/chunks/99999999999999999999/0.r32f', 400, 'cx'], ['/chunks/0/.r32f', 400, 'cy'],
  ['/chunks/17179869184/0.r32f', 404, '-17179869184 … 17179869183'], ['/chunks/0/-17179869185.r32f', 404, '-17179869184'],
  ['/chunks/9223372036854775807/0.r32f', 404, 'must be'], ['/chunks/0/-9223372036854775808.r32f?size=1', 404, 'must be'],
  ['/chunks/0/0.r32f?size=0', 400, 'size'], ['/chunks/0/0.r32f?size=1025', 400, '1024'], ['/chunks/0/0.r32f?size=-1', 400, 'size'],
  ['/chunks/0/0.r32f?size=big', 400, 'big'], ['/chunks/0/0.r32f?size=', 400, 'size'], ['/chunks/0/0.r32f?size=6.4e1', 400, 'size'],
  ['/chunks/0/0.r32f?step=0', 400, 'step'], ['/chunks/0/0.r32f?step=3', 400, 'power of two'], ['/chunks/0/0.r32f?step=-1', 400, 'step'],
  ['/chunks/0/0.r32f?step=0.03125', 400, '0.0625'], ['/chunks/0/0.r32f?step=131072', 400, '65536'], ['/chunks/0/0.r32f?step=inf', 400, 'inf'],
  ['/chunks/0/0.r32f?step=1.0001', 400, 'step'], ['/chunks/0/0.r32f?step=0x1', 400, 'step'], ['/chunks/0/0.r32f?step=1,0', 400, 'step'],
  ['/chunks/0/0.r32f?apron=9', 400, 'apron'], ['/chunks/0/0.r32f?apron=-1', 400, 'apron'], ['/chunks/0/0.r32f?apron=x', 400, 'apron'],
  ['/chunks/0/0.r32f?t=nan', 400, 't must'], ['/chunks/0/0.r32f?t=1e13', 400, 't must'], ['/chunks/0/0.r32f?t=', 400, 't must'],
  ['/chunks/0/0.r32f?layers=heigt', 404, 'did you mean \\"height\\"'], ['/chunks/0/0.r32f?layers=', 400, 'empty'],
  ['/chunks/0/0.r32f?layers=height,', 400, 'empty'], ['/chunks/0/0.r32f?layers=height,height', 400, 'more than once'],
  ['/chunks/0/0.r32f?layers=height,biom', 404, 'biome'], ['/chunks/0/0.r32f?layers=Height', 404, 'height'],
  [`/chunks/0/0.r32f?layers=${'x'.repeat(64)}`, 400, 'so long'], [`/chunks/0/0.r32f?layers=${'%C3%A4'.repeat(31)}`, 404, 'unknown layer'],
  ['/chunks/0/0.png?layers=height,biome', 400, 'one layer'], ['/chunks/0/0.asc?layers=height,biome', 400, 'one layer'],
  ['/chunks/0/0.glb?layers=height,biome', 400, 'one layer'], ['/chunks/0/0.r32f?szie=64', 400, 'did you mean \\"size\\"'],
  ['/chunks/0/0.r32f?size=4&size=4', 400, 'more than once'], ['/chunks/0/0.r32f?zoom=3', 400, 'zoom'],
  ['/chunks/0/0.r32f?size=1024&apron=8&layers=height,biome,hills,detail', 413, '4194304 samples'],
  ['/worlds/tera/chunks/0/0.r32f', 404, 'terra'], ['/chunks/0.r32f', 404, ''], ['/chunks/0/0/0.r32f', 404, ''],
];

test('what is wrong with a chunk is said', async () => {
  for (const [target, status, word] of bad) {
    const response = await ask_(target);
    const body = await response.text();
    assert.equal(response.status, status, `${target}: ${body}`);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.ok(body.includes(word), `${target}: ${body}`);
    const { example } = JSON.parse(body);
    if (example) assert.equal((await ask_(example)).status, 200, example);
  }
});

const badBodies = [
  ['', 400, ''], ['[]', 400, 'object'], ['{}', 400, 'chunks'], ['{"chunks":{}}', 400, 'array'], ['{"chunks":[0]}', 400, 'chunks[0]'],
  ['{"chunks":[[0,0],[1]]}', 400, 'chunks[1]'], ['{"chunks":[[0,0,0]]}', 400, 'chunks[0]'], ['{"chunks":[[0,0.5]]}', 400, 'chunks[0]'],
  ['{"chunks":[["0","0"]]}', 400, 'chunks[0]'], ['{"chunks":[{"x":1,"y":2}]}', 400, 'chunks[0]'], ['{"chunks":[[null,0]]}', 400, 'chunks[0]'],
  ['{"chunks":[[0,99999999999999999999]]}', 400, 'chunks[0]'], ['{"chunks":[[0,0]],"size":0}', 400, 'size'],
  ['{"chunks":[[0,0]],"size":"64"}', 400, 'size'], ['{"chunks":[[0,0]],"size":null}', 400, 'size'], ['{"chunks":[[0,0]],"step":3}', 400, 'power of two'],
  ['{"chunks":[[0,0]],"apron":9}', 400, 'apron'], ['{"chunks":[[0,0]],"t":"now"}', 400, '\\"t\\"'], ['{"chunks":[[0,0]],"format":"bin"}', 400, 'r32f, r16'],
  ['{"chunks":[[0,0]],"format":7}', 400, 'format'], ['{"chunks":[[0,0]],"layers":"height"}', 400, 'array'], ['{"chunks":[[0,0]],"layers":[]}', 400, 'layers'],
  ['{"chunks":[[0,0]],"layers":[1]}', 400, 'names'], ['{"chunks":[[0,0]],"layers":["heigt"]}', 404, 'height'],
  ['{"chunks":[[0,0]],"layers":[""]}', 400, 'empty'], ['{"chunks":[[0,0]],"layers":["height","height"]}', 400, 'more than once'],
  ['{"chunks":[[0,0]],"format":"glb","layers":["height","biome"]}', 400, 'one layer'], ['{"chunks":[[0,0]],"chnks":1}', 400, 'did you mean'],
  ['{"chunks":[[0,0]],"chunks":[[0,0]]}', 400, 'chunks'], ['{"chunks":[[0,0]]} x', 400, ''], ['{"chunks":[[[[[0]]]]]}', 400, ''],
  [JSON.stringify({ chunks: Array.from({ length: 257 }, () => [0, 0]) }), 413, '256'],
  [JSON.stringify({ size: 1024, chunks: Array.from({ length: 4 }, () => [0, 0]) }), 413, '4194304'],
];

test('what is wrong with a batch is said', async () => {
  for (const [body, status, word] of badBodies) {
    const response = await ask_('/chunks', { method: 'POST', body });
    const answer = await response.text();
    assert.equal(response.status, status, `${body}: ${answer}`);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
    assert.ok(answer.includes(word), `${body}: ${answer}`);
  }
});

test('the descriptor of a world says where its chunks are, and how many samples they may have', async () => {
  const { urls, limits, fingerprint } = await (await ask_('/worlds/clock~7')).json();
  const values = { cx: -3, cy: 5, format: 'r32f' };
  const single = await load(urls.chunk.replace(/\{(\w+)\}/g, (_, key) => values[key]));
  assert.equal(single.headers.get('x-terrane-world'), fingerprint);
  assert.match(single.headers.get('cache-control'), /immutable/);
  const [{ payload }] = records((await post(urls.chunks, { chunks: [[-3, 5]] })).bytes);
  assert.ok(payload.equals(single.bytes));
  assert.equal(limits.chunks, 256);
  assert.equal(limits.chunk_samples, 4194304);
});

test('the methods are those of the routes', async () => {
  const wrong = await ask_('/chunks');
  assert.equal(wrong.status, 405);
  assert.equal(wrong.headers.get('allow'), 'POST, OPTIONS');
  assert.equal((await ask_('/chunks/0/0.r32f', { method: 'POST', body: '' })).status, 405);
  for (const target of ['/chunks', '/chunks/0/0.r32f']) assert.equal((await ask_(target, { method: 'OPTIONS' })).status, 204);
  assert.equal((await ask_('/chunks?size=3', { method: 'POST', body: '{}' })).status, 400);
});
