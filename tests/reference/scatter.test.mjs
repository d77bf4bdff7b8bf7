/* scatter() by brute force: every point of the 25 cells around a place, with the whole numbers of the
 * program in BigInt and everything else in doubles. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, decimal, limit, randomBelow, randomPlaces } from './sample.mjs';
import { mix, murmur3, seedNumber } from './noise.mjs';
import { makeRandom } from './shapes.mjs';

const seed = 'scattered';
const random = makeRandom(seed);
const smoothstep = (a, b, v) => {
  const t = Math.min(Math.max((v - a) / (b - a), 0), 1);
  return t * t * (3 - 2 * t);
};

/* The features around a place, of calls with this spacing and salt. */
function featuresOf(spacing, salt = '') {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, spacing);
  const named = murmur3(new TextEncoder().encode(salt), mix(seedNumber(seed)))[1];
  const key = mix(mix(named + bits.getBigUint64(0)) >> 40n);
  const form = BigInt(Math.floor(2 ** 48 / spacing + 0.5));
  return (place) => {
    const at = place.map((v) => v * form);
    const t = at.map((v) => Number((v >> 40n) & 0xFFFFFFn) * 2 ** -24);
    const features = [];
    for (let south = -2; south <= 2; south++)
      for (let east = -2; east <= 2; east++) {
        const [x, y] = [(at[0] >> 64n) + BigInt(east), (at[1] >> 64n) + BigInt(south)];
        const id = Number(mix(mix(key + y) + x) >> 40n);
        const dx = (t[0] - east - random(id, 65536)) * spacing;
        const dy = (t[1] - south - random(id, 65537)) * spacing;
        const r = Math.hypot(dx, dy);
        features.push({ id, dx, dy, r, angle: Math.atan2(dy, dx), fade: smoothstep(spacing, 0.75 * spacing, r) });
      }
    return features;
  };
}

const cases = {
  craters: ['scatter(100, max(0, 50 - r) * random(id, 1))', 100, 'sum',
    ({ r, id }) => Math.max(0, 50 - r) * random(id, 1)],
  waves: ['scatter(77.7, sin(3 * angle) * r + dx - 2 * dy)', 77.7, 'sum',
    ({ r, angle, dx, dy }) => Math.sin(3 * angle) * r + dx - 2 * dy],
  mounds: ["scatter(900, 300 - r + 9 * random(id, 7), join='max')", 900, 'max',
    ({ r, id }) => 300 - r + 9 * random(id, 7)],
  pits: ["scatter(900, r - 700 * random(id, 2), 'min', salt='deep')", 900, 'min',
    ({ r, id }) => r - 700 * random(id, 2), 'deep'],
  numbers: ["scatter(65536, id, join='nearest')", 65536, 'nearest', ({ id }) => id],
  wide: ["scatter(1e6, dx + dy, join='nearest')", 1e6, 'nearest', ({ dx, dy }) => dx + dy],
};

const joins = {
  sum: (features, e) => features.reduce((sum, f) => sum + e(f) * f.fade, 0),
  max: (features, e) => Math.max(0, ...features.map((f) => e(f) * f.fade)),
  min: (features, e) => Math.min(0, ...features.map((f) => e(f) * f.fade)),
  nearest: (features, e, spacing) => {
    const nearest = features.reduce((a, b) => (b.r < a.r ? b : a));
    return nearest.r < spacing ? e(nearest) : 0;
  },
};

test('features are those of the brute force, near and far', () => {
  const world = { generator: 1, seed, layers: { height: '0',
    ...Object.fromEntries(Object.entries(cases).map(([name, [formula]]) => [name, formula])) } };
  let compared = 0;
  for (const places of [randomPlaces(), Array.from({ length: 1500 }, () => [randomBelow(1n << 34n), randomBelow(1n << 34n)])]) {
    const answers = ask(world, places);
    for (const [name, [, spacing, join, e, salt]] of Object.entries(cases)) {
      const around = featuresOf(spacing, salt);
      let wrong = 0;
      places.forEach((place, i) => {
        const expected = joins[join](around(place), e, spacing);
        const tolerance = name === 'numbers' ? 0 : 3e-6 * spacing * (name === 'waves' ? 9 : 1);
        /* Where two are nearest, or one is a spacing away, a float may be on the other side. */
        if (!(Math.abs(answers[i][name] - expected) <= tolerance))
          assert.ok(join === 'nearest' && ++wrong <= 2,
            `${name} at ${place.map(decimal)}: ${answers[i][name]}, not ${expected}`);
        compared++;
      });
    }
  }
  assert.ok(compared > 15000, `${compared}`);
});

test('neighbouring cells agree on their features where a low half of a cell changes', () => {
  const world = { generator: 1, seed, layers: { height: "scatter(0.1, 1 - 9 * r, join='max')" } };
  const around = featuresOf(0.1);
  const change = (1n << 31n) * 65536n / 10n;
  const places = Array.from({ length: 300 }, () => [change + randomBelow(1n << 18n) - (1n << 17n), limit - randomBelow(1n << 20n)]);
  ask(world, places).forEach(({ height }, i) => {
    const expected = joins.max(around(places[i]), ({ r }) => 1 - 9 * r);
    assert.ok(Math.abs(height - expected) < 1e-5, `${places[i].map(decimal)}: ${height}, not ${expected}`);
  });
});
