/* POST /digests: the digests of single chunks, and which chunks another version of the world changes. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { startServer } from '../tools/server.mjs';
import { counts, localLimit, pricesOf } from './busy.mjs';
import { digest, records } from './samples.mjs';
import { makeWorlds } from './worlds.mjs';

const binary = process.env.TERRANE_BINARY ?? 'build/release/terrane';
const worlds = makeWorlds();
let server, former, present;
/* "clock" has a former version, to which the present one adds 1 m of height east of x = 300 m, and a layer. */
before(async () => {
  const file = path.join(worlds.folder, 'clock.json');
  former = /g1-[0-9a-f]{32}/.exec(execFileSync(binary, ['check', file], { encoding: 'utf8' }))[0];
  renameSync(file, path.join(worlds.folder, `clock@${former}.json`));
  worlds.edit('clock', (world) => {
    world.layers.height.formula += ' + (x > 300 ? 1 : 0)';
    world.layers.wave = { formula: 'y + t' };
  });
  server = await startServer({ arguments: ['--worlds', worlds.folder] });
  present = (await (await fetch(`${server.url}/worlds/clock`)).json()).fingerprint;
});
after(async () => {
  assert.equal(await server.stop(), 0);
  worlds.remove();
});

async function ask(body, world = 'clock') {
  const response = await fetch(`${server.url}/worlds/${world}/digests`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, headers: response.headers, ...(await response.json()) };
}
/* The bytes of each chunk of a batch; null beyond the edge of the world. */
async function bytesOf(body, world) {
  const response = await fetch(`${server.url}/worlds/${world}/chunks`, { method: 'POST', body: JSON.stringify(body) });
  assert.equal(response.status, 200);
  return records(Buffer.from(await response.arrayBuffer())).map(({ status, payload }) => (status === 200 ? payload : null));
}
const square = (columns, rows) => Array.from({ length: columns * rows }, (_, i) => [i % columns, Math.floor(i / columns)]);

test('digests are those of the bytes of single chunks, in the requested order', async () => {
  const chunks = [[0, 0], [-1, 5], [3, -2], [0, 0], [2 ** 33, -(2 ** 33)], ...square(9, 7)];
  for (const [world, order] of [
    ['clock', { size: 16, step: 2, apron: 1, t: 3, layers: ['tide', 'height'] }], ['terra', { size: 8, layers: ['biome', 'height'] }],
    ['perlin', { size: 33, step: 0.5 }], ['terra~digests', { size: 5 }]]) {
    const { step = 1, apron = 0, t = 0, layers = ['height'], size } = order;
    const found = await ask({ ...order, chunks }, world);
    assert.equal(found.status, 200);
    assert.equal(found.headers.get('cache-control'), 'no-store');
    const { world: name, seed } = found;
    assert.equal(world, name === 'terra' && seed === 'digests' ? 'terra~digests' : name);
    assert.deepEqual([found.size, found.step, found.apron, found.layers, found.t], [size, step, apron, layers, t]);
    assert.equal('changed' in found, false);
    assert.deepEqual(found.digests, (await bytesOf({ ...order, chunks }, world)).map(digest));
    const single = await fetch(`${server.url}/worlds/${world}/chunks/3/-2.r16?size=${size}&step=${step}&apron=${apron}&layers=${layers}&t=${t}`);
    assert.equal(found.digests[2], single.headers.get('x-terrane-digest'));
    assert.equal(found.fingerprint, (await (await fetch(`${server.url}/worlds/${world}`)).json()).fingerprint);
  }
});

test('chunks beyond the edge of the world have no digest', async () => {
  const edge = 2 ** 34; /* × 64 m = 2⁴⁰ m */
  const { digests, changed } = await ask({ chunks: [[edge - 1, 0], [edge, 0], [0, -edge - 1], [-edge, 1]], against: 'clock' });
  assert.deepEqual(digests.map((text) => typeof text), ['string', 'object', 'object', 'string']);
  assert.deepEqual([digests[1], changed], [null, [false, null, null, false]]);
  assert.deepEqual((await ask({ chunks: [] })).digests, []);
});

test('against a former version exactly the chunks whose bytes differ are changed', async () => {
  const order = { size: 16, step: 1 }, chunks = square(32, 8).map(([x, y]) => [x - 3, y - 4]);
  const { digests, changed, fingerprint, against } = await ask({ ...order, chunks, against: `clock@${former}` });
  assert.deepEqual([fingerprint, against.world, against.fingerprint], [present, 'clock', former]);
  const sums = async (world) => (await bytesOf({ ...order, chunks }, world)).map((bytes) => createHash('sha256').update(bytes).digest('hex'));
  const [now, then] = [await sums('clock'), await sums(`clock@${former}`)];
  assert.deepEqual(changed, now.map((sum, i) => sum !== then[i]));
  /* The chunk of 288 to 304 m is the first with a vertex east of 300 m. */
  assert.deepEqual(changed, chunks.map(([x]) => x >= 18));
  const back = await ask({ ...order, chunks, against: 'clock' }, `clock@${former}`);
  assert.deepEqual(back.changed, changed);
  assert.deepEqual(back.digests.map((text, i) => text !== digests[i]), changed);
});

