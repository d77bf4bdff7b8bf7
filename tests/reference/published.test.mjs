/* perlin2002 against Ken Perlin's reference implementation of improved noise (2002), and zeros and
 * slopes against differences of the noises themselves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, decimal, formulaOf, randomPlaces, randomWithin } from './sample.mjs';
import { makeNoise } from './noise.mjs';
import { improvedNoise } from './published.mjs';

const metres = (units) => Number(units) / 65536;

test('perlin2002 is the published function at 1000 places', () => {
  const wavelengths = { a: 64, b: 1000, c: 3 };
  const layers = { height: '0' };
  for (const [name, wavelength] of Object.entries(wavelengths)) {
    layers[`${name}_xy`] = `perlin2002(${wavelength})`;
    layers[`${name}_xyz`] = `perlin2002(${wavelength}, axes='xyz', wavelength_z=50)`;
    layers[`${name}_xyt`] = `perlin2002(${wavelength}, axes='xyt', wavelength_t=7)`;
  }
  /* Within 16 km, so that a double's place in a cell is good to 1e-11. */
  const places = Array.from({ length: 1000 }, () => [
    randomWithin(1n << 30n), randomWithin(1n << 30n)]);
  let largest = 0;
  for (const [z, t] of [[0, 0], [-123.5, 77.25]]) {
    const answers = ask({ generator: 1, layers }, places, [`--z=${z}`, `--time=${t}`]);
    places.forEach((place, i) => {
      for (const [name, wavelength] of Object.entries(wavelengths)) {
        const [x, y] = place.map((v) => metres(v) / wavelength);
        const expected = {
          xy: improvedNoise(x, y, 0),
          xyz: improvedNoise(x, y, z / 50),
          xyt: improvedNoise(x, y, t / 7),
        };
        for (const [axes, value] of Object.entries(expected)) {
          const error = Math.abs(answers[i][`${name}_${axes}`] - value);
          assert.ok(error <= 1e-6, `${name}_${axes} at ${place.map(decimal)}: ${error} off`);
          largest = Math.max(largest, Math.abs(value));
        }
      }
    });
  }
  assert.ok(largest > 0.8);
  /* The value that accompanies the published program. */
  assert.ok(Math.abs(improvedNoise(3.14, 42, 7) - 0.13691995878400012) < 1e-15);
});

test('perlin2002 repeats after 256 cells and on', () => {
  const world = { generator: 1, layers: { height: 'perlin2002(64)' } };
  const period = 64n * 256n * 65536n;
  const places = Array.from({ length: 100 }, () => [
    randomWithin(1n << 28n), randomWithin(1n << 28n)]);
  const far = places.map(([x, y]) => [x + 40000n * period, y - 66666n * period]);
  assert.deepEqual(ask(world, far), ask(world, places));
});

const seed = '77';
const noises = {
  linear: { call: 'value', wavelength: 400, interpolation: 'linear', axes: 'x' },
  perlin: { call: 'perlin', wavelength: 400 },
  cosine: { call: 'value', wavelength: 400, interpolation: 'cosine' },
  deep: { call: 'perlin', wavelength: 400, axes: 'xyz' },
  simplex: { call: 'simplex', wavelength: 400 },
  sums: { call: 'fbm', wavelength: 3000, octaves: 4 },
  turned: { call: 'fbm', wavelength: 3000, octaves: 4, rotate_octaves: 1, basis: 'value' },
  billow: { call: 'billow', wavelength: 3000, octaves: 3 },
};

test('zero_distance is |n| over the gradient of n', () => {
  const layers = { height: '0' };
  for (const [name, settings] of Object.entries(noises)) {
    layers[name] = `zero_distance(${formulaOf(settings)})`;
    layers[`${name}_there`] = `zero_distance(rotate(${formulaOf(settings)}, 30))`;
    layers[`${name}_signed`] = `zero_distance(${formulaOf(settings)}, signed=1)`;
  }
  const places = randomPlaces().slice(0, 400);
  const answers = ask({ generator: 1, seed, layers }, places);
  for (const [name, settings] of Object.entries(noises)) {
    const noise = makeNoise(seed, name, settings);
    let compared = 0;
    places.forEach((place, i) => {
      const n = noise(place), h = 0.02;
      const [east, south] = [[h, 0], [0, h]].map(([dx, dy]) => (
        (noise(place, 0, [dx, dy]) - noise(place, 0, [-dx, -dy])) / (2 * h)));
      const expected = Math.min(Math.abs(n) / Math.hypot(east, south), settings.wavelength);
      const error = Math.abs(answers[i][name] - expected);
      /* Across a border of a cell or a fold the difference is no derivative. */
      if (error < 0.01 * expected + 0.05) compared++;
    });
    const own = makeNoise(seed, `${name}_signed`, settings);
    places.forEach((place, i) => {
      const n = own(place);
      if (Math.abs(n) > 1e-4) assert.equal(Math.sign(answers[i][`${name}_signed`]), Math.sign(n), name);
    });
    assert.ok(compared >= 396, `${name}: ${compared} of 400`);
  }
  const distances = answers.map((answer) => answer.perlin);
  assert.ok(Math.min(...distances) < 3 && Math.max(...distances) > 100);
});

test('linear value noise has its zero where zero_distance says', () => {
  const noise = makeNoise(seed, 'linear', noises.linear);
  const layers = { height: '0', linear: `zero_distance(${formulaOf(noises.linear)})` };
  const places = randomPlaces().slice(0, 300);
  const answers = ask({ generator: 1, seed, layers }, places);
  let found = 0;
  places.forEach((place, i) => {
    const metresAway = answers[i].linear;
    const ends = [-1, 1].map((way) => Math.abs(noise(place, 0, [way * metresAway, 0])));
    if (Math.min(...ends) < 1e-4) found++;
  });
  /* Others' cells have their ends on one side of 0, so their zero is no one's. */
  assert.ok(found > 60, `${found}`);
});

test('slope and gradients are differences over their spacing', () => {
  const noise = { call: 'fbm', wavelength: 3000, octaves: 5 };
  const layers = {
    height: '0',
    slope: `slope(100 * ${formulaOf(noise)}, 32)`,
    gradient_x: `gradient_x(100 * ${formulaOf(noise)}, 10.3)`,
    gradient_y: `gradient_y(100 * ${formulaOf(noise)}, 64)`,
  };
  const places = randomPlaces().slice(0, 200);
  const answers = ask({ generator: 1, seed, layers }, places);
  const samplers = Object.fromEntries(['slope', 'gradient_x', 'gradient_y'].map((layer) => (
    [layer, makeNoise(seed, layer, noise)])));
  const rise = (layer, place, dx, dy) => (
    100 * (samplers[layer](place, 0, [dx, dy]) - samplers[layer](place, 0, [-dx, -dy]))
      / (2 * (dx + dy)));
  places.forEach((place, i) => {
    const steep = Math.hypot(rise('slope', place, 16, 0), rise('slope', place, 0, 16));
    assert.ok(Math.abs(answers[i].slope - steep) < 1e-4, `${steep} ${answers[i].slope}`);
    assert.ok(Math.abs(answers[i].gradient_x - rise('gradient_x', place, 5.15, 0)) < 3e-4);
    assert.ok(Math.abs(answers[i].gradient_y - rise('gradient_y', place, 0, 32)) < 1e-4);
  });
});
