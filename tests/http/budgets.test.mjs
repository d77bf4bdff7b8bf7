/* Jobs that take more than their prices allow: what ends them, and what their clients are told. The program
 * `underpriced` is the server with limits that are too low for what is asked of it. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { binary } from '../cli/terrane.mjs';
import { examples, isBatch, isRight, recordsOf, send } from '../faults/examples.mjs';
import { temporaryFolder } from '../tools/folder.mjs';
import { startServer } from '../tools/server.mjs';
import { eventually } from './busy.mjs';

const program = path.join(path.dirname(binary), 'tests/http/underpriced');
const SHORT = { TERRANE_JOB_WORK: '20000' }; /* nanoseconds: less than the land of any place takes */
const DETAIL = /^stopped after \d+\.\d\d s of computing, as its cost was reckoned as /;
const uncached = ['--cache-memory', '0'];

const withServer = async (options, work) => {
  const server = await startServer(options);
  try {
    return await work(server);
  } finally {
    assert.equal(await server.stop(), 0, server.complaints());
  }
};

async function counts(url) {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const sum = (pattern) => [...metrics.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
  return { renders: sum(/^terrane_renders_total\{.*\} (\d+)$/gm), overruns: sum(/^terrane_shed_total\{reason="overrun"\} (\d+)$/gm) };
}

/* Of a problem, or of an exception report of the OGC. */
const detailOf = ({ body }) => (/^<\?xml/.test(body) ? /<(?:ows:)?ExceptionText>([^<]*)</.exec(body)[1] : JSON.parse(body).detail);

/* What of the routes computes samples of land, which no job may do within the limit. */
const sampling = /^\/(worlds\/[^/]+\/)?(tiles|render|chunks|volumes|at|heights|profile|stats|objects|locate|spawn|sight|diff|digests|verify|trace|rivers)\b/;

test('a job of every kind ends with 413 beyond its work, with its cost, and is remembered', { timeout: 120_000 /* every example of every route */ }, async () => {
  await withServer({ arguments: uncached }, (right) => withServer({ program, env: SHORT, arguments: uncached }, async (short) => {
    const refused = new Map(); /* [request, its detail] by route */
    const stopped = new Map(); /* records of batches */
    for (const request of await examples(right.url)) {
      const { target } = request;
      if (target.startsWith('/events') || target === '/terrane.wasm' /* which lies beside one of the programs alone */) continue;
      const wanted = await send(right.port, request);
      const answer = await send(short.port, request);
      if (isBatch(request)) {
        const [right, found] = [wanted, answer].map(({ body }) => recordsOf(request, body));
        assert.ok(found.every(({ status, payload }, i) => (status === 413 ? payload.length === 0 : payload.equals(right[i].payload))), target);
        const refusals = found.filter(({ status }) => status === 413).length;
        stopped.set(target, refusals);
        if (refusals > 0) refused.set(target, [request, detailOf(await send(short.port, request))]);
        continue;
      }
      if (answer.status === 413 && wanted.status !== 413) {
        const detail = detailOf(answer);
        assert.match(detail, DETAIL, target);
        refused.set(/^\/(?:worlds\/[^/]+\/)?(\w+)/.exec(target)[1], [request, detail]);
      } else {
        assert.equal(answer.status, wanted.status, `${target}: ${answer.body}`);
        assert.ok(wanted.status >= 400 || !sampling.test(target) || isRight(request, answer.body, wanted.body), target);
      }
    }
    for (const route of ['tiles', 'render', 'chunks', 'at', 'heights', 'profile', 'stats', 'objects', 'locate', 'spawn', 'sight', 'trace', 'rivers'])
      assert.ok(refused.has(route), `${route} was not stopped`);
    assert.ok(stopped.get('/chunks') > 0 && stopped.get('/volumes') > 0);
    const lines = short.complaints().match(/a job was stopped .*\n/g);
    for (const line of lines) assert.match(line, /^a job was stopped after \d+\.\d\d s of computing, at a price of \d+\.\d{4} s, for \/\S+( \(\d+ lines like it left out\))?\n$/);
    const before = await counts(short.url);
    for (const [, detail] of refused.values()) assert.match(detail, DETAIL);
    for (const [request, detail] of refused.values()) assert.equal(detailOf(await send(short.port, request)), detail);
    const after = await counts(short.url);
    assert.deepEqual(after, { renders: before.renders, overruns: before.overruns + refused.size }, 'nothing is computed again');
  }));
});

/* Each chunk is a piece of its own, as they are far apart. Only the first job has a limit; up to three others may have
 * begun by the time it ends. */
test('behind the piece of a batch that was stopped none is rendered', async () => {
  await withServer({ program, env: { ...SHORT, TERRANE_JOBS: '1' }, arguments: [...uncached, '--renderers', '1'] }, async ({ url, port }) => {
    const request = { target: '/chunks', body: JSON.stringify({ chunks: Array.from({ length: 64 }, (_, i) => [5000 * i, -7000 * i]), size: 128, format: 'r32f' }) };
    const answer = await send(port, request);
    assert.equal(answer.status, 200, answer.body);
    const found = recordsOf(request, answer.body);
    assert.equal(found.length, 64);
    for (const { status, payload } of [found[0], ...found.slice(4)]) assert.deepEqual([status, payload.length], [413, 0]);
    const { overruns } = await counts(url);
    const again = await send(port, request);
    assert.equal(again.status, 413);
    assert.match(JSON.parse(again.body).detail, DETAIL);
    assert.equal((await counts(url)).overruns, overruns + 1);
  });
});

test('nobody pays for pieces behind one that was stopped', async () => {
  const limits = ['--client-cost', '10', '--client-burst', '1', '--client-loopback', '1', '--renderers', '1'];
  await withServer({ program, env: { ...SHORT, TERRANE_JOBS: '1' }, arguments: [...uncached, ...limits] }, async ({ url, port }) => {
    const request = { target: '/chunks', body: JSON.stringify({ chunks: Array.from({ length: 64 }, (_, i) => [5000 * i, -7000 * i]), size: 128, format: 'r32f' }) };
    const answer = await send(port, request);
    for (const { status } of recordsOf(request, answer.body).slice(4)) assert.equal(status, 413);
    /* In seconds of the limit 60 pieces would take more than a minute. */
    const metrics = await (await fetch(`${url}/metrics`)).text();
    assert.match(metrics, /^terrane_shed_total\{reason="overrun"\} 1$/m);
  });
});

test('a refusal of what was stopped before costs the client nothing', async () => {
  const folder = temporaryFolder();
  await withServer({ program, env: SHORT, arguments: [...uncached, '--access-log', folder.file('log')] }, async ({ url }) => {
    for (const target of ['/tiles/relief/9/255/255.png', '/at?x=1&y=2']) for (let i = 0; i < 2; i++) assert.equal((await fetch(url + target)).status, 413);
  });
  /* Of each target one was computed: the loops write their lines in any order. */
  const costs = readFileSync(folder.file('log'), 'utf8').trim().split('\n').map((line) => JSON.parse(line).cost ?? 0);
  assert.equal(costs.length, 4);
  assert.equal(costs.filter((cost) => cost === 0).length, 2);
  assert.equal(costs.filter((cost) => cost > 1e6).length, 2);
  folder.remove();
});

test('a stop is forgotten when a world that the query names is another', async () => {
  const folder = temporaryFolder();
  const plain = (height) => ({ generator: 1, layers: { height } });
  folder.write('a.json', plain('1'));
  folder.write('b.json', plain(Array.from({ length: 16 }, (_, i) => `fbm(${65536 + i}, 20)`).join(' + ')));
  await withServer({ program, env: SHORT, arguments: ['--worlds', folder.path, '--world-cost', '1000'] }, async (server) => {
    const ask = async () => (await fetch(`${server.url}/diff?a=a&b=b&bbox=0,0,100000,100000`)).status;
    assert.equal(await ask(), 413);
    folder.write('b.json', plain('2'));
    process.kill(server.pid, 'SIGHUP');
    await eventually(async () => (await (await fetch(`${server.url}/worlds/b/at?x=0&y=0`)).json()).layers?.height === 2, 'the reload');
    assert.equal(await ask(), 200);
  });
  folder.remove();
});

test('a job ends with 413 beyond its processor time', async () => {
  await withServer({ program, env: { TERRANE_JOB_TIME: '1' }, arguments: uncached }, async ({ url }) => {
    for (const target of ['/tiles/relief/9/255/255.png', '/at?x=1&y=2', '/chunks/0/0.r32f']) {
      const answer = await fetch(url + target);
      assert.equal(answer.status, 413, target);
      assert.match((await answer.json()).detail, DETAIL);
    }
  });
});

test('all who wait for one tile get its 413', async () => {
  await withServer({ program, env: SHORT, arguments: ['--renderers', '1'] }, async ({ url }) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/tiles/relief/9/255/255.png`)));
    for (const answer of answers) {
      assert.equal(answer.status, 413);
      assert.match((await answer.json()).detail, DETAIL);
    }
  });
});
