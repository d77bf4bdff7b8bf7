/* The Lua client, in Lua and in LuaJIT: its program walks over a world of the daemon's. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { damagedBatches, proxyOfFile, refuseRecord } from './proxy.mjs';
import { checkHeights, ringsOfWalk } from './walk.mjs';

const program = (name) => fileURLToPath(new URL(`lua/${name}.lua`, import.meta.url));
const server = serverOfFile();
const proxy = proxyOfFile(server);

/* Runs a program: { status, complaints, counts, lines }. */
async function run(lua, words, input = '') {
  const child = spawn(lua, words.map(String));
  child.stdin.on('error', () => {}); /* it may have ended */
  child.stdin.end(input);
  const closed = new Promise((resolve) => { child.on('close', resolve); });
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = output.trimEnd().split('\n');
  const counts = Object.fromEntries([...lines.at(-1).matchAll(/(\d+) (\w+)/g)].map(([, n, name]) => [name, Number(n)]));
  return { status: await closed, complaints, counts, lines };
}
const walk = (lua, url, { metres = 120, rings = 1, size = 16, capacity = 256, patience = 30, input = '' } = {}) =>
  run(lua, [program('walk'), url, metres, rings, size, capacity, patience], input);

const eighths = (metres) => Math.round((metres + 4096) * 8) / 8 - 4096;

for (const lua of ['lua5.4', 'luajit']) {
  test(`${lua}: the heights under the player are the daemon's, to an eighth of a metre`, async () => {
    const { status, lines, complaints } = await walk(lua, server.url);
    assert.equal(`${status}${complaints}`, '0');
    assert.equal(await checkHeights(lines, server.url, 1e-9, eighths), 30);
  });

  test(`${lua}: chunks come once each, in batches, and the oldest make room`, async () => {
    const { counts } = await walk(lua, proxy.url, { metres: 600, size: 32, capacity: 20 });
    assert.ok(proxy.log.every((line) => line === 'POST /chunks'));
    const { chunks, batches } = ringsOfWalk(150, 32);
    assert.deepEqual([counts.chunks, counts.requests, counts.evicted], [chunks, batches, chunks - 20]);
    assert.match((await walk(lua, server.url, { rings: 9 })).complaints, /9 rings are more chunks than there is room for, 256/);
  });

  test(`${lua}: a chunk that has not changed is not sent again`, async () => {
    const input = 'refresh 3 -2\nrefresh 3 -2\nrefresh -7 1\n';
    const { lines, counts } = await walk(lua, proxy.url, { metres: 0, input });
    assert.deepEqual(lines.slice(0, 3), ['refresh 3 -2: true', 'refresh 3 -2: false', 'refresh -7 1: true']);
    assert.equal(counts.unchanged, 1);
    proxy.change = (answer) => { answer.headers = {}; }; /* as in hosts that show no headers */
    const blind = await walk(lua, proxy.url, { input });
    assert.equal(`${blind.status}${blind.complaints}`, '0');
    assert.deepEqual([blind.lines.at(-3), blind.counts.unchanged], ['refresh 3 -2: false', 0]);
  });

  test(`${lua}: digests are the daemon's, and differ in another world`, async () => {
    const input = 'digests 3 -2\ndigests 68719476736 0\nchanged 3 -2 terra~2\nchanged 3 -2 terra\n';
    const { lines } = await walk(lua, server.url, { metres: 0, input });
    const digest = (await fetch(`${server.url}/chunks/3/-2.r32f?size=16`, { method: 'HEAD' })).headers.get('x-terrane-digest');
    assert.deepEqual(lines.slice(0, 4).map((line) => line.split(': ')[1]), [digest, 'false', 'true', 'false']);
  });

  test(`${lua}: a busy daemon is asked again, and so is one that restarts`, async () => {
    let left = 2;
    proxy.change = (answer) => {
      if (left-- > 0) Object.assign(answer, { status: 503, headers: { 'retry-after': '1' }, body: Buffer.from('{"detail":"later"}') });
    };
    const start = Date.now();
    const { status, counts } = await walk(lua, proxy.url, { metres: 4 });
    assert.deepEqual([status, counts.retries], [0, 2]);
    assert.ok(Date.now() - start > 1900);
    const first = await startServer();
    await first.stop();
    const walking = walk(lua, first.url, { metres: 4 });
    const second = await startServer({ arguments: ['--port', String(first.port)] });
    assert.equal((await walking).counts.chunks, 9);
    await second.stop();
    assert.match((await walk(lua, first.url, { patience: 0 })).complaints, /POST .*\/chunks: 0: connection refused/);
  });

  test(`${lua}: chunks of a batch that may come later are asked for again`, async () => {
    const statuses = [503, 429];
    proxy.change = (answer) => { if (statuses.length > 0) refuseRecord(answer, 0, statuses.pop()); };
    const { status, counts, complaints } = await walk(lua, proxy.url, { metres: 4 });
    assert.equal(`${status}${complaints}`, '0');
    assert.deepEqual([counts.chunks, counts.requests], [9, 3]);
  });

  test(`${lua}: what is damaged or refused is reported`, async () => {
    for (const [what, change, message] of damagedBatches) {
      proxy.change = change;
      const { status, complaints } = await walk(lua, proxy.url, { metres: 4, patience: 0 });
      assert.equal(status, 1, what);
      assert.match(complaints, message, what);
    }
    assert.match((await walk(lua, `${server.url}/worlds/tera`)).complaints, /\/worlds\/tera\/chunks: 404: unknown world \\"tera\\" \(did you mean/);
  });

  test(`${lua}: what the daemon finds too large is asked for in parts that fit`, async () => {
    const limited = await startServer({ arguments: ['--request-cost', '5'] });
    const { status, counts, complaints } = await walk(lua, `${limited.url}/worlds/dunes`, { metres: 4, rings: 3, size: 64 });
    assert.equal(`${status}${complaints}`, '0');
    assert.equal(counts.chunks, 49);
    assert.ok(counts.requests > 3 && counts.requests < 40, `${counts.requests} requests`);
    await limited.stop();
  });

  test(`${lua}: several walk at once in a host like Luanti, which calls back and hides headers`, async () => {
    let left = 2;
    proxy.change = (answer) => {
      if (left-- > 0) Object.assign(answer, { status: 503, headers: { 'retry-after': '9' }, body: Buffer.from('later') });
    };
    const { status, complaints, lines, counts } = await run(lua, [program('luanti_walk'), proxy.url, 3]);
    assert.equal(`${status}${complaints}`, '0');
    assert.equal(await checkHeights(lines, server.url, 1e-9, eighths), 15);
    assert.deepEqual([counts.refreshed, counts.retries, counts.requests], [3, 2, proxy.log.length]);
  });
}
