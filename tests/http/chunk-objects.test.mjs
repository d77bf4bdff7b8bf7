/* Objects in batches of chunks: a record behind each chunk's, with what /objects says of the same square. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { ask, decode } from './raw.mjs';
import { crc32, records } from './samples.mjs';

const grove = {
  generator: 1,
  seed: 'grove',
  layers: { height: '40 * fbm(wavelength=256, octaves=4)' },
  objects: {
    tree: { spacing: 8, density: '0.5', color: '#080' },
    rock: { spacing: 20, density: '0.4', color: '#888' },
    moss: { spacing: 3, density: '0.1 + 0.1 * fbm(wavelength=64, octaves=8)', color: '#0a0' },
  },
};
const thicket = { ...grove, objects: { reed: { spacing: 1, density: '1', color: '#080' } } };
const bald = { generator: 1, layers: { height: 'x' } };
const folder = temporaryFolder({ 'grove.json': grove, 'thicket.json': thicket, 'bald.json': bald });
const server = serverOfFile({ arguments: ['--worlds', folder.path, '--timeout', '120'] });

async function post(body, world = 'grove', url = server.url) {
  const response = await fetch(`${url}/worlds/${world}/chunks`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}
const json = async (path) => (await fetch(server.url + path)).json();

/* [{ samples, objects }], a pair of records for each chunk. */
function pairs(bytes) {
  const found = records(bytes);
  assert.equal(found.length % 2, 0);
  return Array.from({ length: found.length / 2 }, (_, i) => {
    const [samples, objects] = found.slice(2 * i, 2 * i + 2);
    assert.deepEqual([samples.magic, objects.magic, objects.version, objects.crc], ['TRNC', 'TRNO', 1, crc32(objects.payload)]);
    assert.deepEqual([objects.x, objects.y], [samples.x, samples.y]);
    return { samples, objects };
  });
}

/* The objects of a payload with the members that /objects writes. */
const objectsOf = (payload, kinds) => Array.from({ length: payload.length / 40 }, (_, i) => {
  const record = payload.subarray(40 * i, 40 * (i + 1));
  return {
    id: String(record.readBigUInt64LE(0)),
    kind: kinds[record.readUInt32LE(36)],
    x: Number(record.readBigInt64LE(8)) / 65536,
    y: Number(record.readBigInt64LE(16)) / 65536,
    height: record.readFloatLE(24),
    scale: record.readFloatLE(28),
    rotation: record.readFloatLE(32),
  };
});
const rounded = ({ height, scale, rotation, ...object }) => ({ ...object, ...Object.fromEntries(
  Object.entries({ height, scale, rotation }).map(([name, value]) => [name, Math.fround(value)])) });

test('a batch with objects has those that /objects lists for the same squares, behind the samples of the chunks', async () => {
  const kinds = (await json('/worlds/grove')).objects.map(({ name }) => name);
  const chunks = [[0, 0], [1, 0], [0, 0], [-3, 7], [2 ** 20, -(2 ** 21)]];
  for (const [size, step] of [[64, 1], [16, 8], [50, 0.5]]) {
    for (const format of ['r32f', 'r16z', 'glb']) {
      const order = { format, size, step, chunks };
      const found = pairs((await post({ ...order, objects: true, apron: 2 })).bytes);
      const alone = records((await post({ ...order, apron: 2 })).bytes);
      assert.deepEqual(found.map(({ samples }) => samples), alone);
      assert.ok(found.every(({ objects }) => objects.status === 200));
      for (const [i, [cx, cy]] of chunks.entries()) {
        const [x, y, side] = [cx * size * step, cy * size * step, size * step];
        const { objects } = await json(`/worlds/grove/objects?bbox=${x},${y},${x + side},${y + side}`);
        assert.deepEqual(objectsOf(found[i].objects.payload, kinds), objects.map(rounded), `${cx} ${cy} ${size} ${step}`);
        assert.ok(objects.length > 3 || size === 50);
      }
    }
  }
});

test('chunks side by side have each object once', async () => {
  const chunks = Array.from({ length: 16 }, (_, i) => [i % 4 - 2, Math.floor(i / 4) - 2]);
  const found = pairs((await post({ size: 32, objects: true, chunks })).bytes);
  const ids = found.flatMap(({ objects }) => objectsOf(objects.payload, []).map(({ id }) => id)).sort();
  const whole = await json('/worlds/grove/objects?bbox=-64,-64,64,64');
  assert.deepEqual(ids, whole.objects.map(({ id }) => id).sort());
});

