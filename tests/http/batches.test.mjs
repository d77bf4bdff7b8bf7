/* Batches of chunks: the same samples as single chunks, made while they are sent, in the order asked, whoever reads,
 * in bounded memory. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { sanitizerMemory, startServer } from '../tools/server.mjs';
import { FORMATS, load, post, server, worlds } from './chunks.mjs';
import { answered, withBusyRenderer, counts, eventually, pause } from './busy.mjs';
import { Connection, ask, decode } from './raw.mjs';
import { crc32, floats, records, volumeRecords } from './samples.mjs';

test('a batch consists of the single chunks in the requested order', async () => {
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

/* The example of server/http/products/chunk_pieces.h; the CRC-32 is zlib's in Python. */
test('a batch has the bytes of the example', async () => {
  const { path } = temporaryFolder({ 'east.json': { generator: 1, layers: { height: 'x' } } });
  const east = await startServer({ arguments: ['--worlds', path] });
  try {
    const body = JSON.stringify({ size: 1, chunks: [[3, -2], [2 ** 40, 0]] });
    const response = await fetch(`${east.url}/worlds/east/chunks`, { method: 'POST', body });
    assert.equal(Buffer.from(await response.arrayBuffer()).toString('hex'), [
      '54524e430100c800', '0300000000000000feffffffffffffff', '10000000f7acec32', '00004040000080400000404000008040',
      '54524e4301009401', '00000000000100000000000000000000', '0000000000000000',
    ].join(''));
  } finally {
    await east.stop();
  }
});

test('a batch of volumes consists of the single volumes, with their least and greatest sample', async () => {
  const volumes = [...Array.from({ length: 12 }, (_, z) => [2, -1, z - 4]), [0, 0, 3], [2 ** 40, 0, 0], [0, 0, 3]];
  for (const [format, query] of [['r32f', 'size=8&step=4'], ['r8', 'size=20'], ['json', 'size=3&step=16']]) {
    const single = (place) => load(`/worlds/caves/volumes/${place.join('/')}.${format}?${query}`);
    const order = Object.fromEntries(query.split('&').map((pair) => pair.split('=')).map(([name, value]) => [name, Number(value)]));
    const before = [await single(volumes[0]), await single(volumes[5])]; /* then these are cached */
    const { bytes, headers } = await post('/worlds/caves/volumes', { format, ...order, volumes });
    assert.equal(headers.get('content-type'), 'application/vnd.terrane.volumes');
    assert.equal(headers.get('x-terrane-layers'), 'density');
    const found = volumeRecords(bytes);
    assert.deepEqual(found.map(({ place }) => place), volumes);
    assert.deepEqual(found.map(({ status }) => status), volumes.map(([x]) => x === 2 ** 40 ? 404 : 200));
    assert.deepEqual([before[0].bytes, before[1].bytes], [found[0].payload, found[5].payload]);
    for (const { magic, version, status, place, low, high, crc, payload } of found) {
      assert.deepEqual([magic, version, crc], ['TRNV', 1, crc32(payload)]);
      if (status === 404) continue;
      const alone = await single(place);
      assert.ok(payload.equals(alone.bytes), `${format} ${place}`);
      assert.deepEqual(['minimum', 'maximum'].map((name) => Math.fround(alone.headers.get(`x-terrane-${name}`))), [low, high]);
    }
  }
});

/* Density grows into the rock: the air above and the rock below have no zero. */
test('volumes without the surface have no payload', async () => {
  const volumes = Array.from({ length: 24 }, (_, i) => [5, 7, i - 4]);
  const body = { size: 16, step: 8, volumes };
  const all = volumeRecords((await post('/worlds/caves/volumes', body)).bytes);
  const some = volumeRecords((await post('/worlds/caves/volumes', { ...body, surface: 0 })).bytes);
  const crosses = all.map(({ payload }) => new Set(floats(payload).map(Math.sign)).size > 1);
  assert.deepEqual(some.map(({ status }) => status), crosses.map((has) => has ? 200 : 204));
  assert.deepEqual(some.map(({ payload }) => payload.length), crosses.map((has) => has ? 4 * 17 ** 3 : 0));
  assert.deepEqual(some.map(({ low, high }) => [low, high]), all.map(({ low, high }) => [low, high]));
  assert.ok(crosses.includes(true) && crosses.includes(false), crosses.join());
});

