/* POST /heights for points that lie far from each other: answered in pieces that wait, are paid and are limited each
 * for itself. The heights are those of single places (/at), whatever the pieces are. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import clock from '../tools/limit-clock.cjs';
import { startServer } from '../tools/server.mjs';
import { counts, eventually, pause } from './busy.mjs';
import { Connection } from './raw.mjs';

const BINARY = 'application/octet-stream';
const PIECE = 100e6; /* nanoseconds that a piece may cost */

/* Points anywhere within 1000 km, the same in every run. */
function scattered(count, seed = 7) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.round((state / 2 ** 32 - 0.5) * 2e6);
  };
  return Array.from({ length: count }, () => [next(), next()]);
}

const ask = (server, points, more = {}) => fetch(`${server.url}/heights`, { method: 'POST', body: JSON.stringify({ points, ...more }) });
async function heightsOf(server, points, more) {
  const response = await ask(server, points, more);
  assert.equal(response.status, 200, response.status === 200 ? '' : await response.clone().text());
  return (await response.json()).heights.map(Math.fround);
}
const pieces = async (server) => (await counts(server))('renders_total', { kind: 'question' });
const rawPost = (points) => {
  const body = JSON.stringify({ points });
  return `POST /heights HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

async function withServer(words, act) {
  const server = await startServer({ arguments: words });
  try {
    return await act(server);
  } finally {
    assert.equal(await server.stop(), 0, server.complaints());
  }
}

test('points that are scattered over 1000 km are answered in pieces, in their order', async () => {
  const folder = temporaryFolder();
  const points = scattered(700);
  let jobs;
  await withServer(['--access-log', folder.file('log')], async (server) => {
    const heights = await heightsOf(server, points);
    jobs = await pieces(server);
    assert.ok(new Set(heights).size > 690);
    for (let i = 0; i < points.length; i += 70) {
      const [x, y] = points[i];
      const { layers } = await (await fetch(`${server.url}/at?x=${x}&y=${y}`)).json();
      assert.equal(heights[i], Math.fround(layers.height), `${points[i]}`);
    }
    assert.deepEqual(await heightsOf(server, points.toReversed()), heights.toReversed());
    const bytes = Buffer.alloc(16 * points.length);
    points.flat().forEach((metres, i) => bytes.writeDoubleLE(metres, 8 * i));
    const binary = await fetch(`${server.url}/heights`, { method: 'POST', body: bytes, headers: { 'Content-Type': BINARY, Accept: BINARY } });
    assert.equal(binary.status, 200);
    const floats = Buffer.from(await binary.arrayBuffer());
    assert.deepEqual(points.map((_, i) => floats.readFloatLE(4 * i)), heights);
  });
  const [{ cost }] = readFileSync(folder.file('log'), 'utf8').split('\n').map((line) => line && JSON.parse(line));
  assert.ok(jobs >= 5 && cost <= jobs * PIECE, `${cost} ns in ${jobs} pieces`);
  assert.ok(cost >= (jobs - 1) * PIECE / 2, 'pieces are not needlessly small');
});

test('points that lie near each other are one piece', () => withServer([], async (server) => {
  const points = scattered(10000).map(([x, y]) => [x / 5000, y / 5000]);
  assert.equal((await heightsOf(server, points)).length, 10000);
  assert.equal(await pieces(server), 1);
}));

/* 10 ms of computing: the price of some points. */
test('no piece costs more than a request may', () => withServer(['--request-cost', '20'], async (server) => {
  const points = scattered(60);
  const heights = await heightsOf(server, points);
  assert.ok(await pieces(server) >= 6);
  await withServer([], async (other) => assert.deepEqual(await heightsOf(other, points), heights));
}));

test('a point that alone costs more than a request may is refused', () => withServer(['--request-cost', '1'], async (server) => {
  const response = await ask(server, scattered(2));
  const { detail, fits, example } = await response.json();
  assert.equal(response.status, 413);
  assert.match(detail, /^this would cost \d+\.\d ms of computing, and a request may cost 0\.5 ms; ask for a lower zoom or another layer$/);
  assert.deepEqual([fits, example], [undefined, '/heights']);
  assert.equal(await pieces(server), 0);
}));

test('others are served between two pieces', () => withServer(['--renderers', '1'], async (server) => {
  const connection = new Connection(server.port);
  connection.send(rawPost(scattered(10000)));
  await eventually(async () => await pieces(server) > 0, 'the first piece');
  for (const target of ['/tiles/relief/9/255/255.png', '/tiles/relief/9/300/200.png']) {
    assert.equal((await fetch(server.url + target)).status, 200);
    assert.equal(connection.received.length, 0, target);
  }
  connection.socket.resetAndDestroy();
}));

/* The queue has room for some of these tiles, but for a piece only when it is empty: where two tiles wait
 * while a piece is rendered, the next piece finds one of them there. */
const FULL_BY_COST = ['--renderers', '1', '--queue-cost', '80', '--cache-memory', '0', '--deadline', '3600'];
test('a piece that finds the queue full is tried again', () => withServer(FULL_BY_COST, async (server) => {
  let isDone = false;
  const all = heightsOf(server, scattered(600)).finally(() => { isDone = true; });
  all.catch(() => {});
  await eventually(async () => await pieces(server) > 0, 'the first piece');
  const statuses = new Set();
  let isFull = false;
  const flood = async (x) => {
    for (let y = 0; !isDone && !(isFull && statuses.has(503)); y++)
      statuses.add((await fetch(`${server.url}/tiles/height/12/${2000 + x}/${2000 + (y % 50)}.r32f`)).status);
  };
  const floods = Array.from({ length: 24 }, (_, x) => flood(x));
  await eventually(async () => isDone || (await counts(server))('queue_length') >= 2, 'tiles in the queue');
  assert.ok(!isDone);
  isFull = true;
  await Promise.all(floods);
  assert.equal((await all).length, 600);
  assert.deepEqual([...statuses].sort(), [200, 503]);
}));

/* Hundreds of pieces. */
test('a client that breaks the connection stops the rest', () => withServer(['--renderers', '1'], async (server) => {
  const connection = new Connection(server.port);
  connection.send(rawPost(scattered(10000)));
  await eventually(async () => await pieces(server) > 0, 'the first piece');
  connection.socket.resetAndDestroy();
  await eventually(async () => (await counts(server))('requests_waiting') === 0, 'the end of the request');
  const made = await pieces(server);
  assert.ok(made < 40, `${made} pieces`);
  await pause(300);
  assert.equal(await pieces(server), made);
  assert.equal((await counts(server))('shed_total', { reason: 'abandoned' }), 1);
}));

/* It looks like one that has only ended its sending, and is rendered for no longer than a request waits. */
test('a client that closes stops the rest after the deadline', () => withServer(['--renderers', '1', '--deadline', '1'], async (server) => {
  const connection = new Connection(server.port);
  connection.send(rawPost(scattered(10000)));
  await eventually(async () => await pieces(server) > 0, 'the first piece');
  connection.socket.destroy();
  await eventually(async () => (await counts(server))('requests_waiting') === 0, 'the end of the request');
  assert.equal((await counts(server))('shed_total', { reason: 'abandoned' }), 1);
}));

test('a client that ends its sending gets its heights', () => withServer(['--deadline', '3600'], async (server) => {
  const points = scattered(300);
  const connection = new Connection(server.port);
  connection.socket.end(rawPost(points));
  const { status, body } = await connection.answer();
  assert.equal(status, 200);
  assert.equal(JSON.parse(body).heights.length, 300);
}));

const limited = (cost, burst, ...more) => ['--client-cost', `${cost}`, '--client-burst', `${burst}`, '--client-loopback', '1', ...more];

/* The limit is 100 ms, and 100 ms more in a second; each piece takes some 60 ms. */
test('a client that has spent its limit waits for the next piece', () => withServer(limited(200, 1), async (server) => {
  const points = scattered(300);
  const began = performance.now();
  const heights = await heightsOf(server, points);
  assert.ok(performance.now() - began > 1000);
  await withServer([], async (other) => assert.deepEqual(await heightsOf(other, points), heights));
}));

/* The limit is 100 ms, and 1 ms more in a second. */
test('a client that would have to wait longer than the deadline gets 429', () => withServer(limited(2, 100, '--deadline', '1'), async (server) => {
  const response = await ask(server, scattered(600));
  const { detail } = await response.json();
  assert.equal(response.status, 429, detail);
  assert.match(detail, /more rendering than one client may/);
  assert.ok(Number(response.headers.get('retry-after')) > 1);
  let [before, made] = [0, await pieces(server)];
  assert.ok(made >= 1);
  /* What is left may be enough for its first piece, some times: another one was refused. Other points, as those
   * that are known take less time, which is given back. */
  for (let tries = 0; made > before; tries++) {
    assert.ok(tries < 10, 'the first piece of another request is refused at once');
    const again = await ask(server, scattered(600, 8 + tries));
    assert.equal(again.status, 429);
    [before, made] = [made, await pieces(server)];
  }
}));

/* Its render thread waits for everything beside it, which may be long. */
/* Of two answers that take turns, a piece of one waits in the queue while one of the other is made. */
test('a server that stops ends answers between two pieces', { timeout: 120_000 }, async () => {
  const server = await startServer({ arguments: ['--renderers', '1', '--drain', '1'] });
  const ended = [];
  const answers = [7, 8].map((seed) => ask(server, scattered(10000, seed))
    .then((response) => response.status, (error) => `${error.cause}`).then((status) => ended.push(status)));
  await eventually(async () => ended.length > 0 || await pieces(server) > 3, 'the first pieces');
  assert.deepEqual(ended, [], 'the answers wait for their pieces');
  const began = clock.now();
  assert.equal(await server.stop(), 0, server.complaints());
  assert.ok(clock.now() - began < 15000);
  await Promise.all(answers);
  assert.deepEqual(ended, [503, 503]);
});
