/* The end of a server, and its replacement by another one. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { command } from '../faults/reloads.mjs';
import { runActivated, runRestarts } from '../faults/restarts.mjs';
import { startServer } from '../tools/server.mjs';
import { makeWorlds } from './worlds.mjs';
import { answered, eventually, reaches, startBarrier as startGate } from './busy.mjs';
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
  try {
    gate.shut();
    connections.forEach((connection, i) => connection.send(get(`/worlds/slow/tiles/height/9/${i}/5@2x.png`)));
    await reaches(server, 20, 'requests_waiting');
    process.kill(server.pid, 'SIGTERM');
    await until503(server.port);
    assert.equal((await ask(server.port, get('/livez'))).status, 200);
    process.kill(server.pid, 'SIGTERM');
    /* The loop that takes nobody any more refuses in the same turn. */
    await eventually(async () => !await accepts(server.port), 'the second SIGTERM');
    assert.equal(answered(connections), 0);
    gate.open();
    assert.equal(await server.ended(), 0);
    for (const connection of connections) assert.equal((await connection.answer()).status, 503);
  } finally {
    gate.open();
    connections.forEach((connection) => connection.destroy());
    await server.stop('SIGKILL');
    await gate.end();
  }
});

test('a successor takes the port over, and the one before it ends', async () => {
  const admin = path.join(folder, 'admin');
  const fixed = ['--admin', admin, '--drain', '3600'];
  const gate = await startGate();
  const first = await start(...fixed, '--loops', '4', '--settle', '3600', '--take-over', ...gate.words);
  const busy = new Connection(first.port);
  const idle = new Connection(first.port);
  let second;
  try {
    idle.send(get('/readyz'));
    assert.equal((await idle.answer()).status, 200);
    gate.shut();
    busy.send(get('/worlds/slow/tiles/height/9/7/7@2x.png'));
    await eventually(() => gate.held.size === 1, 'a request that is under way');
    second = await start('--port', String(first.port), ...fixed, '--loops', '1', '--take-over');
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
    assert.equal(await second.stop(), 0);
  } finally {
    gate.open();
    await first.stop('SIGKILL');
    await second?.stop();
    await gate.end();
  }
});

/* What the admin socket of a server that goes on says. */
async function assertServes(server, admin) {
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  const { pid, state } = JSON.parse((await command(admin, 'GET', 'status')).text);
  assert.deepEqual([pid, state], [server.pid, 'serving']);
}

const overSocket = (socketPath) => new Promise((resolve, reject) => {
  http.get({ socketPath, path: '/readyz' }, (answer) => answer.resume().on('end', () => resolve(answer.statusCode))).on('error', reject);
});

test('more sockets than the kernel passes at once', async () => {
  const admin = path.join(folder, 'wide');
  const more = ['--admin', admin, '--loops', '130', '--listen', '127.0.0.1:0', '--listen', '127.0.0.2:0'];
  const first = await start(...more);
  try {
    const other = (await first.further()).replace('http:', '--listen=').replace('//', '');
    const second = await start('--port', String(first.port), '--admin', admin, '--loops', '1', '--listen', '127.0.0.1:0', other, '--take-over');
    assert.equal(await first.ended(), 0);
    /* The kernel spreads them over all sockets. */
    for (let i = 0; i < 400; i++) assert.equal((await ask(second.port, get('/livez'))).status, 200);
    assert.equal(await second.stop(), 0);
  } finally {
    await first.stop();
  }
});

test('a successor that fails changes nothing', async () => {
  const admin = path.join(folder, 'failing');
  const local = path.join(folder, 'local');
  const addresses = ['--listen', '127.0.0.1:0', '--listen', `unix:${local}`];
  const server = await start('--admin', admin, ...addresses);
  try {
    for (let i = 0; i < 3; i++) {
      await assert.rejects(start('--take-over', '--port', String(server.port), '--admin', admin, ...addresses, '--listen', 'https://127.0.0.1:0'),
        /needs the certificate and the key/);
      await assertServes(server, admin);
      assert.equal(await overSocket(local), 200);
    }
    const successor = await start('--take-over', '--port', String(server.port), '--admin', admin, ...addresses);
    assert.equal(await server.ended(), 0);
    await assertServes(successor, admin);
    assert.equal(await overSocket(local), 200);
    assert.equal(await successor.stop(), 0);
    assert.equal(existsSync(local), false);
    assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith('failing')), []);
  } finally {
    await server.stop();
  }
});

test('a successor that dies before it has the last word changes nothing', async () => {
  const admin = path.join(folder, 'dying');
  const server = await start('--admin', admin);
  try {
    process.kill(server.pid, 'SIGSTOP');
    const successor = net.connect(admin);
    await once(successor, 'connect');
    await new Promise((resolve) => successor.write('POST /retire HTTP/1.1\r\n\r\n', resolve));
    successor.destroy();
    await once(successor, 'close');
    process.kill(server.pid, 'SIGCONT');
    await assertServes(server, admin);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});

test('of several successors at once one is left', async () => {
  const admin = path.join(folder, 'several');
  let server = await start('--admin', admin);
  const { port } = server;
  for (let round = 0; round < 4; round++) {
    const tried = await Promise.allSettled(Array.from({ length: 3 }, () => start('--take-over', '--port', String(port), '--admin', admin)));
    assert.equal(await server.ended(), 0);
    const began = tried.filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
    const { pid } = JSON.parse((await command(admin, 'GET', 'status')).text);
    server = began.find((one) => one.pid === pid);
    for (const one of began) if (one !== server) assert.equal(await one.ended(), 0);
    for (const { reason } of tried.filter(({ status }) => status === 'rejected')) {
      assert.match(reason.message, /does not retire|gives no listening sockets away|is in use/);
    }
    await assertServes(server, admin);
  }
  assert.equal(await server.stop(), 0);
});

test('a successor that ends in its turn leaves no socket on which nobody answers', async () => {
  const admin = path.join(folder, 'turn');
  const gate = await startGate();
  const first = await start('--admin', admin);
  const second = await start('--take-over', '--port', String(first.port), '--admin', admin, '--drain', '3600', ...gate.words);
  const waiting = new Connection(second.port);
  try {
    assert.equal(await first.ended(), 0);
    gate.shut();
    waiting.send(get('/worlds/clock/tiles/height/9/1/1.png'));
    await eventually(() => gate.held.size === 1, 'a request that is under way');
    process.kill(second.pid, 'SIGTERM');
    await eventually(async () => !await accepts(second.port), 'an end to new connections');
    assert.equal(waiting.received.length, 0, 'it is still there');
    gate.open();
    assert.equal((await waiting.answer()).status, 200);
    assert.equal(await second.ended(), 0);
  } finally {
    gate.open();
    waiting.destroy();
    await first.stop('SIGKILL');
    await second.stop('SIGKILL');
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
