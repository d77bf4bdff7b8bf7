/* Calls of the program's own that fail: memory that is not there, and a system that refuses. Whatever
 * fails, nothing crashes or hangs, no wrong byte is served, and the next request is answered. Under
 * the address sanitizer nothing is lost either. */

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { after, before, test } from 'node:test';
import { binary, cleanEnvironment, root, terrane } from '../cli/terrane.mjs';
import { ask, Connection, get } from '../http/raw.mjs';
import { startMemcached } from '../tools/memcached.mjs';
import { startServer } from '../tools/server.mjs';
import { examples, isBatch, isRight, send } from './examples.mjs';
import { MEMORY, FailingCalls, SYSTEM } from './failing_calls.mjs';
import { command } from './reloads.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const NEVER = Number.MAX_SAFE_INTEGER;
const sanitized = /\/build\/(tsan|fuzz)\//.test(binary);
let refusals;
let folder;
before(() => {
  refusals = new FailingCalls();
  folder = temporaryFolder();
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-subj', '/CN=localhost', '-keyout', `${folder.path}/key.pem`, '-out', `${folder.path}/cert.pem`], { stdio: 'ignore' });
});
after(() => {
  refusals.remove();
  folder.remove();
});

/* Arguments of a server with every feature switched on. */
const everything = () => ['--listen', '127.0.0.1:0', '--listen', 'https://127.0.0.1:0', '--listen', `unix:${folder.path}/socket`,
  '--tls-cert', `${folder.path}/cert.pem`, '--tls-key', `${folder.path}/key.pem`, '--loops', '2', '--renderers', '1',
  '--admin', `${folder.path}/admin`, '--access-log', `${folder.path}/access.log`, '--cache-disk', `${folder.path}/tiles.db`,
  '--cache-shared-timeout', '10', '--connections-per-address', '9',
  '--public-url', 'http://localhost/', '--allowed-hosts', 'localhost', '--trusted-proxies', '127.0.0.1'];

