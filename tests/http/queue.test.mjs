/* Many concurrent clients: one render for all who wait for it, the order of the queue, its limits by number, cost and
 * deadline, and clients that disconnect. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { answered, withBusyRenderer, counts, eventually, pricesOf, reaches, startBarrier } from './busy.mjs';
import { Connection, ask, get } from './raw.mjs';
import { makeWorlds } from './worlds.mjs';

const worlds = makeWorlds();
const server = serverOfFile({ arguments: ['--worlds', worlds.folder] });
const start = (...more) => startServer({ arguments: ['--worlds', worlds.folder, ...more] });
const slow = (x, y = 0) => `/worlds/slow/tiles/height/8/${x}/${y}@2x.png`;

/* The responses of connections that request these paths at the same time, in their order. */
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
  const answers = await askTogether(server.port, Array(1000).fill('/worlds/slow/tiles/height/9/256/256.png'));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(count(answers, 'render'), 1);
  assert.equal(count(answers, 'memory'), 999);
  assert.ok(answers.every(({ body }) => body.equals(answers[0].body)));
  assert.equal(new Set(answers.map(({ headers }) => headers.etag)).size, 1);
});

test('100 concurrent requests for one cold chunk render it once', async () => {
  const answers = await askTogether(server.port, Array(100).fill('/worlds/slow/chunks/3/4.r32f?size=64'));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(count(answers, 'render'), 1);
  for (const { body } of answers) assert.ok(body.equals(answers[0].body));
});

test('1000 concurrent requests for a reseeded world compile it once', async () => {
  const answers = await askTogether(server.port, Array(1000).fill('/worlds/terra~%C3%A4/tiles/relief/6/33/30.png'));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(count(answers, 'render'), 1);
});

test('a render goes on when the first of its clients disconnects', async () => {
  const barrier = await startBarrier();
  const server = await start(...barrier.words);
  try {
    for (let round = 0; round < 5; round++) {
      const target = `/worlds/slow/tiles/height/10/${round}/0@2x.png`;
      barrier.shut();
      const first = new Connection(server.port);
      const others = Array.from({ length: 20 }, () => new Connection(server.port));
      first.send(get(target));
      await eventually(() => barrier.held.size === 1, 'the first request');
      others.forEach((connection) => connection.send(get(target)));
      await reaches(server, 21, 'requests_waiting');
      first.socket.resetAndDestroy();
      await counts(server);
      barrier.open();
      const answers = await Promise.all(others.map((connection) => connection.answer()));
      others.forEach((connection) => connection.destroy());
      assert.ok(answers.every(({ status }) => status === 200));
      assert.equal(count(answers, 'render'), 0, 'it was rendered for the one who left');
      assert.equal((await counts(server))('renders_total', { kind: 'tile' }), round + 1);
    }
  } finally {
    barrier.open();
    assert.equal(await server.stop(), 0);
    await barrier.end();
  }
});

test('1000 clients wait for one cold tile and the first disconnects', () => withBusyRenderer(
  ['--worlds', worlds.folder], async ({ server, whileBusy, send }) => {
    const count = async (name) => (await counts(server))(name);
    const [first] = send([slow(7, 7)]);
    await whileBusy(async () => await count('queue_length') === 1, 'the first');
    const others = send(Array(999).fill(slow(7, 7)));
    await whileBusy(async () => await count('requests_waiting') === 1001, 'the others');
    first.socket.resetAndDestroy();
    const answers = await Promise.all(others.map((connection) => connection.answer()));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(new Set(answers.map(({ body }) => body.length)).size, 1);
    assert.equal((await counts(server))('renders_total', { kind: 'tile' }), 1);
  }));

test('a full queue gives 503 with Retry-After, and works again afterwards', () => withBusyRenderer(
  ['--worlds', worlds.folder, '--queue', '4'], async ({ server, whileBusy, send }) => {
    const paths = Array.from({ length: 60 }, (_, i) => `/worlds/slow/tiles/height/8/${i}/0.png`);
    const connections = send(paths);
    await whileBusy(() => answered(connections) === 56, 'the answers of all but four');
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    const refused = answers.filter(({ status }) => status === 503);
    assert.equal(refused.length, 56);
    assert.ok(answers.every(({ status }) => status === 200 || status === 503));
    for (const { headers, body } of refused) {
      assert.ok(Number(headers['retry-after']) > 0);
      assert.ok(headers['access-control-expose-headers'].split(', ').includes('Retry-After'), 'scripts of other sites see it');
      assert.equal(headers['content-type'], 'application/problem+json');
      assert.equal(JSON.parse(body).status, 503);
    }
    for (const target of paths) assert.equal((await fetch(server.url + target)).status, 200);
  }));

