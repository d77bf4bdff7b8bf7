/* Compares every golden sample of every generator, bit for bit, and the shipped worlds' digests. What no drainage network
 * shapes is locked: a test of generatorN.json that fails is mended in the code or in the world's file, not in the golden
 * file. Land, in generatorN-land.json, may change until the generator is released: `make golden-land` writes it anew. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { serverOfFile } from '../tools/server.mjs';
import { isDrained, sampleBits } from './golden.mjs';
import { drainedNoises, noises, undrainedNoises } from './noises.mjs';
import { CHUNKS, worldDigests, worldNames } from './worlds.mjs';

const folder = new URL('.', import.meta.url);
const files = readdirSync(folder).filter((name) => /^generator\d+(-land)?\.json$/.test(name));
const read = (file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
const partsOf = (generator) => [`generator${generator}.json`, `generator${generator}-land.json`].map(read);

const server = serverOfFile();

/* 8 hex digits a layer. */
function differing(layers, expected, actual) {
  return layers.filter((_, i) => (
    expected.slice(8 * i, 8 * i + 8) !== actual.slice(8 * i, 8 * i + 8)));
}

/* The tests with requests come first: those below block this process, while the server ends connections that wait. */
test('the digests are of all shipped worlds, and most of them differ', async () => {
  const digests = partsOf(1).flatMap((part) => part.digests);
  assert.deepEqual(digests.map(({ world }) => world).sort(), (await worldNames(server.url)).sort());
  for (const { world, layers, objects } of digests) {
    const all = Object.values(layers).flat();
    assert.ok(Object.values(layers).every((list) => list.length > CHUNKS.length), world);
    assert.ok(new Set(all).size > 0.5 * all.length, `${world}: ${new Set(all).size} of ${all.length}`);
    assert.equal(objects !== null, ['terra', 'archipelago'].includes(world), world);
  }
});

for (const file of files) {
  for (const expected of read(file).digests)
    test(`${file}: every layer of ${expected.world}`, { timeout: 60_000 }, async () => {
      const { layers, ...actual } = await worldDigests(server.url, expected.world);
      const changed = Object.keys(expected.layers).filter((name) => String(layers[name]) !== String(expected.layers[name]));
      assert.deepEqual(changed, [], 'layers with other samples');
      assert.deepEqual({ ...actual, layers: Object.keys(layers) }, { ...expected, layers: Object.keys(expected.layers) });
    });
}

for (const file of files) {
  for (const { world, layers, places, samples } of read(file).worlds) {
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

test('only land is in the file that may change', () => {
  const [locked, land] = partsOf(1);
  const layersOf = ({ worlds }) => worlds.filter(({ world }) => world === 'noises').map(({ layers }) => layers);
  const worldsOf = ({ worlds, digests }) => [...worlds, ...digests].map(({ world }) => world).filter((world) => world !== 'noises');
  assert.deepEqual(layersOf(locked), [undrainedNoises, undrainedNoises]);
  assert.deepEqual(layersOf(land), [drainedNoises, drainedNoises]);
  assert.deepEqual(worldsOf(locked).filter(isDrained), []);
  assert.deepEqual(worldsOf(land).filter((world) => !isDrained(world)), []);
  /* The layers that a network shapes are those whose formulas ask it. */
  const asking = Object.entries(noises.layers).filter(([, formula]) => formula.includes('drainage(')).map(([name]) => name);
  assert.deepEqual(drainedNoises, asking);
});

test('the golden files cover every world, layer and view', () => {
  const worlds = partsOf(1).flatMap((part) => part.worlds);
  const all = worlds.filter(({ world, places }) => world === 'noises' && places.length >= 500);
  assert.deepEqual(all.flatMap(({ layers }) => layers).sort(), Object.keys(noises.layers).sort());
  for (const { world, layers, places, samples } of worlds) {
    for (const { bits } of samples) {
      assert.equal(bits.length, places.length);
      assert.ok(bits.every((text) => text.length === 8 * layers.length));
      /* The samples are not constant: hardly two places are equal. */
      assert.ok(new Set(bits).size > 0.3 * bits.length, world);
    }
  }
});
