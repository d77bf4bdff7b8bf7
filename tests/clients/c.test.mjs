/* The C client: its program walks over a world of the daemon's. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { damagedBatches, damagedChunks, startProxy } from './proxy.mjs';

const program = `${dirname(process.env.TERRANE_BINARY)}/tests/clients/c/walk`;
const server = serverOfFile();
let proxy;
before(async () => { proxy = await startProxy((await server.ready).url); });
after(() => proxy.stop());

async function walk(url, ...numbers) {
  return run(url, '', ...numbers);
}

async function run(url, input, ...words) {
  const child = spawn(program, [url, ...words.map(String)]);
  child.stdin.on('error', () => {}); /* it may have ended */
  child.stdin.end(input);
  const closed = new Promise((resolve) => child.on('close', resolve));
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = output.trimEnd().split('\n');
  const counts = Object.fromEntries([...lines.at(-1).matchAll(/(\d+) (\w+)/g)].map(([, n, name]) => [name, Number(n)]));
  return { status: await closed, complaints, counts, lines: lines.slice(0, -1) };
}

/* The chunks around the player at each of his steps. */
function ringsOf(metres, rings, size) {
  return Array.from({ length: metres / 2 }, (_, i) => {
    const [cx, cy] = [-100 + 1.6 * i, 50 + 1.2 * i].map((place) => Math.floor(place / size));
    const around = new Set();
    for (let y = cy - rings; y <= cy + rings; y++) for (let x = cx - rings; x <= cx + rings; x++) around.add(`${x} ${y}`);
    return around;
  });
}

test('the heights under the player are the daemon\'s', async () => {
  const { status, lines, complaints } = await walk(server.url, 600, 1);
  assert.equal(`${status}${complaints}`, '0');
  assert.equal(lines.length, 30);
  const places = lines.map((line) => /^at (\S+) (\S+): (\S+)$/.exec(line).slice(1).map(Number));
  const body = JSON.stringify({ points: places.map(([x, y]) => [Math.floor(x), Math.floor(y)]), zoom: 17 });
  const { heights } = await (await fetch(`${server.url}/heights`, { method: 'POST', body })).json();
  assert.deepEqual(places.map(([, , height]) => Math.fround(height)), heights.map(Math.fround));
  assert.ok(new Set(heights).size > 20);
});

