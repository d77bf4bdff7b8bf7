/* The end of a server, and restarts that fail no request. */

import assert from 'node:assert/strict';
import net from 'node:net';
import { after, test } from 'node:test';
import { runActivated, runBehindProxy } from '../faults/restarts.mjs';
import { missing } from '../fleet/parts.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { answered, eventually, reaches, startBarrier } from './busy.mjs';
import { ask, Connection, get } from './raw.mjs';

const worlds = makeWorlds();
after(() => worlds.remove());

/* The drain has begun when /readyz says so. */
async function until503(port) {
  while ((await ask(port, get('/readyz'))).status !== 503);
}

const accepts = (port) => new Promise((resolve) => {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('connect', () => { socket.destroy(); resolve(true); });
  socket.on('error', () => resolve(false));
});

const start = (...more) => startServer({ arguments: ['--worlds', worlds.folder, ...more] });

test('during the grace period all requests are answered, /readyz says 503, and connections close', async () => {
  const server = await start('--settle', '3600', '--timeout', '3600');
  const kept = new Connection(server.port);
  const idle = new Connection(server.port);
  for (const connection of [kept, idle]) {
    connection.send(get('/readyz'));
    const { status, headers } = await connection.answer();
    assert.deepEqual([status, headers.connection], [200, undefined]);
  }
  process.kill(server.pid, 'SIGTERM');
  await until503(server.port);
  kept.send(get('/tiles/3/4/2.png'));
  const last = await kept.answer();
  assert.deepEqual([last.status, last.headers.connection], [200, 'close']);
  await kept.end();
  /* Shared answers, made ones, documents, and what is only confirmed. */
  const { etag } = last.headers;
  for (const [target, headers, status] of [
    ['/livez', '', 200], ['/tiles/3/4/2.png', '', 200], ['/tiles/3/4/2.png', `If-None-Match: ${etag}\r\n`, 304],
    ['/', 'Accept: text/html\r\n', 200], ['/worlds/slow/tiles/height/9/1/1.png', '', 200], ['/worlds/nowhere', '', 404],
  ]) {
    const answer = await ask(server.port, get(target, headers));
    assert.deepEqual([target, answer.status, answer.headers.connection], [target, status, 'close']);
  }
  const ready = await ask(server.port, get('/readyz'));
  assert.equal(ready.status, 503);
  assert.ok(Number(ready.headers['retry-after']) > 0);
  assert.equal(idle.closed, false, 'an idle connection stays open for its next request');
  assert.equal(await server.stop(), 0, 'a second SIGTERM');
  await idle.end();
  assert.equal(server.complaints(), '');
});

test('the grace period lasts as long as --settle says', async () => {
  const server = await start('--settle', '1');
  const began = performance.now();
  assert.equal(await server.stop(), 0);
  assert.ok(performance.now() - began >= 999);
});

/* Its samples are scattered over the plane of the network: a tile would take minutes. */
const endless = {
  generator: 1,
  layers: { height: 'drainage("height")' },
  drainage: { potential: 'fbm(900000, 4)', target: '900 * fbm(90000, 6)', relief: '300', warp_x: '1000 * x', warp_y: '1000 * y' },
};

test('jobs that run past the time of --drain end with 503', async () => {
  const folder = temporaryFolder();
  folder.write('endless.json', endless);
  const server = await startServer({
    arguments: ['--worlds', folder.path, '--drain', '1', '--renderers', '2', '--request-cost', '1000000000', '--queue-cost', '1000000000'],
  });
  const answers = [1, 2].map((row) => ask(server.port, get(`/worlds/endless/tiles/height/10/512/${512 + row}.png`)));
  await reaches(server, 2, 'requests_waiting');
  assert.equal(await server.stop(), 0);
  for (const answer of await Promise.all(answers)) {
    assert.equal(answer.status, 503);
    assert.match(JSON.parse(answer.body).detail, /shutting down/);
  }
  folder.remove();
});

test('connections that wait in the backlog at SIGTERM are accepted and answered', async () => {
  const server = await start();
  process.kill(server.pid, 'SIGSTOP');
  const waiting = Array.from({ length: 200 }, () => new Connection(server.port));
  await Promise.all(waiting.map((connection) => connection.until(() => !connection.socket.connecting, 'connecting')));
  waiting.forEach((connection) => connection.send(get('/livez')));
  const stopped = server.stop();
  process.kill(server.pid, 'SIGCONT');
  for (const connection of waiting) {
    assert.equal((await connection.answer())?.status, 200);
    connection.destroy();
  }
  assert.equal(await stopped, 0);
});