/* Starts the server with failing calls and ends it if it serves; returns the outcome. */
async function startUnder(orders) {
  refusals.arm(orders);
  const child = spawn(binary, ['serve', ...everything(), '--cache-shared', 'memcached://127.0.0.1:9'],
    { cwd: root, env: cleanEnvironment(refusals.env), stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let said = '';
  let complaints = '';
  let counts = null;
  child.stderr.on('data', (data) => { complaints += data; });
  child.stdout.on('data', (data) => {
    said += data;
    if (counts || !said.includes('listening on unix:')) return;
    counts = refusals.disarm();
    child.kill('SIGTERM');
  });
  const [status, signal] = await exited;
  const served = counts !== null;
  counts ??= refusals.disarm();
  rmSync(`${folder.path}/tiles.db`, { force: true });
  return { served, status, signal, complaints, ...counts };
}

/* All of the last few calls, which are the server's own; a few of those in front, which are the
 * worlds' and styles'. */
function* numbers(calls) {
  const first = Math.max(1, calls - 400);
  for (let number = 1; number < first; number += Math.ceil(first / 40)) yield number;
  for (let number = first; number <= calls; number++) yield number;
}

test('a server without memory at start-up reports it', { skip: sanitized }, async () => {
  const { calls, served } = await startUnder({ kind: MEMORY, main: 1, number: NEVER });
  assert.ok(served && calls > 1000, `${calls} allocations`);
  let failed = 0;
  for (const number of numbers(calls)) {
    const onwards = number % 2;
    const { served: serves, status, signal, complaints, struck } = await startUnder({ kind: MEMORY, main: 1, number, onwards });
    const what = `allocation ${number} of ${calls}: ${signal ?? status} ${complaints}`;
    assert.equal(signal, null, what);
    assert.doesNotMatch(complaints, /Sanitizer|runtime error/, what);
    if (serves) {
      assert.equal(status, 0, what);
      continue;
    }
    assert.ok(struck > 0 && status === 1, what);
    assert.match(complaints, /memory/, what);
    failed++;
  }
  assert.ok(failed > 20, `${failed}`);
});

test('a server whose system calls fail at start-up reports it or continues', { skip: sanitized }, async () => {
  const { calls, served } = await startUnder({ kind: SYSTEM, main: 1, number: NEVER });
  assert.ok(served && calls > 50, `${calls} calls`);
  let failed = 0;
  for (const number of numbers(calls)) {
    const { served: serves, status, signal, complaints, struck } = await startUnder({ kind: SYSTEM, main: 1, number, reason: constants.errno.EMFILE });
    const what = `call ${number} of ${calls}: ${signal ?? status} ${complaints}`;
    assert.equal(signal, null, what);
    assert.doesNotMatch(complaints, /Sanitizer|runtime error/, what);
    assert.ok(serves || struck > 0, what);
    assert.equal(status, serves ? 0 : 1, what);
    if (!serves) assert.match(complaints, /^terrane: \S/m, what);
    failed += !serves;
  }
  assert.ok(failed > 20, `${failed}`);
});

const encodings = ['', 'Accept-Encoding: gzip\r\n', 'Accept-Encoding: zstd\r\n'];

test('requests without memory get the right bytes or an error', { skip: sanitized }, async () => {
  /* Without caches, so that everything is rendered each time. */
  const server = await startServer({ arguments: ['--watch', '--worlds', temporaryFolder().path, '--cache-memory', '0', '--loops', '1', '--renderers', '1'], env: refusals.env });
  const counts = { 200: 0, 201: 0, 503: 0, none: 0 };
  try {
    const requests = await examples(server.url);
    assert.ok(requests.length > 60, `${requests.length} requests`);
    for (const [index, request] of requests.entries()) {
      const headers = isBatch(request) ? '' : encodings[index % encodings.length];
      const right = await send(server.port, request, headers);
      assert.ok([200, 201].includes(right?.status), `${request.target}: ${right?.status}`);
      for (let number = 1, struck = 1; struck > 0; number += number < 40 ? 1 : 9 + (number >> 3)) {
        refusals.arm({ kind: MEMORY, number, onwards: number % 2 });
        const answer = await send(server.port, request, headers);
        ({ struck } = refusals.disarm());
        const what = `${request.target} ${request.body}: allocation ${number}, ${answer?.status}`;
        assert.ok(answer === null || answer.status === right.status || answer.status === 503, what);
        if (answer?.status === right.status) assert.ok(isRight(request, answer.body, right.body), what);
        counts[answer?.status ?? 'none']++;
      }
      const again = await send(server.port, request, headers);
      assert.equal(again?.status, right.status, request.target);
    }
  } finally {
    refusals.disarm();
    assert.equal(await server.stop(), 0);
  }
  assert.equal(server.complaints(), '');
  assert.ok(counts[503] > 500 && counts.none > 20, JSON.stringify(counts));
});

const commands = (url) => ({
  query: ['query', '--json', '0', '0'],
  tile: ['render', '--tile', '9/255/255', '-o', '-'],
  picture: ['render', '--bbox', '0,0,900,900', '--width', '30', '-o', '-'],
  profile: ['profile', '--line', '0,0;9,9', '--samples', '3'],
  stats: ['stats', '--bbox', '0,0,9,9', '--samples', '3', '--json'],
  locate: ['locate', '--min-height', '1', '0', '0'],
  objects: ['objects', '--bbox', '0,0,99,99'],
  check: ['check'],
  worlds: ['worlds', '--json'],
  styles: ['styles'],
  formulas: ['formulas'],
  settings: ['serve', '--print-config', '--json'],
  schema: ['serve', '--print-schema'],
  webp: ['render', '--bbox', '0,0,900,900', '--width', '30', '--format', 'webp', '-o', '-'],
  file: ['render', '--tile', '9/255/255', '--format', 'r16', '-o', `${folder.path}/tile.r16`],
  digest: ['check', '--digest', '--size', '4'],
  cache: ['cache', `${folder.path}/kept.db`, '--json', '--check'],
  health: ['health', url],
});
const RUNS = 25; /* of each command and kind */

function runUnder(words, orders) {
  refusals.arm(orders);
  const result = terrane(words, { env: refusals.env, bytes: true });
  return { ...result, ...refusals.disarm() };
}

for (const [kind, name, reason] of [[MEMORY, 'memory', 'ENOMEM'], [SYSTEM, 'the system', 'EIO']]) {
  test(`commands report failures of ${name}`, { skip: sanitized }, async () => {
    const kept = await startServer({ arguments: ['--cache-disk', `${folder.path}/kept.db`] });
    assert.equal((await fetch(`${kept.url}/tiles/relief/9/255/255.png`)).status, 200);
    assert.equal(await kept.stop(), 0);
    const server = await startServer();
    for (const [command, words] of Object.entries(commands(server.url))) {
      const right = runUnder(words, { kind, number: NEVER });
      assert.equal(right.status, 0, `${command}: ${right.stderr}`);
      for (let number = 1; number <= right.calls; number += Math.ceil(right.calls / RUNS)) {
        const { status, stdout, stderr, struck } = runUnder(words, { kind, number, reason: constants.errno[reason] });
        const what = `${command}, call ${number} of ${right.calls}: ${status} ${stderr}`;
        assert.equal(struck, 1, what);
        assert.doesNotMatch(stderr, /Sanitizer|runtime error/, what);
        if (status === 0) assert.ok(stdout.equals(right.stdout), what);
        else assert.match(stderr, kind === MEMORY ? /memory/ : /^terrane: \S/m, what);
        assert.ok(status === 0 || status === 1, what);
      }
    }
    assert.equal(await server.stop(), 0);
  });
}

/* Operations of a running server that make system calls. */
const doings = {
  'a tile': async (server, i) => (await ask(server.port, get(`/tiles/relief/12/${2000 + i}/2000.png`, 'Connection: close\r\n')))?.status,
  'a batch': async (server) => (await send(server.port, { target: '/chunks', body: '{"size":8,"chunks":[[0,0],[9,9]]}' }))?.status,
  metrics: async (server) => (await ask(server.port, get('/metrics', 'Connection: close\r\n')))?.status,
  status: async () => (await command(`${folder.path}/admin`, 'GET', 'status')).status,
  reload: async () => (await command(`${folder.path}/admin`, 'POST', 'reload')).status,
};

for (const [name, kind, reason] of [['EMFILE', SYSTEM, 'EMFILE'], ['EINTR', SYSTEM, 'EINTR'], ['no memory', MEMORY, 'ENOMEM']]) {
  test(`a running server survives ${name}`, { skip: sanitized }, async () => {
    const memcached = await startMemcached();
    const server = await startServer({
      arguments: [...everything(), '--cache-memory', '0', '--cache-shared', memcached.url], env: refusals.env });
    let struckInAll = 0;
    try {
      for (const [what, doing] of Object.entries(doings)) {
        assert.equal(await doing(server, 0), 200, what);
        for (let number = 1, struck = 1; struck > 0 && number < 100; number++) {
          refusals.arm({ kind, number, reason: constants.errno[reason] });
          await doing(server, number).catch(() => null);
          ({ struck } = refusals.disarm());
          struckInAll += struck;
          assert.equal(await doing(server, number), 200, `${what} after call ${number}`);
        }
      }
    } finally {
      refusals.disarm();
      await memcached.kill();
      assert.equal(await server.stop(), 0, server.complaints());
    }
    assert.doesNotMatch(server.complaints(), /Sanitizer|runtime error/);
    assert.ok(struckInAll > 20, `${struckInAll}`);
  });
}

test('a listening socket that cannot be watched is watched later', { skip: sanitized }, async () => {
  const server = await startServer({ arguments: ['--connections', '1', '--loops', '1', '--timeout', '600', '--header-timeout', '600'],
    env: refusals.env });
  const first = new Connection(server.port);
  first.send(get('/livez'));
  assert.equal((await first.answer()).status, 200);
  /* At the connection limit the listening socket is not watched for a moment, again and again. */
  const second = new Connection(server.port);
  second.send(get('/livez'));
  refusals.arm({ kind: SYSTEM, number: 1, onwards: 1, reason: constants.errno.ENOMEM });
  await new Promise((resolve) => { setTimeout(resolve, 1500); });
  assert.ok(refusals.disarm().struck > 0);
  assert.equal((await second.answer()).status, 200);
  first.destroy();
  second.destroy();
  assert.equal(await server.stop(), 0);
});