/* More than one request may have. */
test('heights at single places are the daemon\'s at full detail', async () => {
  const places = Array.from({ length: 10003 }, (_, i) => [(i % 101) * 12.5625 - 600, i * 0.0625 - 300.25]);
  proxy.log = [];
  const { status, lines, complaints, counts } = await run(proxy.url, places.map((place) => place.join(' ')).join('\n'), '-');
  assert.equal(`${status}${complaints}`, '0');
  assert.equal(counts.requests, 2);
  assert.deepEqual(proxy.log, ['POST /heights?layer=height', 'POST /heights?layer=height']);
  const some = places.map((_, i) => i).filter((i) => i % 7 === 0 || i > 9990);
  const body = JSON.stringify({ points: some.map((i) => places[i]) });
  const { heights } = await (await fetch(`${server.url}/heights`, { method: 'POST', body })).json();
  const found = lines.map((line) => line.slice('at '.length).split(/:? /).map(Number));
  assert.deepEqual(found.map(([x, y]) => [x, y]), places);
  assert.deepEqual(some.map((i) => Math.fround(found[i][2])), heights.map(Math.fround));
  assert.match((await run(server.url, '0 0\n2e12 5\n', '-')).complaints, /\/heights\?layer=height: 400: "points\[1\]: x: 2000000000000 m/);
  proxy.change = (answer) => { answer.body = answer.body.subarray(0, -1); };
  assert.match((await run(proxy.url, '0 0\n', '-')).complaints, /3 bytes for 1 places/);
  proxy.change = () => {};
});

test('one batch requests all missing chunks, and none twice', async () => {
  const [metres, rings, size] = [2000, 2, 32];
  proxy.log = [];
  const { counts } = await walk(proxy.url, metres, rings, size, 5000);
  const seen = new Set();
  let batches = 0;
  for (const around of ringsOf(metres, rings, size)) {
    const fresh = [...around].filter((place) => !seen.has(place));
    fresh.forEach((place) => seen.add(place));
    batches += fresh.length > 0;
  }
  assert.equal(counts.hits, metres / 2);
  assert.equal(counts.misses, 0);
  assert.equal(counts.chunks, seen.size + 1); /* and one by itself at the end, for its tag */
  assert.equal(counts.evicted, 0);
  assert.equal(counts.unchanged, 1);
  assert.equal(counts.requests, batches + 2);
  assert.equal(proxy.log.filter((line) => line === 'POST /chunks').length, batches);
  const place = Math.floor(-100 / size);
  const single = `GET /chunks/${place}/0.r32f?size=32&step=1&layers=height`;
  assert.deepEqual(proxy.log.slice(-2), [single, single]);
});

test('the cache keeps the chunks used last', async () => {
  const [metres, rings, size] = [1000, 1, 16];
  const { counts } = await walk(server.url, metres, rings, size, 9);
  let before_ = new Set();
  let chunks = 0;
  for (const around of ringsOf(metres, rings, size)) {
    chunks += [...around].filter((place) => !before_.has(place)).length;
    before_ = around;
  }
  assert.equal(counts.misses, 0);
  assert.equal(counts.chunks, chunks + 1);
  assert.equal(counts.evicted, chunks + 1 - 9);
});

test('more chunks than one batch may have are several batches', async () => {
  const { status, counts } = await walk(server.url, 2, 9, 4, 400);
  assert.equal(status, 0);
  assert.equal(counts.chunks, 19 * 19 + 1);
  assert.equal(counts.requests, 2 + 2);
});

test('what the daemon finds too large is asked for in parts that fit', async () => {
  const limited = await startServer({ arguments: ['--request-cost', '5'] });
  const batches = await walk(`${limited.url}/worlds/dunes`, 2, 3);
  assert.equal(`${batches.status}${batches.complaints}`, '0');
  assert.equal(batches.counts.chunks, 7 * 7 + 1);
  assert.ok(batches.counts.requests > 2 + 3 && batches.counts.requests < 40, `${batches.counts.requests} requests`);
  const input = Array.from({ length: 3000 }, (_, i) => `${i * 171.125} ${(i % 13) * 400000.0625}`).join('\n');
  const [few, free] = [await run(`${limited.url}/worlds/dunes`, input, '-'), await run(`${server.url}/worlds/dunes`, input, '-')];
  assert.equal(`${few.status}${few.complaints}`, '0');
  assert.deepEqual(few.lines, free.lines);
  /* The daemon answers places in pieces, whatever they cost together. */
  assert.equal(few.counts.requests, free.counts.requests);
  assert.match((await walk(`${limited.url}/worlds/dunes`, 2, 0, 1000)).complaints, /\/chunks: 413: "this would cost/);
  await limited.stop();
});

test('a damaged batch is reported', async () => {
  for (const [what, change, message] of damagedBatches) {
    proxy.change = change;
    const { status, complaints, counts } = await walk(proxy.url, 2, 1, 16, 9);
    assert.equal(status, 1, what);
    assert.match(complaints, message, what);
    assert.ok(counts.chunks < 10, what);
  }
});

test('a damaged chunk is reported', async () => {
  for (const [what, change, message] of damagedChunks) {
    proxy.change = (answer) => answer.headers['x-terrane-digest'] && change(answer);
    const { status, complaints, counts } = await walk(proxy.url, 2, 1, 16, 9);
    assert.equal(status, 1, what);
    assert.match(complaints, message, what);
    assert.equal(counts.chunks, 9, what);
  }
  proxy.change = () => {};
});

test('errors of the daemon and of the network are reported', async () => {
  const { status, complaints } = await walk(`${server.url}/worlds/tera`, 2);
  assert.equal(status, 1);
  assert.match(complaints, /\/worlds\/tera\/chunks: 404: "unknown world \\"tera\\" \(did you mean \\"terra\\"\?\)"/);
  assert.match((await walk('http://127.0.0.1:1', 2)).complaints, /^walk: http:\/\/127\.0\.0\.1:1\/chunks: .*connect/i);
  assert.match((await walk(server.url, 2, 4, 16, 80)).complaints, /4 rings are more chunks than there is room for, 80/);
  assert.equal((await walk(server.url, 2, 0, 0)).status, 2);
  assert.equal((await walk(server.url)).status, 2);
});