test('a second SIGTERM ends the server soon, and waiting requests are refused', async () => {
  const barrier = await startBarrier();
  const server = await start('--settle', '3600', '--drain', '3600', '--loops', '1', ...barrier.words);
  const connections = Array.from({ length: 20 }, () => new Connection(server.port));
  try {
    barrier.shut();
    connections.forEach((connection, i) => connection.send(get(`/worlds/slow/tiles/height/9/${i}/5@2x.png`)));
    await reaches(server, 20, 'requests_waiting');
    process.kill(server.pid, 'SIGTERM');
    await until503(server.port);
    assert.equal((await ask(server.port, get('/livez'))).status, 200);
    process.kill(server.pid, 'SIGTERM');
    /* The loop that takes nobody any more refuses in the same turn. */
    await eventually(async () => !await accepts(server.port), 'the second SIGTERM');
    /* The shared cache is still shut: nothing waits for it any more. */
    assert.equal(await server.ended(), 0);
    for (const connection of connections) assert.equal((await connection.answer()).status, 503);
  } finally {
    barrier.open();
    connections.forEach((connection) => connection.destroy());
    await server.stop('SIGKILL');
    await barrier.end();
  }
});

test('SIGTERM: running requests are answered, new connections are refused, the exit status is 0', async () => {
  const barrier = await startBarrier();
  const server = await start('--drain', '3600', ...barrier.words);
  const paths = Array.from({ length: 10 }, (_, i) => `/worlds/slow/tiles/height/7/${i}/0@2x.png`);
  const busy = paths.map(() => new Connection(server.port));
  const idle = new Connection(server.port);
  try {
    barrier.shut();
    busy.forEach((connection, i) => connection.send(get(paths[i])));
    await reaches(server, 10, 'requests_waiting');
    idle.send(get('/readyz'));
    assert.equal((await idle.answer()).status, 200);
    process.kill(server.pid, 'SIGTERM');
    const late = await eventually(async () => {
      idle.send(get('/readyz'));
      const answer = await idle.answer();
      assert.ok(answer, 'the connection was closed without a refusal');
      return answer.status !== 200 && answer;
    }, 'the end to begin');
    assert.equal(late.status, 503);
    assert.ok(Number(late.headers['retry-after']) > 0);
    assert.equal(answered(busy), 0);
    barrier.open();
    const answers = await Promise.all(busy.map((connection) => connection.answer()));
    assert.deepEqual(answers.map((answer) => answer?.status), Array(10).fill(200));
    assert.equal(await server.ended(), 0);
    await assert.rejects(fetch(`${server.url}/livez`));
    assert.equal(server.complaints(), '');
  } finally {
    barrier.open();
    [...busy, idle].forEach((connection) => connection.destroy());
    await server.stop();
    await barrier.end();
  }
});

/* Only the end of the drain period closes them. */
test('SIGTERM while clients are half-way through a request or do not read', async () => {
  const server = await start('--drain', '1', '--header-timeout', '3600', '--body-timeout', '3600', '--send-timeout', '3600', '--timeout', '3600');
  const half = new Connection(server.port);
  half.send('GET /livez HTTP/1.1\r\nHo');
  const body = new Connection(server.port);
  body.send('POST /heights HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{');
  const deaf = new Connection(server.port);
  deaf.socket.pause();
  deaf.send(get('/tiles/relief/6/31/31@2x.png').repeat(200));
  await reaches(server, 1, 'renders_total', { kind: 'tile' });
  const started = performance.now();
  assert.equal(await server.stop(), 0);
  assert.ok(performance.now() - started < 60000);
  for (const connection of [half, body, deaf]) connection.destroy();
});

test('restarts with the socket of a service manager, under load: no request fails', async () => {
  const { requests, failures } = await runActivated({ restarts: 6, clients: 8 });
  assert.deepEqual(failures, []);
  assert.ok(requests > 100, `${requests} requests`);
});

test('restarts of replicas behind nginx, under load: no request fails', { skip: missing('nginx').length > 0 }, async () => {
  const { requests, failures } = await runBehindProxy({ restarts: 6, clients: 8 });
  assert.deepEqual(failures, []);
  assert.ok(requests > 100, `${requests} requests`);
});