test('a batch of volumes is compressed, and limited like one of chunks', async () => {
  const body = { format: 'r8', size: 16, volumes: [[0, 0, 2], [0, 0, 3], [1, 0, 3]] };
  const plain = (await post('/worlds/caves/volumes', body)).bytes;
  for (const coding of ['gzip', 'zstd']) {
    const text = JSON.stringify(body);
    const { headers, body: bytes } = await ask(server.port, `POST /worlds/caves/volumes HTTP/1.1\r\nHost: localhost\r\n`
      + `Accept-Encoding: ${coding}\r\nContent-Length: ${text.length}\r\n\r\n${text}`);
    assert.equal(headers['content-encoding'], coding);
    assert.ok(decode(coding, bytes).equals(plain));
  }
  const large = JSON.stringify({ size: 31, volumes: Array.from({ length: 129 }, (_, i) => [i, 0, 0]) });
  const refused = await fetch(`${server.url}/worlds/caves/volumes`, { method: 'POST', body: large });
  const { allowed, parameter } = await refused.json();
  assert.deepEqual([refused.status, allowed, parameter], [413, '4194304 samples', 'size']);
  const dear = await startServer({ arguments: ['--request-cost', '20'] });
  const many = { size: 16, volumes: Array.from({ length: 100 }, (_, i) => [i, 0, 3]) };
  const post_ = (volumes) => fetch(`${dear.url}/worlds/caves/volumes`, { method: 'POST', body: JSON.stringify({ ...many, volumes }) });
  const problem = await (await post_(many.volumes)).json();
  assert.ok(problem.status === 413 && problem.fits > 0 && problem.fits < 100, JSON.stringify(problem));
  /* In this order: volumes that are cached cost nothing. */
  assert.equal((await post_(many.volumes.slice(0, problem.fits + 1))).status, 413);
  assert.equal((await post_(many.volumes.slice(0, problem.fits))).status, 200);
  await dear.stop();
});

test('a batch with nothing but places has the defaults of a chunk', async () => {
  const [{ payload }] = records((await post('/worlds/perlin/chunks', { chunks: [[7, 8]] })).bytes);
  assert.ok(payload.equals((await load('/worlds/perlin/chunks/7/8.r32f')).bytes));
  const layered = records((await post('/chunks', { layers: ['biome', 'height'], chunks: [[7, 8]] })).bytes);
  assert.ok(layered[0].payload.equals((await load('/chunks/7/8.r32f?layers=biome,height')).bytes));
  assert.equal((await post('/chunks', { chunks: [] })).bytes.length, 0);
});

test('a chunk beyond the edge of the world does not fail its batch', async () => {
  const edge = 2 ** 34; /* × 64 m = 2⁴⁰ m */
  const found = records((await post('/chunks', { chunks: [[edge - 1, 0], [edge, 0], [0, -edge - 1], [-edge, 1]] })).bytes);
  assert.deepEqual(found.map(({ status }) => status), [200, 404, 404, 200]);
  assert.deepEqual(found.map(({ payload }) => payload.length), [16900, 0, 0, 16900]);
  assert.equal(found[1].crc, 0);
});

