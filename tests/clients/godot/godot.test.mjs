/* The GDScript client in Debian's godot3-server: its program walks over a world of the daemon's. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../tools/folder.mjs';
import { serverOfFile, startServer } from '../../tools/server.mjs';
import { damagedBatches, proxyOfFile, refuseRecord } from '../proxy.mjs';
import { checkHeights, ringsOfWalk } from '../walk.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const client = fileURLToPath(new URL('../../../server/clients/godot/terrane.gd', import.meta.url));
const home = temporaryFolder(Object.fromEntries([`${here}project.godot`, `${here}walk.gd`, client].map((file) => (
  [basename(file), readFileSync(file, 'utf8')]))));
const server = serverOfFile();
const proxy = proxyOfFile(server);

async function walk(url, { metres = 60, rings = 1, size = 16, capacity = 256, patience = 30, refreshes = 0 } = {}) {
  const env = { ...process.env, HOME: home.path, LANG: 'C.UTF-8', WALK: [url, metres, rings, size, capacity, patience, refreshes].join(' ') };
  const child = spawn('godot3-server', ['--path', home.path, '-s', 'walk.gd'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  assert.doesNotMatch(complaints, /SCRIPT ERROR|Parse Error/);
  const lines = output.trimEnd().split('\n').slice(2);
  const counts = lines.at(-1).startsWith('counts') && lines.at(-1).includes('{') ? JSON.parse(lines.at(-1).slice('counts: '.length)) : null;
  return { lines, counts, problem: counts ? null : lines.at(-1) };
}

test('the heights under the player are the daemon\'s', async () => {
  const { lines } = await walk(server.url);
  assert.equal(await checkHeights(lines, server.url, 1e-3), 15);
});

test('chunks come once each, in batches, and the oldest make room', async () => {
  const { counts } = await walk(proxy.url, { metres: 200, capacity: 12 });
  const { chunks, batches } = ringsOfWalk(50, 16);
  assert.deepEqual([counts.received, counts.requests, counts.evicted], [chunks, batches, chunks - 12]);
  assert.deepEqual(proxy.log, Array(batches).fill('POST /chunks'));
  assert.match((await walk(server.url, { rings: 9 })).problem, /9 rings are more chunks than there is room for, 256/);
});

test('a chunk that has not changed is not sent again, and digests are the daemon\'s', async () => {
  const { lines, counts } = await walk(proxy.url, { metres: 0, refreshes: 3 });
  assert.deepEqual(lines.slice(0, 3), ['refresh: True', 'refresh: False', 'refresh: False']);
  assert.deepEqual([counts.unchanged, counts.received], [2, 1]);
  const digest = (await fetch(`${server.url}/chunks/3/-2.r32f?size=16`, { method: 'HEAD' })).headers.get('x-terrane-digest');
  assert.equal(lines[3], `digest: ${digest} True`);
});

test('a busy daemon is asked again, and so is one that restarts', async () => {
  let left = 2;
  proxy.change = (answer) => {
    if (left-- > 0) Object.assign(answer, { status: 503, headers: { 'retry-after': '1' }, body: Buffer.from('{"detail":"later"}') });
  };
  const start = Date.now();
  assert.equal((await walk(proxy.url, { metres: 4 })).counts.retries, 2);
  assert.ok(Date.now() - start > 1900);
  const first = await startServer();
  await first.stop();
  const walking = walk(first.url, { metres: 4 });
  const second = await startServer({ arguments: ['--port', String(first.port)] });
  assert.equal((await walking).counts.received, 9);
  await second.stop();
  assert.match((await walk(first.url, { patience: 0 })).problem, /\/chunks: 0: no connection/);
});

test('chunks of a batch that may come later are asked for again', async () => {
  const statuses = [503, 429];
  proxy.change = (answer) => { if (statuses.length > 0) refuseRecord(answer, 0, statuses.pop()); };
  const { counts } = await walk(proxy.url, { metres: 4 });
  assert.deepEqual([counts.received, counts.requests], [9, 3]);
});

test('what is damaged or refused is reported', async () => {
  for (const [what, change, message] of damagedBatches) {
    proxy.change = change;
    assert.match((await walk(proxy.url, { metres: 4, patience: 0 })).problem, message, what);
  }
  assert.match((await walk(`${server.url}/worlds/tera`)).problem, /\/worlds\/tera\/chunks: 404: unknown world "tera" \(did you mean/);
});

test('what the daemon finds too large is asked for in parts that fit', async () => {
  const limited = await startServer({ arguments: ['--request-cost', '5'] });
  const { counts, problem } = await walk(`${limited.url}/worlds/dunes`, { metres: 4, rings: 3, size: 64 });
  assert.equal(problem, null);
  assert.ok(counts.received === 49 && counts.requests > 3 && counts.requests < 40, JSON.stringify(counts));
  await limited.stop();
});
