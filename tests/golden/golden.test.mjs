/* Compares every golden sample of every generator, bit for bit. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sampleBits } from './golden.mjs';
import { noises } from './noises.mjs';

const folder = new URL('.', import.meta.url);
const files = readdirSync(folder).filter((name) => /^generator\d+\.json$/.test(name));

/* 8 hex digits a layer. */
function differing(layers, expected, actual) {
  return layers.filter((_, i) => (
    expected.slice(8 * i, 8 * i + 8) !== actual.slice(8 * i, 8 * i + 8)));
}

for (const file of files) {
  const { worlds } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
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
