/* Clients that end their sending after a request and read on, as `nc -N` does, and clients whose connection breaks.
 * Over TCP the first look like clients that have closed their socket, until the response is sent. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import tls from 'node:tls';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { counts, eventually, withBusyRenderer } from './busy.mjs';
import { Connection, ask, get, parseAnswer } from './raw.mjs';
import { makeWorlds } from './worlds.mjs';

const worlds = makeWorlds();
const { path: folder } = temporaryFolder();
const close = 'Connection: close\r\n';
const post = (target, body) => `POST ${target} HTTP/1.1\r\nHost: localhost\r\n${close}Content-Length: ${body.length}\r\n\r\n${body}`;

/* Sends the request, ends the sending and reads to the end: the answer, or null. */
async function askHalfClosed(socket, request) {
  const parts = [];
  socket.end(request);
  for await (const part of socket) parts.push(part);
  return parseAnswer(Buffer.concat(parts));
}

const connect = (where) => net.connect({ ...where, allowHalfOpen: true });
const connectTls = (port) => tls.connect({ port, rejectUnauthorized: false, allowHalfOpen: true });

/* Work of each kind that waits: renders, queries, a seed that is compiled first, a batch in several pieces. */
const requests = (i) => [
  get(`/tiles/relief/14/${8000 + i}/8000.png`, close),
  get(`/worlds/terra~half${i}/tiles/height/14/8000/8000.r32f`, close),
  get(`/chunks/${i}/9.r32f?size=64`, close),
  get(`/worlds/terra~query${i}/at?x=1&y=${i}`, close),
  post('/heights', JSON.stringify({ points: [[i, 2], [3, 4]] })),
  post('/chunks', JSON.stringify({ format: 'r32f', size: 64, chunks: Array.from({ length: 64 }, (_, k) => [i, k]) })),
];

