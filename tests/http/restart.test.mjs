/* The end of a server, and its replacement by another one. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { command } from '../faults/reloads.mjs';
import { runActivated, runRestarts } from '../faults/restarts.mjs';
import { startServer } from '../tools/server.mjs';
import { makeWorlds } from './fixture.mjs';
import { answered, eventually, reaches, startGate } from './held.mjs';
import { ask, Connection, get } from './raw.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'terrane-restart-'));
const worlds = makeWorlds();
after(() => {
  worlds.remove();
  rmSync(folder, { recursive: true });
});

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

test('while it settles everything is answered, but /readyz says 503 and connections end', async () => {
  const server = await start('--settle', '3600');
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

test('settling takes as long as it is set to', async () => {
  const server = await start('--settle', '1');
  const began = performance.now();
  assert.equal(await server.stop(), 0);
  assert.ok(performance.now() - began >= 999);
});

test('who waits to be accepted when the server is to end is accepted and answered', async () => {
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

test('a second SIGTERM ends it soon, and what waits is refused', async () => {
  const gate = await startGate();
  const server = await start('--settle', '3600', '--drain', '3600', '--loops', '1', ...gate.words);
  const connections = Array.from({ length: 20 }, () => new Connection(server.port));
  gate.shut();
  connections.forEach((connection, i) => connection.send(get(`/worlds/slow/tiles/height/9/${i}/5@2x.png`)));
  await reaches(server, 20, 'requests_waiting');
  process.kill(server.pid, 'SIGTERM');
  await until503(server.port);
  assert.equal((await ask(server.port, get('/livez'))).status, 200);
  const stopped = server.stop();
  /* The loop that takes nobody any more refuses in the same turn. */
  await eventually(async () => !await accepts(server.port), 'the second SIGTERM');
  assert.equal(answered(connections), 0);
  gate.open();
  assert.equal(await stopped, 0);
  for (const connection of connections) assert.equal((await connection.answer()).status, 503);
  connections.forEach((connection) => connection.destroy());
  await gate.end();
});

test('a successor takes the port over, and the one before it ends', async () => {
  const admin = path.join(folder, 'admin');
  const fixed = ['--admin', admin, '--drain', '3600'];
  const gate = await startGate();
  const first = await start(...fixed, '--loops', '4', '--settle', '3600', '--take-over', ...gate.words);
  const busy = new Connection(first.port);
  const idle = new Connection(first.port);
  idle.send(get('/readyz'));
  assert.equal((await idle.answer()).status, 200);
  gate.shut();
  busy.send(get('/worlds/slow/tiles/height/9/7/7@2x.png'));
  await eventually(() => gate.held.size === 1, 'a request that is under way');
  const second = await start('--port', String(first.port), ...fixed, '--loops', '1', '--take-over');
  try {
    assert.equal(second.port, first.port);
    /* What is open is the first one's still; nobody needs to look elsewhere. */
    idle.send(get('/readyz'));
    const last = await idle.answer();
    assert.deepEqual([last.status, last.headers.connection], [200, 'close']);
    gate.open();
    assert.equal((await busy.answer()).status, 200);
    busy.destroy();
    assert.equal(await first.ended(), 0);
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200);
    assert.equal(JSON.parse((await command(admin, 'GET', 'status')).text).pid, second.pid);
    await assert.rejects(start('--take-over'), /--take-over needs the socket of --admin/);
    assert.equal((await fetch(`${second.url}/readyz`)).status, 200);
  } finally {
    assert.equal(await second.stop(), 0);
    await gate.end();
  }
});

test('6 rolling restarts under load: no failed request', async () => {
  const { requests, failed, failures } = await runRestarts({ restarts: 6, clients: 8 });
  assert.deepEqual(failures, []);
  assert.equal(failed, 0);
  assert.ok(requests > 100, `${requests} requests`);
});

test('6 restarts with a service manager\'s socket under load: no failed request', async () => {
  const { requests, failures } = await runActivated({ restarts: 6, clients: 8 });
  assert.deepEqual(failures, []);
  assert.ok(requests > 100, `${requests} requests`);
});
