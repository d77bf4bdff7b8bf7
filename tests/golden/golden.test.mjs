/* Every golden sample of every generator, bit for bit. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sampleBits, worldFile } from './golden.mjs';

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
    for (const { zoom, bits } of samples) {
      test(`${file}: ${world} at ${zoom === null ? 'full detail' : `zoom ${zoom}`}`, () => {
        const actual = sampleBits(worldFile(world), layers, places, zoom);
        assert.equal(actual.length, places.length);
        places.forEach((place, i) => assert.equal(actual[i], bits[i],
          `${differing(layers, bits[i], actual[i])} at ${place}`));
      });
    }
  }
}

test('the golden files hold what they should', () => {
  assert.ok(files.includes('generator1.json'));
  const { worlds } = JSON.parse(readFileSync(new URL('generator1.json', folder), 'utf8'));
  const perlin = worlds.find(({ world }) => world === 'perlin');
  assert.ok(perlin.places.length >= 200 && perlin.layers.length >= 14);
  for (const { bits } of perlin.samples) {
    assert.equal(bits.length, perlin.places.length);
    assert.ok(bits.every((text) => text.length === 8 * perlin.layers.length));
    /* They are samples, not a field of zeros: hardly two places alike. */
    assert.ok(new Set(bits).size > 0.9 * bits.length);
  }
});
