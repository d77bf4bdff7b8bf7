/* Connections: how long each part of a request may take, and how many there may be. Clients of other
 * addresses come from 127.0.0.2 and so on, which are all this machine's. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { after, test } from 'node:test';
import { descriptors } from '../faults/descriptors.mjs';
import { dripping } from '../faults/dripping.mjs';
import { startServer } from '../tools/server.mjs';
import { counts, eventually, pause, reaches, startHeartbeat } from './busy.mjs';
import { Connection, get, parseAnswer } from './raw.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const folder = temporaryFolder().path;

/* Sends the bytes of `text` one by one until the connection ends; how long it lasted, in seconds,
 * and what came. */
function drip(port, text, { every = 100, first = '' } = {}) {
  return new Promise((resolve) => {
    const started = performance.now();
    const socket = net.connect(port, '127.0.0.1');
    const received = [];
    let next = 0;
    if (first) socket.write(first);
    const timer = setInterval(() => {
      if (next < text.length) socket.write(text[next++]);
    }, every);
    socket.on('data', (data) => received.push(data));
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(timer);
      resolve({ seconds: (performance.now() - started) / 1000, bytes: Buffer.concat(received) });
    });
  });
}

/* A deadline was kept: at most a second late, and more only where the machine is slow: `holdUp` is the longest
 * time that a small request took meanwhile. */
const within = (seconds, deadline, holdUp) => assert.ok(seconds > deadline - 0.05 && seconds < deadline + 1 + 5 * holdUp,
  `${seconds} s, not ${deadline} to 1 s later, on a machine that holds up for ${holdUp} s`);

/* Sends a request from a local address; returns the response, or null if the connection is closed. */
function from(port, localAddress, { keep = false } = {}) {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', localAddress });
    let received = Buffer.alloc(0);
    socket.on('connect', () => socket.write(get('/livez')));
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      const answer = parseAnswer(received);
      if (!answer) return;
      if (!keep) socket.destroy();
      resolve({ status: answer.status, socket });
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(null));
    setTimeout(() => reject(new Error('no answer')), 120000).unref();
  });
}

