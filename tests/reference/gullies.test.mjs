/* gullies() by brute force: the waves of the nine cells around a place, one by one, with the whole numbers of the
 * program in BigInt, and textbook sines and cosines in doubles. The program's sines are right to 0.0011, which is
 * what its results may differ by, times what the short sums of waves are lengthened by. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, decimal, randomBelow, randomPlaces, randomWithin } from './sample.mjs';
import { mix, murmur3, seedNumber } from './noise.mjs';

const seed = 'carved';
const mask32 = 0xFFFFFFFFn;
const utf8 = (text) => new TextEncoder().encode(text);

/* The whole number that the key of a call is, 24 bits. */
function keyOf(layer, salt, wavelength) {
  let key = mix(seedNumber(seed));
  for (const part of [layer, 'gullies', salt]) key = murmur3(utf8(part), key)[1];
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, wavelength);
  return mix(key + mix(bits.getBigUint64(0))) >> 40n;
}

/* The hash of a cell's line on an axis, and of both. */
function lineOf(cell, axisKey, axis) {
  const high = ((cell + (1n << 31n)) >> 32n) * 0x9E3779B97F4A7C15n;
  const key = mix(axisKey + high) >> 32n;
  const hash = (((cell & mask32) ^ key) * (axis === 0 ? 0x9E3779B1n : 0x85EBCA77n)) & mask32;
  return hash ^ (hash >> (axis === 0 ? 16n : 15n));
}
function hashOf(x, y) {
  let hash = ((x ^ y) * 0x7FEB352Dn) & mask32;
  hash = ((hash ^ (hash >> 15n)) * 0x846CA68Bn) & mask32;
  return hash ^ (hash >> 16n);
}

/* A direction of 2³² ones: two bits choose the quadrant, the others an angle of -45° to 45° in it. */
function phaseOf(hash) {
  const u = Number(BigInt.asIntN(32, (hash << 2n) & mask32) >> 8n) * 2 ** -24;
  const [c, s] = [Math.cos(u * Math.PI / 2), Math.sin(u * Math.PI / 2)];
  const [x, y] = hash & 0x40000000n ? [s, c] : [c, s];
  return hash & 0x80000000n ? [-x, -y] : [x, y];
}

const spline = (d) => (Math.abs(d) < 0.5 ? 0.75 - d * d : 0.5 * (1.5 - Math.abs(d)) ** 2);
const ease = (t) => 1 - (1 - Math.min(t, 1)) ** 2;

/* Stripes of one octave at a place: cosine and sine of the phase, across the direction (x, y). */
function stripesAt(place, { side, cosine, sine, key }, x, y) {
  const form = (v) => BigInt(Math.floor(v / side * 2 ** 48 + 0.5));
  const at = [place[0] * form(cosine) + place[1] * form(-sine), place[0] * form(sine) + place[1] * form(cosine)];
  const cell = at.map((v) => v >> 64n), t = at.map((v) => Number((v >> 40n) & 0xFFFFFFn) * 2 ** -24);
  const along = [x * cosine - y * sine, x * sine + y * cosine];
  let [real, imaginary] = [0, 0];
  for (let south = -1; south <= 1; south++)
    for (let east = -1; east <= 1; east++) {
      const d = [t[0] - 0.5 - east, t[1] - 0.5 - south];
      const [px, py] = phaseOf(hashOf(lineOf(cell[0] + BigInt(east), mix(key), 0),
        lineOf(cell[1] + BigInt(south), mix(key + 1n), 1)));
      const turn = 2 * Math.PI * 0.75 * (along[0] * d[1] - along[1] * d[0]);
      const weight = spline(d[0]) * spline(d[1]);
      real += weight * (px * Math.cos(turn) - py * Math.sin(turn));
      imaginary += weight * (px * Math.sin(turn) + py * Math.cos(turn));
    }
  const length = Math.max(Math.hypot(real, imaginary), 0.3);
  return [real / length, imaginary / length];
}