test('a queue that is full by cost refuses at once with 503 and Retry-After', async () => {
  const words = ['--worlds', worlds.folder];
  const [price] = await pricesOf(words, [slow(0)]);
  /* The queue has room for four of these tiles, in halves of a millisecond. */
  await withBusyRenderer([...words, '--queue-cost', `${Math.round(2 * 4.5 * price)}`], async ({ server, whileBusy, send }) => {
    const connections = send(Array.from({ length: 40 }, (_, i) => slow(i)));
    await whileBusy(() => answered(connections) === 36, 'the answers of all but four');
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    const refused = answers.filter(({ status }) => status === 503);
    assert.ok(answers.every(({ status }) => status === 200 || status === 503));
    assert.equal(refused.length, 36);
    for (const { headers, body } of refused) {
      assert.ok(headers['retry-after'] >= 1 && headers['retry-after'] <= 60);
      assert.equal(JSON.parse(body).type, 'https://terrane.dev/problems/busy');
    }
    assert.equal((await fetch(server.url + slow(500))).status, 200);
  });
});

test('a single request may cost more than the queue holds', async () => {
  const server = await start('--queue-cost', '1');
  try {
    assert.equal((await fetch(server.url + slow(0))).status, 200);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('a request that waits longer than the deadline gets 503 and is not rendered', () => withBusyRenderer(
  ['--worlds', worlds.folder, '--deadline', '1', '--queue', '1000', '--queue-cost', '1000000'], async ({ server, whileBusy, send }) => {
    const chunk = (x) => `/worlds/slow/chunks/${x}/0.r32f?size=512`;
    const stats = (x) => `/worlds/slow/stats?bbox=${x},0,${x + 512},512&samples=512`;
    const paths = Array.from({ length: 200 }, (_, i) => [slow(i), slow(i), chunk(i), stats(i)]).flat();
    const began = performance.now();
    const connections = send(paths);
    const times = [];
    for (const [i, { socket }] of connections.entries()) socket.once('data', () => { times[i] = performance.now() - began; });
    await whileBusy(() => answered(connections) === paths.length, 'the answers of all');
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    for (const [i, { status, headers, body }] of answers.entries()) {
      assert.equal(status, 503);
      assert.ok(times[i] > 990, `${times[i]} ms`);
      assert.ok(headers['retry-after'] >= 1);
      assert.match(JSON.parse(body).detail, /waited too long/);
    }
    /* The queue is empty: the expired jobs have left it. */
    assert.equal((await counts(server))('queue_length'), 0);
    await eventually(async () => (await fetch(server.url + slow(5000))).status === 200, 'a tile');
    /* The expensive job counts as well. */
    const count = await counts(server);
    assert.deepEqual(['tile', 'chunk', 'question'].map((kind) => count('renders_total', { kind })), [1, 1, 0]);
  }));

/* With one event loop the lines of the access log are in the order of the responses. */
test('queries and reseeded worlds overtake tiles in the queue', () => {
  const log = path.join(worlds.folder, 'overtaking.log');
  return withBusyRenderer(['--worlds', worlds.folder, '--loops', '1', '--access-log', log], async ({ server, whileBusy, send }) => {
    const began = `/began/${performance.now()}`; /* servers share the log file */
    assert.equal((await fetch(server.url + began)).status, 404);
    send(Array.from({ length: 60 }, (_, i) => `/worlds/slow/tiles/height/8/${i}/0@2x.png`));
    await whileBusy(async () => (await counts(server))('queue_length', { lane: 'tiles' }) === 60, 'tiles that wait');
    const questions = send(['/worlds/clock/at?x=1&y=2', '/worlds/clock~9/at?x=1&y=2', '/worlds/clock/profile?line=0,0;9,9']);
    await whileBusy(async () => (await counts(server))('queue_length', { lane: 'questions' }) === 3, 'questions that wait');
    for (const question of questions) assert.equal((await question.answer()).status, 200);
    const lines = await eventually(() => {
      const all = readFileSync(log, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line).target);
      const whole = all.slice(all.indexOf(began) + 1);
      return whole.filter((target) => /clock.*\/(at|profile)/.test(target)).length === 3 && whole;
    }, 'the lines of three questions');
    const last = lines.findLastIndex((target) => /clock.*\/(at|profile)/.test(target));
    const before_ = lines.slice(0, last).filter((target) => target.includes('/tiles/')).length;
    /* Four jobs; the third and the fourth wait behind one or two tiles. */
    assert.ok(before_ < 40, `${before_} of 60 tiles came first`);
  });
});

test('cheap queries overtake expensive ones, which wait with the tiles', () => withBusyRenderer(
  ['--worlds', worlds.folder], async ({ server, whileBusy, send }) => {
    const waiting = (lane, number) => whileBusy(async () => (await counts(server))('queue_length', { lane }) === number, `${number} ${lane}`);
    /* Each costs about 15 ms. */
    const dear = send(Array.from({ length: 40 }, (_, i) => `/worlds/slow/stats?bbox=${i},0,${i + 300},300&samples=300&detail=full`));
    await waiting('tiles', 40);
    const [short] = send(['/worlds/clock/at?x=1&y=2']);
    await waiting('questions', 1);
    assert.equal((await short.answer()).status, 200);
    assert.ok(answered(dear) < 40);
  }));

const worldsCompiled = async (server) => (await counts(server))('renders_total', { kind: 'world' });

test('a tile of a new seed is refused before its world is compiled', () => withBusyRenderer(
  ['--worlds', worlds.folder, '--queue', '4'], async ({ server, whileBusy, send }) => {
    send(Array.from({ length: 4 }, (_, i) => `/worlds/slow/tiles/height/8/${i}/0.png`));
    await whileBusy(async () => (await counts(server))('queue_length', { lane: 'tiles' }) === 4, 'a full queue');
    const refused = send(Array.from({ length: 20 }, (_, i) => `/worlds/clock~${i}/tiles/height/3/${i}/1.png`));
    await whileBusy(() => answered(refused) === 20, 'the refusals');
    for (const connection of refused) assert.equal((await connection.answer()).status, 503);
    /* A request with another error does not compile the world either. */
    const wrong = [['tiles/nothing/3/1/1.png', 404], ['tiles/height/3/1/1.png?size=7', 400], ['chunks/0/0.r32f?layers=x', 404], ['volumes/0/0/0.r32f?layer=x', 404]]
      .map(([target, status]) => [`/worlds/clock~x/${target}`, status]);
    wrong.push([`/worlds/clock~x@g1-${'0'.repeat(32)}/tiles/height/3/1/1.png`, 410]);
    for (const [target, status] of wrong) assert.equal((await fetch(server.url + target)).status, status, target);
    assert.equal(await worldsCompiled(server), 0);
  }));

test('a query of a new seed that is refused does not compile the world', async () => {
  const digest = '0'.repeat(32);
  const wrong = [['at?x=0', 400], ['at?x=0&y=1e99', 400], ['at?x=0&y=0&zoom=99', 400], ['profile?line=0,0', 400], ['locate?biome=nothing&x=0&y=0', 404],
    ['locate?feature=lake&x=0&y=0', 404], ['objects?bbox=0,0,9,9&kind=nothing', 404], ['stats?bbox=0,0,1e6,1e6&samples=1024', 413],
    ['locate?feature=peak&x=0&y=0&radius=10000', 413], [`verify?chunk=0,0&digest=${digest}&layers=nothing`, 404], ['style.json', 421], ['wmts.xml', 421],
    [`at?x=0&y=0&pretty=2`, 400]].map(([target, status]) => [`/worlds/perlin~x/${target}`, status]);
  wrong.push([`/worlds/perlin~x@g1-${'0'.repeat(32)}/profile?line=0,0;9,9`, 410], [`/diff?b=perlin~x@g1-${'0'.repeat(32)}&bbox=0,0,9,9`, 410],
    ['/diff?a=perlin~x&b=perlin~y&bbox=0,0,1e6,1e6&samples=1024&detail=full', 413], ['/digests', 404, '{"chunks":[[0,0]],"against":"nothing~x"}'],
    ['/digests', 413, '{"chunks":[[0,0]],"size":1000,"against":"perlin~x"}'], ['/worlds/perlin~x/heights?layer=nothing', 404, '{"points":[]}'],
    ['/worlds/perlin~x/heights', 400, '{"points":[[0]]}'], ['/worlds/perlin~x/heights', 404, '{"points":[[0,0]],"layer":"nothing"}'],
    ['/worlds/perlin~x/heights', 413, JSON.stringify({ points: Array.from({ length: 10001 }, (_, i) => [1e6 * i, 0]) })],
    ['/worlds/perlin~x/chunks', 400, '{"chunks":[[0]]}'], ['/worlds/perlin~x/chunks', 404, '{"chunks":[[0,0]],"layers":["nothing"]}'],
    ['/worlds/perlin~x/chunks', 413, '{"chunks":[[0,0]],"size":1000}']);
  const server = await startServer({ arguments: ['--request-cost', '3'] });
  const send = async (target, body) => {
    const head = body ? `POST ${target} HTTP/1.1\r\nContent-Length: ${body.length}` : `GET ${target} HTTP/1.1`;
    return (await ask(server.port, `${head}\r\nHost: nas.local\r\n\r\n${body ?? ''}`)).status;
  };
  try {
    for (const [target, status, body] of wrong) assert.equal(await send(target, body), status, target);
    assert.equal(await worldsCompiled(server), 0);
    assert.equal(await send('/worlds/perlin~x/at?x=0&y=0'), 200);
    assert.equal(await worldsCompiled(server), 1);
    assert.equal(await send('/worlds/perlin~y/heights', '{"points":[[0,0]]}'), 200);
    assert.equal(await send('/worlds/perlin~z/chunks', '{"chunks":[[0,0]],"size":16}'), 200);
    assert.equal(await worldsCompiled(server), 3);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

/* One server makes the answers, another one that has compiled nothing knows their tags. */
test('a conditional request and a document of a new seed need no compilation', async () => {
  const [server, fresh] = [await start(), await start()];
  const conditional = ['at?x=1&y=2', 'profile.svg?line=0,0;9,9', 'verify?chunk=0,0', 'tiles/height/3/4/2.png', 'chunks/1/2.json?size=4'];
  const documents = ['', '/world.json', '/tiles.json', '/style.json', '/wmts.xml', '/gdal.xml'];
  try {
    for (const target of conditional.map((each) => `/worlds/clock~q/${each}`)) {
      const first = await fetch(server.url + target);
      assert.equal(first.status, 200, target);
      const again = await fetch(fresh.url + target, { headers: { 'If-None-Match': first.headers.get('etag') } });
      assert.deepEqual([again.status, again.headers.get('etag')], [304, first.headers.get('etag')], target);
    }
    /* The first server has compiled the world, so its documents are those of the compiled one. */
    for (const target of documents.map((each) => `/worlds/clock~q${each}`)) {
      const [ready, other] = await Promise.all([server, fresh].map((each) => fetch(each.url + target)));
      const [text, others] = await Promise.all([ready.text(), other.text()]);
      assert.deepEqual([ready.status, other.status], [200, 200], target);
      assert.equal(others.replaceAll(fresh.url, server.url), text, target);
    }
    assert.equal(await worldsCompiled(server), 1);
    assert.equal(await worldsCompiled(fresh), 0);
  } finally {
    assert.deepEqual([await server.stop(), await fresh.stop()], [0, 0]);
  }
});

test('a cached tile of a reseeded world needs no compilation', async () => {
  const server = await start();
  const targets = ['tiles/own/3/4/2.png', 'tiles/height/3/4/2.r32f', 'tiles/height/3/4/2.mvt', 'chunks/1/2.r32f?size=16', 'chunks/1/2.json?size=4',
    'volumes/0/0/0.r32f?layer=tide&size=2'];
  const load = async (of, target, headers) => {
    const response = await fetch(`${of.url}/worlds/clock~p/${target}`, { headers });
    const named = Object.fromEntries([...response.headers].filter(([name]) => !['date', 'server-timing', 'x-terrane-cache'].includes(name)));
    return { status: response.status, named, from: response.headers.get('x-terrane-cache'), body: Buffer.from(await response.arrayBuffer()) };
  };
  const describe = async (of, world) => (await fetch(`${of.url}/worlds/${world}`)).json();
  try {
    const first = await Promise.all(targets.map((target) => load(server, target)));
    assert.deepEqual(first.map(({ status, from }) => [status, from]), targets.map(() => [200, 'render']));
    /* 200 worlds with other seeds evict that one. */
    for (let i = 0; i < 200; i++) assert.equal((await fetch(`${server.url}/worlds/clock~${i}/at?x=0&y=0`)).status, 200);
    const compiled = await worldsCompiled(server);
    assert.ok(compiled > 200, `${compiled} compiled`);
    for (const [i, target] of targets.entries()) {
      const again = await load(server, target);
      assert.equal(again.from, 'memory', target);
      assert.deepEqual([again.named, again.body], [first[i].named, first[i].body]);
      assert.equal((await load(server, target, { 'If-None-Match': first[i].named.etag })).status, 304, target);
    }
    assert.equal(await worldsCompiled(server), compiled);
    /* The world that is compiled again gives the same bytes. */
    const fresh = await start();
    try {
      assert.equal(first[3].named['x-terrane-world'], (await describe(fresh, 'clock~p')).fingerprint);
      for (const [i, target] of targets.entries()) {
        const { named, body } = await load(fresh, target);
        assert.deepEqual([named, body], [first[i].named, first[i].body], target);
      }
    } finally {
      assert.equal(await fresh.stop(), 0);
    }
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

for (const [what, lane, target] of [
  ['a tile', 'tiles', (x) => `/worlds/slow/tiles/height/8/${x}/0.png`],
  ['a chunk', 'questions', (x) => `/worlds/slow/chunks/${x}/0.r32f?size=200`],
  ['a question', 'questions', (x) => `/worlds/slow/stats?bbox=${x},0,${x + 512},512&samples=90`],
]) {
  const giveUp = (leave) => withBusyRenderer(
    ['--worlds', worlds.folder, '--queue', '40', '--drain', '0'], async ({ server, whileBusy, send }) => {
      const waiting = (number) => whileBusy(async () => (await counts(server))('queue_length', { lane }) === number, `${number} that wait`);
      const leaving = send(Array.from({ length: 60 }, (_, i) => target(i)));
      await whileBusy(() => answered(leaving) === 20, 'the refusals');
      await waiting(40);
      leaving.forEach((connection) => connection.socket[leave]());
      await waiting(0);
      const staying = send(Array.from({ length: 36 }, (_, i) => target(100 + i)));
      await waiting(36);
      for (const connection of staying) assert.equal((await connection.answer()).status, 200);
      /* The expensive job counts as well. What was left by a plain close runs when nothing else
       * waits, so it may have been rendered by now. */
      const rendered = (await counts(server))('renders_total');
      assert.ok(leave === 'destroy' ? rendered >= 36 + 1 : rendered === 36 + 1, `${rendered} rendered`);
    });
  test(`a client that closes gives up its slot in the queue: ${what}`, () => giveUp('destroy'));
  test(`a client that resets gives up its slot in the queue: ${what}`, () => giveUp('resetAndDestroy'));
}

test('a client that disconnects during the cache lookup takes no slot in the queue', async () => {
  const barrier = await startBarrier();
  const target = (i) => `/worlds/slow/tiles/height/8/${i}/4.png`;
  try {
    await withBusyRenderer(['--worlds', worlds.folder, '--queue', '40', '--loops', '1', '--drain', '0', ...barrier.words], async ({ server, whileBusy, send }) => {
      const reach = (name, number) => whileBusy(async () => (await counts(server))(name) === number, `${number} of ${name}`);
      barrier.shut();
      const leaving = send(Array.from({ length: 60 }, (_, i) => target(i)));
      await reach('requests_waiting', 61);
      leaving.forEach((connection) => connection.destroy());
      /* When the only event loop answers a later request, it has seen that they disconnected. */
      for (let i = 0; i < 2; i++) await counts(server);
      barrier.open();
      const staying = send(Array.from({ length: 36 }, (_, i) => target(100 + i)));
      await reach('queue_length', 36);
      for (const connection of staying) assert.equal((await connection.answer()).status, 200);
    });
  } finally {
    await barrier.end();
  }
});

/* With one event loop the lines of the access log are in the order of the responses. */
test('tiles for disconnected clients are not rendered while others wait', () => {
  const file = path.join(worlds.folder, `disconnected${performance.now()}.log`);
  return withBusyRenderer(['--worlds', worlds.folder, '--loops', '1', '--drain', '0', '--access-log', file], async ({ server, whileBusy, send }) => {
    const paths = Array.from({ length: 40 }, (_, i) => `/worlds/slow/tiles/height/8/${i}/2@2x.png`);
    const waiting = (number) => whileBusy(async () => (await counts(server))('queue_length') === number, `${number} that wait`);
    const gone = send(paths);
    await waiting(40);
    /* Two clients stay: one with a tile of its own, and one whose tile another client requested first. */
    const kept = gone.pop();
    const [follower] = send([paths[38]]);
    await whileBusy(async () => (await counts(server))('requests_waiting') === 42, 'the follower');
    gone.forEach((connection) => connection.destroy());
    await waiting(2);
    const lateTarget = '/worlds/clock/tiles/height/3/1/1.png';
    const [late] = send([lateTarget]);
    await waiting(3);
    for (const connection of [kept, follower, late]) assert.equal((await connection.answer()).status, 200);
    const lines = await eventually(() => {
      const targets = readFileSync(file, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line))
        .filter(({ target, status }) => target.includes('/tiles/') && status === 200).map(({ target }) => target);
      return targets.includes(lateTarget) && targets;
    }, 'the line of the last tile');
    assert.deepEqual(new Set(lines.slice(0, lines.indexOf(lateTarget) + 1)), new Set([paths[38], paths[39], lateTarget]));
  });
});

test('a client that shuts down its sending side gets its response', async () => {
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