test('a client that ends its sending gets whole answers over TCP, a unix socket and TLS', async () => {
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-subj', '/CN=localhost', '-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`], { stdio: 'ignore' });
  const server = await startServer({ arguments: ['--listen', '127.0.0.1:0', '--listen', `unix:${folder}/socket`,
    '--listen', 'https://127.0.0.1:0', '--tls-cert', `${folder}/cert.pem`, '--tls-key', `${folder}/key.pem`, '--loops', '1'] });
  await server.further();
  const secure = Number(new URL(await server.further()).port);
  /* libmicrohttpd treats a connection that is alone in its loop in another way. */
  const idle = Array.from({ length: 4 }, () => [connect({ port: server.port }), connectTls(secure)]).flat();
  const transports = [() => connect({ port: server.port }), () => connect({ path: `${folder}/socket` }), () => connectTls(secure)];
  try {
    await Promise.all(idle.map((socket) => new Promise((resolve) => { socket.once(socket.encrypted ? 'secureConnect' : 'connect', resolve); })));
    for (const [i, transport] of transports.entries()) {
      for (const request of requests(i)) {
        const answer = await askHalfClosed(transport(), request);
        const what = `transport ${i}: ${request.slice(0, 60)}`;
        assert.equal(answer?.status, 200, what);
        assert.ok(answer.body.equals((await ask(server.port, request)).body), what);
      }
    }
  } finally {
    idle.forEach((socket) => socket.destroy());
    assert.equal(await server.stop(), 0);
  }
});

const slow = (i) => `/worlds/slow/tiles/height/8/${i}/6@2x.png`;

/* act({ server, whileBusy, send, waiting, log }) with a busy renderer: waiting(n) waits until n requests wait for it in
 * their turn, log(paths) until the access log has all paths, and returns them in its order. With one event loop
 * that is the order of the answers. */
function whileOthersWait(words, act) {
  const file = `${folder}/${performance.now()}.log`;
  return withBusyRenderer(['--worlds', worlds.folder, '--loops', '1', '--access-log', file, ...words], (busy) => act({
    ...busy,
    waiting: (number) => busy.whileBusy(async () => (await counts(busy.server))('queue_length') === number, `${number} that wait`),
    log: (paths) => eventually(() => {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1).map((line) => JSON.parse(line).target);
      return paths.every((path) => lines.includes(path)) && lines.filter((line) => paths.includes(line));
    }, `${paths} in the log`),
  }));
}

test('a client that ends its sending is answered after all others', () => whileOthersWait([], async ({ server, waiting, whileBusy, send, log }) => {
  const first = askHalfClosed(connect({ port: server.port }), get(slow(1), close));
  const batch = askHalfClosed(connect({ port: server.port }), post('/chunks', '{"chunks":[[5,5],[6,6]]}'));
  await waiting(0);
  await whileBusy(async () => (await counts(server))('requests_waiting') === 3, 'both requests');
  await waiting(0);
  const others = send([slow(2), slow(3)]);
  await waiting(2);
  assert.equal((await first)?.status, 200);
  assert.equal((await batch)?.status, 200);
  for (const other of others) assert.equal((await other.answer()).status, 200);
  assert.deepEqual((await log([slow(1), slow(2), slow(3)])).slice(0, 2), [slow(2), slow(3)]);
}));

test('a request joins one whose client has ended its sending, and is answered in turn', () => whileOthersWait([], async ({ server, waiting, whileBusy, send, log }) => {
  const half = askHalfClosed(connect({ port: server.port }), get(slow(1), close));
  await whileBusy(async () => (await counts(server))('requests_waiting') === 2, 'the request');
  await waiting(0);
  const [joined] = send([slow(1)]);
  await waiting(1);
  const [other] = send([slow(2)]);
  await waiting(2);
  for (const connection of [joined, other]) assert.equal((await connection.answer()).status, 200);
  assert.equal((await half)?.status, 200);
  assert.equal((await log([slow(1), slow(2)])).at(-1), slow(2));
}));

test('a broken connection frees its place at once, and nothing is rendered for it', () => whileOthersWait(['--queue', '4'], async ({ server, waiting, whileBusy, send }) => {
  const broken = send([1, 2, 3].map(slow));
  broken.push(...send(['/worlds/slow/stats?bbox=1,0,300,300&samples=300']));
  await waiting(4);
  broken.forEach((connection) => connection.socket.resetAndDestroy());
  await waiting(0);
  await whileBusy(async () => (await counts(server))('requests_waiting') === 1, 'the end of the requests');
  const others = send([11, 12, 13, 14].map(slow));
  await waiting(4);
  for (const connection of others) assert.equal((await connection.answer()).status, 200);
  const count = await counts(server);
  assert.equal(count('renders_total', { kind: 'tile' }), 4);
  assert.equal(count('shed_total', { reason: 'abandoned' }), 4);
}));

test('a unix socket that is closed is a broken connection', () => {
  const socket = `${folder}/closed`;
  return whileOthersWait(['--listen', '127.0.0.1:0', '--listen', `unix:${socket}`], async ({ server, waiting, whileBusy }) => {
    const closed = connect({ path: socket });
    closed.write(get(slow(1)));
    await waiting(1);
    closed.destroy();
    await whileBusy(async () => (await counts(server))('requests_waiting') === 1, 'the end of the request');
    const alive = new Connection(server.port);
    alive.send(get('/livez'));
    assert.equal((await alive.answer()).status, 200);
    alive.destroy();
  });
});

/* The time is that of the chunk, 20,000 octaves at 1024² samples, and not the second of a 503 that knows none. */
test('a client that ends its sending is refused when the queue for such clients is full', () => whileOthersWait(
  ['--queue', '4'], async ({ server, whileBusy, waiting, send }) => {
    send(['/worlds/expensive/chunks/9/9.r32f?size=1024&step=0.0625']);
    await waiting(1);
    for (let i = 0; i < 4; i++) {
      askHalfClosed(connect({ port: server.port }), get(slow(i), close)).catch(() => {});
      await whileBusy(async () => (await counts(server))('requests_waiting') === 3 + i, 'the request');
      await waiting(1);
    }
    const refused = await askHalfClosed(connect({ port: server.port }), get(slow(4), close));
    assert.equal(refused.status, 503);
    assert.match(JSON.parse(refused.body).detail, /many others wait/);
    assert.ok(Number(refused.headers['retry-after']) > 1, refused.headers['retry-after']);
    assert.equal((await counts(server))('shed_total', { reason: 'abandoned' }), 1);
  }));

test('a client that ends its sending waits no longer than others', () => withBusyRenderer(
  ['--worlds', worlds.folder, '--deadline', '1'], async ({ server, whileBusy, startJob }) => {
    await startJob();
    const half = (request) => {
      const ending = { over: false };
      askHalfClosed(connect({ port: server.port }), request).then((answer) => Object.assign(ending, { over: true, answer }));
      return ending;
    };
    const tile = half(get(slow(1), close));
    const batch = half(post('/chunks', '{"chunks":[[5,5],[6,6]]}'));
    await whileBusy(() => tile.over && batch.over, 'the end of both');
    assert.equal(tile.answer?.status, 503);
    assert.equal(tile.answer.headers['content-type'], 'application/problem+json');
    assert.equal(batch.answer, null, 'a response that has begun breaks off');
  }, { late: true }));