test('against a seed that was never asked for everything differs', async () => {
  const { changed, against } = await ask({ size: 4, chunks: square(3, 3), against: 'clock~new' }, 'clock~fresh');
  assert.deepEqual([changed, against.seed], [Array(9).fill(true), 'new']);
  const { against: again, changed: none } = await ask({ size: 4, chunks: [[0, 0]], against: `clock~new@${against.fingerprint}` }, 'clock~new');
  assert.deepEqual([again, none], [against, [false]]);
});

test('materials have digests, and are compared where both worlds have the same', async () => {
  const order = { size: 4, layers: ['materials', 'height'] }, chunks = square(3, 2);
  const found = await ask({ ...order, chunks, against: 'terra' }, 'terra~2');
  assert.deepEqual(found.digests, (await bytesOf({ ...order, chunks }, 'terra~2')).map(digest));
  const [now, then] = [found.digests, (await bytesOf({ ...order, chunks }, 'terra')).map(digest)];
  assert.deepEqual(found.changed, now.map((text, i) => text !== then[i]));
  assert.ok(found.changed.includes(true));
  const refused = await ask({ size: 4, layers: ['materials'], chunks, against: 'dunes' }, 'terra');
  assert.deepEqual([refused.status, refused.parameter], [404, 'against']);
  assert.match(refused.detail, /the world "dunes" has no layer "materials\.\w+", or other materials/);
});

test('a wrong other world is refused, by its member', async () => {
  for (const [against, status, words] of [
    ['', 400, /not empty/], [5, 400, /not a number/], ['clock@g1-5', 400, /32 digits/], ['clock~', 400, /seed/],
    ['clokc', 404, /did you mean "clock"/], [`clock@g1-${'0'.repeat(32)}`, 410, /is now g1-/],
    [`clock~2@${former}`, 410, /is now g1-/], ['terra', 404, /the world "terra" has no layer "tide"/]]) {
    const { status: code, parameter, detail } = await ask({ chunks: [[0, 0]], layers: ['height', 'tide'], against });
    assert.deepEqual([code, parameter], [status, 'against'], `${against}: ${detail}`);
    assert.match(detail, words);
  }
  const { status, detail } = await ask({ chunks: [[0, 0]], layers: ['wave'], against: `clock@${former}` });
  assert.deepEqual([status, detail], [404, 'the world "clock" has no layer "wave"']);
  assert.equal((await ask({ chunks: [[0, 0]], format: 'r32f' })).parameter, 'format');
});

test('a batch is cut into jobs, and costs as much as both worlds', async () => {
  const jobs = async () => (await counts(server))('renders_total{kind="question"}');
  const began = await jobs();
  assert.equal((await ask({ size: 64, chunks: square(16, 16) })).digests.length, 256);
  /* 256 · 65² samples, in pieces of at most 3 · 2¹⁴. */
  assert.ok(await jobs() - began >= 22, `${await jobs() - began} jobs`);
  const limited = await startServer({ arguments: ['--worlds', worlds.folder, '--request-cost', '5'] });
  try {
    const post = async (chunks, against) => {
      const response = await fetch(`${limited.url}/worlds/clock/digests`, { method: 'POST', body: JSON.stringify({ chunks, against }) });
      return { status: response.status, ...(await response.json()) };
    };
    const chunks = square(16, 16);
    const [alone, both] = [await post(chunks), await post(chunks, `clock@${former}`)];
    assert.deepEqual([alone.status, both.status], [413, 413]);
    assert.match(alone.example, /\/digests$/);
    assert.ok(both.fits < alone.fits && both.fits > 0.3 * alone.fits, `${both.fits} of ${alone.fits}`);
    assert.equal((await post(chunks.slice(0, alone.fits))).status, 200);
    assert.equal((await post(chunks.slice(0, both.fits), `clock@${former}`)).status, 200);
    assert.equal((await post(chunks.slice(0, alone.fits), `clock@${former}`)).status, 413);
  } finally {
    assert.equal(await limited.stop(), 0);
  }
});

/* The limit is three of the 32 parts of the price, and half a millisecond more in a second: enough for the first piece,
 * not for all. */
test('each piece is paid by itself, and one that would have to wait too long is 429', async () => {
  const request = ['/digests', { method: 'POST', body: JSON.stringify({ size: 64, chunks: square(16, 16) }) }];
  const [price] = await pricesOf([], request);
  const limited = await startServer({ arguments: [...localLimit(3 * price / 32), '--deadline', '1'] });
  const post = () => fetch(limited.url + request[0], request[1]);
  try {
    const began = performance.now();
    const response = await post();
    assert.equal(response.status, 429);
    assert.match((await response.json()).detail, /more rendering than one client may/);
    assert.ok(performance.now() - began > 900);
    const pieces = async () => (await counts(limited))('renders_total', { kind: 'question' });
    let [before, made] = [0, await pieces()];
    assert.ok(made >= 1 && made < 32, `${made} pieces`);
    /* What is left may be enough for its first piece, once or twice: another one was refused. */
    for (let tries = 0; made > before; tries++) {
      assert.ok(tries < 10, 'the first piece of another request is refused at once');
      assert.equal((await post()).status, 429);
      [before, made] = [made, await pieces()];
    }
  } finally {
    assert.equal(await limited.stop(), 0);
  }
});
