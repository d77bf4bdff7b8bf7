/* terrane health: against a daemon, and against servers that are none. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { binary, terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

/* Not spawnSync, as the servers asked are in this process. */
async function health(url) {
  const child = spawn(binary, ['health', url], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { said += data; });
  const started = performance.now();
  const [status] = await once(child, 'close');
  return { status, said, milliseconds: performance.now() - started };
}

/* Calls use(url, requests) with a server that answers each request with these texts in turn. */
async function withServer(texts, use) {
  const requests = [], sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', async (data) => {
      requests.push(data.toString());
      for (const text of texts) {
        socket.write(text);
        await new Promise((done) => { setTimeout(done, 20); });
      }
      if (texts.length > 0) socket.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${server.address().port}`, requests);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

test('a daemon that runs is healthy, one that has ended is not', async (t) => {
  const server = await startServer();
  t.after(() => server.stop());
  for (const url of [server.url, `${server.url}/`, `${server.url}/livez`,
    server.url.replace('127.0.0.1', 'localhost')]) {
    assert.deepEqual(terrane(['health', url]), { status: 0, stdout: '', stderr: '' });
  }
  const wrong = terrane(['health', `${server.url}/nothing`]);
  assert.equal(wrong.stderr, `terrane: ${server.url}/nothing: answers 404, not 200\n`);
  assert.equal(wrong.status, 1);
  await server.stop();
  const gone = terrane(['health', server.url]);
  assert.equal(gone.stderr, `terrane: ${server.url}: Connection refused\n`);
  assert.equal(gone.status, 1);
});

test('health requests /readyz or the given path', () => withServer(['HTTP/1.1 200 OK\r\n\r\n'], async (url, requests) => {
  assert.equal((await health(url)).status, 0);
  assert.equal((await health(`${url}/a/b?c`)).status, 0);
  const host = url.slice('http://'.length);
  assert.equal(requests[0], `GET /readyz HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: terrane-health\r\nConnection: close\r\n\r\n`);
  assert.match(requests[1], /^GET \/a\/b\?c HTTP\/1\.1\r\n/);
}));

/* what a server says, what the command says, its status */
const answers = [
  [['HTTP/1.0 200 OK\r\n\r\n'], '', 0],
  [['HT', 'TP/1.1 2', '00 O', 'K\r\n\r\n'], '', 0],
  [['HTTP/1.1 503 Service Unavailable\r\n\r\n'], 'answers 503, not 200', 1],
  [['HTTP/1.1 2000\r\n\r\n'], 'answers something that is not HTTP', 1],
  [['SSH-2.0-OpenSSH\r\n'], 'answers something that is not HTTP', 1],
  [['HTTP/1.1 20\r\n'], 'answers something that is not HTTP', 1],
  [['x'.repeat(5000)], 'answers something that is not HTTP', 1],
  [['HTTP/1.1'], 'closed the connection without an answer', 1],
];
for (const [texts, message, status] of answers) {
  test(`the response ${JSON.stringify(texts).slice(0, 50)}`, () => withServer(texts, async (url) => {
    const result = await health(url);
    assert.equal(result.said, message && `terrane: ${url}: ${message}\n`);
    assert.equal(result.status, status);
  }));
}

test('health waits two seconds for a silent server', () => withServer([], async (url) => {
  const { status, said, milliseconds } = await health(url);
  assert.equal(said, `terrane: ${url}: no answer within 2000 ms\n`);
  assert.equal(status, 1);
  assert.ok(milliseconds >= 1900, `${milliseconds} ms`);
}));

/* A machine of its own whose only name server says nothing. */
const muted = (program) => `ip link set lo up && mount --bind "$1" /etc/resolv.conf && exec "${program}" "$2" "$3"`;
const mute = `const { spawnSync } = require('node:child_process');
const server = require('node:dgram').createSocket('udp4').bind(53, '127.0.0.1', () => {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.argv[2], ['health', 'http://name.example'], { encoding: 'utf8' });
  console.log(JSON.stringify({ status, stderr, milliseconds: performance.now() - started }));
  server.close();
});`;

test('health waits two seconds for a silent name server', async () => {
  const folder = temporaryFolder({ 'resolv.conf': 'nameserver 127.0.0.1\n', 'mute.cjs': mute });
  const alone = ['--map-root-user', '--mount', '--net'];
  const words = ['sh', '-c', muted(process.execPath), 'sh', `${folder.path}/resolv.conf`, `${folder.path}/mute.cjs`, binary];
  if (spawnSync('unshare', [...alone, 'sh', '-c', 'ip link set lo up && mount --bind /dev/null /etc/resolv.conf'], { stdio: 'ignore' }).status !== 0) {
    t.skip('no network of its own may be made here');
    return;
  }
  const { stdout } = spawnSync('unshare', [...alone, ...words], { encoding: 'utf8' });
  const { status, stderr, milliseconds } = JSON.parse(stdout);
  assert.equal(stderr, 'terrane: http://name.example: the name was not found within 2000 ms\n');
  assert.equal(status, 1);
  assert.ok(milliseconds >= 1900, `${milliseconds} ms`);
});