test('a batch has up to 256 chunks and the configured number of samples', async () => {
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

const requestOf = (target, body, headers = '') => {
  const text = JSON.stringify(body);
  return `POST ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${text.length}\r\n\r\n${text}`;
};
const batch = async (order, headers, world = '') => {
  const answer = await ask(server.port, requestOf(`${world}/chunks`, order, headers));
  assert.equal(answer.status, 200, String(answer.body));
  return answer;
};
const single = async (x, y, query) => Buffer.from(await (await fetch(`${server.url}/chunks/${x}/${y}.${query}`)).arrayBuffer());

/* Every chunk equals the single chunk, in the order of the request. */
async function check(order, query) {
  const found = records((await batch(order)).body);
  assert.deepEqual(found.map(({ x, y }) => [Number(x), Number(y)]), order.chunks);
  for (const [i, { status, crc, payload, x, y }] of found.entries()) {
    assert.equal(status, 200);
    assert.equal(crc, crc32(payload));
    if (i % 7 === 0) assert.ok(payload.equals(await single(x, y, query)), `${x} ${y}`);
  }
}

const grid = (columns, rows, x = 0, y = 0) =>
  Array.from({ length: columns * rows }, (_, i) => [x + (i % columns), y + Math.floor(i / columns)]);
/* From the middle outwards, as a game requests chunks. */
const spiral = (radius) => grid(2 * radius + 1, 2 * radius + 1, -radius, -radius)
  .sort(([a, b], [c, d]) => Math.hypot(a, b) - Math.hypot(c, d));

test('neighbouring chunks of a batch equal single chunks', async () => {
  await check({ size: 16, chunks: grid(16, 16, -8, -8) }, 'r32f?size=16');
  await check({ size: 64, chunks: grid(9, 7, 3, -4) }, 'r32f?size=64');
  await check({ size: 16, chunks: spiral(6) }, 'r32f?size=16');
  await check({ size: 7, step: 32, apron: 3, chunks: grid(5, 20, -2, 9) }, 'r32f?size=7&step=32&apron=3');
  await check({ size: 8, format: 'glb', chunks: grid(8, 8, -4, -4) }, 'glb?size=8');
  await check({ size: 16, format: 'glb', apron: 2, chunks: grid(4, 4, -4, -4) }, 'glb?size=16&apron=2');
  await check({ size: 16, layers: ['biome', 'height', 'temperature'], chunks: grid(6, 6) }, 'r32f?size=16&layers=biome,height,temperature');
  await check({ size: 16, format: 'r16z', chunks: grid(3, 50) }, 'r16z?size=16');
  const edge = 2 ** 36;
  await check({ size: 16, chunks: grid(4, 4, edge - 4, -edge) }, 'r32f?size=16');
});

test('the order of a batch and repeated chunks change no sample', async () => {
  await check({ size: 16, chunks: grid(12, 12).reverse() }, 'r32f?size=16');
  await check({ size: 16, chunks: Array.from({ length: 200 }, (_, i) => [(i * 7919) % 1009, (i * 104729) % 997]) }, 'r32f?size=16');
  await check({ size: 16, chunks: Array.from({ length: 120 }, (_, i) => [i % 3, 0]) }, 'r32f?size=16');
});

test('chunks beyond the edge among neighbours have status 404', async () => {
  const edge = 2 ** 34;
  const chunks = [[edge - 2, 0], [edge - 1, 0], [edge, 0], [edge + 1, 0], [edge - 1, 1], [edge - 2, 1]];
  const found = records((await batch({ chunks })).body);
  assert.deepEqual(found.map(({ status }) => status), [200, 200, 404, 404, 200, 200]);
  assert.deepEqual(found.map(({ payload }) => payload.length), [16900, 16900, 0, 0, 16900, 16900]);
});

test('a batch is compressed while it is rendered, in pieces that form one body', async () => {
  for (const format of ['r32f', 'json']) {
    const order = { format, size: 16, chunks: grid(16, 16, -3, 5) };
    const plain = await batch(order);
    assert.equal(plain.headers['transfer-encoding'], 'chunked');
    for (const coding of ['gzip', 'zstd']) {
      const coded = await batch(order, `Accept-Encoding: ${coding}\r\n`);
      assert.equal(coded.headers['content-encoding'], coding);
      assert.ok(coded.body.length < 0.9 * plain.body.length);
      assert.ok(decode(coding, coded.body).equals(plain.body), `${format} ${coding}`);
      const fetched = await fetch(`${server.url}/chunks`,
        { method: 'POST', body: JSON.stringify(order), headers: { 'Accept-Encoding': coding === 'gzip' ? 'gzip' : 'identity' } });
      assert.ok(Buffer.from(await fetched.arrayBuffer()).equals(plain.body));
    }
  }
  const empty = await batch({ chunks: [] }, 'Accept-Encoding: gzip\r\n');
  assert.equal(empty.body.length, 0);
  assert.equal(empty.headers['content-encoding'], undefined);
});

test('a client that shuts down its sending side gets the whole batch, with one renderer too', async () => {
  const one = await startServer({ arguments: ['--renderers', '1', '--worlds', worlds.folder] });
  try {
    const connection = new Connection(one.port);
    connection.socket.allowHalfOpen = true;
    connection.socket.end(requestOf('/worlds/slow/chunks', { size: 32, chunks: grid(16, 16) }));
    const answer = await connection.answer();
    assert.equal(answer && records(answer.body).length, 256);
    connection.destroy();
  } finally {
    assert.equal(await one.stop(), 0);
  }
});

test('a batch whose body a render thread parses has the same headers', async () => {
  const [short, long] = [grid(4, 1), Array.from({ length: 256 }, (_, i) => [10 ** 9 + i, -(10 ** 9)])];
  const [one, other] = [await batch({ size: 1, chunks: short }), await batch({ size: 1, chunks: long })];
  for (const { headers } of [one, other]) delete headers.date;
  assert.ok(JSON.stringify(long).length > 4096);
  assert.deepEqual(other.headers, one.headers);
});

test('several batches follow each other on one connection', async () => {
  const connection = new Connection(server.port);
  const orders = [{ size: 16, chunks: grid(5, 5) }, { size: 4, chunks: grid(16, 16) }, { chunks: [] }, { size: 64, chunks: grid(3, 3) }];
  connection.send(orders.map((order) => requestOf('/chunks', order)).join(''));
  for (const { chunks } of orders) {
    const answer = await connection.answer();
    assert.equal(records(answer.body).length, chunks.length);
  }
  connection.destroy();
});

const resident = ({ pid }) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/* Sends a request and reads nothing. */
function dawdle(port, text) {
  const socket = net.connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.pause();
  socket.write(text);
  return socket;
}

test('50 slow readers of 256 chunks each use a bounded amount of memory and delay no other client', async (t) => {
  /* No timeout ends them during the test. */
  const patient = await startServer({ arguments: ['--send-timeout', '3600'] });
  const before_ = resident(patient);
  const text = (i) => requestOf('/worlds/perlin/chunks', { size: 127, chunks: grid(16, 16, 100 * i, 7) });
  const sockets = Array.from({ length: 50 }, (_, i) => dawdle(patient.port, text(i)));
  let most = 0;
  /* Waits until all requests have arrived and no chunk is being rendered. */
  for (let [made, same] = [0, 0]; same < 10;) {
    await pause(100);
    most = Math.max(most, resident(patient));
    const count = await counts(patient);
    const now = count('renders_total', { kind: 'batch' });
    const rests = count('requests_active') >= 50 && count('requests_waiting') === 0 && count('queue_length') === 0;
    same = rests && now === made ? same + 1 : 0;
    made = now;
  }
  /* The whole responses would be 50 times 16 MB. */
  const grown = most - before_;
  t.diagnostic(`${before_.toFixed(0)} MiB before, ${most.toFixed(0)} MiB at most: ${grown.toFixed(0)} MiB more`);
  assert.ok(grown < 120 + sanitizerMemory, `${grown} MiB`);
  const answer = await ask(patient.port, 'GET /chunks/5/5.r32f?size=32 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.equal(answer.status, 200);
  for (const socket of sockets) socket.destroy();
  assert.equal(await patient.stop(), 0);
});

test('a client that disconnects from a batch gives up its slots in the queue', () => withBusyRenderer(
  ['--worlds', worlds.folder, '--queue', '40'], async ({ server, whileBusy }) => {
    const waiting = async () => (await counts(server))('queue_length');
    const leaving = Array.from({ length: 12 }, () => new Connection(server.port));
    leaving.forEach((connection, i) => connection.send(requestOf('/worlds/slow/chunks', { size: 255, chunks: grid(4, 1, 9 * i, 3) })));
    try {
      await whileBusy(async () => await waiting() >= 20, 'half a queue');
    } finally {
      leaving.forEach((connection) => connection.destroy());
    }
    /* The last one, if nothing else waits, may only have ended its sending: four pieces. */
    await whileBusy(async () => await waiting() <= 4, 'room');
  }));

test('a client that disconnects from a batch leaves no job behind', async () => {
  for (let round = 0; round < 3; round++) {
    const sockets = Array.from({ length: 20 }, (_, i) => dawdle(server.port, requestOf('/chunks', { size: 64, chunks: grid(16, 16, 31 * i, round) })));
    await new Promise((resolve) => { setTimeout(resolve, 30 * round); });
    for (const socket of sockets) socket.destroy();
  }
  assert.equal(records((await batch({ size: 16, chunks: grid(4, 4) })).body).length, 16);
});

test('large responses are limited by the memory budget', async () => {
  const small = await startServer({ arguments: ['--answers-memory', '2M'] });
  try {
    const ask_ = (order) => ask(small.port, requestOf('/worlds/perlin/chunks', order));
    assert.equal((await ask_({ size: 255, chunks: [[0, 0], [1, 0]] })).status, 200);
    const refused = await ask_({ size: 1023, chunks: [[0, 0]] });
    assert.equal(refused.status, 503);
    assert.ok(refused.headers['retry-after']);
    assert.equal((await ask(small.port, 'GET /chunks/0/0.r32f?size=1023 HTTP/1.1\r\nHost: localhost\r\n\r\n')).status, 503);
    /* Chunks that do not fit into the budget wait, and are sent later. */
    assert.equal(records((await ask_({ size: 127, chunks: grid(16, 16) })).body).length, 256);
    const many = await Promise.all(Array.from({ length: 4 }, (_, i) => ask_({ size: 200, chunks: grid(4, 4, 9 * i) })));
    for (const { status, body } of many) assert.ok(status === 503 || records(body).length === 16);
    assert.ok(many.some(({ status }) => status === 200));
  } finally {
    assert.equal(await small.stop(), 0);
  }
});

/* A batch of 25 chunks of 65 × 65 samples is three pieces. Twenty wait of those that come first, which is half of the queue, and
 * one of each that follows; so 24 batches need less than the 40 places that 14 batches would fill alone. */
test('batches that come at once share the queue, and all get their chunks', () => withBusyRenderer(
  ['--queue', '40'], async ({ server, whileBusy }) => {
    const waiting = async () => (await counts(server))('queue_length');
    const players = Array.from({ length: 24 }, () => new Connection(server.port));
    try {
      for (const [i, player] of players.entries()) {
        player.send(requestOf('/worlds/perlin/chunks', { size: 64, chunks: grid(5, 5, 500 * i) }));
        await whileBusy(async () => await waiting() > i, `a piece of player ${i}`);
      }
      assert.ok(await waiting() >= players.length);
      const answers = await Promise.all(players.map((player) => player.answer()));
      assert.deepEqual(answers.map(({ status }) => status), players.map(() => 200));
      for (const { body } of answers) assert.deepEqual(records(body).map(({ status }) => status), Array(25).fill(200));
    } finally {
      players.forEach((player) => player.destroy());
    }
  }));

test('a full queue gives 503 for a batch, but not for the chunks of one that has begun', () => withBusyRenderer(
  ['--queue', '1', '--worlds', worlds.folder], async ({ server: narrow, whileBusy }) => {
    const connections = Array.from({ length: 12 }, () => new Connection(narrow.port));
    try {
      connections.forEach((connection, i) => connection.send(requestOf('/worlds/slow/chunks', { size: 32, chunks: grid(8, 8, 9 * i) })));
      /* One part of one batch waits in the queue, and nothing of the others. */
      await whileBusy(() => answered(connections) >= 11, 'the answers of all but one');
      const answers = await Promise.all(connections.map((connection) => connection.answer()));
      assert.ok(answers.some(({ status }) => status === 503));
      for (const { status, body } of answers) {
        assert.ok([200, 503].includes(status));
        if (status !== 200) continue;
        const found = records(body);
        assert.equal(found.length, 64);
        for (const record of found) {
          assert.equal(record.status, 200);
          assert.equal(record.payload.length, 4 * 33 * 33);
          assert.equal(record.crc, crc32(record.payload));
        }
      }
    } finally {
      connections.forEach((connection) => connection.destroy());
    }
  }));

test('shutdown waits for batches that clients are reading', async () => {
  const ending = await startServer({ arguments: ['--drain', '3600', '--send-timeout', '3600'] });
  const connection = new Connection(ending.port);
  connection.send(requestOf('/worlds/perlin/chunks', { size: 100, chunks: grid(16, 16) }));
  await connection.until(() => connection.received.length > 1000, 'the beginning');
  connection.socket.pause();
  const stopped = ending.stop();
  await eventually(() => fetch(`${ending.url}/livez`).then(() => false, () => true), 'the end to begin');
  connection.socket.resume();
  const answer = await connection.answer();
  assert.equal(records(answer.body).length, 256);
  connection.destroy();
  assert.equal(await stopped, 0);
});

/* Meshes of 64 × 64 vertices: 4096 · 68 bytes each. */
const meshes = (count) => ({
  method: 'POST',
  headers: { 'accept-encoding': 'identity' },
  body: JSON.stringify({ format: 'glb', size: 63, chunks: Array.from({ length: count }, (_, i) => [i % 16, Math.floor(i / 16)]) }),
});

/* Milliseconds, by the answer of a server that allows less. */
async function priceOf(batch) {
  const strict = await startServer({ arguments: ['--request-cost', '1'] });
  try {
    const { detail } = await (await fetch(`${strict.url}/worlds/perlin/chunks`, batch)).json();
    return Number(/^this would cost (\d+\.\d) ms/.exec(detail)[1]);
  } finally {
    await strict.stop();
  }
}

/* 2.5 ms a second: a piece that waits takes some 4 ms. */
test('a client that has spent what it may waits for the next pieces of its batch', async () => {
  const limited = await startServer({ arguments: ['--client-cost', '5', '--client-burst', '1', '--client-loopback', '1'] });
  try {
    const answer = await fetch(`${limited.url}/worlds/perlin/chunks`, meshes(32));
    const bytes = answer.arrayBuffer();
    await eventually(async () => (await counts(limited))('render_seconds_count', { kind: 'batch' }) > 0
      && (await counts(limited))('requests_waiting') > 0, 'the wait for payment');
    const found = records(Buffer.from(await bytes));
    assert.deepEqual(found.map(({ status }) => status), Array(32).fill(200));
  } finally {
    assert.equal(await limited.stop(), 0);
  }
});

/* Two pieces are paid at once; the next one is due in some ten seconds. */
test('a client that would wait too long for the next pieces of its batch is told 429 for them', async () => {
  const limited = await startServer({ arguments: ['--client-cost', '1', '--client-burst', '20', '--client-loopback', '1', '--deadline', '1'] });
  try {
    const answer = await fetch(`${limited.url}/worlds/perlin/chunks`, meshes(128));
    const statuses = records(Buffer.from(await answer.arrayBuffer())).map(({ status }) => status);
    const paid = statuses.indexOf(429);
    assert.ok(paid > 0 && paid < 128);
    assert.deepEqual(statuses, [...Array(paid).fill(200), ...Array(128 - paid).fill(429)]);
  } finally {
    assert.equal(await limited.stop(), 0);
  }
});

/* The same. */
for (const [what, leave] of [
  ['a client that leaves its batch pays for the pieces that were made', (connection) => connection.destroy()],
  ['a server that ends does not wait for the payment of a batch', (_, paid) => paid.stop()],
]) {
  test(what, async () => {
    const folder = temporaryFolder();
    const log = `${folder.path}/access.log`;
    const paid = await startServer({ arguments: ['--client-cost', '1', '--client-burst', '20', '--client-loopback', '1',
      '--drain', '0', '--access-log', log] });
    try {
      const batch = meshes(128);
      const price = await priceOf(batch);
      const connection = net.connect(paid.port, '127.0.0.1');
      let last = '';
      connection.on('data', (data) => { last = data.toString('latin1').slice(-5); }).on('error', () => {});
      const closed = new Promise((resolve) => { connection.on('close', resolve); });
      connection.write(`POST /worlds/perlin/chunks HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${batch.body.length}\r\n\r\n${batch.body}`);
      await eventually(async () => (await counts(paid))('render_seconds_count', { kind: 'batch' }) > 0
        && (await counts(paid))('requests_waiting') > 0, 'the wait for payment');
      await leave(connection, paid);
      await closed;
      assert.notEqual(last, '0\r\n\r\n'); /* the end of a chunked body */
      const line = await eventually(() => readFileSync(log, 'utf8').split('\n').find((each) => each.includes('/chunks')), 'the line of the log');
      const { cost } = JSON.parse(line);
      assert.ok(cost > 0 && cost < price * 1e6 / 2, `${cost} of ${price} ms`);
    } finally {
      assert.equal(await paid.stop(), 0);
      folder.remove();
    }
  });
}