test('timeouts of idle, slow and silent connections', { concurrency: true }, async (t) => {
  const server = await startServer({ arguments: ['--header-timeout', '2', '--body-timeout', '1',
    '--send-timeout', '2', '--timeout', '3'] });
  const { port } = server;
  const heartbeat = startHeartbeat(port);
  const heads = 'HTTP/1.1\r\nHost: localhost\r\n';
  /* [bytes sent at once, bytes sent slowly, seconds until the server closes, status of the response before that]. */
  const cases = {
    'a client that sends nothing': ['', '', 2],
    'a request line that drips': ['', `GET /livez?${'a'.repeat(500)}`, 2],
    'headers that drip': [`GET /livez ${heads}X-Drip: `, 'a'.repeat(500), 2],
    'headers that drip after an answer': [`${get('/livez')}GET /livez ${heads}X-Drip: `, 'a'.repeat(500), 2, 200],
    'a request line that drips after an answer: 3 seconds until it begins, 2 more': [get('/livez'), `GET /${'a'.repeat(500)}`, 5, 200],
    'a body that drips': [`POST /heights ${heads}Content-Length: 500\r\n\r\n`, 'a'.repeat(500), 1],
    'a chunked body that drips': [`POST /heights ${heads}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'.repeat(100), 1],
    'a client that is only idle has the timeout': [get('/livez'), '', 3, 200],
  };
  const ended = Object.entries(cases).map(async ([name, [first, text]]) => [name, await drip(port, text, { first })]);
  const kept = t.test('a client that keeps sending requests stays connected', async () => {
    const connection = new Connection(port);
    for (let i = 0; i < 12; i++) {
      connection.send(get('/livez'));
      assert.equal((await connection.answer()).status, 200);
      await pause(500);
    }
    connection.destroy();
  });
  const all = await Promise.all(ended);
  await kept;
  const holdUp = await heartbeat.stop();
  for (const [name, { seconds, bytes }] of all) {
    await t.test(name, () => {
      const [, , deadline, status] = cases[name];
      within(seconds, deadline, holdUp);
      assert.equal(parseAnswer(bytes)?.status, status);
    });
  }
  assert.equal(server.complaints(), '');
  assert.equal(await server.stop(), 0);
});

/* A chunk of several MB, which is more than the kernel's buffers hold. */
async function bigTarget(server) {
  const { layers } = await (await fetch(`${server.url}/worlds/terra`)).json();
  const names = layers.map((layer) => layer.name).slice(0, 4).join(',');
  return `/chunks/0/0.r32f?size=700&apron=8&layers=${names}`;
}

/* Reads an answer to its end, a bit at a time with so many milliseconds in between; its length. */
function readSlowly(socket, milliseconds) {
  let received = 0;
  let length = Infinity;
  let head = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    socket.on('data', (data) => {
      received += data.length;
      if (length === Infinity) {
        head = Buffer.concat([head, data]);
        const end = head.indexOf('\r\n\r\n');
        if (end >= 0) length = end + 4 + Number(/content-length: (\d+)/i.exec(head)[1]);
      }
      if (received === length) resolve(length);
      if (!milliseconds) return;
      socket.pause();
      setTimeout(() => socket.resume(), milliseconds);
    });
    socket.on('close', () => reject(new Error(`closed after ${received} bytes`)));
    socket.resume();
  });
}

/* A server with a TCP and a unix socket, and the options of net.connect() for both. */
async function startReadable(name, words) {
  const socket = path.join(folder, name);
  const server = await startServer({ arguments: ['--chunk-samples', '16000000', '--listen', '127.0.0.1:0', '--listen',
    `unix:${socket}`, ...words] });
  return { server, TCP: { port: server.port, host: '127.0.0.1' }, unix: { path: socket } };
}

for (const way of ['TCP', 'unix']) {
  test(`slow readers of a ${way} socket`, async (t) => {
    const { server, [way]: place } = await startReadable(`slow-${way}`, ['--send-timeout', '2', '--timeout', '60']);
    const target = await bigTarget(server);

    await t.test('a client that reads nothing is disconnected at the deadline', async () => {
      const heartbeat = startHeartbeat(server.port);
      const socket = net.connect(place);
      socket.on('error', () => {});
      socket.pause();
      socket.write(get(target));
      const asked = performance.now();
      /* The timeout starts when the response is ready. */
      await reaches(server, 1, 'renders_total', { kind: 'chunk' });
      const made = performance.now();
      await reaches(server, 1, 'shed_total', { reason: 'slow' });
      const gone = performance.now();
      assert.ok(gone - asked > 1990, `${gone - asked} ms`);
      assert.ok(gone - made < 3000 + 5000 * await heartbeat.stop(), `${gone - made} ms`);
      socket.destroy();
    });

    await t.test('a client that keeps reading slowly gets the whole response', async () => {
      const socket = net.connect(place);
      socket.write(get(target));
      assert.ok(await readSlowly(socket, 10) > 7e6);
      socket.destroy();
    });

    assert.equal(await server.stop(), 0);
  });
}

test('the timeout of idle connections does not apply to readers', async () => {
  const { server, TCP, unix } = await startReadable('patient', ['--send-timeout', '600', '--timeout', '1']);
  const target = await bigTarget(server);
  await Promise.all([TCP, unix].map(async (place) => {
    const socket = net.connect(place);
    socket.pause();
    socket.write(get(target));
    await pause(3000);
    assert.ok(await readSlowly(socket, 0) > 7e6);
    socket.destroy();
  }));
  assert.equal(await server.stop(), 0);
});

test('the number of connections is limited for each address', async () => {
  const server = await startServer({ arguments: ['--connections-per-address', '3',
    '--trusted-proxies', '127.0.0.9'] });
  const { port } = server;
  const three = await Promise.all([1, 2, 3].map(() => from(port, '127.0.0.2', { keep: true })));
  for (const one of three) assert.equal(one.status, 200);
  assert.equal(await from(port, '127.0.0.2'), null, 'a fourth one is closed');
  assert.equal((await from(port, '127.0.0.3')).status, 200, 'another address is let in');
  three[0].socket.destroy();
  /* After a connection has ended another is accepted. */
  await eventually(async () => (await from(port, '127.0.0.2'))?.status === 200, 'a place');
  const proxied = await Promise.all(
    Array.from({ length: 9 }, () => from(port, '127.0.0.9', { keep: true })));
  for (const one of proxied) assert.equal(one.status, 200, 'a trusted proxy has many');
  for (const one of [...three, ...proxied]) one.socket.destroy();
  assert.match(server.complaints(), /^\S+Z warning accept: 127\.0\.0\.2 has 3 connections: /);
  assert.equal(await server.stop(), 0);
});

test('the limit for each address can be switched off', async () => {
  const server = await startServer({ arguments: ['--connections-per-address', '0'] });
  const many = await Promise.all(
    Array.from({ length: 50 }, () => from(server.port, '127.0.0.2', { keep: true })));
  for (const one of many) {
    assert.equal(one.status, 200);
    one.socket.destroy();
  }
  assert.equal(await server.stop(), 0);
});

/* Timeouts of an hour, so that only eviction closes a connection. */
test('at the connection limit the connection that has waited longest is closed', async () => {
  const server = await startServer({ arguments: ['--connections', '4', '--loops', '1', '--header-timeout', '3600', '--timeout', '3600'] });
  const { port } = server;
  const idle = await from(port, '127.0.0.1', { keep: true });
  await pause(300);
  const silent = [];
  for (let i = 0; i < 3; i++) silent.push(net.connect(port, '127.0.0.1'));
  const gone = [];
  idle.socket.on('close', () => gone.push('idle'));
  silent.forEach((socket, i) => {
    socket.on('close', () => gone.push(i));
    socket.on('error', () => {});
  });
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  assert.equal((await from(port, '127.0.0.1')).status, 200);
  await eventually(() => gone.length > 0, 'one that makes room');
  assert.equal(gone[0], 'idle');
  for (const socket of silent) socket.destroy();
  assert.equal(await server.stop(), 0);
});

const PATIENT = ['--timeout', '600', '--header-timeout', '600'];

test('a new connection evicts exactly one other', async () => {
  const server = await startServer({ arguments: ['--connections', '40', '--loops', '1', ...PATIENT] });
  const come = () => from(server.port, '127.0.0.1', { keep: true });
  const idle = await Promise.all(Array.from({ length: 40 }, come));
  await pause(600); /* so that each has been idle for long enough to be evicted */
  let gone = 0;
  for (const { socket } of idle) socket.on('close', () => { gone++; });
  const late = [];
  for (let i = 0; i < 8; i++) late.push(await come());
  for (const one of late) assert.equal(one.status, 200);
  /* When its response has arrived, all earlier closings have been seen. */
  assert.equal((await come()).status, 200);
  assert.ok(gone === 8 || gone === 9, `${gone} made room for 9`);
  for (const { socket } of [...idle, ...late]) socket.destroy();
  assert.equal(await server.stop(), 0);
});

test('a waiting connection of another event loop can be evicted', async () => {
  const server = await startServer({ arguments: ['--connections', '1', '--loops', '4', ...PATIENT] });
  const come = () => from(server.port, '127.0.0.1', { keep: true });
  for (let i = 0; i < 8; i++) assert.equal((await come())?.status, 200);
  assert.equal(await server.stop(), 0);
});

test('both connection limits hold while requests are being answered', async () => {
  const server = await startServer({ arguments: ['--connections', '2'] });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => from(server.port, '127.0.0.1')));
  for (const answer of answers) assert.equal(answer.status, 200);
  assert.equal(await server.stop(), 0);
});

test('messages are JSON and at most ten a second of one kind', async () => {
  const server = await startServer({ arguments: ['--connections-per-address', '1', '--log-format',
    'json'] });
  const first = await from(server.port, '127.0.0.1', { keep: true });
  const began = performance.now();
  /* All at once, so that more than ten arrive within a second. */
  const refused = await Promise.all(Array.from({ length: 200 }, () => from(server.port, '127.0.0.1')));
  assert.deepEqual(refused, Array(200).fill(null));
  await pause(1100);
  assert.equal(await from(server.port, '127.0.0.1'), null);
  const read = () => server.complaints().trim().split('\n').map((line) => JSON.parse(line));
  const said = () => read().reduce((sum, line) => sum + 1 + (line.left_out ?? 0), 0);
  await eventually(() => said() >= 201, 'the last line');
  assert.equal(said(), 201);
  const seconds = (performance.now() - began) / 1000;
  const lines = read();
  assert.ok(lines.length >= 11 && lines.length <= 10 * Math.ceil(seconds + 1), `${lines.length} lines in ${seconds} s`);
  assert.ok(lines.length < 201, 'none were left out');
  for (const line of lines) {
    assert.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(line.level, 'warning');
    assert.equal(line.kind, 'accept');
    assert.equal(line.message, '127.0.0.1 has 1 connections: one more was closed');
  }
  first.socket.destroy();
  assert.equal(await server.stop(), 0);
});

test('aborted connections write no log line', async () => {
  const server = await startServer({ arguments: ['--log-level', 'info', '--loops', '1'] });
  for (let i = 0; i < 20; i++) {
    const socket = net.connect(server.port, '127.0.0.1');
    await new Promise((resolve) => { socket.on('connect', resolve); });
    socket.write('GET /livez HTT');
    socket.resetAndDestroy();
  }
  /* All earlier connections have been accepted, and all but this one have ended. */
  await eventually(async () => (await counts(server))('connections') <= 1, 'their end');
  assert.equal(await server.stop(), 0);
  assert.equal(server.complaints(), '');
});

/* Short forms of the programs in tests/faults; their figures are printed, and only what holds on a
 * busy machine is asserted. */
test('hundreds of clients that send one byte at a time', async (t) => {
  const figures = await dripping({ connections: 300, limit: 600, seconds: 1, rounds: 1, all: true });
  t.diagnostic(`p99 among drippers / without: ${figures.p99_ratio}; the latest was gone after `
    + `${figures.latest_s} s of ${figures.deadline_s}; ${figures.kilobytes_each} KB each`);
  assert.ok(figures.closed >= 300);
  assert.ok(figures.latest_s < figures.deadline_s + 1 + 5 * figures.hold_up_s, `${figures.latest_s} s, held up for ${figures.hold_up_s}`);
  assert.equal(figures.failed, 0);
  assert.equal(figures.log_lines, 0);
  assert.equal(figures.status, 0);
});

test('the server recovers from a lack of file descriptors', async (t) => {
  const figures = await descriptors({ seconds: 3 });
  t.diagnostic(`${figures.processor_share} of a processor, ${figures.lines_in_all} lines, taken `
    + `again after ${figures.recovered_ms} ms`);
  assert.equal(figures.answered_meanwhile, 0);
  assert.ok(figures.newcomers > 10);
  assert.equal(figures.answered_after, figures.newcomers);
  assert.equal(figures.well_behaved.failed, 0);
  assert.ok(figures.processor_share < 0.2);
  assert.ok(figures.lines_in_all > 0 && figures.lines_in_all <= 30);
  assert.ok(figures.recovered_ms < 1000 + 20 * figures.usual_ms, `${figures.recovered_ms} ms, ${figures.usual_ms} before`);
  assert.equal(figures.status, 0);
});
