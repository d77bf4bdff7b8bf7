/* Calls of the program's own that fail: memory that is not there, and a system that refuses. Whatever
 * fails, nothing crashes or hangs, no wrong byte is served, and the next request is answered. Under
 * the address sanitizer nothing is lost either.
 *
 * TERRANE_FAULTS says how many of a command's or a request's many calls fail. */

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { after, before, test } from 'node:test';
import { binary, cleanEnvironment, root, terrane } from '../cli/terrane.mjs';
import { ask, Connection, get } from '../http/raw.mjs';
import { amount } from '../tools/amount.mjs';
import { startMemcached } from '../tools/memcached.mjs';
import { startServer } from '../tools/server.mjs';
import { examples, isBatch, isRight, send } from './examples.mjs';
import { MEMORY, FailingCalls, SYSTEM } from './failing_calls.mjs';
import { command } from './reloads.mjs';
import { temporaryFolder } from '../tools/folder.mjs';

const FAULTS = Number(process.env.TERRANE_FAULTS ?? 12);
const NEVER = Number.MAX_SAFE_INTEGER;
const sanitized = /\/build\/(tsan|fuzz)\//.test(binary);
let refusals;
let folder;
let lanes; /* two of them work at once, each with calls and files of its own */
/* Most built-in worlds would only repeat the calls of the others: a small file takes their place. */
const replaced = ['archipelago', 'canyons', 'caves', 'clouds', 'dunes', 'fire', 'fog', 'highlands', 'marble'];
before(() => {
  refusals = new FailingCalls();
  const small = readFileSync(`${root}/config/worlds/wood.json`);
  lanes = [refusals, new FailingCalls()].map((failing) => ({ failing, path: temporaryFolder().path }));
  folder = temporaryFolder(Object.fromEntries(replaced.map((name) => [`worlds/${name}.json`, small])));
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-subj', '/CN=localhost', '-keyout', `${folder.path}/key.pem`, '-out', `${folder.path}/cert.pem`], { stdio: 'ignore' });
});
after(() => {
  lanes.forEach(({ failing }) => failing.remove());
  folder.remove();
});

/* Arguments of a server with every feature switched on. */
const everything = (path = folder.path) => ['--listen', '127.0.0.1:0', '--listen', 'https://127.0.0.1:0', '--listen', `unix:${path}/socket`,
  '--tls-cert', `${folder.path}/cert.pem`, '--tls-key', `${folder.path}/key.pem`, '--loops', '2', '--renderers', '1',
  '--admin', `${path}/admin`, '--access-log', `${path}/access.log`, '--cache-disk', `${path}/tiles.db`,
  '--cache-shared-timeout', '10', '--connections-per-address', '9',
  '--public-url', 'http://localhost/', '--allowed-hosts', 'localhost', '--trusted-proxies', '127.0.0.1'];

/* Does the work with each item in turn, in each lane another. After an error no lane begins another item, and
 * none is at work any more when it is thrown. */
async function inLanes(items, work) {
  const left = [...items];
  const outcomes = await Promise.allSettled(lanes.map(async (lane) => {
    try {
      while (left.length > 0) await work(left.shift(), lane);
    } finally {
      left.length = 0;
    }
  }));
  for (const { reason } of outcomes) if (reason) throw reason;
}

