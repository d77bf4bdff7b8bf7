/* terrane serve as a process: its first line, signals and failures. Its responses are tested
 * over HTTP. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import clock from '../tools/limit-clock.cjs';
import { startServer } from '../tools/server.mjs';
import { binary, terrane } from './terrane.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

for (const signal of ['SIGTERM', 'SIGINT']) {
  test(`${signal} ends serve with status 0`, async () => {
    const server = await startServer();
    const response = await fetch(`${server.url}/livez`);
    assert.equal(response.status, 200);
    await response.text();
    assert.equal(await server.stop(signal), 0);
    assert.equal(server.complaints(), '');
    await assert.rejects(fetch(`${server.url}/livez`));
  });
}

test('serve listens on IPv6', async (t) => {
  let server;
  try {
    server = await startServer({ arguments: ['--listen', '[::1]:0'] });
  } catch (error) {
    if (!/Cannot assign requested address|Address family/.test(error.message)) throw error;
    t.skip('this machine has no IPv6');
    return;
  }
  assert.match(server.url, /^http:\/\/\[::1\]:\d+$/);
  assert.equal((await fetch(`${server.url}/livez`)).status, 200);
  assert.equal(await server.stop(), 0);
});

test('a flag\'s address wins over a port from the environment', async () => {
  const server = await startServer({ arguments: ['--listen', '127.0.0.1:0'],
    env: { TERRANE_PORT: '1' } });
  assert.equal(await server.stop(), 0);
});

test('the error for a port in use names it', async () => {
  const server = await startServer();
  try {
    const { status, stdout, stderr } = terrane(['serve', '--port', String(server.port)]);
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, new RegExp(`^terrane: .*port ${server.port}.* in use`));
  } finally {
    await server.stop();
  }
});

test('the error for an invalid address names it', () => {
  const { status, stderr } = terrane(['serve', '--listen', 'nowhere.invalid:0']);
  assert.equal(status, 2);
  assert.match(stderr, /^terrane: .*nowhere\.invalid/);
});

test('a bad world stops serve before it listens', () => {
  const { status, stdout, stderr } = terrane(['serve', '--port', '0', '--worlds', '/nonexistent']);
  assert.equal(status, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /^terrane: \/nonexistent: /);
});

test('serve uses its settings: the default world comes from a folder', async () => {
  const server = await startServer({ env: { TERRANE_DEFAULT_WORLD: 'terra' } });
  const answer = await (await fetch(`${server.url}/at?x=0&y=0`)).json();
  assert.equal(answer.world, 'terra');
  await server.stop();
});

test('closed standard streams are not reused for connections or files', async (t) => {
  const folder = temporaryFolder();
  const socketPath = `${folder.path}/socket`;
  const child = spawn('sh', ['-c', `exec "$0" serve --listen "unix:${socketPath}" --access-log "${folder.path}/log" <&- >&- 2>&-`, binary],
    { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'close');
  const ask = () => new Promise((resolve) => {
    http.get({ socketPath, path: '/livez' }, (answer) => { answer.resume(); resolve(answer.statusCode); }).on('error', () => resolve(0));
  });
  let status = 0;
  for (const end = clock.now() + 15000; status === 0 && clock.now() < end;) {
    status = await ask();
    if (status === 0) await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
  assert.equal(status, 200);
  assert.deepEqual([0, 1, 2].map((stream) => readlinkSync(`/proc/${child.pid}/fd/${stream}`)), Array(3).fill('/dev/null'));
  child.kill();
  assert.deepEqual(await exited, [0, null]);
});

test('output to a closed stream is a failure', () => {
  const { status, stderr } = spawnSync('sh', ['-c', 'exec "$0" worlds >&-', binary], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /^terrane: standard output cannot be written: /);
});