test('a chunk beyond the edge has no objects, and neither has a world without kinds', async () => {
  const edge = 2 ** 34;
  const found = pairs((await post({ objects: true, chunks: [[edge - 1, 0], [edge, 0], [0, -edge - 1]] })).bytes);
  assert.deepEqual(found.map(({ samples, objects }) => [samples.status, objects.status]), [[200, 200], [404, 404], [404, 404]]);
  assert.deepEqual(found.map(({ objects }) => objects.payload.length > 0), [true, false, false]);
  const [{ objects }] = pairs((await post({ objects: true, chunks: [[0, 0]] }, 'bald')).bytes);
  assert.deepEqual([objects.status, objects.payload.length, objects.crc], [200, 0, 0]);
});

/* 128 × 128 cells with an object in each are more than 10,000. */
test('too many objects leave the samples of the chunk', async () => {
  const [{ samples, objects }] = pairs((await post({ size: 128, objects: true, chunks: [[0, 0]] }, 'thicket')).bytes);
  assert.deepEqual([samples.status, samples.payload.length], [200, 4 * 129 ** 2]);
  assert.deepEqual([objects.status, objects.payload.length], [413, 0]);
});

test('a batch with objects is that of a pinned world, or 410', async () => {
  const { fingerprint } = await json('/worlds/grove');
  const body = { size: 16, objects: true, chunks: [[0, 0], [5, 5]] };
  const pinned = await post(body, `grove@${fingerprint}`);
  assert.equal(pinned.headers.get('x-terrane-world'), fingerprint);
  assert.ok(pinned.bytes.equals((await post(body)).bytes));
  assert.equal((await post(body, `grove@g1-${'0'.repeat(32)}`)).status, 410);
});

test('a compressed batch has the same records', async () => {
  const body = { size: 64, objects: true, chunks: Array.from({ length: 40 }, (_, i) => [i, -i]) };
  const plain = (await post(body)).bytes;
  assert.equal(pairs(plain).length, 40);
  const text = JSON.stringify(body);
  for (const coding of ['gzip', 'zstd']) {
    const answer = await ask(server.port, `POST /worlds/grove/chunks HTTP/1.1\r\nHost: localhost\r\n`
      + `Accept-Encoding: ${coding}\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    assert.equal(answer.headers['content-encoding'], coding);
    assert.ok(decode(coding, answer.body).equals(plain));
  }
});

test('objects have a price, which no cache takes away', async () => {
  const cheap = await startServer({ arguments: ['--worlds', folder.path, '--request-cost', '20'] });
  try {
    const chunks = Array.from({ length: 200 }, (_, i) => [i, 0]);
    const fits = async (objects) => {
      const { status, bytes } = await post({ objects, chunks }, 'grove', cheap.url);
      return status === 413 ? JSON.parse(bytes).fits : chunks.length;
    };
    const [plain, furnished] = [await fits(false), await fits(true)];
    assert.ok(furnished > 0 && furnished < plain, `${furnished} of ${plain}`);
    assert.equal((await post({ objects: true, chunks: chunks.slice(0, furnished) }, 'grove', cheap.url)).status, 200);
    for (let first = 0; first < chunks.length; first += plain)
      assert.equal((await post({ chunks: chunks.slice(first, first + plain) }, 'grove', cheap.url)).status, 200);
    const cached = [await fits(false), await fits(true)];
    assert.ok(cached[0] === chunks.length && cached[1] < chunks.length, `${furnished} of ${plain}, then ${cached}`);
  } finally {
    await cheap.stop();
  }
});

test('"objects" is true or false, and of chunks alone', async () => {
  for (const value of [1, null, 'tree', ['tree']]) {
    const { status, bytes } = await post({ objects: value, chunks: [[0, 0]] });
    const { parameter, detail } = JSON.parse(bytes);
    assert.deepEqual([status, parameter], [400, 'objects']);
    assert.match(detail, /true or false/);
  }
  const { bytes } = await post({ objects: false, chunks: [[0, 0]] });
  assert.equal(records(bytes).length, 1);
  for (const path of ['digests', 'volumes']) {
    const body = JSON.stringify({ objects: true, [path === 'volumes' ? path : 'chunks']: [] });
    assert.equal((await fetch(`${server.url}/worlds/grove/${path}`, { method: 'POST', body })).status, 400, path);
  }
});