function gulliesAt(place, [gx, gy], { layer, salt, wavelength, octaves, strength }) {
  const slope = Math.hypot(gx, gy), key = mix(keyOf(layer, salt, wavelength));
  if (slope === 0) return 0;
  let [x, y] = [gx / slope, gy / slope], share = 1, height = 0, sum = 0;
  let [cosine, sine] = [0.92847669088525941, 0.37139067635410376]; /* (5, 2) / √29 */
  for (let i = 0; i < octaves; i++, [cosine, sine] = [cosine * 0.8 - sine * 0.6, cosine * 0.6 + sine * 0.8]) {
    const octave = { side: 0.75 * wavelength / 2 ** i, cosine, sine, key: mix(key + BigInt(i)) };
    const length = Math.hypot(x, y), [east, south] = [x / length, y / length];
    const [crest, beside] = stripesAt(place, octave, east, south);
    height += (crest - height) * share;
    sum += height / 2 ** i;
    x += south * (beside < 0 ? -0.46 : 0.46);
    y -= east * (beside < 0 ? -0.46 : 0.46);
    share = (1 - (1 - share) ** 1.5) * ease(Math.abs(beside) * 4);
  }
  return 0.5 * strength * wavelength * sum * ease(slope * 4);
}

const e = '300 * perlin(3000)';
const cases = {
  one: { wavelength: 700, octaves: 1, strength: 1, salt: '', within: 0.03, off: 0 },
  tiny: { wavelength: 0.01, octaves: 1, strength: 1, salt: '', within: 0.03, off: 0 },
  salted: { wavelength: 64, octaves: 1, strength: 0.5, salt: 'b', within: 0.03, off: 0 },
  finer: { wavelength: 900, octaves: 3, strength: 0.06, salt: '', within: 0.06, off: 0.005 },
};

test('gullies are those of the brute force, near and far', () => {
  const layers = { height: '0' };
  for (const [name, { wavelength, octaves, strength, salt }] of Object.entries(cases)) {
    const spacing = (Math.floor(wavelength * 2 ** 13) + 1) * 2 ** -15;
    layers[name] = `gullies(${e}, ${wavelength}, ${octaves}, ${strength}, salt='${salt}')`;
    layers[`${name}_x`] = `gradient_x(${e}, ${spacing})`;
    layers[`${name}_y`] = `gradient_y(${e}, ${spacing})`;
  }
  /* The noise of a layer has a key of its own, so e is a layer. */
  const world = { generator: 1, seed, layers: { ...Object.fromEntries(Object.entries(layers).map(([name, formula]) => (
    [name, formula.replace(e, 'ground')]))), ground: e } };
  let compared = 0;
  /* Also where the high half of the cells of `tiny` changes: from cell 2³¹ on. */
  const change = BigInt(Math.round(2 ** 31 * 0.0075 / 0.9284766908852594 * 65536));
  const atChange = Array.from({ length: 400 }, () => [change + randomWithin(1n << 12n), randomWithin(1n << 12n)]);
  for (const places of [randomPlaces(), atChange, Array.from({ length: 1500 }, () => [randomBelow(1n << 30n), randomBelow(1n << 30n)])]) {
    const answers = ask(world, places);
    for (const [name, { within, off: share, ...own }] of Object.entries(cases)) {
      const most = 0.5 * own.strength * own.wavelength;
      let off = 0;
      places.forEach((place, i) => {
        const expected = gulliesAt(place, [answers[i][`${name}_x`], answers[i][`${name}_y`]], { layer: name, ...own });
        if (!(Math.abs(answers[i][name] - expected) <= within * most)) off++;
        compared++;
      });
      assert.ok(off <= share * places.length, `${name}: ${off} of ${places.length}`);
    }
  }
  assert.ok(compared > 9000, `${compared}`);
});
