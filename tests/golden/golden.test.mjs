/* Compares every golden sample of every generator, bit for bit, and the shipped worlds' digests. A released generator's
 * samples never change, so a test that fails here is mended in the code or in the world's file, not in the golden file. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { sampleBits } from './golden.mjs';
import { noises } from './noises.mjs';
import { CHUNKS, worldDigests, worldNames } from './worlds.mjs';

const folder = new URL('.', import.meta.url);
const files = readdirSync(folder).filter((name) => /^generator\d+\.json$/.test(name));

const server = serverOfFile();

/* 8 hex digits a layer. */
function differing(layers, expected, actual) {
  return layers.filter((_, i) => (
    expected.slice(8 * i, 8 * i + 8) !== actual.slice(8 * i, 8 * i + 8)));
}

/* The tests with requests come first: those below block this process, while the server ends connections that wait. */
test('the digests are of all shipped worlds, and most of them differ', async () => {
  const { digests } = JSON.parse(readFileSync(new URL('generator1.json', folder), 'utf8'));
  assert.deepEqual(digests.map(({ world }) => world).sort(), (await worldNames(server.url)).sort());
  for (const { world, layers, objects } of digests) {
    const all = Object.values(layers).flat();
    assert.ok(Object.values(layers).every((list) => list.length > CHUNKS.length), world);
    assert.ok(new Set(all).size > 0.5 * all.length, `${world}: ${new Set(all).size} of ${all.length}`);
    assert.ok(objects === null || world === 'terra');
  }
});

for (const file of files) {
  const { worlds, digests } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
  for (const expected of digests)
    test(`${file}: every layer of ${expected.world}`, { timeout: 60_000 }, async () => {
      const { layers, ...actual } = await worldDigests(server.url, expected.world);
      const changed = Object.keys(expected.layers).filter((name) => String(layers[name]) !== String(expected.layers[name]));
      assert.deepEqual(changed, [], 'layers with other samples');
      assert.deepEqual({ ...actual, layers: Object.keys(layers) }, { ...expected, layers: Object.keys(expected.layers) });
    });
  for (const { world, layers, places, samples } of worlds) {
    for (const { view, bits } of samples) {
      const { zoom, z, t } = view;
      const detail = zoom === null ? 'full detail' : `zoom ${zoom}`;
      test(`${file}: ${world} at ${detail}, z ${z}, t ${t}`, () => {
        const actual = sampleBits(world, layers, places, view);
        assert.equal(actual.length, places.length);
        places.forEach((place, i) => assert.equal(actual[i], bits[i],
          `${differing(layers, bits[i], actual[i])} at ${place}`));
      });
    }
  }
}

test('the golden files cover every world, layer and view', () => {
  assert.ok(files.includes('generator1.json'));
  const { worlds } = JSON.parse(readFileSync(new URL('generator1.json', folder), 'utf8'));
  const all = worlds.find(({ world }) => world === 'noises');
  assert.ok(all.places.length >= 500);
  assert.deepEqual(all.layers.sort(), Object.keys(noises.layers).sort());
  for (const { world, layers, places, samples } of worlds) {
    for (const { bits } of samples) {
      assert.equal(bits.length, places.length);
      assert.ok(bits.every((text) => text.length === 8 * layers.length));
      /* The samples are not constant: hardly two places are equal. */
      assert.ok(new Set(bits).size > 0.3 * bits.length, world);
    }
  }
});
