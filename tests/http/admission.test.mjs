/* What a request may cost, what may wait and for how long, and what one client may ask for. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { makeWorlds } from './fixture.mjs';
import { Connection, ask, get } from './raw.mjs';

let worlds;
before(() => {
  worlds = makeWorlds();
});
after(() => worlds.remove());

const start = (...more) => startServer({ arguments: ['--worlds', worlds.folder, ...more] });
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const slow = (x, y = 0) => `/worlds/slow/tiles/height/8/${x}/${y}@2x.png`;

/* The document of a problem, checked for what all have. */
async function problem(response, status, type) {
  assert.equal(response.status, status);
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  const document = await response.json();
  assert.equal(document.type, `https://terrane.dev/problems/${type}`);
  assert.equal(document.status, status);
  return document;
}

const post = (path, body) => [path, { method: 'POST', body: JSON.stringify(body) }];
const box = 'bbox=-5000,-5000,5000,5000';

test('what costs more than a request may is 413, before it is made', async () => {
  const server = await start('--request-cost', '1');
  const dear = [
    ['/tiles/9/200/200.png'], ['/tiles/9/200/200@2x.webp'], ['/tiles/13/4000/4000.mvt'], ['/tiles/9/1/1.r32f'],
    ['/tiles/9/1/1.ansi'], ['/chunks/0/0.r32f?size=1024'], ['/chunks/0/0.json?size=512'],
    ['/worlds/caves/volumes/0/0/0.r32f?size=64'], post('/chunks', { size: 256, chunks: [[0, 0], [0, 1]] }),
    post('/chunks', { size: 64, chunks: Array.from({ length: 256 }, (_, i) => [1e12 + i, 1e12]), format: 'r16z' }),
    [`/stats?${box}`], ['/profile?line=0,0;90000,0&samples=4096'], ['/sight?from=0,0,2&to=90000,0,2'],
    ['/locate?min_height=9000&x=0&y=0'], ['/spawn?x=0&y=0'], [`/objects?${box}`], [`/diff?b=terra~2&${box}`],
    ['/verify?chunk=0,0&size=512'], post('/heights', { points: Array(10000).fill([1, 2]) }),
  ];
  try {
    for (const [path, options] of dear) {
      const document = await problem(await fetch(server.url + path, options), 413, 'too-large');
      const cost = /^this would cost (\d+\.\d) million octave-samples, and a request may cost 1 million; ask for \w/.exec(document.detail);
      assert.ok(cost, `${path}: ${document.detail}`);
      assert.ok(Number(cost[1]) > 1);
      assert.equal(document.allowed, '1 million octave-samples');
      assert.match(document.example, /^\//);
    }
    for (const path of ['/tiles/9/1/1.json?size=8', '/chunks/0/0.r32f?size=32', '/at?x=1&y=2', '/explain?x=1&y=2', '/worlds',
      '/worlds/terra', '/style.json', '/wmts.xml', '/worlds/wood~x/at?x=1&y=2', '/worlds/perlin/tiles/height/3/4/2.json']) {
      assert.equal((await fetch(server.url + path)).status, 200, path);
    }
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

/* Answers to so many requests at once, with the milliseconds that each took. */
async function askAll(port, paths) {
  const connections = paths.map(() => new Connection(port));
  await Promise.all(connections.map((connection) => connection.until(() => !connection.socket.connecting, 'connecting')));
  const began = performance.now();
  try {
    return await Promise.all(connections.map(async (connection, i) => {
      connection.send(get(paths[i]));
      const answer = await connection.answer();
      return { ...answer, took: performance.now() - began };
    }));
  } finally {
    connections.forEach((connection) => connection.destroy());
  }
}

test('the queue is bounded by cost: beyond it 503, at once, with Retry-After', async () => {
  /* Two or three of those tiles. */
  const server = await start('--renderers', '1', '--queue-cost', '200');
  try {
    await fetch(server.url + slow(1000));
    const answers = await askAll(server.port, Array.from({ length: 40 }, (_, i) => slow(i)));
    const refused = answers.filter(({ status }) => status === 503);
    assert.ok(answers.every(({ status }) => status === 200 || status === 503));
    assert.ok(refused.length >= 20, `${refused.length} of 40 were refused`);
    for (const { headers, body } of refused) {
      assert.ok(headers['retry-after'] >= 1 && headers['retry-after'] <= 60);
      assert.equal(JSON.parse(body).type, 'https://terrane.dev/problems/busy');
    }
    assert.equal((await fetch(server.url + slow(500))).status, 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('one alone may cost more than the queue', async () => {
  const server = await start('--queue-cost', '1');
  try {
    assert.equal((await fetch(server.url + slow(0))).status, 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('who waits longer than the deadline is answered 503, and is not rendered', async () => {
  const server = await start('--renderers', '1', '--deadline', '1', '--queue', '1000', '--queue-cost', '1000000');
  const chunk = (x) => `/worlds/slow/chunks/${x}/0.r32f?size=512`;
  const stats = (x) => `/worlds/slow/stats?bbox=${x},0,${x + 512},512&samples=512`;
  const paths = Array.from({ length: 200 }, (_, i) => [slow(i), slow(i), chunk(i), stats(i)]).flat();
  try {
    const answers = await askAll(server.port, paths);
    const late = answers.filter(({ status }) => status === 503);
    assert.ok(answers.every(({ status }) => status === 200 || status === 503));
    assert.ok(late.length > 100, `${late.length} of ${paths.length} were late`);
    for (const { took, headers, body } of late) {
      assert.ok(took > 900 && took < 3000, `${took} ms`);
      assert.ok(headers['retry-after'] >= 1);
      assert.match(JSON.parse(body).detail, /waited too long/);
    }
    /* The queue is empty: those that nobody waits for any more are out of it. What is being made is
     * made to its end, so a second one is measured. */
    await fetch(server.url + slow(5000));
    const began = performance.now();
    assert.equal((await fetch(server.url + slow(5001))).status, 200);
    const alone = performance.now() - began;
    assert.ok(alone * late.length > 1000, `${late.length} of ${alone} ms would have taken longer than this test`);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

for (const [what, path] of [
  ['a tile', (x) => `/worlds/slow/tiles/height/8/${x}/0.png`],
  ['a chunk', (x) => `/worlds/slow/chunks/${x}/0.r32f?size=200`],
  ['a question', (x) => `/worlds/slow/stats?bbox=${x},0,${x + 512},512&samples=90`],
]) {
  test(`a client that leaves frees its place: ${what}`, async () => {
    const server = await start('--renderers', '1', '--queue', '40');
    try {
      const leaving = Array.from({ length: 60 }, () => new Connection(server.port));
      leaving.forEach((connection, i) => connection.send(get(path(i))));
      await pause(60);
      leaving.forEach((connection) => connection.destroy());
      /* Not so long that the queue could be empty otherwise. */
      await pause(100);
      const answers = await askAll(server.port, Array.from({ length: 36 }, (_, i) => path(100 + i)));
      assert.deepEqual(answers.map(({ status }) => status), Array(36).fill(200));
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });
}

test('1000 clients, one cold tile, and the first leaves while it waits', async () => {
  const server = await start('--renderers', '1');
  try {
    /* What keeps the thread busy meanwhile. */
    const before_ = Array.from({ length: 3 }, () => new Connection(server.port));
    before_.forEach((connection, i) => connection.send(get(slow(i, 9))));
    await pause(10);
    const first = new Connection(server.port);
    first.send(get(slow(7, 7)));
    await pause(10);
    const others = askAll(server.port, Array(999).fill(slow(7, 7)));
    await pause(10);
    first.socket.resetAndDestroy();
    const answers = await others;
    assert.ok(answers.every(({ status }) => status === 200));
    assert.ok(answers.filter(({ headers }) => headers['x-terrane-cache'] === 'render').length <= 1);
    assert.equal(new Set(answers.map(({ body }) => body.length)).size, 1);
    before_.forEach((connection) => connection.destroy());
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

const from = (address) => ({ headers: { 'X-Forwarded-For': address } });

test('a client that asks too often is answered 429, others are not', async () => {
  const server = await start('--client-requests', '2', '--client-burst', '2', '--trusted-proxies', '127.0.0.1');
  try {
    const ask4 = async (address) => {
      const answers = [];
      for (let i = 0; i < 6; i++) answers.push(await fetch(`${server.url}/livez`, from(address)));
      return answers;
    };
    const answers = await ask4('198.51.100.7');
    assert.deepEqual(answers.slice(0, 4).map(({ status }) => status), [200, 200, 200, 200]);
    const document = await problem(answers[5], 429, 'too-many');
    assert.match(document.detail, /more requests than one client may/);
    assert.equal(answers[5].headers.get('retry-after'), '1');
    assert.equal(answers[5].headers.get('access-control-allow-origin'), '*');
    /* Another client; one IPv6 network; and who writes another address in front of his own. */
    assert.equal((await fetch(`${server.url}/livez`, from('198.51.100.8'))).status, 200);
    await ask4('2001:db8::1');
    assert.equal((await fetch(`${server.url}/livez`, from('2001:db8::2'))).status, 429);
    assert.equal((await fetch(`${server.url}/livez`, from('2001:db8:0:1::2'))).status, 200);
    assert.equal((await fetch(`${server.url}/livez`, from('203.0.113.1, 198.51.100.7'))).status, 429);
    /* The proxy itself is on this machine, and free. */
    for (let i = 0; i < 20; i++) assert.equal((await fetch(`${server.url}/livez`)).status, 200);
    await pause(1000);
    assert.equal((await fetch(`${server.url}/livez`, from('198.51.100.7'))).status, 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('this machine is limited if a setting says so; connections stay', async () => {
  const server = await start('--client-requests', '1', '--client-burst', '3', '--client-loopback', '1');
  try {
    const connection = new Connection(server.port);
    const statuses = [];
    for (let i = 0; i < 5; i++) {
      connection.send(get('/livez'));
      statuses.push((await connection.answer()).status);
    }
    assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
    /* Nobody is believed who is no proxy. */
    assert.equal((await ask(server.port, get('/livez', 'X-Forwarded-For: 198.51.100.9\r\n'))).status, 429);
    connection.destroy();
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('rendering has a limit of its own: what is cached goes on', async () => {
  const server = await start('--client-cost', '1', '--client-burst', '30', '--trusted-proxies', '127.0.0.1');
  const tile = (x) => `${server.url}/tiles/relief/9/${200 + x}/200.png`;
  const me = from('192.0.2.55');
  try {
    /* Each is about 17 million: one, and not a second one. */
    assert.equal((await fetch(tile(0), me)).status, 200);
    const second = await fetch(tile(1), me);
    const wait = Number(second.headers.get('retry-after'));
    const document = await problem(second, 429, 'too-many');
    assert.match(document.detail, /more rendering than one client may/);
    assert.ok(wait >= 1 && wait <= 30, `${wait} s`);
    for (let i = 0; i < 50; i++) assert.equal((await fetch(tile(0), me)).status, 200);
    assert.equal((await fetch(`${server.url}/worlds`, me)).status, 200);
    assert.equal((await fetch(`${server.url}/at?x=0&y=0`, me)).status, 200);
    assert.equal((await fetch(tile(1), from('192.0.2.56'))).status, 200);
    /* It is in the cache now, and costs nothing. */
    assert.equal((await fetch(tile(1), me)).status, 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('what was refused for want of room is not paid for', async () => {
  const server = await start('--renderers', '1', '--queue', '1', '--client-cost', '50', '--client-burst', '30', '--client-loopback', '1');
  try {
    /* 1500 million, of which three or so of 86 are spent, and 57 are refused. */
    const answers = await askAll(server.port, Array.from({ length: 60 }, (_, i) => slow(i)));
    assert.ok(answers.every(({ status }) => status === 200 || status === 503));
    assert.ok(answers.filter(({ status }) => status === 503).length > 40);
    assert.equal((await fetch(server.url + slow(99))).status, 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});
