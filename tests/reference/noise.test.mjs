/* The program's noises against noise.mjs, at random places near and far. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask as askWorld, decimal, formulaOf, limit, randomBelow, randomPlaces, randomWithin } from './sample.mjs';
import { detail, fades, makeNoise, mix, murmur3 } from './noise.mjs';

const seed = 'Ein Same, größer als 2⁶⁴';
/* Floats and their sums are good to 2e-6. Gradients are unit vectors to 1e-5, which at √½ cells from
 * a corner, times √2, is all there is to lose. */
const tolerances = { value: 2e-6, perlin: 1.2e-5 };

/* Every noise to compare: layer name → settings as makeNoise() takes them. */
const noises = {};
for (const interpolation of Object.keys(fades).filter((name) => name !== 'none')) {
  for (const basis of ['value', 'perlin']) {
    noises[`${basis}_${interpolation}`] = { call: basis, wavelength: 300, interpolation };
    noises[`fbm_${basis}_${interpolation}`] = {
      call: 'fbm', wavelength: 5000, octaves: 6, basis, interpolation,
    };
    noises[`ridged_${basis}_${interpolation}`] = {
      call: 'ridged', wavelength: 5000, octaves: 5, basis, interpolation,
    };
  }
}
for (const basis of ['white', 'value', 'perlin'])
  for (const call of ['billow', 'turbulence'])
    noises[`${call}_${basis}`] = { call, wavelength: 5000, octaves: 6, basis };
Object.assign(noises, {
  white_alone: { call: 'white', wavelength: 300 },
  white_salted: { call: 'white', wavelength: 77.7, salt: 'x' },
  fbm_white: { call: 'fbm', wavelength: 5000, octaves: 6, basis: 'white' },
  ridged_white: { call: 'ridged', wavelength: 5000, octaves: 5, basis: 'white' },
  wide: { call: 'perlin', wavelength: 1e9 },
  narrow: { call: 'perlin', wavelength: 0.01 },
  salted: { call: 'value', wavelength: 12.34, salt: 'ü"' },
  uneven: { call: 'fbm', wavelength: 777.7, octaves: 7, persistence: 0.63, lacunarity: 1.87 },
  steep: {
    call: 'ridged', wavelength: 3000, octaves: 4, persistence: 0.7, lacunarity: 2.3, feedback: 3,
  },
});

const warped = { call: 'fbm', wavelength: 4096, octaves: 3 };
const warps = [
  { call: 'perlin', wavelength: 9000, salt: 'east' },
  { call: 'value', wavelength: 7000, salt: 'south' },
];
const world = {
  generator: 1,
  seed,
  layers: {
    height: '0',
    ...Object.fromEntries(Object.entries(noises).map(([name, n]) => [name, formulaOf(n)])),
    warped: `warp(${formulaOf(warped)}, 400 * ${formulaOf(warps[0])}, 300 * ${formulaOf(warps[1])})`,
    nested: `warp(warp(${formulaOf(warped)}, 250, -100), 64.5, 0.25)`,
  },
};

const ask = (places, words = []) => askWorld(world, places, words);

const toleranceOf = (layer) => (
  /value|white|salted/.test(layer) ? tolerances.value : tolerances.perlin);

function compare(places, answers, spacing, layers, sample) {
  for (const layer of layers) {
    const expected = sample(layer);
    const tolerance = toleranceOf(layer);
    let largest = 0;
    places.forEach((place, i) => {
      const error = Math.abs(answers[i][layer] - expected(place, spacing));
      assert.ok(error <= tolerance, `${layer} at ${place.map(decimal)}: ${answers[i][layer]} is `
        + `${error} from the reference ${expected(place, spacing)}`);
      largest = Math.max(largest, Math.abs(expected(place, spacing)));
    });
    if (spacing === 0) assert.ok(largest > 0.3, `${layer} never leaves ±${largest}`);
  }
}

test('the reference hashes as published', () => {
  /* SplitMix64 from seed 1234567; SMHasher's verification value of MurmurHash3 x64 128. */
  assert.equal(mix(1234567n + 0x9E3779B97F4A7C15n), 6457827717110365317n);
  const hashes = [];
  for (let i = 0; i < 256; i++) {
    const text = Uint8Array.from({ length: i }, (_, k) => k);
    for (const half of murmur3(text, BigInt(256 - i)))
      for (let b = 0n; b < 8n; b++) hashes.push(Number((half >> (8n * b)) & 0xFFn));
  }
  assert.equal(murmur3(Uint8Array.from(hashes), 0n)[0] & 0xFFFFFFFFn, 0x6384BA69n);
});

test('every noise equals the reference at full detail', () => {
  const places = randomPlaces();
  assert.ok(places.length > 1000);
  compare(places, ask(places), 0, Object.keys(noises),
    (layer) => makeNoise(seed, layer, noises[layer]));
});

test('every noise equals the reference at lower levels of detail', () => {
  const places = randomPlaces().slice(0, 120);
  for (const zoom of [20, 12, 9, 7, 6, 5, 3, 0]) {
    const spacing = 2 ** (17 - zoom);
    compare(places, ask(places, ['--zoom', String(zoom)]), spacing, Object.keys(noises),
      (layer) => makeNoise(seed, layer, noises[layer]));
  }
  /* Both sides of a fade are among them. */
  assert.equal(detail(5000, 2 ** 12), 0);
  assert.ok(detail(5000, 2 ** 11) > 0 && detail(5000, 2 ** 11) < 1);
});

test('warps move the place', () => {
  const places = randomPlaces();
  const answers = ask(places);
  const [east, south] = warps.map((settings) => makeNoise(seed, 'warped', settings));
  compare(places, answers, 0, ['warped'], (layer) => {
    const noise = makeNoise(seed, layer, warped);
    return (place) => noise(place, 0, [400 * east(place), 300 * south(place)]);
  });
  compare(places, answers, 0, ['nested'], (layer) => {
    const noise = makeNoise(seed, layer, warped);
    return (place) => noise(place, 0, [314.5, -99.75]);
  });
});

test('changing lattice keys equal the reference', () => {
  /* A cell's high half changes once in 2³² cells; a wavelength of 0.01 m has changes 42,950 km
   * apart, and the first lies half of that from the origin, up to 2²⁴ cells nearer. */
  const places = [];
  for (let i = -3n; i <= 3n; i++) {
    const change = ((2n * i + 1n) * (1n << 31n) * 65536n) / 100n;
    for (let k = 0; k < 150; k++)
      places.push([change - randomBelow(1n << 34n) + (1n << 33n), randomWithin(limit)]);
  }
  compare(places, ask(places), 0, ['narrow'], (layer) => makeNoise(seed, layer, noises[layer]));
});
