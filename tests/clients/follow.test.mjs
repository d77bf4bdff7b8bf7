/* Objects that come with chunks, and worlds that are followed while they change, by the client in JavaScript. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { temporaryFolder } from '../tools/folder.mjs';
import { serverOfFile, startServer } from '../tools/server.mjs';
import { proxyOfFile } from './proxy.mjs';
import { Terrane } from '../../server/clients/javascript/terrane.js';

const server = serverOfFile();
const proxy = proxyOfFile(server);

const bits = (samples) => [...new Uint32Array(samples.buffer, samples.byteOffset, samples.length)];

const objectsIn = async (world, [x, y], side) =>
  (await (await fetch(`${server.url}/worlds/${world}/objects?bbox=${x},${y},${x + side},${y + side}`)).json()).objects;
const singles = ({ height, scale, rotation, ...object }) => ({ ...object, height: Math.fround(height), scale: Math.fround(scale), rotation: Math.fround(rotation) });

test('chunks have their objects, from the same request', async () => {
  const terrane = new Terrane(proxy.url, { world: 'terra', layers: ['height', 'biome'], objects: true });
  const places = [[-2, 1], [0, 0], [2 ** 34, 0], [1, 0]];
  const chunks = await terrane.chunks(places);
  assert.deepEqual(proxy.log, ['POST /worlds/terra/chunks', 'GET /worlds/terra']); /* the names of the kinds, once */
  assert.equal(chunks[2], null);
  const plain = await new Terrane(server.url, { world: 'terra', layers: ['height', 'biome'] }).chunks(places);
  for (const i of [0, 1, 3]) {
    const [cx, cy] = places[i];
    assert.deepEqual(chunks[i].objects, (await objectsIn('terra', [64 * cx, 64 * cy], 64)).map(singles));
    assert.deepEqual(bits(chunks[i].samples), bits(plain[i].samples));
    assert.equal(plain[i].objects, null);
  }
  assert.ok(chunks.some((chunk) => chunk?.objects.length > 3));
  const alone = await terrane.chunk(5, -3);
  assert.deepEqual(alone.objects, (await objectsIn('terra', [320, -192], 64)).map(singles));
  assert.deepEqual(proxy.log.slice(2), ['POST /worlds/terra/chunks']);
  assert.equal(await terrane.refresh(5, -3), false);
  await assert.rejects(terrane.chunk(2 ** 34, 0), { name: 'TerraneError', status: 404 });
});

/* What follow() gives within the time that the watchdog has. */
const nextOf = async (changes) => {
  const { value, done } = await changes.next();
  assert.equal(done, false);
  return value;
};
const island = (height, trees = '0.3') => ({
  generator: 1,
  seed: 'island',
  layers: { height },
  objects: { tree: { spacing: 16, density: trees, color: '#080' } },
});

/* East of x = 64 alone the ground rises by 1 m, so of the chunks 0, 1 and 2 the first stays. */
test('following a world gives the chunks that a reload has changed, and no others', async () => {
  for (const watch of [['--watch'], []]) {
    const folder = temporaryFolder({ 'island.json': island('x') });
    const daemon = await startServer({ arguments: ['--worlds', folder.path, ...watch] });
    const stop = new AbortController();
    try {
      const terrane = new Terrane(daemon.url, { world: 'island', size: 32 });
      const places = [[0, 0], [2, 0], [3, 0]];
      const before = await terrane.chunks(places);
      const changes = terrane.follow({ signal: stop.signal, every: watch.length ? 600000 : 50 });
      const coming = nextOf(changes);
      folder.write('island.json', island('x + (x > 70 ? 1 : 0)'));
      if (!watch.length) process.kill(daemon.pid, 'SIGHUP');
      const { fingerprint, chunks } = await coming;
      const now = (await (await fetch(`${daemon.url}/worlds/island`)).json()).fingerprint;
      assert.equal(fingerprint, now);
      assert.deepEqual(chunks.map(({ cx, cy }) => [cx, cy]), [[2, 0], [3, 0]]);
      assert.deepEqual([...chunks[0].layers.height.subarray(0, 9)], [64, 65, 66, 67, 68, 69, 70, 72, 73]);
      assert.equal(terrane.counts.received, 5);
      const after = await terrane.chunks(places);
      assert.deepEqual(after, [before[0], chunks[0], chunks[1]]);
      stop.abort();
      assert.deepEqual(await changes.next(), { value: undefined, done: true });
    } finally {
      stop.abort();
      await daemon.stop();
    }
  }
});

test('following a world with objects gives the chunks whose objects alone have changed', async () => {
  const folder = temporaryFolder({ 'island.json': island('x', 'x > 64 ? 0.3 : 0') });
  const daemon = await startServer({ arguments: ['--worlds', folder.path, '--watch'] });
  const stop = new AbortController();
  try {
    const terrane = new Terrane(daemon.url, { world: 'island', objects: true });
    await terrane.chunks([[0, 0], [1, 0]]);
    const changes = terrane.follow({ signal: stop.signal, every: 600000 });
    const coming = nextOf(changes);
    folder.write('island.json', island('x', 'x > 64 ? 0.9 : 0'));
    const { chunks } = await coming;
    assert.deepEqual(chunks.map(({ cx, cy }) => [cx, cy]), [[1, 0]]);
    assert.ok(chunks[0].objects.length > 3);
  } finally {
    stop.abort();
    await daemon.stop();
  }
});

test('a pinned world cannot be followed', async () => {
  const pinned = await new Terrane(server.url, { world: 'perlin' }).pin();
  await assert.rejects(new Terrane(server.url, { world: pinned }).follow().next(), { name: 'TerraneError', message: /pinned/ });
});
