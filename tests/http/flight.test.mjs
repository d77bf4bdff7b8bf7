/* Many clients at once: single flight, overload, and the end. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { makeWorlds } from './fixture.mjs';
import { Connection, get } from './raw.mjs';

let worlds;
before(() => {
  worlds = makeWorlds();
});
after(() => worlds.remove());

const start = (...more) => startServer({ arguments: ['--worlds', worlds.folder, ...more] });

/* Answers of so many connections that ask for their path at the same time. */
async function askTogether(port, paths) {
  const connections = paths.map(() => new Connection(port));
  try {
    await Promise.all(connections.map((connection) => connection.until(() => !connection.socket.connecting, 'connecting')));
    connections.forEach((connection, i) => connection.send(get(paths[i])));
    return await Promise.all(connections.map((connection) => connection.answer()));
  } finally {
    connections.forEach((connection) => connection.destroy());
  }
}

const count = (answers, name) => answers.filter(({ headers }) => headers['x-terrane-cache'] === name).length;

test('1000 requests for one cold tile render it once', async () => {
  const server = await start();
  try {
    const answers = await askTogether(server.port, Array(1000).fill('/worlds/slow/tiles/height/9/256/256.png'));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(count(answers, 'render'), 1);
    assert.equal(count(answers, 'memory'), 999);
    assert.ok(answers.every(({ body }) => body.equals(answers[0].body)));
    assert.equal(new Set(answers.map(({ headers }) => headers.etag)).size, 1);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('the first client may leave', async () => {
  const server = await start('--renderers', '1');
  try {
    for (let round = 0; round < 5; round++) {
      const path = `/worlds/slow/tiles/height/10/${round}/0@2x.png`;
      const first = new Connection(server.port);
      const others = Array.from({ length: 20 }, () => new Connection(server.port));
      first.send(get(path));
      await new Promise((resolve) => setTimeout(resolve, 3));
      others.forEach((connection) => connection.send(get(path)));
      first.socket.resetAndDestroy();
      const answers = await Promise.all(others.map((connection) => connection.answer()));
      others.forEach((connection) => connection.destroy());
      assert.ok(answers.every(({ status }) => status === 200));
      assert.ok(count(answers, 'render') <= 1);
    }
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('beyond the queue the answer is 503 with Retry-After, and it passes', async () => {
  const server = await start('--renderers', '1', '--queue', '4');
  try {
    const paths = Array.from({ length: 60 }, (_, i) => `/worlds/slow/tiles/height/8/${i}/0.png`);
    const answers = await askTogether(server.port, paths);
    const refused = answers.filter(({ status }) => status === 503);
    assert.ok(answers.every(({ status }) => status === 200 || status === 503));
    assert.ok(refused.length >= 30, `${refused.length} of 60 were refused`);
    for (const { headers, body } of refused) {
      assert.ok(Number(headers['retry-after']) > 0);
      assert.equal(headers['content-type'], 'application/problem+json');
      assert.equal(JSON.parse(body).status, 503);
    }
    assert.equal((await fetch(server.url + paths[59])).status, 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

/* Connections with these tiles asked for, one of them answered: so the others are in the queue, for
 * a loop takes a request in far less time than a slow tile takes. */
async function fillQueue(port, paths) {
  const connections = paths.map(() => new Connection(port));
  connections.forEach((connection, i) => connection.send(get(paths[i])));
  await Promise.any(connections.map((connection) => connection.until(() => connection.received.length > 0, 'a tile')));
  return connections;
}

const answered = (connections) => connections.filter(({ received }) => received.length > 0).length;

test('questions and seeds overtake tiles', async () => {
  const server = await start('--renderers', '1');
  const connections = await fillQueue(server.port,
    Array.from({ length: 40 }, (_, i) => `/worlds/slow/tiles/height/8/${i}/0@2x.png`));
  try {
    for (const path of ['/worlds/clock/at?x=1&y=2', '/worlds/clock~9/at?x=1&y=2']) {
      assert.equal((await fetch(server.url + path)).status, 200);
    }
    const body = '{"points":[[0,0]]}';
    assert.equal((await fetch(`${server.url}/worlds/clock/heights`, { method: 'POST', body })).status, 200);
    /* Four jobs, each behind one tile that is being painted and at times one whose turn it is. */
    const before_ = answered(connections);
    assert.ok(before_ < 30, `${before_} of 40 tiles came first`);
  } finally {
    connections.forEach((connection) => connection.destroy());
    assert.equal(await server.stop(), 0);
  }
});

test('tiles for clients that left are not painted while others wait', async () => {
  const server = await start('--renderers', '1');
  const paths = (y) => Array.from({ length: 40 }, (_, i) => `/worlds/slow/tiles/height/8/${i}/${y}@2x.png`);
  const gone = await fillQueue(server.port, paths(2));
  try {
    /* Two of them stay, one that is alone and one whose leader goes. */
    const follower = new Connection(server.port);
    follower.send(get(paths(2)[38]));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const kept = gone.pop();
    gone.forEach((connection) => connection.destroy());
    for (const connection of [kept, follower]) assert.equal((await connection.answer()).status, 200);
    const late = new Connection(server.port);
    late.send(get('/worlds/clock/tiles/height/3/1/1.png'));
    assert.equal((await late.answer()).status, 200);
    for (const connection of [kept, follower, late]) connection.destroy();
    /* Those that nobody had painted are painted now. */
    const states = await Promise.all(paths(2).map(async (path) => {
      const response = await fetch(server.url + path, { method: 'HEAD' });
      return response.headers.get('x-terrane-cache');
    }));
    const painted = states.filter((state) => state === 'memory').length;
    assert.ok(painted >= 3 && painted < 30, `${painted} of 40 had been painted`);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a client that only ends its sending is answered', async () => {
  const server = await start('--renderers', '1');
  try {
    const connection = new Connection(server.port);
    connection.socket.allowHalfOpen = true;
    connection.socket.end(get('/worlds/slow/tiles/height/8/0/3@2x.png'));
    assert.equal((await connection.answer()).status, 200);
    connection.destroy();
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a world with a seed that is compiled for many at once', async () => {
  const server = await start();
  try {
    const answers = await askTogether(server.port, Array(100).fill('/worlds/terra~%C3%A4/tiles/relief/6/33/30.png'));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(count(answers, 'render'), 1);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('SIGTERM: what has begun is answered, what is new is refused, the status is 0', async () => {
  const server = await start('--renderers', '1', '--drain', '60');
  const paths = Array.from({ length: 10 }, (_, i) => `/worlds/slow/tiles/height/7/${i}/0@2x.png`);
  const busy = paths.map(() => new Connection(server.port));
  const idle = new Connection(server.port);
  idle.send(get('/readyz'));
  assert.equal((await idle.answer()).status, 200);
  busy.forEach((connection, i) => connection.send(get(paths[i])));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const stopped = server.stop();
  await new Promise((resolve) => setTimeout(resolve, 20));
  idle.send(get('/readyz'));
  const late = await idle.answer();
  const answers = await Promise.all(busy.map((connection) => connection.answer()));
  assert.deepEqual(answers.map((answer) => answer?.status), Array(10).fill(200));
  assert.equal(late?.status, 503);
  assert.ok(Number(late.headers['retry-after']) > 0);
  assert.equal(await stopped, 0);
  await assert.rejects(fetch(`${server.url}/livez`));
  assert.equal(server.complaints(), '');
});

test('SIGTERM while clients are half-way through a request or read nothing', async () => {
  const server = await start('--drain', '1');
  const half = new Connection(server.port);
  half.send('GET /livez HTTP/1.1\r\nHo');
  const body = new Connection(server.port);
  body.send('POST /heights HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{');
  const deaf = new Connection(server.port);
  deaf.socket.pause();
  deaf.send(get('/tiles/relief/6/31/31@2x.png').repeat(200));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const started = Date.now();
  assert.equal(await server.stop(), 0);
  assert.ok(Date.now() - started < 5000);
  for (const connection of [half, body, deaf]) connection.destroy();
});

test('two servers cannot have one port', async () => {
  const server = await start();
  try {
    const other = startServer({ arguments: ['--port', String(server.port)] });
    await assert.rejects(other, /in use/);
  } finally {
    await server.stop();
  }
});
