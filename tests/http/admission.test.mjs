/* Limits: the cost of a request, the memory of large responses, and the rate of one client. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { answered, clientLimit, withBusyRenderer, counts, eventually, localLimit, pause, pricesOf } from './busy.mjs';
import { Connection, ask, get } from './raw.mjs';

const worlds = makeWorlds();

const start = (...more) => startServer({ arguments: ['--worlds', worlds.folder, ...more] });
const slow = (x, y = 0) => `/worlds/slow/tiles/height/8/${x}/${y}@2x.png`;

/* The problem document of a response, after checks of the members that all have. */
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

test('a request above the cost limit is refused with 413 before any work', async () => {
  const server = await start('--request-cost', '8');
  const dear = [
    ['/tiles/9/200/200.png'], ['/tiles/9/200/200@2x.webp'], ['/tiles/13/4000/4000.mvt'], ['/tiles/9/1/1.r32f'],
    ['/tiles/9/1/1.ansi'], ['/chunks/0/0.r32f?size=1024'], ['/chunks/0/0.json?size=512'],
    ['/worlds/caves/volumes/0/0/0.r32f?size=64'], post('/chunks', { size: 256, chunks: [[0, 0], [0, 1]] }),
    post('/chunks', { size: 64, chunks: Array.from({ length: 256 }, (_, i) => [1e10 + i, 1e10]), format: 'r16z' }),
    [`/stats?${box}`], ['/profile?line=0,0;90000,0&samples=4096'], ['/sight?from=0,0,2&to=90000,0,2'],
    ['/locate?min_height=9000&x=0&y=0'], ['/spawn?x=0&y=0'], [`/objects?${box}`], [`/diff?b=terra~2&${box}`],
    ['/verify?chunk=0,0&size=512'], ['/explain?x=1&y=2'],
  ];
  try {
    for (const [path, options] of dear) {
      const document = await problem(await fetch(server.url + path, options), 413, 'too-large');
      const cost = /^this would cost (\d+\.\d) ms of computing, and a request may cost 4 ms; ask for \w/.exec(document.detail);
      assert.ok(cost, `${path}: ${document.detail}`);
      assert.ok(Number(cost[1]) > 4);
      assert.equal(document.allowed, '4 ms of computing');
      assert.match(document.example, /^\//);
    }
    for (const path of ['/tiles/9/1/1.json?size=8', '/chunks/0/0.r32f?size=32', '/at?x=1&y=2', '/worlds/perlin/explain?x=1&y=2', '/worlds',
      '/worlds/terra', '/style.json', '/wmts.xml', '/worlds/wood~x/at?x=1&y=2', '/worlds/perlin/tiles/height/3/4/2.json?size=32']) {
      assert.equal((await fetch(server.url + path)).status, 200, path);
    }
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a 413 says how many chunks or samples would fit, and so many do', async () => {
  const server = await start('--request-cost', '20', '--cache-memory', '0');
  const chunks = Array.from({ length: 256 }, (_, i) => [i % 16, Math.floor(i / 16)]);
  const requests = [
    (n = 4096) => [`/profile?line=0,0;90000000,0&samples=${n}`],
    (n = 4096) => [`/profile?line=0,0;500000,0&samples=${n}`],
    (n = 128) => [`/stats?bbox=0,0,30000,30000&samples=${n}&detail=full`],
    (n = 256) => post('/chunks', { size: 127, format: 'json', chunks: chunks.slice(0, n) }),
    (n = 256) => post('/chunks', { size: 127, chunks: chunks.slice(0, n).map(([x, y]) => [x * 997, y * 991]) }),
    (n = 1024) => [`/chunks/0/0.r32f?size=${n}`],
    (n = 384) => [`/stats?${box}&samples=${n}`],
    (n = 384) => [`/diff?b=dunes&${box}&samples=${n}`],
  ];
  const send = ([path, options]) => fetch(server.url + path, options);
  try {
    for (const request of requests) {
      const { detail, fits } = await problem(await send(request()), 413, 'too-large');
      assert.ok(detail.includes(`; ${fits} `) && detail.endsWith(' would fit'), detail);
      const fitting = await send(request(fits));
      assert.equal(fitting.status, 200, detail);
      await fitting.arrayBuffer();
      assert.equal((await send(request(Math.ceil(fits * 1.3) + 1))).status, 413, detail);
    }
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

/* Some 200 m apart in terra, as 128 are along 30 km, or farther: each sample needs streams of its own. */
test('far samples at full detail are refused by default, and are allowed at their own detail', async () => {
  const server = await start();
  const stats = '/stats?bbox=-109575172,-812439252,-109545172,-812409252';
  try {
    for (const path of [`${stats}&samples=128&detail=full`, '/profile?line=0,0;2000000,0&samples=4096']) {
      const { detail, fits } = await problem(await fetch(server.url + path), 413, 'too-large');
      assert.ok(fits > 0, detail);
    }
    for (const path of [`${stats}&samples=128`, '/profile?line=0,0;2000000,0&samples=4096&zoom=8',
      '/sight?from=-900000000000,5,100000&to=100000000000,5,100000'])
      assert.equal((await fetch(server.url + path)).status, 200, path);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

/* Twelve slopes in each other take some 25,000 steps to compile, and a perlin() some 100; both are 300 bytes. */
test('another seed costs what compiling the world takes', async () => {
  const folder = temporaryFolder();
  const height = `${'slope('.repeat(12)}perlin(99)${',1)'.repeat(12)}`;
  folder.write('slopes.json', { generator: 1, layers: { height } });
  folder.write('plain.json', { generator: 1, title: '-'.repeat(height.length), layers: { height: 'perlin(99)' } });
  const server = await startServer({ arguments: ['--worlds', folder.path, '--request-cost', '1'] });
  try {
    assert.equal((await fetch(`${server.url}/worlds/slopes/explain?x=1&y=2`)).status, 200);
    assert.equal((await fetch(`${server.url}/worlds/plain~1/at?x=1&y=2`)).status, 200);
    const { detail } = await problem(await fetch(`${server.url}/worlds/slopes~1/explain?x=1&y=2`), 413, 'too-large');
    assert.match(detail, /^this would cost 0\.\d ms of computing.*; ask for a world without another seed/);
  } finally {
    assert.equal(await server.stop(), 0);
    folder.remove();
  }
});

/* A client that does not read its large response holds memory. The first case has tiles of 1 MiB, more than fit
 * into the cache and the memory for responses; the second one uncached response of more than half of that memory. Making them takes long. */
for (const [what, path] of [
  ['tiles that the cache has let go', (x) => `/worlds/perlin/tiles/height/12/${x}/7.r32f?size=512`],
  ['answers that are not cached', (x) => `/objects.geojson?bbox=${x - 400},-400,${x + 400},400`],
]) {
  test(`slow readers of large responses use a bounded amount of memory: ${what}`, { timeout: 60_000 }, async () => {
    const server = await start('--cache-memory', '1M', '--answers-memory', '2M');
    const slow_ = [];
    const shed = async () => (await counts(server))('shed_total', { reason: 'memory' });
    try {
      while (await shed() === 0) {
        assert.ok(slow_.length < 20, 'none is refused');
        const connection = new Connection(server.port);
        connection.socket.pause();
        connection.send(get(path(slow_.length)));
        slow_.push(connection);
        await eventually(async () => (await counts(server))('renders_total') + await shed() >= slow_.length, 'an answer');
      }
      assert.equal((await fetch(`${server.url}/at?x=0&y=0`)).status, 200);
      const refused = await fetch(server.url + path(50));
      if (refused.status !== 200) {
        assert.match((await problem(refused, 503, 'busy')).detail, /too many large answers/);
        assert.ok(Number(refused.headers.get('retry-after')) > 0);
      }
      slow_.forEach((connection) => connection.destroy());
      await eventually(async () => (await fetch(server.url + path(51))).status === 200, 'their memory');
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });
}

const from = (address) => ({ headers: { 'X-Forwarded-For': address } });

/* Sends requests until one gets 429; returns how many got `status` before. */
async function exhaust(request, status = 200) {
  for (let good = 0; ; good++) {
    const answer = await request();
    if (answer.status === 429) return { answer, good };
    assert.equal(answer.status, status);
    assert.ok(good < 10000, 'there is no limit');
  }
}

/* Returns true if two clients share a rate limit: when the first has reached it, the second gets 429. It tries up to
 * 20 times, each time with another second client, as sometimes a whole second passes between the two requests. */
async function areOne(one, other) {
  for (let i = 1; i <= 20; i++) {
    await exhaust(one);
    if ((await other(i)).status === 429) return true;
  }
  return false;
}

test('a client above its rate limit gets 429, other clients do not', async () => {
  const server = await start('--client-requests', '2', '--client-burst', '2', '--trusted-proxies', '127.0.0.1');
  const as = (address) => fetch(`${server.url}/livez`, from(address));
  try {
    const began = performance.now();
    const { answer, good } = await exhaust(() => as('198.51.100.7'));
    const seconds = (performance.now() - began) / 1000;
    assert.ok(good >= 4 && good <= 4 + 2 * seconds, `${good} in ${seconds} s`);
    const document = await problem(answer, 429, 'too-many');
    assert.match(document.detail, /more requests than one client may/);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    /* Bad requests count, too. */
    for (const [path, status] of [['/nothing', 404], ['/at?x=0', 400], ['/tiles/3/4/2.bmp', 404]])
      await exhaust(() => fetch(server.url + path, from(`198.51.101.${path.length}`)), status);
    /* Another client; one IPv6 network; and who writes another address in front of his own. */
    assert.equal((await as('198.51.100.8')).status, 200);
    assert.ok(await areOne(() => as('2001:db8::1'), (i) => as(`2001:db8::${i + 1}`)));
    assert.ok(!await areOne(() => as('2001:db8::1'), (i) => as(`2001:db8:0:${i}::2`)));
    assert.ok(await areOne(() => as('198.51.100.7'), (i) => as(`203.0.113.${i}, 198.51.100.7`)));
    /* The proxy's own address is local and has no limit. */
    for (let i = 0; i < 20; i++) assert.equal((await fetch(`${server.url}/livez`)).status, 200);
    await pause(1000);
    assert.equal((await as('198.51.100.7')).status, 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a setting limits the rate of local clients; their connections stay open', async () => {
  const server = await start('--client-requests', '1', '--client-burst', '3', '--client-loopback', '1');
  try {
    const connection = new Connection(server.port);
    const request = async () => {
      connection.send(get('/livez'));
      return connection.answer();
    };
    const began = performance.now();
    const { good } = await exhaust(request);
    const seconds = (performance.now() - began) / 1000;
    assert.ok(good >= 3 && good <= 3 + seconds, `${good} in ${seconds} s`);
    /* Forwarded headers of other clients are ignored. */
    assert.ok(await areOne(request, (i) => ask(server.port, get('/livez', `X-Forwarded-For: 198.51.100.${i}\r\n`))));
    connection.destroy();
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('the rate limit of rendering does not limit cached responses', async () => {
  const path = (x) => `/tiles/relief/9/${200 + x}/200.png`;
  const [first, another] = await pricesOf([], [path(0)], [path(1)]);
  const most = Math.max(first, another) + 0.1;
  const server = await start(...clientLimit(most), '--trusted-proxies', '127.0.0.1');
  const tile = (x) => server.url + path(x);
  const me = from('192.0.2.55');
  try {
    /* The limit is the price of a tile: one, and as that took some milliseconds, no second one for as many seconds. */
    assert.equal((await fetch(tile(0), me)).status, 200);
    const second = await fetch(tile(1), me);
    const wait = Number(second.headers.get('retry-after'));
    const document = await problem(second, 429, 'too-many');
    assert.match(document.detail, /more rendering than one client may/);
    assert.ok(wait >= 1 && wait <= 2 * most + 1, `${wait} s`);
    for (let i = 0; i < 50; i++) assert.equal((await fetch(tile(0), me)).status, 200);
    assert.equal((await fetch(`${server.url}/worlds`, me)).status, 200);
    assert.equal((await fetch(`${server.url}/worlds/clock/at?x=0&y=0`, me)).status, 200);
    assert.equal((await fetch(tile(1), from('192.0.2.56'))).status, 200);
    /* The tile is cached now and costs nothing. */
    assert.equal((await fetch(tile(1), me)).status, 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

/* Each is priced at some 9 ms, and the limit is 10 ms. */
test('a client above its rate of rendering has no parameter to mend', async () => {
  const server = await start('--client-cost', '1', '--client-burst', '20', '--client-loopback', '1');
  try {
    const { answer } = await exhaust(() => fetch(`${server.url}/stats?${box}&samples=64`));
    const document = await problem(answer, 429, 'too-many');
    assert.match(document.detail, /more rendering than one client may/);
    assert.equal(document.parameter, undefined);
    assert.equal(document.allowed, undefined);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

/* Less is left than what a query of 64 x 64 samples costs. Compiling a seed costs less than a millisecond, but the query
 * of it three times as much as those before: more than half a minute has to pass until it may be asked. */
test('a client above its rate of rendering has no world compiled, nor pays for one', async () => {
  const server = await start('--client-cost', '1', '--client-burst', '80', '--client-loopback', '1');
  try {
    await exhaust(() => fetch(`${server.url}/stats?${box}&samples=64`));
    for (let seed = 0; seed < 50; seed++)
      await problem(await fetch(`${server.url}/worlds/terra~${seed}/stats?${box}&samples=128`), 429, 'too-many');
    assert.equal((await counts(server))('renders_total', { kind: 'world' }), 0);
    assert.equal((await fetch(`${server.url}/worlds/perlin/at?x=0&y=0`)).status, 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

/* A trace is priced for the longest way, and these begin in the sea. The limit is 1.5 times the price. */
test('a client gets back what a request has not used of its cost', async () => {
  const trace = (x) => `/trace?x=${x}&y=1e6`;
  const [price] = await pricesOf([], [trace(2e6)]);
  const server = await start(...localLimit(1.5 * price), '--cache-memory', '0');
  try {
    for (let i = 0; i < 5; i++) assert.equal((await fetch(server.url + trace(2e6 + i))).status, 200);
    const rest = await exhaust(() => fetch(`${server.url}/stats?${box}&samples=64`));
    await problem(rest.answer, 429, 'too-many');
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

const postOf = (target, body) => `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/* A world whose samples are priced at many times what they take, as most of the height may be needed, but is not here. */
const needless = () => {
  const sum = (i, count) => Array.from({ length: count }, (_, k) => `fbm(wavelength=${65536 + 100 * i + k}, octaves=20)`).join(' + ');
  const parts = Array.from({ length: 22 }, (_, i) => [`part${i}`, `perlin(wavelength=1e9) > 0.9 ? ${sum(i, 30)} : 0`]);
  const height = [sum(50, 38), ...parts.map(([name]) => name)].join(' + ');
  return { generator: 1, seed: 1, layers: { ...Object.fromEntries(parts), height } };
};

const batchOf = (size) => post('/worlds/needless/chunks', { size, chunks: [[0, 0]] });
const chunkOf = (size) => `/worlds/needless/chunks/5/5.r32f?size=${size}`;

/* The limit is the price of the batch and a fourth of that of the chunk. Returns false if the batch was made before its
 * client could disconnect. */
async function disconnectFromBatch(server, size) {
  const connection = new Connection(server.port);
  const chunk = () => fetch(server.url + chunkOf(size));
  const [path, { body }] = batchOf(size);
  connection.send(postOf(path, body));
  await connection.until(() => connection.received.includes('\r\n\r\n'), 'the headers of the batch');
  const { status } = await chunk();
  const hasBody = !connection.received.toString('latin1').endsWith('\r\n\r\n');
  connection.socket.resetAndDestroy();
  if (hasBody) return false;
  assert.equal(status, 429);
  await eventually(async () => (await chunk()).status === 200, 'the refund');
  return true;
}

test('a client that disconnects gets back what its batch has not used', { timeout: 60_000 }, async () => {
  const words = ['--worlds', temporaryFolder({ 'needless.json': needless() }).path, '--world-cost', '100000'];
  for (let done = false, i = 0; !done; i++) {
    assert.ok(i < 20, 'the batch is always made at once');
    const size = Math.min(256 * 2 ** i, 1024);
    const [batch, chunk] = await pricesOf(words, batchOf(size), [chunkOf(size)]);
    const server = await startServer({ arguments: [...words, '--request-cost', `${Math.ceil(2 * batch) + 1}`,
      ...localLimit(batch + chunk / 4), '--cache-memory', '0'] });
    try {
      done = await disconnectFromBatch(server, size);
    } finally {
      assert.equal(await server.stop(), 0);
    }
  }
});

/* The limit is 1.5 times the price of a request, so each needs a refund of the last. */
for (const [what, request] of [
  ['a query', (i) => [`/trace?x=${2e6 + i}&y=1e6`]],
  ['a tile', (i) => [`/worlds/needless/tiles/height/17/${i}/7.r32f?size=512`]],
  ['a chunk', (i) => [`/worlds/needless/chunks/${i}/7.r32f?size=511`]],
  ['a batch', (i) => post('/worlds/needless/chunks', { size: 512, chunks: [[i, 7]] })],
]) {
  test(`a client that disconnects while it waits pays nothing: ${what}`, async () => {
    const words = ['--worlds', temporaryFolder({ 'needless.json': needless() }).path];
    const [price] = await pricesOf([...words, '--world-cost', '100000'], request(0));
    await withBusyRenderer([...words, ...localLimit(1.5 * price), '--cache-memory', '0'], async ({ server, whileBusy }) => {
      const waiting = (number) => whileBusy(async () => (await counts(server))('requests_waiting') === number, `${number} that wait`);
      for (let i = 0; i < 3; i++) {
        const connection = new Connection(server.port);
        const [path, options] = request(i);
        connection.send(options ? postOf(path, options.body) : get(path));
        await waiting(2);
        connection.socket.resetAndDestroy();
        await waiting(1);
      }
    });
  });
}

/* The first request for a seed pays for compiling the world, a second one for the rest alone. A tile and a query, which
 * compile in different ways, pay the same for it. */
test('a request that compiles its world is paid once, and then the compiling', async () => {
  const folder = temporaryFolder();
  const log = `${folder.path}/access.log`;
  const server = await start('--access-log', log, '--cache-memory', '0');
  const paths = ['~1/at?x=1&y=2', '~1/at?x=3&y=4', '~2/tiles/height/9/200/200.r32f', '~2/tiles/height/9/201/200.r32f'];
  const lines = () => readFileSync(log, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  try {
    for (const path of paths)
      assert.equal((await fetch(`${server.url}/worlds/terra${path}`)).status, 200);
    await eventually(() => lines().length === paths.length, 'the lines of the log');
    const [query, queryAgain, tile, tileAgain] = paths.map((path) => lines().find(({ target }) => target.endsWith(path)).cost);
    assert.ok(tile > tileAgain);
    assert.equal(query - queryAgain, tile - tileAgain);
  } finally {
    assert.equal(await server.stop(), 0);
    folder.remove();
  }
});

test('a request refused because the queue is full is not charged to the rate limit', () => withBusyRenderer(
  ['--worlds', worlds.folder, '--queue', '1', '--client-cost', '50', '--client-burst', '16', '--client-loopback', '1'],
  async ({ server, whileBusy, send }) => {
    /* 400 ms, of which 9 are spent, and 59 times as much is refused. */
    const connections = send(Array.from({ length: 60 }, (_, i) => slow(i)));
    await whileBusy(() => answered(connections) === 59, 'the answers of all but one');
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    assert.equal(answers.filter(({ status }) => status === 503).length, 59);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal((await fetch(server.url + slow(99))).status, 200);
  }));