/* Starts the server with failing calls and ends it if it serves; returns the outcome. */
async function startUnder(orders, { failing, path } = lanes[0]) {
  failing.arm(orders);
  const child = spawn(binary, ['serve', ...everything(path), '--worlds', `${folder.path}/worlds`, '--cache-shared', 'memcached://127.0.0.1:9'],
    { cwd: root, env: cleanEnvironment(failing.env), stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close'); /* when all that it said has come */
  let said = '';
  let complaints = '';
  let counts = null;
  child.stderr.on('data', (data) => { complaints += data; });
  child.stdout.on('data', (data) => {
    said += data;
    if (counts || !said.includes('listening on unix:')) return;
    counts = failing.disarm();
    child.kill('SIGTERM');
  });
  const [status, signal] = await ended;
  const served = counts !== null;
  counts ??= failing.disarm();
  rmSync(`${path}/tiles.db`, { force: true });
  return { served, status, signal, complaints, ...counts };
}

/* One in `every` of the last few calls, which are the server's own; a few of those in front, which are the worlds' and
 * styles'. */
function* numbers(calls, every) {
  const first = Math.max(1, calls - 400);
  for (let number = 1; number < first; number += Math.ceil(first / 40)) yield number;
  for (let number = first; number <= calls; number += every) yield number;
}

/* Hundreds of servers and commands are started. */
const MANY = { skip: sanitized, timeout: 60_000 };
test('a server without memory at start-up reports it', MANY, async () => {
  const { calls, served } = await startUnder({ kind: MEMORY, main: 1, number: NEVER });
  assert.ok(served && calls > 1000, `${calls} allocations`);
  let failed = 0;
  await inLanes(numbers(calls, amount(6, 1)), async (number, lane) => {
    const onwards = number % 2;
    const { served: serves, status, signal, complaints, struck } = await startUnder({ kind: MEMORY, main: 1, number, onwards }, lane);
    const what = `allocation ${number} of ${calls}: ${signal ?? status} ${complaints}`;
    assert.equal(signal, null, what);
    assert.doesNotMatch(complaints, /Sanitizer|runtime error/, what);
    if (serves) {
      assert.equal(status, 0, what);
      return;
    }
    assert.ok(struck > 0 && status === 1, what);
    assert.match(complaints, /memory/, what);
    failed++;
  });
  assert.ok(failed > 20, `${failed}`);
});

test('a server whose system calls fail at start-up reports it or continues', MANY, async () => {
  const { calls, served } = await startUnder({ kind: SYSTEM, main: 1, number: NEVER });
  assert.ok(served && calls > 50, `${calls} calls`);
  let failed = 0;
  await inLanes(numbers(calls, amount(3, 1)), async (number, lane) => {
    const orders = { kind: SYSTEM, main: 1, number, reason: constants.errno.EMFILE };
    const { served: serves, status, signal, complaints, struck } = await startUnder(orders, lane);
    const what = `call ${number} of ${calls}: ${signal ?? status} ${complaints}`;
    assert.equal(signal, null, what);
    assert.doesNotMatch(complaints, /Sanitizer|runtime error/, what);
    assert.ok(serves || struck > 0, what);
    assert.equal(status, serves ? 0 : 1, what);
    if (!serves) assert.match(complaints, /^terrane: \S/m, what);
    failed += !serves;
  });
  assert.ok(failed > 20, `${failed}`);
});

/* Each of the first calls, which are those of the connection and the route; of the thousands behind them that
 * compile and sample, ever fewer, and others for each request of a route. */
function stepBehind(number, index) {
  if (number < 40) return 1;
  return 1 + index % 9 + Math.floor(number * 6 / FAULTS);
}

const encodings = ['', 'Accept-Encoding: gzip\r\n', 'Accept-Encoding: zstd\r\n'];

test('requests without memory get the right bytes or an error', { skip: sanitized }, async (t) => {
  /* Without caches, so that everything is rendered each time. */
  const words = ['--watch', '--worlds', temporaryFolder().path, '--cache-memory', '0', '--loops', '1', '--renderers', '1'];
  for (const lane of lanes) {
    lane.server = await startServer({ arguments: words, env: lane.failing.env });
    t.after(() => lane.server.stop());
  }
  const counts = { 200: 0, 201: 0, 503: 0, none: 0 };
  try {
    const requests = await examples(lanes[0].server.url);
    assert.ok(requests.length > 60, `${requests.length} requests`);
    await inLanes(requests.entries(), async ([index, request], { server, failing }) => {
      const headers = isBatch(request) ? '' : encodings[index % encodings.length];
      const right = await send(server.port, request, headers);
      assert.ok([200, 201].includes(right?.status), `${request.target}: ${right?.status}`);
      for (let number = 1, struck = 1; struck > 0; number += stepBehind(number, index)) {
        failing.arm({ kind: MEMORY, number, onwards: number % 2 });
        const answer = await send(server.port, request, headers);
        ({ struck } = failing.disarm());
        const what = `${request.target} ${request.body}: allocation ${number}, ${answer?.status}`;
        assert.ok(answer === null || answer.status === right.status || answer.status === 503, what);
        if (answer?.status === right.status) assert.ok(isRight(request, answer.body, right.body), what);
        counts[answer?.status ?? 'none']++;
      }
      const again = await send(server.port, request, headers);
      assert.equal(again?.status, right.status, request.target);
    });
  } finally {
    for (const { server, failing } of lanes) {
      failing.disarm();
      assert.equal(await server.stop(), 0);
      assert.equal(server.complaints(), '');
    }
  }
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

/* All calls, or FAULTS of them: most of those at the end, which are the command's own and come after those that load
 * the worlds. A phase of 0 to 1 selects others. */
function* lastNumbers(calls, phase) {
  for (let i = 0; i < Math.min(calls, FAULTS); i++) yield calls - Math.max(i, Math.floor(calls * ((i + phase) / FAULTS) ** 3));
}

function runUnder(words, orders) {
  refusals.arm(orders);
  const env = orders.kind === MEMORY ? { ...refusals.env, TERRANE_WORLDS: `${folder.path}/worlds` } : refusals.env;
  const result = terrane(words, { env, bytes: true });
  return { ...result, ...refusals.disarm() };
}

for (const [kind, name, reason] of [[MEMORY, 'memory', 'ENOMEM'], [SYSTEM, 'the system', 'EIO']]) {
  test(`commands report failures of ${name}`, MANY, async (t) => {
    const kept = await startServer({ arguments: ['--cache-disk', `${folder.path}/kept.db`] });
    t.after(() => kept.stop());
    assert.equal((await fetch(`${kept.url}/tiles/relief/9/255/255.png`)).status, 200);
    assert.equal(await kept.stop(), 0);
    const server = await startServer();
    t.after(() => server.stop());
    const list = Object.entries(commands(server.url));
    for (const [index, [command, words]] of list.entries()) {
      const right = runUnder(words, { kind, number: NEVER });
      assert.equal(right.status, 0, `${command}: ${right.stderr}`);
      for (const number of lastNumbers(right.calls, index / list.length)) {
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
  test(`a running server survives ${name}`, MANY, async (t) => {
    const memcached = await startMemcached();
    t.after(() => memcached.kill());
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
  const connections = [];
  const connect = () => {
    const connection = new Connection(server.port);
    connections.push(connection);
    connection.send(get('/livez'));
    return connection;
  };
  try {
    assert.equal((await connect().answer()).status, 200);
    /* At the connection limit the listening socket is not watched for a moment, again and again. */
    const second = connect();
    refusals.arm({ kind: SYSTEM, number: 1, onwards: 1, reason: constants.errno.ENOMEM });
    await new Promise((resolve) => { setTimeout(resolve, 1500); });
    assert.ok(refusals.disarm().struck > 0);
    assert.equal((await second.answer()).status, 200);
  } finally {
    refusals.disarm();
    for (const connection of connections) connection.destroy();
    assert.equal(await server.stop(), 0);
  }
});
